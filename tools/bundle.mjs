#!/usr/bin/env node
// Writes packages/*/dist, and dist/public: the same files and the scripts and styles of every page. Does nothing when it is current.
import { mkdirSync, readFileSync, readdirSync, renameSync, rmSync, writeFileSync, existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { basename, dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ROOT, filesUnder, hashOf, readStamp } from './generate.mjs';
import {
  CLIENT_RECORDS,
  PACKAGES,
  arePackagesBuilt,
  buildPackages,
  distOf,
  packageSources,
} from './packages.mjs';

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

const COMPAT = 'src/sdk/compat/main.ts';
const COMPAT_MORE = 'src/sdk/compat/more.ts';
const COMPAT_TEXTS = ['email', 'notify', 'remove', 'empty', 'close'];
const CLIENT_MANUAL = 'docs/client.md';

const inputHash = () =>
  hashOf([
    ...filesUnder([
      ...BROWSER_FOLDERS,
      SHOPPER_MESSAGES,
      'src/platform/pseudo.ts',
      'src/platform/text.ts',
      'src/sdk/documents.ts',
    ]),
    ...packageSources(),
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
      const own = texts.filter(([key]) => COMPAT_TEXTS.includes(key.replace(/^browser\./, '')));
      return [basename(file, '.json'), Object.fromEntries(own.map(([key, text]) => [key.slice(8), text]))];
    }),
  );

/** The script for pages written for the public product, and what it loads when a page first needs it. */
async function bundleCompat() {
  const { build } = load('esbuild');
  const options = { ...COMMON, target: 'es2020', format: 'iife' };
  const built = await Promise.all([
    build({ ...options, entryPoints: [COMPAT], entryNames: 'client/compat' }),
    build({
      ...options,
      entryPoints: [COMPAT_MORE],
      globalName: 'wishgateMore',
      entryNames: 'client/compat-more',
      define: { BROWSER_TEXTS: JSON.stringify(browserTexts()) },
    }),
  ]);
  return { outputFiles: built.flatMap(({ outputFiles }) => outputFiles) };
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

/** Brings dist/public and the packages' dist up to date. A page that does not build is reported after the others are written. */
export async function bundle() {
  const hash = inputHash();
  if (readStamp(STAMP) === hash && arePackagesBuilt()) return;
  console.error('bundling dist/public and packages');
  const pages = Object.entries(PAGES).filter(([, entry]) => existsSync(join(ROOT, entry)));
  const results = await Promise.allSettled([
    buildPackages(join(PUBLIC, 'client')).then((outputFiles) => ({ outputFiles })),
    bundleCompat(),
    ...pages.map(([name, entry]) => bundlePage(name, entry)),
  ]);
  const done = results.filter(({ status }) => status === 'fulfilled').map(({ value }) => value);
  const manifest = Object.fromEntries(done.flatMap(({ entry }) => (entry ? [entry] : [])));
  const written = new Set(done.flatMap(({ outputFiles }) => outputFiles.map(write)));
  written.add(write(clientManual()));
  written.add(write({ path: join(PUBLIC, 'manifest.json'), contents: JSON.stringify(manifest) }));
  const failed = results.find(({ status }) => status === 'rejected');
  if (failed) throw failed.reason;
  const folders = ['dist/public', ...Object.keys(PACKAGES).map((name) => relative(ROOT, distOf(name)))];
  for (const file of filesUnder(folders)) if (!written.has(file)) rmSync(file, { force: true });
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
