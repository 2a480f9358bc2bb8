/** The bundler handles styles; an import has no value. */
declare module '*.css';
