#!/usr/bin/env node
// Writes THIRD_PARTY.md: the packages of an installation (`npm ci --omit=dev`) and of the bundles of its pages, by licence. `--check` only compares.
import { readFileSync, writeFileSync } from 'node:fs';
import { bundledPackages } from './bundle.mjs';

const FILE = new URL('../THIRD_PARTY.md', import.meta.url);
const LOCK = new URL('../package-lock.json', import.meta.url);

/** Licences that are not in the lock file. */
const KNOWN = { 'seq-queue': 'MIT' };

const { packages } = JSON.parse(readFileSync(LOCK, 'utf8'));
const bundled = await bundledPackages();
const shipped = Object.entries(packages).filter(
  ([path, { dev, link }]) => path.startsWith('node_modules/') && !link && (!dev || bundled.has(path)),
);
const nameOf = (path) => path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length);
const byLicence = {};
for (const [path, { version, license }] of shipped) {
  const name = nameOf(path);
  (byLicence[license ?? KNOWN[name] ?? 'unknown'] ??= new Set()).add(`- ${name} ${version}`);
}
const parts = Object.entries(byLicence)
  .sort(([one], [other]) => (one < other ? -1 : 1))
  .map(([licence, names]) => `## ${licence}\n\n${[...names].sort().join('\n')}\n`);
const text = `# Packages of others

What an installation holds beside wishgate itself, which has the [MIT licence](LICENSE), and what the bundles of its pages contain, by licence. Each
package brings the text of its licence along in \`node_modules\`. elkjs (EPL-2.0) comes unchanged with the studio of Prisma's command line; the service
never loads it. Written by \`npm run licences\`.

${parts.join('\n')}`;

if (!process.argv.includes('--check')) writeFileSync(FILE, text);
else if (readFileSync(FILE, 'utf8') !== text) {
  console.error('THIRD_PARTY.md is not current: npm run licences');
  process.exitCode = 1;
}
