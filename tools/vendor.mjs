// Bundles packages of many files for the tests, because Jest reads and compiles every module anew for every test file, and Node 20
// never frees one: 1,300 modules a file become 200.
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { build } from 'esbuild';
import { ROOT, filesUnder, hashOf, readStamp } from './generate.mjs';

const VENDOR = join(ROOT, 'node_modules/.cache/wishgate-vendor');
const STAMP = join(VENDOR, '.stamp');

/** What shares a package, so that there is one copy of it, is in one bundle. */
const BUNDLES = {
  graphql: [
    '@apollo/server',
    '@apollo/server/plugin/disabled',
    '@graphql-tools/schema',
    'graphql',
    'graphql-http',
    'graphql-jit',
  ],
  ajv: ['ajv-formats', 'ajv/dist/2020.js'],
  http: ['body-parser', 'express', 'supertest'],
  'fast-check': ['fast-check'],
  ioredis: ['ioredis'],
  libphonenumber: ['libphonenumber-js'],
  nodemailer: ['nodemailer'],
  metrics: ['prom-client'],
  parse5: ['parse5'],
  pg: ['pg'],
  'rate-limiter': ['rate-limiter-flexible'],
  validator: ['validator'],
  zod: ['zod'],
};

const bundleFile = (bundle) => join(VENDOR, `bundles/${bundle}.cjs`);
const standInFile = (name) => join(VENDOR, `${name}.cjs`);

/** For Jest's `moduleNameMapper`: package → the file that stands for it. */
export const vendored = Object.fromEntries(
  Object.values(BUNDLES)
    .flat()
    .map((name) => [`^${name}$`, standInFile(name)]),
);

/** What stands for a package: it runs the package's part of the bundle, and names the exports for importers. */
async function writeStandIn(name, bundle) {
  const names = Object.keys(await import(name)).filter(
    (key) => key !== 'default' && key !== 'module.exports',
  );
  const text = `const packages = require('${bundleFile(bundle)}');
module.exports = packages['${name}']();
0 && (${names.map((key) => `exports.${key} = `).join('')}0);
`;
  mkdirSync(dirname(standInFile(name)), { recursive: true });
  writeFileSync(standInFile(name), text);
}

async function writeBundle([bundle, names]) {
  const loaders = names.map((name) => `'${name}': () => require('${name}')`);
  await build({
    stdin: { contents: `module.exports = { ${loaders.join(', ')} };`, resolveDir: ROOT },
    outfile: bundleFile(bundle),
    bundle: true,
    format: 'cjs',
    platform: 'node',
    target: 'node20',
    minifyWhitespace: true,
    legalComments: 'none',
    external: ['pg-native'],
    logLevel: 'warning',
  });
  for (const name of names) await writeStandIn(name, bundle);
}

/** Brings the bundles up to date; takes a second when a dependency changed. */
export async function vendor() {
  const hash = hashOf(filesUnder(['package-lock.json', 'tools/vendor.mjs']));
  if (readStamp(STAMP) === hash) return;
  await Promise.all(Object.entries(BUNDLES).map(writeBundle));
  writeFileSync(STAMP, hash);
}
