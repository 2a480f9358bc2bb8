/** The guides, as tools/bundle.mjs reads them: a block without a language is HTML, the others are code. */
declare module '*/docs/guides/README.md' {
  type Block = { language?: string; title?: string; text: string };
  export type Guide = { id: string; title: string; blocks: Block[] };
  export const GUIDES: Guide[];
}
