import { execFileSync } from 'node:child_process';
import { readFileSync, readdirSync } from 'node:fs';
import pg from 'pg';
import { SESSION_OPTIONS } from '../../src/platform/database/pooler.ts';
import { createTestDatabase } from '../setup/database.ts';
import type { TestDatabase } from '../setup/database.ts';

// A store's rows can be moved to another server, because nothing joins them to another store's: the rules of docs/scale.md, held against
// the database's own catalogue, the plan of every statement of the repos, and every call of Prisma.

/** Tables that belong to no store; every server has its own, whole. prisma/distribute.sql names the same. */
const GLOBAL_TABLES = ['_prisma_migrations', 'operator_key', 'operator_session', 'service_state', 'stop'];

/** Unique without the store. */
const GLOBAL_KEYS: Record<string, string> = {
  store_link_no_key:
    'brief links name a store by a number; distribute.sql gives each server numbers of its own',
};

/** What reads or writes rows of many stores at once, and why that works on each server by itself. */
const ACROSS_STORES: Record<string, string> = {
  'src/alerts/events/alert.repo.ts removeSeen': 'housekeeping: what is old goes, whoever owned it',
  'src/stores/catalogue/shopify.repo.ts forgetEvents': 'housekeeping',
  'src/shoppers/contacts/double-opt-in.repo.ts forgetProofs': 'housekeeping',
  'src/shoppers/contacts/sms-opt-out.repo.ts findAccepting':
    'STOP counts for every store that sends from the number',
  'src/lists/list.repo.ts findAliasedStore': 'the same, where the link has the lid of a joined list',
  'src/lists/list.repo.ts findPublicStore':
    'a public link names a list alone; it leads to the server of its store',
  'src/stores/mail-server/mail-server.repo.ts listOwners': 'at start: which passwords are there to open',
  'src/stores/mail-server/mail-server.repo.ts listSealedOtherwise':
    'a new key seals every password of the server',
  'src/stores/operator.repo.ts countStores': 'an operator sees the stores of this server',
  'src/stores/operator.repo.ts listStores': 'an operator sees the stores of this server',
  'src/stores/usage-window.repo.ts forgetWindows': 'housekeeping',
  'src/stores/products/stock.repo.ts removeChanges': 'housekeeping',
  'src/alerts/events/queue.repo.ts claimRestock': 'a worker takes the occasion that has waited longest',
  'src/stores/revenue/click.repo.ts findTarget':
    'a link of a message names the alert alone; it leads to the server of its store',
  'src/stores/revenue/click-tracking.repo.ts forgetOrders': 'housekeeping',
  'src/stores/revenue/click-tracking.repo.ts forgetPeople': 'housekeeping, by the days that stores chose',
  'src/stores/revenue/click-tracking.repo.ts windowsInUse': 'housekeeping: the days that stores chose',
  'src/stores/session.repo.ts forgetSessions': 'housekeeping',
  'src/stores/sender.repo.ts findSenderByNo':
    'a brief link names its store by a number, which no two servers give out',
  'src/stores/store.repo.ts listStores': 'the command line lists the stores of this server',
  'src/stores/store.repo.ts pidOfDemo': 'there is one demo store, on a machine of its own',
  'src/stores/store.repo.ts pidOfLinkNo': 'a brief link names its store by a number',
  'src/alerts/subscriptions/subscription.repo.ts forgetExpired': 'housekeeping, topic by topic',
  'src/alerts/subscriptions/subscription.repo.ts forgetUnconfirmed': 'housekeeping',
  'src/lists/trash.repo.ts forgetTrash': 'housekeeping, store by store',
  'src/stores/webhooks/attempt.repo.ts removeTries': 'housekeeping',
  'src/api/idempotency.repo.ts removeExpired': 'housekeeping',
  'src/alerts/queue/outbox.repo.ts countWaiting': 'an operator sees what waits on this server',
  'src/alerts/queue/outbox.repo.ts findDueLines':
    'a worker looks which stores have something due, then takes turns between them',
  'src/alerts/queue/outbox.repo.ts removeFinished': 'housekeeping',
};

type Asked = {
  texts: Record<string, string[]>;
  typed: { id: string; model: string; hasStore: boolean }[];
};

let database: TestDatabase;
let client: pg.Client;
let asked: Asked;
let owned: string[];
const unusedReasons = new Set(Object.keys(ACROSS_STORES));
// What has a reason needs it.
afterAll(() => expect([...unusedReasons]).toEqual([]));

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
  const output = execFileSync(process.execPath, ['tools/statement-texts.mjs'], { encoding: 'utf8' });
  asked = JSON.parse(output) as Asked;
});
afterAll(async () => {
  await client.end();
  await database.drop();
});

/** Statements that break a rule and have no reason. */
function withoutReason(broken: string[]): string[] {
  return broken.filter((entry) => {
    const id = entry.split(' ').slice(0, 2).join(' ');
    unusedReasons.delete(id);
    return !(id in ACROSS_STORES);
  });
}

test('every table but the named ones belongs to stores, by a column pid that is never null', async () => {
  const withPid = await readNames(
    `SELECT attrelid::regclass::text AS name FROM pg_attribute JOIN pg_class c ON c.oid = attrelid
     WHERE c.relkind = 'r' AND c.relnamespace = 'public'::regnamespace AND attname = 'pid' AND attnotnull ORDER BY 1`,
  );
  expect(withPid).toEqual(owned);
});

test('distribute.sql leaves the same tables whole', () => {
  const named = /whole constant text\[\] := '\{([^}]*)\}'/.exec(
    readFileSync('prisma/distribute.sql', 'utf8'),
  )![1]!;
  expect(named.split(',').sort()).toEqual(GLOBAL_TABLES);
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

type Plan = {
  'Node Type': string;
  'Relation Name'?: string;
  'Subplan Name'?: string;
  Alias?: string;
  Plans?: Plan[];
} & Record<string, unknown>;

// `Output` has the conditions of subqueries in it that are looked up in a hash.
const CONDITIONS = [
  'Index Cond',
  'Recheck Cond',
  'Filter',
  'Hash Cond',
  'Merge Cond',
  'Join Filter',
  'Output',
];

/**
 * Scans of stores' tables that no condition ties to a store: neither their own, nor that of a join or subquery around them. A look at a row by its place (`ctid`) is tied by what
 * found the place.
 */
function looseScans(plan: Plan, names: string[] = [], around: string[] = []): string[] {
  const conditions = [...around, ...CONDITIONS.flatMap((kind) => (plan[kind] ?? []) as string | string[])];
  const isNamed = plan['Node Type'] === 'Subquery Scan' || plan['Relation Name'] !== undefined;
  const all = [
    ...names,
    ...(isNamed ? [plan.Alias!] : []),
    ...(plan['Subplan Name'] ? [plan['Subplan Name']] : []),
  ];
  const inner = (plan.Plans ?? []).flatMap((part) => looseScans(part, all, conditions));
  const table = plan['Relation Name'];
  if (table === undefined || !owned.includes(table) || !/Scan$/.test(plan['Node Type'])) return inner;
  const isTied = all
    .filter((name) => /^[\w ]+$/.test(name))
    .some((name) =>
      conditions.some((text) =>
        new RegExp(`\\b${name}\\.pid = |= ${name}\\.pid\\b|\\.pid = \\(hashed ${name}\\)\\.`).test(text),
      ),
    );
  return isTied || plan['Node Type'] === 'Tid Scan' ? inner : [...inner, table];
}

test('every statement finds the rows of every table by pid, also those that it joins', async () => {
  const broken: string[] = [];
  for (const [id, texts] of Object.entries(asked.texts))
    for (const text of new Set(texts)) {
      const [row] = await read<{ 'QUERY PLAN': { Plan: Plan }[] }>(
        `EXPLAIN (GENERIC_PLAN, VERBOSE, FORMAT JSON) ${text}`,
      );
      broken.push(...looseScans(row!['QUERY PLAN'][0]!.Plan).map((table) => `${id} ${table}`));
    }
  expect(withoutReason(broken)).toEqual([]);
});

test('every typed call names the store in its condition', () => {
  const files = readdirSync('prisma').filter((name) => name.endsWith('.prisma'));
  const models = files.flatMap((name) =>
    readFileSync(`prisma/${name}`, 'utf8')
      .split(/^model /m)
      .slice(1),
  );
  const tables = new Map(
    models.map((text) => [
      text[0]!.toLowerCase() + /\w+/.exec(text)![0].slice(1),
      /@@map\("(\w+)"\)/.exec(text)![1]!,
    ]),
  );
  expect(asked.typed.length).toBeGreaterThan(200);
  const broken = asked.typed
    .filter(({ model, hasStore }) => !hasStore && owned.includes(tables.get(model)!))
    .map(({ id, model }) => `${id} ${model}`);
  expect(withoutReason(broken)).toEqual([]);
});
