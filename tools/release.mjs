#!/usr/bin/env node
// Publishes the npm packages, all with one version.
//   release.mjs --version X    sets the version of all packages and closes their changelogs; commit that
//   release.mjs                builds, checks, packs and publishes what is committed
//   release.mjs --dry-run      the same, but changes and publishes nothing and says what it would do; also with --version
import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { parseArgs } from 'node:util';
import { bundle } from './bundle.mjs';
import { ROOT, generate } from './generate.mjs';
import { PACKAGES, folderOf } from './packages.mjs';

const NAMES = Object.keys(PACKAGES);
const TARBALLS = join(ROOT, 'dist/packages');
const VERSION = /^\d+\.\d+\.\d+(-[\w.]+)?$/;
const UNRELEASED = '## [Unreleased]';

const { version: wanted, 'dry-run': isDry } = parseArgs({
  options: { version: { type: 'string' }, 'dry-run': { type: 'boolean', default: false } },
}).values;

const run = (command, ...args) => execFileSync(command, args, { cwd: ROOT, encoding: 'utf8' });
const manifestOf = (name) => join(folderOf(name), 'package.json');
const changelogOf = (name) => join(folderOf(name), 'CHANGELOG.md');
const readJson = (file) => JSON.parse(readFileSync(file, 'utf8'));
const writeJson = (file, value) => writeFileSync(file, `${JSON.stringify(value, null, 2)}\n`);

/** The entries of a version in a changelog. */
function entriesOf(name, heading) {
  const [, section = ''] = readFileSync(changelogOf(name), 'utf8').split(heading);
  return section.split(/^## /m)[0].match(/^- .+/gm) ?? [];
}

/** What keeps the packages from being released. */
function problemsOf(versions) {
  const [version] = versions;
  const heading = wanted ? UNRELEASED : `## [${version}]`;
  return [
    ...(run('git', 'status', '--porcelain').trim()
      ? ['the working tree has changes that are not committed']
      : []),
    ...(versions.size > 1 ? [`the packages have different versions: ${[...versions].join(', ')}`] : []),
    ...(wanted && !VERSION.test(wanted) ? [`${wanted} is no version such as 1.2.3`] : []),
    ...NAMES.filter((name) => entriesOf(name, heading).length === 0).map(
      (name) => `${relative(ROOT, changelogOf(name))} has no entries below "${heading}"`,
    ),
  ];
}

/** One version for all packages, also where they depend on each other and in the lock file. */
function withVersion(manifest) {
  const own = Object.entries(manifest.dependencies ?? {}).filter(([name]) => name.startsWith('@wishgate/'));
  const dependencies = {
    ...manifest.dependencies,
    ...Object.fromEntries(own.map(([name]) => [name, wanted])),
  };
  return { ...manifest, version: wanted, ...(own.length > 0 && { dependencies }) };
}

function setVersion() {
  const lock = readJson(join(ROOT, 'package-lock.json'));
  const today = new Date().toISOString().slice(0, 10);
  for (const name of NAMES) {
    writeJson(manifestOf(name), withVersion(readJson(manifestOf(name))));
    lock.packages[`packages/${name}`] = withVersion(lock.packages[`packages/${name}`]);
    const text = readFileSync(changelogOf(name), 'utf8');
    writeFileSync(changelogOf(name), text.replace(UNRELEASED, `${UNRELEASED}\n\n## [${wanted}] - ${today}`));
  }
  writeJson(join(ROOT, 'package-lock.json'), lock);
}

function pack(name) {
  mkdirSync(TARBALLS, { recursive: true });
  const args = ['pack', '--json', '--pack-destination', TARBALLS, `./packages/${name}`];
  const packed = JSON.parse(run('npm', ...args));
  const { filename, size, entryCount } = Array.isArray(packed) ? packed[0] : Object.values(packed)[0];
  const file = join(TARBALLS, filename);
  console.log(`packed ${relative(ROOT, file)}: ${entryCount} files, ${size} bytes`);
  return file;
}

async function release() {
  const versions = new Set(NAMES.map((name) => readJson(manifestOf(name)).version));
  const problems = problemsOf(versions);
  if (problems.length > 0) throw new Error(`not released:\n  ${problems.join('\n  ')}`);
  if (wanted && !isDry) {
    setVersion();
    return console.log(`all packages have version ${wanted}: commit this, and run \`npm run release\``);
  }
  if (wanted)
    console.log(
      `would set version ${wanted} in packages/*/package.json and the lock file, and close the changelogs`,
    );
  await generate();
  await bundle();
  for (const file of NAMES.map(pack)) {
    const args = ['publish', file, '--access', 'public'];
    if (isDry) console.log(`would run: npm ${args.join(' ')}`);
    else run('npm', ...args);
  }
}

try {
  await release();
} catch (error) {
  console.error(error.message);
  process.exitCode = 1;
}
