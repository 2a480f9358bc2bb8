// npm run bench: wishgate beside its peers. `-- --help` tells the flags.
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { cpus, tmpdir, totalmem } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createServers } from './bench.ts';
import type { Bench, Case, Result } from './bench.ts';
import { startLoader } from './load.ts';
import { HELP, readOptions } from './options.ts';
import type { Options } from './options.ts';
import { plot } from './plot.ts';
import { openServer, prepare } from './prepare.ts';
import type { Prepared, SizeName } from './prepare.ts';
import { createProgress } from './progress.ts';
import type { Progress } from './progress.ts';
import { intoDocument, toMarkdown, toText } from './report.ts';
import type { Report } from './report.ts';
import { postmasterOf } from './usage.ts';

const HERE = fileURLToPath(new URL('.', import.meta.url));

/** The peers have a lockfile of their own: wishgate itself installs none of them. */
function installPeers(progress: Progress): void {
  if (existsSync(join(HERE, 'node_modules', '.package-lock.json'))) return;
  progress.say('Installing the peers into bench/node_modules, once (npm ci --prefix bench)');
  const flags = ['--prefix', HERE, '--no-audit', '--no-fund', '--ignore-scripts', '--loglevel', 'error'];
  const { status } = spawnSync('npm', ['ci', ...flags], { stdio: ['ignore', 2, 2] });
  if (status !== 0) throw new Error('The peers could not be installed; npm says above why');
}

async function machineOf({ db }: Prepared): Promise<Report['machine']> {
  const [version] = await db.query<{ server_version: string }>('SHOW server_version');
  return {
    cpu: cpus()[0]?.model ?? 'unknown',
    cores: cpus().length,
    memoryGb: Math.round(totalmem() / 2 ** 30),
    node: process.version,
    postgresql: version!.server_version,
  };
}

/** Runs one measurement; what goes wrong in it does not keep the others from running. */
async function runCase(bench: Bench, { name, title, run }: Case): Promise<Result> {
  bench.progress.now(`${name}: starting`);
  try {
    return { name, title, ...(await run(bench)) };
  } catch (error) {
    if (bench.signal.aborted) throw error;
    return {
      name,
      title,
      unit: '',
      rows: [],
      failure: error instanceof Error ? error.message : String(error),
    };
  }
}

async function measure(options: Options, progress: Progress): Promise<Report> {
  installPeers(progress);
  const stop = new AbortController();
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
  const close = async (): Promise<void> => {
    loader.close();
    await servers?.stopAll();
    for (const { db } of opened.values()) await db.close();
    await server.release();
    await rm(scratch, { recursive: true, force: true });
  };
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.once(signal, () => {
      stop.abort();
      progress.say('Stopping');
      void close().finally(() => process.exit(130));
    });
  }
  try {
    const data = await open(options.size);
    const [backend] = await data.db.query<{ pid: number }>('SELECT pg_backend_pid() AS pid');
    servers = createServers(data.url, scratch);
    const { rounds, seconds, size } = options;
    const bench: Bench = {
      ...{ data, open, loader, progress, scratch, servers, rounds },
      roundMs: seconds * 1_000,
      postmaster: postmasterOf(backend!.pid),
      signal: stop.signal,
    };
    const results: Result[] = [];
    for (const one of options.cases) {
      const result = await runCase(bench, one);
      results.push(result);
      progress.say(`${toText(result)}\n`);
    }
    return { at: new Date().toISOString(), machine: await machineOf(data), size, rounds, seconds, results };
  } catch (error) {
    // What was under way fails as things are closed beneath it; the one who closes them ends the process.
    if (stop.signal.aborted) return new Promise<never>(() => undefined);
    throw error;
  } finally {
    if (!stop.signal.aborted) await close();
  }
}

async function main(): Promise<void> {
  const options = readOptions(process.argv.slice(2));
  if (options === null) return void process.stdout.write(HELP);
  const { from, docs, plot: picture, isJson, isMarkdown } = options;
  const report = from
    ? (JSON.parse(await readFile(from, 'utf8')) as Report)
    : await measure(options, createProgress(process.stderr));
  if (isJson) process.stdout.write(`${JSON.stringify(report, null, 2)}\n`);
  if (isMarkdown) process.stdout.write(`${toMarkdown(report)}\n`);
  if (docs) await writeFile(docs, intoDocument(await readFile(docs, 'utf8'), report));
  if (picture) await writeFile(picture, plot(report.results));
  if (report.results.some(({ failure }) => failure !== undefined)) process.exitCode = 1;
}

main().catch((error: unknown) => {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
});
