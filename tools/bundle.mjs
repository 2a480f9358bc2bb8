#!/usr/bin/env node
// Writes dist/public: the browser library and the scripts and styles of every page. Does nothing when it is current.
import { mkdirSync, readFileSync, readdirSync, renameSync, rmSync, writeFileSync, existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { basename, dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ROOT, filesUnder, hashOf, readStamp } from './generate.mjs';

/** Loads a package where it is used: mostly everything is current, and loading them all takes half a second. */
const load = createRequire(import.meta.url);

const PUBLIC = join(ROOT, 'dist/public');
const STAMP = join(PUBLIC, '.stamp');

/** Pages by name: what a page loads is everything that its entry imports, styles included. A new page is a new line. */
const PAGES = {
  landing: 'src/web/site/landing.ts',
  docs: 'src/web/site/docs/main.tsx',
  graphiql: 'src/web/site/graphiql.ts',
  demo: 'src/web/demo-shop/main.tsx',
  dashboard: 'src/web/dashboard/main.tsx',
  client: 'src/web/site/client.ts',
};

/** Browser code; the service's own compiler leaves these folders alone. */
export const BROWSER_FOLDERS = [
  'src/web/site',
  'src/web/demo-shop',
  'src/web/dashboard',
  'src/messages/dashboard',
  'src/sdk/compat',
];

const SHOPPER_MESSAGES = 'src/messages/shopper';

const CLIENT = 'packages/client/src/wishgate.ts';
const WATCH = 'packages/client/src/watch.ts';
const COMPAT = 'src/sdk/compat/main.ts';
const ELEMENTS = 'packages/elements';
const CLIENT_MANUAL = 'docs/client.md';
const CLIENT_RECORDS = 'src/generated/client-records.ts';
const CLIENT_TYPES = [CLIENT_RECORDS, 'packages/client/src/types.ts', CLIENT];

const inputHash = () =>
  hashOf([
    ...filesUnder([
      ...BROWSER_FOLDERS,
      SHOPPER_MESSAGES,
      'src/platform/pseudo.ts',
      'src/platform/text.ts',
      'src/sdk/documents.ts',
      'packages/client/src',
      `${ELEMENTS}/src`,
    ]),
    ...filesUnder(['src/generated/dashboard.ts', CLIENT_RECORDS]),
    ...filesUnder(['src/stores', 'src/alerts/topics'], (file) => file.endsWith('.columns.ts')),
    ...filesUnder(['package-lock.json', 'tools/bundle.mjs', CLIENT_MANUAL, 'docs/guides']),
  ]);

const COMMON = {
  absWorkingDir: ROOT,
  bundle: true,
  minify: true,
  write: false,
  outdir: PUBLIC,
  target: 'es2022',
  legalComments: 'none',
  logLevel: 'silent',
};

/** GraphiQL's styles carry 250 kB of fonts inside them; the pages have the reader's own. */
const WITHOUT_FONTS = {
  name: 'without-fonts',
  setup({ onLoad }) {
    onLoad({ filter: /[\\/]graphiql[\\/]dist[\\/]style\.css$/ }, ({ path }) => ({
      contents: readFileSync(path, 'utf8').replace(/@font-face\s*\{[^}]*\}/g, ''),
      loader: 'css',
    }));
  },
};

/** A guide for the API reference: its text as HTML, and blocks of code between. Links to the reference stay on the page. */
function readGuide(file) {
  const renderer = load('markdown-it')();
  const [, title, text] = /^# (.+)\n([\s\S]*)$/.exec(readFileSync(file, 'utf8'));
  const blocks = text.split(/^(```[\s\S]*?\n```)$/m).map((part) => {
    const code = /^```(\w+) ?(.*)\n([\s\S]*)\n```$/.exec(part);
    if (code) return { language: code[1], title: code[2] || 'Terminal', text: code[3] };
    return { text: renderer.render(part).replaceAll('http://127.0.0.1:4000/docs#/', '#/') };
  });
  return { id: basename(file, '.md'), title, blocks };
}

/** The guides in the order in which their index names them. */
const GUIDES = {
  name: 'guides',
  setup({ onLoad }) {
    onLoad({ filter: /[\\/]docs[\\/]guides[\\/]README\.md$/ }, ({ path }) => {
      const files = [...readFileSync(path, 'utf8').matchAll(/\((\w+\.md)\)/g)].map(([, file]) => file);
      const guides = files.map((file) => readGuide(join(dirname(path), file)));
      return { contents: `export const GUIDES = ${JSON.stringify(guides)}` };
    });
  },
};

/** Parses messages here, so that pages load no parser (7 kB packed); a message without placeholders stays a text. */
const MESSAGES = {
  name: 'messages',
  setup({ onLoad }) {
    onLoad({ filter: /[\\/]src[\\/]messages[\\/].*\.json$/ }, async ({ path }) => {
      const { IntlMessageFormat } = await import('intl-messageformat');
      const parse = ([key, text]) => {
        const ast = new IntlMessageFormat(text, 'en', undefined, { ignoreTag: true }).getAst();
        return [key, ast.length === 1 && ast[0].type === 0 ? ast[0].value : ast];
      };
      const messages = Object.entries(JSON.parse(readFileSync(path, 'utf8'))).map(parse);
      return { contents: JSON.stringify(Object.fromEntries(messages)), loader: 'json' };
    });
  },
};

/** A language of the dashboard is a file in this folder, and each is loaded only when it is used. */
const DASHBOARD_LANGUAGES = readdirSync(join(ROOT, 'src/messages/dashboard')).map((file) =>
  basename(file, '.json'),
);

const PAGE = {
  ...COMMON,
  entryNames: 'assets/[name]-[hash]',
  chunkNames: 'assets/[name]-[hash]',
  assetNames: 'assets/[name]-[hash]',
  format: 'esm',
  jsx: 'automatic',
  jsxImportSource: 'preact',
  loader: { '.svg': 'file', '.woff2': 'file' },
  plugins: [WITHOUT_FONTS, GUIDES, MESSAGES],
  alias: { '@formatjs/icu-messageformat-parser': '@formatjs/icu-messageformat-parser/no-parser.js' },
  define: {
    'process.env.NODE_ENV': '"production"',
    DASHBOARD_LANGUAGES: JSON.stringify(DASHBOARD_LANGUAGES),
  },
};

/** Paths of the package folders from which the pages have something. */
export async function bundledPackages() {
  const { metafile } = await load('esbuild').build({ ...PAGE, entryPoints: PAGES, metafile: true });
  const found = Object.keys(metafile.inputs).map(
    (path) => /^.*node_modules\/(@[^/]+\/)?[^/]+/.exec(path)?.[0],
  );
  return new Set(found.filter(Boolean));
}

/** One page; returns its files and where its HTML finds them. */
async function bundlePage(name, entry) {
  // GraphiQL imports parts of itself this way, too, and needs them at once.
  const splitting = name !== 'graphiql';
  const { outputFiles } = await load('esbuild').build({ ...PAGE, splitting, entryPoints: { [name]: entry } });
  const named = (extension) =>
    outputFiles
      .map(({ path }) => relative(PUBLIC, path))
      .filter((path) => path.startsWith(`assets/${name}-`) && path.endsWith(extension))
      .map((path) => `/${path}`);
  return { outputFiles, entry: [name, { scripts: named('.js'), styles: named('.css') }] };
}

/** The texts of elements in shops' pages by language, without their prefix: few, so that the script has them all. */
const browserTexts = () =>
  Object.fromEntries(
    filesUnder([SHOPPER_MESSAGES]).map((file) => {
      const texts = Object.entries(JSON.parse(readFileSync(file, 'utf8')));
      const own = texts.filter(([key]) => key.startsWith('browser.'));
      return [basename(file, '.json'), Object.fromEntries(own.map(([key, text]) => [key.slice(8), text]))];
    }),
  );

/** The browser library for a script tag and as an ES module, and the script for pages written for the public product. */
async function bundleClient() {
  const { build } = load('esbuild');
  const options = { ...COMMON, entryPoints: [CLIENT], target: 'es2020' };
  const [watch, compat, tag, esm] = await Promise.all([
    build({
      ...options,
      entryPoints: [WATCH],
      format: 'esm',
      entryNames: 'client/watch',
      outExtension: { '.js': '.mjs' },
    }),
    build({
      ...options,
      entryPoints: [COMPAT],
      format: 'iife',
      entryNames: 'client/compat',
      define: { BROWSER_TEXTS: JSON.stringify(browserTexts()) },
    }),
    build({ ...options, format: 'iife', globalName: 'wishgate', entryNames: 'client/wishgate' }),
    build({
      ...options,
      format: 'esm',
      entryNames: 'client/wishgate',
      outExtension: { '.js': '.mjs' },
    }),
  ]);
  return [...watch.outputFiles, ...compat.outputFiles, ...tag.outputFiles, ...esm.outputFiles, clientTypes()];
}

/** The texts that elements show; their client is the file beside them, so that a page has it once. */
const FOR_ELEMENTS = {
  name: 'for-elements',
  setup({ onLoad, onResolve }) {
    onResolve({ filter: /\/wishgate\.ts$/ }, () => ({ path: './wishgate.mjs', external: true }));
    onLoad({ filter: /[\\/]src[\\/]messages[\\/].*\.json$/ }, ({ path }) => {
      const texts = Object.entries(JSON.parse(readFileSync(path, 'utf8')));
      const own = texts.flatMap(([key, text]) => {
        const name = /^(?:elements\.|browser\.|share\.(?=(?:empty|soldOut|missing)$))(\w+)$/.exec(key)?.[1];
        return name ? [[name, text]] : [];
      });
      return { contents: `export default ${JSON.stringify(Object.fromEntries(own))}`, loader: 'js' };
    });
  },
};

/** The custom elements: an entry, a file for each element and each language, and their types. */
async function bundleElements() {
  const names = ['hearts', 'lists', 'notify'];
  const languages = filesUnder([SHOPPER_MESSAGES]).filter((file) => !file.endsWith('en.json'));
  const { outputFiles } = await load('esbuild').build({
    ...COMMON,
    entryPoints: Object.fromEntries([
      ['elements', `${ELEMENTS}/src/elements.ts`],
      ...names.map((name) => [`elements-${name}`, `${ELEMENTS}/src/${name}.ts`]),
      ...languages.map((file) => [`elements-${basename(file, '.json')}`, file]),
    ]),
    entryNames: 'client/[name]',
    chunkNames: 'client/elements-[hash]',
    outExtension: { '.js': '.mjs' },
    format: 'esm',
    splitting: true,
    plugins: [FOR_ELEMENTS],
    // Methods that only the elements call, and that have no name in common with the browser's.
    mangleProps: /^(update|draw|emit|report|product|buttons?|head|wanted|write)$/,
  });
  const records =
    "import type { ProductId, ProductInput, VariantId, Wishgate, WishgateOptions } from './wishgate.mjs';";
  const types = declarationsOf([`${ELEMENTS}/src/types.ts`, `${ELEMENTS}/src/elements.ts`]);
  return [
    ...outputFiles,
    { path: join(PUBLIC, 'client/elements.d.mts'), contents: `${records}\n${types}` },
    ...['react', 'preact'].map((library) => ({
      path: join(PUBLIC, `client/elements-${library}.d.mts`),
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

/** The package has the files that the service serves. */
function packElements(files) {
  const folder = join(ROOT, ELEMENTS, 'dist');
  rmSync(folder, { recursive: true, force: true });
  const own = files.filter((path) =>
    /[\\/]client[\\/](elements|wishgate\.(d\.mts|mjs)|watch\.mjs)/.test(path),
  );
  for (const path of own) write({ path: join(folder, basename(path)), contents: readFileSync(path) });
}

/** The library's types as one file: the declarations of its public modules, joined. */
function clientTypes() {
  return { path: join(PUBLIC, 'client/wishgate.d.mts'), contents: declarationsOf(CLIENT_TYPES) };
}

function declarationsOf(files) {
  const ts = load('typescript');
  const texts = files.map((file) => {
    const { outputText, diagnostics = [] } = ts.transpileDeclaration(readFileSync(join(ROOT, file), 'utf8'), {
      fileName: file,
      reportDiagnostics: true,
      compilerOptions: { isolatedDeclarations: true, declaration: true },
    });
    if (diagnostics.length > 0)
      throw new Error(ts.flattenDiagnosticMessageText(diagnostics[0].messageText, '\n'));
    return outputText.replace(/^(import|export) (type )?(\*|\{[^}]*\}) from .*\n/gm, '');
  });
  return texts.join('\n');
}

/** The manual of the library as HTML, for the page /client; links into the repository lead nowhere from there and become plain text. */
function clientManual() {
  const renderer = load('markdown-it')();
  const nameOf = (text) =>
    text
      .toLowerCase()
      .replace(/[^\w\s-]/g, '')
      .replace(/\s/g, '-');
  renderer.renderer.rules.heading_open = (tokens, at) =>
    `<${tokens[at].tag} id="${nameOf(tokens[at + 1].content)}">`;
  renderer.renderer.rules.table_open = () => '<div class="wide" tabindex="0"><table>';
  renderer.renderer.rules.table_close = () => '</table></div>';
  const html = renderer
    .render(readFileSync(join(ROOT, CLIENT_MANUAL), 'utf8'))
    .replaceAll('<pre>', '<pre tabindex="0">')
    .replace(/<a href="(?![#/]|https?:)[^"]*">([\s\S]*?)<\/a>/g, '$1');
  return { path: join(PUBLIC, 'client.html'), contents: html };
}

function write({ path, contents }) {
  mkdirSync(dirname(path), { recursive: true });
  // Renamed into place, so that a running service never sends half a file.
  writeFileSync(`${path}.${process.pid}`, contents);
  renameSync(`${path}.${process.pid}`, path);
  return path;
}

/** Brings dist/public up to date. A page that does not build is reported after the others are written. */
export async function bundle() {
  const hash = inputHash();
  if (readStamp(STAMP) === hash) return;
  console.error('bundling dist/public');
  const pages = Object.entries(PAGES).filter(([, entry]) => existsSync(join(ROOT, entry)));
  const results = await Promise.allSettled([
    bundleClient().then((outputFiles) => ({ outputFiles })),
    bundleElements().then((outputFiles) => ({ outputFiles })),
    ...pages.map(([name, entry]) => bundlePage(name, entry)),
  ]);
  const done = results.filter(({ status }) => status === 'fulfilled').map(({ value }) => value);
  const manifest = Object.fromEntries(done.flatMap(({ entry }) => (entry ? [entry] : [])));
  const written = new Set(done.flatMap(({ outputFiles }) => outputFiles.map(write)));
  written.add(write(clientManual()));
  written.add(write({ path: join(PUBLIC, 'manifest.json'), contents: JSON.stringify(manifest) }));
  packElements([...written]);
  const failed = results.find(({ status }) => status === 'rejected');
  if (failed) throw failed.reason;
  for (const file of filesUnder(['dist/public'])) if (!written.has(file)) rmSync(file, { force: true });
  writeFileSync(STAMP, hash);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  try {
    await bundle();
  } catch (error) {
    console.error(error.message);
    process.exitCode = 1;
  }
}
