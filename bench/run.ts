// npm run bench: wishgate beside its peers. `-- --help` tells the flags.
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { cpus, tmpdir, totalmem } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createServers } from './bench.ts';
import type { Bench, Result } from './bench.ts';
import { startLoader } from './load.ts';
import { HELP, readOptions } from './options.ts';
import type { Options } from './options.ts';
import { openServer, prepare } from './prepare.ts';
import type { Prepared, SizeName } from './prepare.ts';
import { createProgress } from './progress.ts';
import type { Progress } from './progress.ts';
import { toMarkdown, toText } from './report.ts';
import { postmasterOf } from './usage.ts';

const HERE = fileURLToPath(new URL('.', import.meta.url));

/** The peers have a lockfile of their own: wishgate itself installs none of them. */
function installPeers(progress: Progress): void {
  if (existsSync(join(HERE, 'node_modules', '.package-lock.json'))) return;
  progress.say('Installing the peers into bench/node_modules (npm ci --prefix bench)');
  const { status } = spawnSync(
    'npm',
    ['ci', '--prefix', HERE, '--no-audit', '--no-fund', '--ignore-scripts'],
    {
      stdio: ['ignore', 2, 2],
    },
  );
  if (status !== 0) throw new Error('The peers could not be installed; npm says above why');
}

async function machineOf({ db }: Prepared): Promise<Record<string, string | number>> {
  const [version] = await db.query<{ server_version: string }>('SHOW server_version');
  const { cpu, cores } = { cpu: cpus()[0]?.model ?? 'unknown', cores: cpus().length };
  return {
    cpu,
    cores,
    memoryGb: Math.round(totalmem() / 2 ** 30),
    node: process.version,
    postgresql: version!.server_version,
  };
}

async function runCases(bench: Bench, { cases }: Options): Promise<Result[]> {
  const results: Result[] = [];
  for (const { name, title, run } of cases) {
    bench.progress.now(`${name}: starting`);
    const result = { name, title, ...(await run(bench)) };
    results.push(result);
    bench.progress.say(`${toText(result)}\n`);
  }
  return results;
}

async function main(): Promise<void> {
  const options = readOptions(process.argv.slice(2));
  if (options === null) return void process.stdout.write(HELP);
  const progress = createProgress(process.stderr);
  installPeers(progress);
  const server = await openServer(process.env['DATABASE_URL']);
  const opened = new Map<SizeName, Prepared>();
  const open = async (name: SizeName): Promise<Prepared> => {
    const data = opened.get(name) ?? (await prepare(server, name, progress));
    opened.set(name, data);
    return data;
  };
  const scratch = await mkdtemp(join(tmpdir(), 'wishgate-bench-'));
  await chmod(scratch, 0o755);
  const loader = startLoader();
  let servers: Bench['servers'] | null = null;
  try {
    const data = await open(options.size);
    const [backend] = await data.db.query<{ pid: number }>('SELECT pg_backend_pid() AS pid');
    servers = createServers(data.url, scratch);
    const machine = await machineOf(data);
    progress.say(
      `${Object.entries(machine)
        .map(([name, value]) => `${name} ${value}`)
        .join(', ')}; ${options.size} data\n`,
    );
    const bench: Bench = {
      ...{ data, open, loader, progress, scratch, servers },
      rounds: options.rounds,
      roundMs: options.seconds * 1_000,
      postmaster: postmasterOf(backend!.pid),
    };
    const results = await runCases(bench, options);
    if (options.isJson)
      process.stdout.write(
        `${JSON.stringify({ at: new Date().toISOString(), machine, size: options.size, rounds: options.rounds, seconds: options.seconds, results }, null, 2)}\n`,
      );
    if (options.isMarkdown) process.stdout.write(`${results.map(toMarkdown).join('\n\n')}\n`);
    if (results.some(({ failure }) => failure !== undefined)) process.exitCode = 1;
  } finally {
    loader.close();
    await servers?.stopAll();
    for (const { db } of opened.values()) await db.close();
    await server.release();
    await rm(scratch, { recursive: true, force: true });
  }
}

main().catch((error: unknown) => {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
});
