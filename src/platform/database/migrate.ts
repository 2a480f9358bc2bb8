import { createHash, randomUUID } from 'node:crypto';
import { readFile, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type pg from 'pg';
import type { Logger } from '../log.ts';
import { ROOT } from '../places.ts';
import { hasCode } from './embedded-system.ts';
import { renewPrimaryKeys } from './indexes.ts';
import type { Session } from './routed-pool.ts';

type MigrationKey = { name: string; checksum: string };
type Migration = MigrationKey & { sql: string };
type AppliedRow = MigrationKey & { finished_at: Date | null };

const FOLDER = fileURLToPath(new URL('prisma/migrations', ROOT));

/** Prisma's own tools use this lock, so that `prisma migrate deploy` and wishgate wait for each other. */
export const MIGRATION_LOCK = 72707369;

/** Begins a transaction that one process runs at a time, without time limits; lock and settings end with it, as poolers require. */
export async function beginAlone(client: pg.ClientBase): Promise<void> {
  await client.query('BEGIN; SET LOCAL statement_timeout = 0; SET LOCAL lock_timeout = 0');
  await client.query('SELECT pg_advisory_xact_lock($1)', [MIGRATION_LOCK]);
}

const MIN_VERSION = 15;

/** Suffix of a migration that the previous release cannot work with: older versions then refuse to start. */
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

export async function migrate(pool: pg.Pool, log: Logger, folder = FOLDER): Promise<number> {
  const client = await pool.connect();
  // A server that goes away now rejects the running query; without a listener it would also end the process.
  client.on('error', () => undefined);
  // Closing the connection, instead of returning it to the pool, ends a failed transaction.
  return migrateOver(client, log, folder).finally(() => client.release(true));
}

/** Applies the pending migrations in one transaction and returns their number; after an error the caller closes the connection. */
export async function migrateOver(client: pg.ClientBase, log: Logger, folder = FOLDER): Promise<number> {
  const migrations = await readMigrations(folder);
  await checkServerVersion(client);
  await beginAlone(client);
  const history = await readHistory(client, migrations[0]!);
  const pending = findPending(migrations, history, log);
  for (const migration of pending) await apply(client, migration);
  if (history.length === 0) await renewPrimaryKeys(client);
  await client.query('COMMIT');
  const { length } = pending;
  if (length > 0)
    log.info(
      { migrations: pending.map(({ name }) => name) },
      `Applied ${length} ${length === 1 ? 'migration' : 'migrations'}`,
    );
  return length;
}

/** SHA-256 of the names and checksums of the 49 migrations that the baseline replaces. */
const FORMER_HISTORY = '77e4d3f909becd1d204dae2f9f6149562bff2de2beee422969b3b539432dd0cd';

function isFormerHistory(history: readonly MigrationKey[]): boolean {
  const lines = history.map(({ name, checksum }) => `${name} ${checksum}`).sort();
  return sha256(lines.join('\n')) === FORMER_HISTORY;
}

/** Replaces a complete history from before the baseline; no later migration would fit a partial one. */
async function takeOver(client: pg.ClientBase, history: readonly AppliedRow[], baseline: Migration) {
  if (!isFormerHistory(history) || history.some((row) => row.finished_at === null))
    throw new Error(
      `This database has only some of the migrations from before ${baseline.name}, or unknown ones; it was not changed; ` +
        'migrate it with the last version that has them, or start with an empty database',
    );
  await client.query('DELETE FROM _prisma_migrations');
  await note(client, baseline, new Date());
  return (await readApplied(client))!;
}

/** Creates the schema of exactly these migrations in the caller's transaction and returns the later ones; throws if this build lacks one. */
export async function buildSchema(client: pg.ClientBase, wanted: readonly MigrationKey[]) {
  const own = await readMigrations(FOLDER);
  await checkServerVersion(client);
  const migrations = isFormerHistory(wanted)
    ? own.slice(0, 1)
    : wanted.map(({ name, checksum }) => {
        const known = own.find((migration) => migration.name === name && migration.checksum === checksum);
        if (known) return known;
        throw new Error(
          `This version does not know the migration ${name} of the backup; restore it with the version that created it, or a newer one`,
        );
      });
  await client.query(CREATE_TABLE);
  for (const { sql } of migrations) await client.query(sql);
  return own.filter((migration) => !migrations.includes(migration));
}

export type MigrationState = { applied: number; latest: string | null; pending: string[] };

export async function readMigrationState(db: Session, folder: string = FOLDER): Promise<MigrationState> {
  const finished = new Set((await readApplied(db))?.filter((row) => row.finished_at).map((row) => row.name));
  return {
    applied: finished.size,
    latest: [...finished].sort().at(-1) ?? null,
    pending: (await listMigrations(folder)).filter((name) => !finished.has(name)),
  };
}

async function listMigrations(folder: string): Promise<string[]> {
  const folders = (await readdir(folder, { withFileTypes: true })).filter((entry) => entry.isDirectory());
  return folders.map(({ name }) => name).sort();
}

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');

async function readMigrations(folder: string): Promise<Migration[]> {
  const read = async (name: string): Promise<Migration> => {
    const sql = await readFile(join(folder, name, 'migration.sql'), 'utf8');
    return { name, sql, checksum: sha256(sql) };
  };
  return Promise.all((await listMigrations(folder)).map(read));
}

async function checkServerVersion(client: pg.ClientBase): Promise<void> {
  const { rows } = await client.query<{ server_version_num: string }>('SHOW server_version_num');
  const major = Math.floor(Number(rows[0]?.server_version_num) / 10_000);
  if (major < MIN_VERSION)
    throw new Error(`PostgreSQL ${MIN_VERSION} or newer is required; this server has version ${major}`);
}

export async function readApplied(db: Session): Promise<AppliedRow[] | undefined> {
  try {
    const text =
      'SELECT migration_name AS name, checksum, finished_at FROM _prisma_migrations WHERE rolled_back_at IS NULL';
    return (await db.query({ text })).rows as AppliedRow[];
  } catch (error) {
    if (hasCode(error, '42P01')) return undefined;
    throw error;
  }
}

/** Returns the applied migrations, with the baseline in place of those it replaces. Creates the table in an empty database. */
async function readHistory(client: pg.ClientBase, baseline: Migration): Promise<AppliedRow[]> {
  const { rows } = await client.query<{ isThere: boolean }>(
    `SELECT to_regclass('_prisma_migrations') IS NOT NULL AS "isThere"`,
  );
  if (!rows[0]!.isThere) await client.query(CREATE_TABLE);
  const history = (await readApplied(client))!;
  const isNewer = history.length === 0 || history.some((row) => row.name === baseline.name);
  return isNewer ? history : takeOver(client, history, baseline);
}

function findPending(migrations: Migration[], applied: AppliedRow[], log: Logger): Migration[] {
  const byName = new Map(applied.map((row) => [row.name, row]));
  for (const { name, checksum } of migrations) {
    const row = byName.get(name);
    if (row && !row.finished_at) {
      throw new Error(
        `Another tool left migration ${name} half-finished; repair it with "prisma migrate resolve"`,
      );
    }
    if (row && row.checksum !== checksum) {
      throw new Error(
        `Migration ${name} was changed after it was applied to this database; restore the file and add a new migration`,
      );
    }
  }
  const known = new Set(migrations.map(({ name }) => name));
  const unknown = [...byName.keys()].filter((name) => !known.has(name));
  const breaking = unknown.find((name) => name.endsWith(BREAKING));
  if (breaking !== undefined)
    throw new Error(
      `A newer version has changed this database incompatibly (migration ${breaking}); start the newer version, ` +
        'or restore the backup from before it (docs/operations/upgrade.md)',
    );
  // Expected while a newer build is rolled out.
  if (unknown.length > 0)
    log.warn(
      { migrations: unknown },
      'A newer version has migrated this database; this version can use it, without the new features',
    );
  return migrations.filter(({ name }) => !byName.has(name));
}

async function apply(client: pg.ClientBase, migration: Migration): Promise<void> {
  const startedAt = new Date();
  await client.query(migration.sql).catch((error: Error) => {
    throw new Error(`Migration ${migration.name} failed and was rolled back: ${error.message}`, {
      cause: error,
    });
  });
  await note(client, migration, startedAt);
}

async function note(client: pg.ClientBase, { name, checksum }: Migration, startedAt: Date): Promise<void> {
  await client.query(
    `INSERT INTO _prisma_migrations (id, checksum, finished_at, migration_name, started_at, applied_steps_count)
     VALUES ($1, $2, clock_timestamp(), $3, $4, 1)`,
    [randomUUID(), checksum, name, startedAt],
  );
}
