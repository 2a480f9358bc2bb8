// Bundles each program of the service, with the packages it needs, into dist/run: Node takes 1.9 s of CPU to find, read and link 1,700 modules one by one,
// and 0.7 s for a few large ones. What is imported when it is needed stays a file of its own.
import { writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { build } from 'esbuild';
import { ROOT } from './generate.mjs';

const SRC = join(ROOT, 'src');
const DIST = join(ROOT, 'dist');
const RUN = join(DIST, 'run');

/** What `node dist/NAME.js` starts. */
const PROGRAMS = [
  'main',
  'cli/backup',
  'cli/import',
  'cli/operator',
  'cli/restore',
  'cli/store',
  'cli/upgrade',
  'cli/worker',
  'alerts/compose/template.process',
];

/** Packages of CommonJS use these, which modules do not have. */
const COMMONJS = `import { createRequire as createRequire_ } from 'node:module';
import { fileURLToPath as fileURLToPath_ } from 'node:url';
const require = createRequire_(import.meta.url), __filename = fileURLToPath_(import.meta.url), __dirname = fileURLToPath_(new URL('.', import.meta.url));`;

/** Writes the bundles, and a program in place of each compiled file that only loads its bundle; returns the files of dist/run. */
export async function bundlePrograms() {
  const bundleOf = (program) => program.replaceAll('/', '-');
  const { metafile } = await build({
    absWorkingDir: ROOT,
    entryPoints: Object.fromEntries(
      PROGRAMS.map((program) => [bundleOf(program), join(SRC, `${program}.ts`)]),
    ),
    outdir: RUN,
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'node',
    target: 'node20',
    chunkNames: '[name]-[hash]',
    sourcemap: 'linked',
    sourcesContent: false,
    banner: { js: COMMONJS },
    // No keepNames: it names every closure anew, which costs one answer in eight.
    // schema/load.cjs has graphql from its package, and there must be one of it.
    external: ['graphql', 'pg-native'],
    metafile: true,
    logLevel: 'warning',
  });
  for (const program of PROGRAMS) {
    const file = join(DIST, `${program}.js`);
    writeFileSync(
      file,
      `import '${relative(dirname(file), join(RUN, bundleOf(program))).replace(/^(?!\.)/, './')}.js';\n`,
    );
  }
  return Object.keys(metafile.outputs).map((file) => join(ROOT, file));
}
