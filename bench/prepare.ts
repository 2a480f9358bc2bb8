// The databases of the benchmark: one a size, made once and kept, on the bundled PostgreSQL or on the server of DATABASE_URL.
import { chmod, mkdir } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import pg from 'pg';
import { openDatabase } from '../src/platform/database/database.ts';
import type { Database } from '../src/platform/database/database.ts';
import { openEmbedded } from '../src/platform/database/embedded.ts';
import { migrate } from '../src/platform/database/migrate.ts';
import { foldTallies } from '../src/stores/reports/report.repo.ts';
import { createLogger } from '../src/platform/log.ts';
import { copyFrom } from './copy.ts';
import { COLUMNS, DATA_VERSION, ITEMS_PER_LIST, SIZES, rowsOfStore } from './data.ts';
import type { Size } from './data.ts';
import type { Progress } from './progress.ts';
import { removeScratchStores } from './scratch-store.ts';

/** Where the bundled PostgreSQL of the benchmark and its data are kept. */
export const DATA_DIR = fileURLToPath(new URL('.data', import.meta.url));
const LOADERS = 2;

/** The name of a size. */
export type SizeName = keyof typeof SIZES;

/** A database with the rows of one size. */
export type Prepared = { name: SizeName; size: Size; url: string; db: Database };

/** A PostgreSQL to measure on. */
export type Server = { url: string; release(): Promise<void> };

/** Opens the server: the bundled one unless an address is given. */
export async function openServer(given: string | undefined): Promise<Server> {
  if (given) return { url: given, release: async () => undefined };
  await mkdir(DATA_DIR, { recursive: true });
  await chmod(DATA_DIR, 0o755);
  return openEmbedded(DATA_DIR, createLogger('error'));
}

/** One statement of a peer may write a million rows. */
const withoutTimeout = (url: string): string => `${url}?statement_timeout=0`;

const markOf = (size: Size): string => JSON.stringify({ version: DATA_VERSION, ...size });

/** Opens the database of a size on the server; loads it where it is missing or of an older kind. */
export async function prepare(server: Server, name: SizeName, progress: Progress): Promise<Prepared> {
  const size = SIZES[name];
  const database = `wishgate_bench_${name}`;
  const url = Object.assign(new URL(server.url), { pathname: `/${database}` }).href;
  if (!(await isLoaded(server.url, database, url, size))) {
    await onServer(server.url, async (client) => {
      await client.query(`DROP DATABASE IF EXISTS ${database} WITH (FORCE)`);
      await client.query(`CREATE DATABASE ${database}`);
    });
    await load(url, name, size, progress);
  }
  const db = openDatabase(withoutTimeout(url), 5, createLogger('error'));
  await migrate(db.pool, createLogger('error'));
  await removeScratchStores(db);
  return { name, size, url, db };
}

async function onServer<Result>(url: string, work: (client: pg.Client) => Promise<Result>): Promise<Result> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}

/** The mark is set when all rows are there, so that a load that was cut short is done again. */
async function isLoaded(serverUrl: string, database: string, url: string, size: Size): Promise<boolean> {
  const found = await onServer(serverUrl, (client) =>
    client.query('SELECT 1 FROM pg_database WHERE datname = $1', [database]),
  );
  if (found.rowCount === 0) return false;
  const marks = await onServer(url, (client) =>
    client.query<{ mark: string }>('SELECT mark FROM bench_mark').catch(() => ({ rows: [] })),
  );
  return marks.rows[0]?.mark === markOf(size);
}

async function load(url: string, name: SizeName, size: Size, progress: Progress): Promise<void> {
  const log = createLogger('error');
  const db = openDatabase(withoutTimeout(url), LOADERS, log);
  try {
    await migrate(db.pool, log);
    const total = size.stores * size.shoppersPerStore * ITEMS_PER_LIST;
    const bar = progress.bar(`Loading the ${name} data with COPY, once`, total, 'items');
    let store = 0;
    const loader = async (): Promise<void> => {
      const client = await db.pool.connect();
      try {
        while (store < size.stores) {
          for (const { table, text, rows } of rowsOfStore(store++, size)) {
            await copyFrom(client, `COPY "${table}" (${COLUMNS[table].join(', ')}) FROM STDIN`, [text]);
            if (table === 'item') bar.add(rows);
          }
        }
      } finally {
        client.release();
      }
    };
    await Promise.all(Array.from({ length: LOADERS }, loader));
    bar.end();
    progress.say('Counting and vacuuming what was loaded');
    // The service would do it in the background, while it is being measured.
    while ((await foldTallies(db)) > 0);
    await db.query('VACUUM (ANALYZE, FREEZE)');
    await db.query('CREATE TABLE bench_mark (mark text NOT NULL)');
    await db.query('INSERT INTO bench_mark VALUES ($1)', [markOf(size)]);
    await db.query('CHECKPOINT').catch(() => undefined);
  } finally {
    await db.close();
  }
}
