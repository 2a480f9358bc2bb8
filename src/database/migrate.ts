import { createHash, randomUUID } from 'node:crypto';
import { readFile, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type pg from 'pg';
import type { Logger } from '../shared/log.ts';
import { hasCode } from './embedded-system.ts';

type Migration = { name: string; sql: string; checksum: string };
type AppliedRow = { migration_name: string; checksum: string; finished_at: Date | null };

/** `src` and `dist` are both one level below the project root. */
const FOLDER = fileURLToPath(new URL('../../prisma/migrations', import.meta.url));

/** The number that Prisma's own tools lock, so that `prisma migrate deploy` and we wait for each other. */
const PRISMA_LOCK = 72707369;

/**
 * Begins what one process does at a time. A timeout meant for requests must not end a migration, nor the wait for another process's. All of it ends with the
 * transaction, because a pooler may give the next one another connection.
 */
export async function beginAlone(client: pg.PoolClient): Promise<void> {
  await client.query('BEGIN; SET LOCAL statement_timeout = 0; SET LOCAL lock_timeout = 0');
  await client.query('SELECT pg_advisory_xact_lock($1)', [PRISMA_LOCK]);
}
const MIN_VERSION = 15;

/** Prisma's own table, in the form that its tools create and read. */
const CREATE_TABLE = `CREATE TABLE _prisma_migrations (
  id VARCHAR(36) PRIMARY KEY NOT NULL,
  checksum VARCHAR(64) NOT NULL,
  finished_at TIMESTAMPTZ,
  migration_name VARCHAR(255) NOT NULL,
  logs TEXT,
  rolled_back_at TIMESTAMPTZ,
  started_at TIMESTAMPTZ NOT NULL DEFAULT now(),
  applied_steps_count INTEGER NOT NULL DEFAULT 0
)`;

/**
 * Brings the database up to this build and returns how many migrations that took. Any number of processes may do it at once. Through a pooler that gives a connection for
 * one transaction at a time (`isPooled`) they may take turns, migration by migration; else the first one does it all.
 */
export async function migrate(
  pool: pg.Pool,
  log: Logger,
  folder: string = FOLDER,
  isPooled = false,
): Promise<number> {
  const migrations = await readMigrations(folder);
  const client = await pool.connect();
  // A server that goes away now rejects the running query; without a listener it would also end the process.
  client.on('error', () => undefined);
  try {
    await checkServerVersion(client);
    if (!isPooled) {
      await client.query('SET statement_timeout = 0; SET lock_timeout = 0');
      await client.query('SELECT pg_advisory_lock($1)', [PRISMA_LOCK]);
    }
    for (let count = 0; ; count += 1) {
      await beginAlone(client);
      const pending = await readPending(client, migrations, log);
      if (pending === undefined) {
        await client.query('COMMIT');
        return count;
      }
      await apply(client, pending);
      log.info({ migration: pending.name }, 'Applied a migration');
    }
  } finally {
    // Closed rather than returned to the pool: that ends a lock that is held, and whatever a migration has SET.
    client.release(true);
  }
}

const namesByFolder = new Map<string, Promise<string[]>>();

/** Names of the migrations that this build has and the database lacks; one short query, for readiness checks. */
export async function pendingMigrations(pool: pg.Pool, folder: string = FOLDER): Promise<string[]> {
  let names = namesByFolder.get(folder);
  if (!names) {
    names = readMigrations(folder).then((migrations) => migrations.map(({ name }) => name));
    namesByFolder.set(folder, names);
    // A folder that could not be read once is read again.
    names.catch(() => namesByFolder.delete(folder));
  }
  const finished = new Set(
    (await readApplied(pool))?.filter((row) => row.finished_at).map((row) => row.migration_name),
  );
  return (await names).filter((name) => !finished.has(name));
}

async function readMigrations(folder: string): Promise<Migration[]> {
  const entries = await readdir(folder, { withFileTypes: true });
  const names = entries.filter((entry) => entry.isDirectory()).map((entry) => entry.name);
  return Promise.all(
    names.sort().map(async (name) => {
      const sql = await readFile(join(folder, name, 'migration.sql'), 'utf8');
      return { name, sql, checksum: createHash('sha256').update(sql).digest('hex') };
    }),
  );
}

async function checkServerVersion(client: pg.PoolClient): Promise<void> {
  const { rows } = await client.query<{ server_version_num: string }>('SHOW server_version_num');
  const major = Math.floor(Number(rows[0]?.server_version_num) / 10_000);
  if (major < MIN_VERSION)
    throw new Error(`PostgreSQL ${MIN_VERSION} or newer is needed; this server is version ${major}`);
}

/** Undefined when the table is not there yet. */
async function readApplied(db: pg.Pool | pg.PoolClient): Promise<AppliedRow[] | undefined> {
  try {
    const { rows } = await db.query<AppliedRow>(
      'SELECT migration_name, checksum, finished_at FROM _prisma_migrations WHERE rolled_back_at IS NULL',
    );
    return rows;
  } catch (error) {
    if (hasCode(error, '42P01')) return undefined;
    throw error;
  }
}

/** The next migration to apply; none when the database has them all. */
async function readPending(
  client: pg.PoolClient,
  migrations: Migration[],
  log: Logger,
): Promise<Migration | undefined> {
  const { rows } = await client.query<{ isThere: boolean }>(
    `SELECT to_regclass('_prisma_migrations') IS NOT NULL AS "isThere"`,
  );
  if (!rows[0]!.isThere) await client.query(CREATE_TABLE);
  return findPending(migrations, (await readApplied(client)) ?? [], log);
}

function findPending(migrations: Migration[], applied: AppliedRow[], log: Logger): Migration | undefined {
  const byName = new Map(applied.map((row) => [row.migration_name, row]));
  for (const { name, checksum } of migrations) {
    const row = byName.get(name);
    if (row && !row.finished_at) {
      throw new Error(
        `Migration ${name} failed half-way under another tool; repair it with "prisma migrate resolve"`,
      );
    }
    if (row && row.checksum !== checksum) {
      throw new Error(
        `Migration ${name} was changed after it was applied to this database; restore the file and add a new migration`,
      );
    }
  }
  const pending = migrations.find(({ name }) => !byName.has(name));
  if (pending !== undefined) return pending;
  const known = new Set(migrations.map(({ name }) => name));
  const unknown = [...byName.keys()].filter((name) => !known.has(name));
  // Ordinary while a newer build is rolled out beside this one.
  if (unknown.length > 0)
    log.warn({ migrations: unknown }, 'The database has migrations that this build does not know');
  return undefined;
}

async function apply(client: pg.PoolClient, { name, sql, checksum }: Migration): Promise<void> {
  const startedAt = new Date();
  try {
    await client.query(sql);
    await client.query(
      `INSERT INTO _prisma_migrations (id, checksum, finished_at, migration_name, started_at, applied_steps_count)
       VALUES ($1, $2, clock_timestamp(), $3, $4, 1)`,
      [randomUUID(), checksum, name, startedAt],
    );
    await client.query('COMMIT');
  } catch (error) {
    // The connection is closed by the caller, which rolls back.
    throw new Error(
      `Migration ${name} failed and left no trace: ${error instanceof Error ? error.message : String(error)}`,
      { cause: error },
    );
  }
}
