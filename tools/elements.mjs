// Builds packages/elements/dist: the custom elements, the texts they show by language, and their client, which lies beside them.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { basename, join } from 'node:path';
import { ROOT, filesUnder } from './generate.mjs';

/** Loads a package where it is used: mostly everything is current. */
const load = createRequire(import.meta.url);

const FOLDER = join(ROOT, 'packages/elements');
const DIST = join(FOLDER, 'dist');
const TEXTS = 'src/messages/shopper';

/** The texts that elements show; their client is the file beside them, so that a page has it once. */
const FOR_ELEMENTS = {
  name: 'for-elements',
  setup({ onLoad, onResolve }) {
    onResolve({ filter: /\/wishgate\.ts$/ }, () => ({ path: './wishgate.mjs', external: true }));
    onLoad({ filter: /[\\/]src[\\/]messages[\\/].*\.json$/ }, ({ path }) => {
      const texts = Object.entries(JSON.parse(readFileSync(path, 'utf8')));
      const own = texts.flatMap(([key, text]) => {
        const name =
          /^(?:elements\.|browser\.(?=(?:email|notify)$)|share\.(?=(?:empty|soldOut|missing)$))(\w+)$/.exec(
            key,
          )?.[1];
        return name ? [[name, text]] : [];
      });
      return { contents: `export default ${JSON.stringify(Object.fromEntries(own))}`, loader: 'js' };
    });
  },
};

/** The files of the package but its client: an entry, a file for each group of elements and each language, and the types. */
export async function buildElements(options, joinTypes) {
  const names = ['hearts', 'lists', 'notify'];
  const languages = filesUnder([TEXTS]).filter((file) => !file.endsWith('en.json'));
  const { outputFiles } = await load('esbuild').build({
    ...options,
    entryPoints: Object.fromEntries([
      ['elements', join(FOLDER, 'src/elements.ts')],
      ...names.map((name) => [`elements-${name}`, join(FOLDER, `src/${name}.ts`)]),
      ...languages.map((file) => [`elements-${basename(file, '.json')}`, file]),
    ]),
    outdir: DIST,
    chunkNames: 'elements-[hash]',
    target: 'es2022',
    outExtension: { '.js': '.mjs' },
    format: 'esm',
    splitting: true,
    plugins: [FOR_ELEMENTS],
    // Methods that only the elements call, and that have no name in common with the browser's.
    mangleProps: /^(update|draw|emit|report|product|buttons?|head|wanted|write)$/,
  });
  const records =
    "import type { ProductId, ProductInput, VariantId, Wishgate, WishgateOptions } from './wishgate.mjs';";
  const types = joinTypes([join(FOLDER, 'src/types.ts'), join(FOLDER, 'src/elements.ts')]);
  return [
    ...outputFiles,
    { path: join(DIST, 'elements.d.mts'), contents: `${records}\n${types}` },
    ...['react', 'preact'].map((library) => ({
      path: join(DIST, `elements-${library}.d.mts`),
      contents: jsxTypes(library),
    })),
  ];
}

/** What teaches the JSX of a library the elements: `import type {} from '@wishgate/elements/react'`. */
const jsxTypes = (library) => `import type { ClassAttributes, HTMLAttributes } from '${library}';
import type { ElementAttributes } from './elements.mjs';
type Elements = {
  [Tag in keyof ElementAttributes]: ElementAttributes[Tag] &
    ClassAttributes<HTMLElementTagNameMap[Tag]> &
    Omit<HTMLAttributes<HTMLElementTagNameMap[Tag]>, keyof ElementAttributes[Tag]>;
};
declare module '${library}' {
  namespace JSX {
    interface IntrinsicElements extends Elements {}
  }
}
`;
