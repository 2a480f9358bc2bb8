import { access, constants, stat } from 'node:fs/promises';
import { Socket } from 'node:net';
import pg from 'pg';
import { readConfig } from '../config.ts';
import type { Config } from '../config.ts';
import type { Copied, OnProgress } from '../platform/database/backup.ts';
import { openEmbedded } from '../platform/database/embedded.ts';
import { createServers } from '../platform/database/routed-pool.ts';
import { describeFailure } from '../platform/errors.ts';
import { describeFileError } from '../platform/folder.ts';
import { logTo } from '../platform/log-lines.ts';
import { createLogger } from '../platform/log.ts';
import type { Logger } from '../platform/log.ts';
import { NO_STORE } from '../stores/store.service.ts';
import { describeDatabase, requireDatabase } from './database.ts';
import { UsageError, readFlags } from './flags.ts';
import { createTicker } from './progress.ts';

export const STANDARD = '-';

/** Chunk size for zlib: decompressing 400 MB took 1.6 s of CPU instead of 2.2 with zlib's 16 kB (one run each). */
export const PIECE_BYTES = 262_144;

export const createCliLogger = (): Logger => createLogger('warn', logTo(2));

/** The file is null for --help. */
export function readFileCall(args: string[], flags: Parameters<typeof readFlags>[1]) {
  const files: string[] = [];
  const values = readFlags(args, flags, files);
  if (values['help'] === true) return { file: null, values };
  const [file] = files;
  if (!file || files.length > 1)
    throw new UsageError(`Name one file, or ${STANDARD} for standard input and output; see --help`);
  return { file, values };
}

export async function checkReadable(path: string): Promise<void> {
  await access(path, constants.R_OK).catch((error: unknown) => {
    throw new Error(`Cannot read ${path}: ${describeFileError(error, 'no such file')}`, { cause: error });
  });
  if ((await stat(path)).isDirectory()) throw new Error(`Cannot read ${path}: it is a folder`);
}

export function describeSize(bytes: number): string {
  const [unit, name] = bytes < 1e6 ? [1e3, 'kB'] : [1e6, 'MB'];
  return `${(bytes / unit).toLocaleString('en', { maximumFractionDigits: 1 })} ${name}`;
}

export function showProgress(what: string): OnProgress {
  const ticker = createTicker(process.stderr);
  return ({ table, done, tables, rows, bytes }) =>
    ticker.show(
      () =>
        `${what}: table ${done + 1} of ${tables} (${table}), ${rows.toLocaleString('en')} rows before it, ${describeSize(bytes)}`,
    );
}

export const clearProgress = (): void => void (process.stderr.isTTY && process.stderr.write('\r\u001b[K'));

export const describeCopied = ({ tables, rows, bytes }: Copied): string =>
  `${tables} tables, ${rows.toLocaleString('en')} rows, ${describeSize(bytes)} unpacked`;

/** Shares a running database and stops one that it started; with `mustExist`, it creates no bundled one. */
export async function withDatabase<Result>(
  config: Config,
  mustExist: boolean,
  work: (connect: () => Promise<pg.Client>) => Promise<Result>,
): Promise<Result> {
  const log = createCliLogger();
  if (mustExist) await requireDatabase(config);
  process.stderr.write(`Using ${describeDatabase(config)}\n`);
  const embedded = config.databaseUrl === null ? await openEmbedded(config.dataDir, log) : null;
  const servers = createServers(embedded?.url ?? config.databaseUrl!, log, () => undefined);
  const sockets: Socket[] = [];
  const connect = async (): Promise<pg.Client> => {
    const socket = new Socket();
    sockets.push(socket);
    const client = new pg.Client({
      connectionString: servers.url(),
      stream: () => socket,
      connectionTimeoutMillis: 5_000,
      application_name: 'wishgate-copy',
    });
    client.on('error', () => undefined);
    await client.connect().catch((error: unknown) => {
      throw new Error(`The database cannot be reached: ${describeFailure(error)}`, { cause: error });
    });
    return client;
  };
  try {
    await servers.settle();
    return await work(connect);
  } finally {
    // Destroyed rather than closed: in the middle of a copy, neither side would read the other's end of stream.
    for (const socket of sockets) socket.destroy();
    await embedded?.release();
  }
}

/** Aborts on SIGINT or SIGTERM, so that a copy cleans up. */
export function abortOnSignal(): AbortSignal {
  const controller = new AbortController();
  const stop = (): void => controller.abort();
  process.once('SIGINT', stop).once('SIGTERM', stop);
  return controller.signal;
}

export function describeError(error: unknown): string {
  const text = describeFailure(error);
  return text === NO_STORE ? `${text}; npm run store -- list shows all` : text;
}

/** Runs a program: prints its output, or one sentence with exit code 1, or 2 for a usage error. */
export function runProgram(run: (args: string[], config: () => Config) => Promise<string>): void {
  run(process.argv.slice(2), readConfig)
    .finally(clearProgress)
    .then(
      (text) => process.stdout.write(text),
      (error: unknown) => {
        const isEnded = error instanceof Error && error.name === 'AbortError';
        process.stderr.write(`${isEnded ? 'Interrupted' : describeError(error)}\n`);
        process.exitCode = error instanceof UsageError ? 2 : 1;
      },
    );
}
