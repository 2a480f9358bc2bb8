import { createHash, randomUUID } from 'node:crypto';
import { readFile, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type pg from 'pg';
import type { Logger } from '../log.ts';
import { ROOT } from '../places.ts';
import { hasCode } from './embedded-system.ts';
import type { Session } from './routed-pool.ts';

type Migration = { name: string; sql: string; checksum: string };
type AppliedRow = { migration_name: string; checksum: string; finished_at: Date | null };

/** `src` and `dist` are both one level below the project root. */
const FOLDER = fileURLToPath(new URL('prisma/migrations', ROOT));

/** The number that Prisma's own tools lock, so that `prisma migrate deploy` and we wait for each other. */
export const MIGRATION_LOCK = 72707369;

/**
 * Begins what one process does at a time. A timeout meant for requests must not end a migration, nor the wait for another process's. All of it ends with the
 * transaction, because a pooler may give the next one another connection.
 */
export async function beginAlone(client: pg.ClientBase): Promise<void> {
  await client.query('BEGIN; SET LOCAL statement_timeout = 0; SET LOCAL lock_timeout = 0');
  await client.query('SELECT pg_advisory_xact_lock($1)', [MIGRATION_LOCK]);
}

const MIN_VERSION = 15;

/** How the name of a migration ends with which the code of the release before it cannot work: older versions refuse to start then. */
const BREAKING = '_breaking';

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

/** Migrates over a connection of this pool; see `migrateOver`. */
export async function migrate(
  pool: pg.Pool,
  log: Logger,
  folder: string = FOLDER,
  isPooled = false,
): Promise<number> {
  const client = await pool.connect();
  // A server that goes away now rejects the running query; without a listener it would also end the process.
  client.on('error', () => undefined);
  // Closed rather than returned to the pool: that ends a lock that is held, and whatever a migration has SET.
  return migrateOver(client, log, folder, isPooled).finally(() => client.release(true));
}

/**
 * Brings the database up to this build and returns how many migrations that took. Any number of processes may do it at once. Through a pooler that gives a connection for
 * one transaction at a time (`isPooled`) they may take turns, migration by migration; else the first one does it all, under a lock that the caller ends with the connection.
 */
export async function migrateOver(
  client: pg.ClientBase,
  log: Logger,
  folder: string = FOLDER,
  isPooled = false,
): Promise<number> {
  const migrations = await readMigrations(folder);
  const applied: string[] = [];
  try {
    await checkServerVersion(client);
    if (!isPooled) {
      await client.query('SET statement_timeout = 0; SET lock_timeout = 0');
      await client.query('SELECT pg_advisory_lock($1)', [MIGRATION_LOCK]);
    }
    for (;;) {
      await beginAlone(client);
      const pending = await readPending(client, migrations, log);
      if (pending === undefined) {
        await client.query('COMMIT');
        return applied.length;
      }
      await apply(client, pending);
      applied.push(pending.name);
      log.debug({ migration: pending.name }, 'Applied a migration');
    }
  } finally {
    // Also where the next one failed.
    if (applied.length > 0)
      log.info(
        { migrations: applied },
        `Applied ${applied.length} ${applied.length === 1 ? 'migration' : 'migrations'}`,
      );
  }
}

/**
 * Makes the schema of exactly these migrations, in the transaction of the caller, who brings the rows, those of `_prisma_migrations` among them.
 * Throws when this build lacks one of them or has another one of the same name.
 */
export async function buildSchema(
  client: pg.ClientBase,
  wanted: readonly Pick<Migration, 'name' | 'checksum'>[],
): Promise<void> {
  const own = new Map((await readMigrations(FOLDER)).map((migration) => [migration.name, migration]));
  await checkServerVersion(client);
  const unknown = wanted.filter(({ name, checksum }) => own.get(name)?.checksum !== checksum);
  if (unknown.length > 0)
    throw new Error(
      `This version does not know the migration ${unknown.at(-1)!.name} of the backup; restore with the version that made it, or a newer one`,
    );
  await client.query(CREATE_TABLE);
  for (const { name } of wanted) await client.query(own.get(name)!.sql);
}

const namesByFolder = new Map<string, Promise<string[]>>();

/** How far a database is: how many migrations it has, the newest of them, and those that this build has and it lacks. */
export type MigrationState = { applied: number; latest: string | null; pending: string[] };

/** Tells how far the database is; one short query, for readiness checks. */
export async function readMigrationState(db: Session, folder: string = FOLDER): Promise<MigrationState> {
  let names = namesByFolder.get(folder);
  if (!names) {
    names = readMigrations(folder).then((migrations) => migrations.map(({ name }) => name));
    namesByFolder.set(folder, names);
    // A folder that could not be read once is read again.
    names.catch(() => namesByFolder.delete(folder));
  }
  const finished = new Set(
    (await readApplied(db))?.filter((row) => row.finished_at).map((row) => row.migration_name),
  );
  return {
    applied: finished.size,
    latest: [...finished].sort().at(-1) ?? null,
    pending: (await names).filter((name) => !finished.has(name)),
  };
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

async function checkServerVersion(client: pg.ClientBase): Promise<void> {
  const { rows } = await client.query<{ server_version_num: string }>('SHOW server_version_num');
  const major = Math.floor(Number(rows[0]?.server_version_num) / 10_000);
  if (major < MIN_VERSION)
    throw new Error(`PostgreSQL ${MIN_VERSION} or newer is needed; this server is version ${major}`);
}

/** What this database says of its migrations; undefined when the table is not there yet. */
export async function readApplied(db: Session): Promise<AppliedRow[] | undefined> {
  try {
    const text =
      'SELECT migration_name, checksum, finished_at FROM _prisma_migrations WHERE rolled_back_at IS NULL';
    return (await db.query({ text })).rows as AppliedRow[];
  } catch (error) {
    if (hasCode(error, '42P01')) return undefined;
    throw error;
  }
}

/** The next migration to apply; none when the database has them all. */
async function readPending(
  client: pg.ClientBase,
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
  const breaking = unknown.find((name) => name.endsWith(BREAKING));
  if (breaking !== undefined)
    throw new Error(
      `A newer version changed this database in a way that this one cannot work with (migration ${breaking}); start the newer version, ` +
        'or restore the backup from before it (docs/operations/upgrade.md)',
    );
  // Ordinary while a newer build is rolled out beside this one.
  if (unknown.length > 0)
    log.warn(
      { migrations: unknown },
      'A newer version has migrated this database; this one works with it, but lacks what is new',
    );
  return undefined;
}

async function apply(client: pg.ClientBase, { name, sql, checksum }: Migration): Promise<void> {
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
