#!/usr/bin/env node
// Compiles src/ into dist/, bundles the programs into dist/run and the pages into dist/public (and generates first). Does nothing when dist/ is current, so it can precede every start.
import { execFile } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, relative } from 'node:path';
import { promisify } from 'node:util';
import { ROOT, filesUnder, generate, hashOf, readStamp } from './generate.mjs';
import { arePackagesBuilt, packageSources } from './packages.mjs';

const SRC = join(ROOT, 'src');
const DIST = join(ROOT, 'dist');
const STAMP = join(DIST, '.stamp');
const PUBLIC = join(DIST, 'public');

const inputHash = () =>
  hashOf([
    ...packageSources(),
    ...filesUnder([
      'src',
      'examples/storefront',
      'tsconfig.json',
      'tsconfig.build.json',
      'package-lock.json',
      'tools/build.mjs',
      'tools/bundle.mjs',
      'tools/programs.mjs',
      'docs/client.md',
      'docs/guides',
    ]),
  ]);

/** Compiles without a look at types, which takes three times as long and is what `npm run typecheck` is for; returns the written files. */
async function compile() {
  const tsc = createRequire(import.meta.url).resolve('typescript/bin/tsc');
  const args = [
    tsc,
    '-p',
    'tsconfig.build.json',
    '--listEmittedFiles',
    '--noEmitOnError',
    '--pretty',
    'false',
  ];
  const isEmitted = (line) => line.startsWith('TSFILE: ');
  const linesOf = ({ stdout }) => stdout.split('\n');
  try {
    const done = await promisify(execFile)(process.execPath, args, { cwd: ROOT, maxBuffer: 2 ** 26 });
    return linesOf(done)
      .filter(isEmitted)
      .map((line) => line.slice('TSFILE: '.length));
  } catch (error) {
    const problems = linesOf(error).filter((line) => !isEmitted(line));
    throw new Error(problems.join('\n') || error.message, { cause: error });
  }
}

/** Templates and the like lie beside the code that reads them; returns where they went. */
function copyAssets(browserFolders) {
  const isBundled = (file) => browserFolders.some((folder) => file.startsWith(join(ROOT, folder)));
  return filesUnder(['src'], (file) => !/\.(ts|graphql)$/.test(file) && !isBundled(file)).map((file) => {
    const target = join(DIST, relative(SRC, file));
    mkdirSync(dirname(target), { recursive: true });
    cpSync(file, target);
    return target;
  });
}

async function build() {
  await generate();
  const hash = inputHash();
  if (readStamp(STAMP) === hash && existsSync(join(PUBLIC, '.stamp')) && arePackagesBuilt()) return;
  console.error('building dist');
  rmSync(STAMP, { force: true });
  // Both are loaded only here: a machine that runs a finished dist/ has no bundler.
  const { BROWSER_FOLDERS, bundle } = await import('./bundle.mjs');
  const { bundlePrograms } = await import('./programs.mjs');
  const [compiled] = await Promise.all([compile(), bundle()]);
  // Programs take the place of what was compiled.
  const written = new Set([...compiled, ...copyAssets(BROWSER_FOLDERS), ...(await bundlePrograms())]);
  // What an earlier build left of a file that is gone from src/ must not stay importable.
  for (const file of filesUnder(['dist'])) if (!written.has(file) && !file.startsWith(PUBLIC)) rmSync(file);
  writeFileSync(STAMP, hash);
}

// An image may hold dist/ without its sources, and may install before it copies them.
if (existsSync(SRC)) {
  try {
    await build();
  } catch (error) {
    console.error(
      /MODULE_NOT_FOUND$/.test(error.code)
        ? `dist/ is stale and cannot be built: ${error.message}\nrun \`npm ci\` with the development dependencies`
        : error.message,
    );
    process.exitCode = 1;
  }
}
