// Builds dist in each folder of packages. The service sends the same files below /client.
import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join, relative, resolve } from 'node:path';
import { buildElements } from './elements.mjs';
import { ROOT, filesUnder } from './generate.mjs';

/** Loads a package where it is used: mostly everything is current. */
const load = createRequire(import.meta.url);

export const CLIENT_RECORDS = 'src/generated/client-records.ts';

/**
 * What the packages contain: `modules` by name, which load each other from the same folder; `types`, the files whose declarations are
 * a module's types; `scripts` that make a global of this name; `build` in place of these. `contains` names another package whose files lie
 * beside. The service has a copy of what `isServed`. A new package is a new row.
 */
export const PACKAGES = {
  client: {
    modules: { wishgate: 'src/wishgate.ts', watch: 'src/watch.ts', events: 'src/events.ts' },
    types: { wishgate: [`../../${CLIENT_RECORDS}`, 'src/types.ts', 'src/wishgate.ts'] },
    scripts: { wishgate: 'src/wishgate.ts' },
    isServed: true,
  },
  react: {
    modules: { react: 'src/react.ts', server: 'src/server.ts' },
    types: { react: ['src/types.ts', 'src/react.ts'], server: ['src/types.ts', 'src/server.ts'] },
    // Next.js asks for it where hooks are; other bundlers ignore it.
    banner: { react: "'use client';" },
  },
  elements: { build: buildElements, contains: 'client', isServed: true },
};

export const folderOf = (name) => join(ROOT, 'packages', name);
export const distOf = (name) => join(folderOf(name), 'dist');

/** What the packages are built from. */
export const packageSources = () =>
  filesUnder([
    ...['tools/packages.mjs', 'tools/elements.mjs'],
    ...Object.keys(PACKAGES).map((name) => `packages/${name}/src`),
  ]);

/** Whether every package is built. */
export const arePackagesBuilt = () => Object.keys(PACKAGES).every((name) => existsSync(distOf(name)));

/** Leaves out what is a module of its own: it is loaded from its file, in a page's bundle as well as from the service. */
const apart = (modules) => ({
  name: 'apart',
  setup({ onResolve }) {
    onResolve({ filter: /^\.\.?\// }, ({ kind, path, resolveDir }) => {
      const file = resolve(resolveDir, path);
      const found = Object.entries(modules).find(([, source]) => source === file);
      return found && kind !== 'entry-point' ? { path: `./${found[0]}.mjs`, external: true } : undefined;
    });
  },
});

const IMPORT = /^import (?:type )?\{([^}]*)\} from '([^'.][^']*)';\n/gm;
const RELATIVE = /^(import|export) (type )?(\*|\{[^}]*\}) from '\..*\n/gm;

/** The declarations of several files as one text, which imports nothing but other packages. */
function joinTypes(files) {
  const ts = load('typescript');
  const imports = new Map();
  const texts = files.map((file) => {
    const { outputText, diagnostics = [] } = ts.transpileDeclaration(readFileSync(file, 'utf8'), {
      fileName: file,
      reportDiagnostics: true,
      compilerOptions: { isolatedDeclarations: true, declaration: true },
    });
    if (diagnostics.length > 0)
      throw new Error(
        `${relative(ROOT, file)}: ${ts.flattenDiagnosticMessageText(diagnostics[0].messageText, '\n')}`,
      );
    return outputText.replace(RELATIVE, '').replace(IMPORT, (_line, names, from) => {
      const known = imports.get(from) ?? new Set();
      imports.set(from, known);
      for (const name of names.split(',')) if (name.trim()) known.add(name.trim().replace(/^type /, ''));
      return '';
    });
  });
  const lines = [...imports].map(
    ([from, names]) => `import type { ${[...names].join(', ')} } from '${from}';`,
  );
  return [...lines, ...texts].join('\n');
}

/** Puts back what tells bundlers to leave an import by URL alone, and esbuild removes with all white space. */
const keepUrlImports = ({ path, text }) => ({
  path,
  contents: text.replace(/\bimport\((?=\w)/g, 'import(/*webpackIgnore:true*//*@vite-ignore*/'),
});

/** The script's own folder: for a script of another origin, browsers know no address that imports could be relative to. */
const FOLDER = 'const $src=globalThis.document?.currentScript?.src,$folder=$src?new URL(".",$src).href:"./";';

/** Loads the other parts of a script by the script's own address. */
const importFromFolder = ({ path, contents }) => ({
  path,
  contents: contents.replace('(()=>{', `(()=>{${FOLDER}`).replace(/\bimport\("\.\//g, 'import($folder+"'),
});

const OPTIONS = {
  absWorkingDir: ROOT,
  bundle: true,
  minify: true,
  write: false,
  target: 'es2020',
  legalComments: 'none',
  logLevel: 'silent',
  packages: 'external',
};

/** The files of a package: `{ path, contents }`. */
async function buildPackage(name, { modules, types, scripts = {}, banner = {}, build: buildOwn }) {
  if (buildOwn) return buildOwn(OPTIONS, joinTypes);
  const { build } = load('esbuild');
  const inPackage = (paths) =>
    Object.fromEntries(Object.entries(paths).map(([key, path]) => [key, join(folderOf(name), path)]));
  const sources = inPackage(modules);
  const options = { ...OPTIONS, outdir: distOf(name), plugins: [apart(sources)] };
  const outputs = await Promise.all([
    ...Object.entries(sources).map(([key, source]) =>
      build({
        ...options,
        entryPoints: { [key]: source },
        format: 'esm',
        outExtension: { '.js': '.mjs' },
        banner: { js: banner[key] ?? '' },
      }),
    ),
    ...Object.entries(inPackage(scripts)).map(([key, source]) =>
      build({ ...options, entryPoints: { [key]: source }, format: 'iife', globalName: key }),
    ),
  ]);
  const written = outputs.flatMap(({ outputFiles }) => outputFiles).map(keepUrlImports);
  const declarations = Object.entries(types).map(([key, files]) => ({
    path: join(distOf(name), `${key}.d.mts`),
    contents: joinTypes(files.map((file) => join(folderOf(name), file))),
  }));
  return [
    ...written.map((file) => (file.path.endsWith('.mjs') ? file : importFromFolder(file))),
    ...declarations,
  ];
}

/** The files of all packages, and the service's copies of them in `folder`. */
export async function buildPackages(folder) {
  const rows = Object.entries(PACKAGES);
  const built = Object.fromEntries(
    await Promise.all(rows.map(async ([name, row]) => [name, await buildPackage(name, row)])),
  );
  const copy = (name, target) =>
    built[name].map(({ path, contents }) => ({ path: join(target, relative(distOf(name), path)), contents }));
  return rows.flatMap(([name, { contains, isServed }]) => [
    ...built[name],
    // A script tag has the elements' own entry.
    ...(contains ? copy(contains, distOf(name)).filter(({ path }) => !path.endsWith('.js')) : []),
    ...(isServed ? copy(name, folder) : []),
  ]);
}
