// Lists what an installation holds beside this project, with licences: `node tools/licences.mjs` fails where THIRD_PARTY.md is not
// current or a licence is not on the list of those that a service like this may use; `--write` writes the file.
import { readFileSync, writeFileSync } from 'node:fs';

const FILE = new URL('../THIRD_PARTY.md', import.meta.url);
const LOCK = new URL('../package-lock.json', import.meta.url);

/** Licences that ask for no more than their own text and the names of the authors. */
const ALLOWED = new Set([
  ...[
    '0BSD',
    'Apache-2.0',
    'BlueOak-1.0.0',
    'BSD-2-Clause',
    'BSD-3-Clause',
    'ISC',
    'MIT',
    'MIT-0',
    'PostgreSQL',
    'Unlicense',
  ],
]);

/** Packages of which the registry tells none or another licence, each with the reason why it may be there. */
const JUDGED = {
  elkjs: {
    licence: 'EPL-2.0',
    reason: "comes with the studio of Prisma's command line, unchanged; the service never loads it",
  },
  'seq-queue': { licence: 'MIT', reason: 'says so in its LICENSE file, not in its package.json' },
};

/** Every package that `npm ci --omit=dev` can install, on any platform. */
function listPackages() {
  const { packages } = JSON.parse(readFileSync(LOCK, 'utf8'));
  const rows = Object.entries(packages).filter(([path, { dev, link }]) => path !== '' && !dev && !link);
  return rows.map(([path, { version, license }]) => {
    const name = path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length);
    return { name, version, licence: JUDGED[name]?.licence ?? license ?? 'unknown' };
  });
}

/** Whether every licence of an expression such as `(MIT AND BSD-3-Clause)` is allowed; of `OR`, one is enough. */
function isAllowed({ name, licence }) {
  const choices = licence.replace(/[()]/g, '').split(/ or /i);
  return (
    name in JUDGED || choices.some((choice) => choice.split(/ and /i).every((one) => ALLOWED.has(one.trim())))
  );
}

function describe(packages) {
  const byLicence = new Map();
  for (const { name, version, licence } of packages)
    byLicence.set(licence, (byLicence.get(licence) ?? new Set()).add(`${name} ${version}`));
  const parts = [...byLicence]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(
      ([licence, names]) =>
        `## ${licence}\n\n${[...names]
          .sort()
          .map((name) => `- ${name}`)
          .join('\n')}\n`,
    );
  const judged = Object.entries(JUDGED).map(
    ([name, { licence, reason }]) => `- ${name} (${licence}): ${reason}`,
  );
  return `# Packages of others

What an installation holds beside wishgate itself, which has the [MIT licence](LICENSE), by licence. Each package brings the text of its licence along in
\`node_modules\`. Written by \`npm run licences -- --write\`, which fails on a licence that is not on its list.

Looked at one by one:

${judged.join('\n')}

${parts.join('\n')}`;
}

const packages = listPackages();
const refused = packages.filter((one) => !isAllowed(one));
for (const { name, version, licence } of refused)
  console.error(
    `${name} ${version} has the licence ${licence}: use another package, or add it to tools/licences.mjs with the reason`,
  );
const text = describe(packages);
if (process.argv.includes('--write')) writeFileSync(FILE, text);
else if (readFileSync(FILE, 'utf8') !== text) {
  console.error('THIRD_PARTY.md is not current: npm run licences -- --write');
  process.exitCode = 1;
}
if (refused.length > 0) process.exitCode = 1;
else if (!process.exitCode) console.log(`${packages.length} packages, all with licences that are allowed.`);
