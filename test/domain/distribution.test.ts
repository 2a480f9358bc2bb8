import pg from 'pg';
import { listTables } from '../../src/platform/database/move/rows.ts';
import { SESSION_OPTIONS } from '../../src/platform/database/pooler.ts';
import { createTestDatabase } from '../setup/database.ts';
import type { TestDatabase } from '../setup/database.ts';

// A store's rows can be moved to another server, because nothing joins them to another store's: the rules of docs/scale.md, held against the
// database's own catalogue.

/** Tables that belong to no store; every server has its own, whole. */
const GLOBAL_TABLES = ['_prisma_migrations', 'operator_key', 'operator_session', 'service_state', 'stop'];

/** Unique without the store. */
const GLOBAL_KEYS: Record<string, string> = {
  store_link_no_key:
    'short links name a store by a number: it is random, and a move checks that it is free on the target',
};

let database: TestDatabase;
let client: pg.Client;
let owned: string[];
const read = async <Row>(sql: string): Promise<Row[]> => (await client.query(sql)).rows as Row[];
const readNames = async (sql: string): Promise<string[]> =>
  (await read<{ name: string }>(sql)).map(({ name }) => name);

beforeAll(async () => {
  database = await createTestDatabase();
  client = new pg.Client({ connectionString: database.url, options: SESSION_OPTIONS });
  await client.connect();
  const tables = await readNames(
    `SELECT tablename AS name FROM pg_tables WHERE schemaname = 'public' ORDER BY 1`,
  );
  owned = tables.filter((name) => !GLOBAL_TABLES.includes(name));
});
afterAll(async () => {
  await client.end();
  await database.drop();
});

test('every table but the named ones belongs to stores, by a column pid that is never null', async () => {
  const withPid = await readNames(
    `SELECT attrelid::regclass::text AS name FROM pg_attribute JOIN pg_class c ON c.oid = attrelid
     WHERE c.relkind = 'r' AND c.relnamespace = 'public'::regnamespace AND attname = 'pid' AND attnotnull ORDER BY 1`,
  );
  expect(withPid).toEqual(owned);
});

test('every table of stores has a primary key with pid in it, by which a move replicates its rows', async () => {
  const keyed = await readNames(
    `SELECT c.relname AS name FROM pg_index i JOIN pg_class c ON c.oid = i.indrelid
     JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum = ANY (i.indkey) AND a.attname = 'pid'
     WHERE i.indisprimary AND c.relnamespace = 'public'::regnamespace AND c.relreplident = 'd' ORDER BY 1`,
  );
  expect(keyed).toEqual(owned);
});

test('a move takes every table of stores but the row of the store itself, and notes that no transaction leaves behind', async () => {
  const moved = await listTables({ rows: read });
  const names = owned.filter((name) => !['store', 'catalog_change'].includes(name));
  expect(moved.map(({ name }) => name)).toEqual(names);
});

test('every key and unique index of a store has pid in it', async () => {
  const bare = await readNames(
    `SELECT indexrelid::regclass::text AS name FROM pg_index i JOIN pg_class c ON c.oid = i.indrelid
     WHERE i.indisunique AND c.relname = ANY ('{${owned.join(',')}}') AND NOT EXISTS (
       SELECT FROM pg_attribute WHERE attrelid = i.indrelid AND attnum = ANY (i.indkey) AND attname = 'pid') ORDER BY 1`,
  );
  expect(bare).toEqual(Object.keys(GLOBAL_KEYS));
});

test('every foreign key leads from pid to pid, and none between a store and what belongs to no store', async () => {
  const links = await read<{ name: string; source: string; target: string; isByStore: boolean }>(
    `SELECT conname AS name, conrelid::regclass::text AS source, confrelid::regclass::text AS target, EXISTS (
       SELECT FROM unnest(conkey, confkey) AS pair (own, other)
       JOIN pg_attribute a ON a.attrelid = conrelid AND a.attnum = own AND a.attname = 'pid'
       JOIN pg_attribute b ON b.attrelid = confrelid AND b.attnum = other AND b.attname = 'pid') AS "isByStore"
     FROM pg_constraint WHERE contype = 'f' AND connamespace = 'public'::regnamespace`,
  );
  expect(links.length).toBeGreaterThan(30);
  const isOwned = (table: string): boolean => owned.includes(table);
  const wrong = links.filter(({ source, target, isByStore }) =>
    isOwned(source) || isOwned(target) ? !(isOwned(source) && isOwned(target) && isByStore) : false,
  );
  expect(wrong).toEqual([]);
});

test('what triggers write is found by pid', async () => {
  const functions = await read<{ name: string; body: string }>(
    `SELECT proname AS name, prosrc AS body FROM pg_proc WHERE pronamespace = 'public'::regnamespace AND prosrc ~ '(UPDATE|DELETE FROM|FROM|JOIN) '`,
  );
  const tables = owned.join('|');
  const wrong = functions
    .filter(({ body }) => {
      const touched = new RegExp(`\\b(UPDATE|DELETE FROM|FROM|JOIN) (${tables})\\b`).test(body);
      return touched && !/\bpid = /.test(body);
    })
    .map(({ name }) => name);
  // It takes all notes that there are: those of its own transaction, because every transaction takes its own before it ends.
  expect(wrong).toEqual(['catalog_changes_move_slices']);
});
