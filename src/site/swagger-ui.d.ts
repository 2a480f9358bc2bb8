declare module 'swagger-ui-dist/swagger-ui-es-bundle.js' {
  // The package ships no types, and it exports nothing else.
  // eslint-disable-next-line no-restricted-exports -- that is its only export.
  export default function SwaggerUI(options: {
    url: string;
    domNode: Element | null;
    deepLinking: boolean;
    docExpansion: 'list' | 'full' | 'none';
    defaultModelsExpandDepth: number;
    displayRequestDuration: boolean;
    validatorUrl: null;
  }): unknown;
}
