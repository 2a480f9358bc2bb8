import { item, newAccount } from '../api/list-kit.ts';
import type { Client } from '../api/list-kit.ts';
import { onEachConnection } from '../connections.ts';
import { startService, useService, useStore } from '../harness.ts';
import type { TestService } from '../harness.ts';

// What every page view runs must not be planned for each call, and must find its rows by an index however much there is.

const SHOPPERS = 3_000;
const ITEMS = 3;
/** PostgreSQL plans a statement five times for the values at hand before it may keep one plan for all. */
const FIRST_PLANS = 5;

const filler = useService();
let service: TestService;
const store = useStore(filler);
let me: Client;
let lid: string;

beforeAll(async () => {
  const { db } = filler.services;
  await db.query(
    `INSERT INTO shopper (pid, regid, is_guest, uid, di, lastlogin) SELECT $1, 'r' || n, true, 'u' || n, 'd', now() FROM generate_series(1, ${SHOPPERS}) n`,
    [store.pid],
  );
  await db.query(
    `INSERT INTO list (pid, lid, regid, lname, di, uid) SELECT $1, 'l' || n, 'r' || n, 'List', 'd', 'u' FROM generate_series(1, ${SHOPPERS}) n`,
    [store.pid],
  );
  await db.query(
    `INSERT INTO item (pid, lid, epi, id, empi, du, di) SELECT $1, 'l' || n, e::text, n || '-' || e, (n * 10 + e)::text, '/p', 'd'
     FROM generate_series(1, ${SHOPPERS}) n, generate_series(1, ${ITEMS}) e`,
    [store.pid],
  );
  await db.query(
    `INSERT INTO product (pid, epi, empi, du) SELECT $1, n::text, n::text, '/p' FROM generate_series(1, ${SHOPPERS}) n`,
    [store.pid],
  );
  await db.query('ANALYZE');
  service = await startService(
    { databasePool: 2, responseCacheBytes: 0, rateLimits: false },
    undefined,
    filler,
  );
  me = await newAccount(service, store);
  ({ lid } = await me.create('Mine'));
  await me.add(lid, item(1), item(2));
});
afterAll(async () => {
  await service.close();
});

const CALLS: [string, () => Promise<unknown>][] = [
  ['lists', () => me.ok('lists/fetch-lists')],
  ['contents', () => me.contents(lid)],
  [
    'pages backwards',
    () =>
      me
        .graphql(
          `{ lists(last: 2) { edges { node { lid } } }
             list(lid: "${lid}") { items(last: 2) { totalCount } priced: items(last: 2, sort: price) { totalCount } } }`,
        )
        .expect(200),
  ],
  ['membership', () => me.graphql('{ isInLists(epis: [1, 2]) { lids } }').expect(200)],
  ['social count', () => me.ok('product/wishlist/social-count', { empi: 11 })],
  [
    'a removal',
    async () => {
      await me.add(lid, item(3));
      await me.ok('lists/update-ctx', { lid, d: [{ epi: 3 }] });
    },
  ],
  ['a write', () => me.ok('lists/update-ctx', { lid, a: [item(1, { qty: 2 })] })],
];

type Prepared = { name: string; statement: string; custom: number; generic: number };

const prepared = async (): Promise<Prepared[]> =>
  (
    await onEachConnection(service, async (client) => {
      const { rows } = await client.query<Prepared>(
        'SELECT name, statement, custom_plans AS custom, generic_plans AS generic FROM pg_prepared_statements',
      );
      return rows;
    })
  ).flat();

test.each(CALLS)('%s: statements are planned once, not for each call', async (_what, call) => {
  const before = new Map(
    (await prepared()).map(({ name, custom, generic }) => [name, Number(custom) + Number(generic)]),
  );
  for (let times = 0; times < 4 * FIRST_PLANS; times += 1) await call();
  const used = (await prepared()).filter(
    ({ name, custom, generic }) => Number(custom) + Number(generic) > (before.get(name) ?? 0) + FIRST_PLANS,
  );
  expect(used.length).toBeGreaterThan(0);
  const planned = used.filter(({ custom }) => Number(custom) > FIRST_PLANS).map(({ name }) => name);
  expect(planned).toEqual([]);
});

test('every planned statement finds its rows by an index', async () => {
  for (const [, call] of CALLS) await call();
  const texts = new Map((await prepared()).map(({ name, statement }) => [name, statement]));
  expect([...texts.keys()]).toEqual(
    expect.arrayContaining([
      'load_identities',
      'lists_of',
      'page_added_desc_all',
      'lists_of_back',
      'page_added_desc_all_back',
      'page_price_asc_all_back',
      'membership',
      'social_count',
      'write_contents_keeping',
      'trim_deleted_items',
    ]),
  );
  const scans: string[] = [];
  for (const [name, text] of texts) {
    const plan = await service.services.db.query<{ 'QUERY PLAN': string }>(`EXPLAIN (GENERIC_PLAN) ${text}`);
    const lines = plan.map((row) => row['QUERY PLAN'].trim());
    // An index that is read from end to end has no condition below it.
    for (const [index, line] of lines.entries())
      if (
        /\bScan\b.* on (store|shopper|shopper_revision|catalog_revision|list|item|product|deleted_item)\b/.test(
          line,
        ) &&
        !/^(Index|Recheck|TID) Cond/.test(lines[index + 1] ?? '')
      )
        scans.push(`${name}: ${line}`);
  }
  expect(scans).toEqual([]);
});

test('a plan that was made while a table was empty does not read all of it later', async () => {
  const plan = await service.services.db.transaction(async (tx) => {
    // As a check of a foreign key is: the same for all rows, and kept for the life of the connection.
    await tx.query('CREATE TEMPORARY TABLE parent (pid text, id text, PRIMARY KEY (pid, id)) ON COMMIT DROP');
    await tx.query('ANALYZE parent');
    return tx.query<{ 'QUERY PLAN': string }>(
      'EXPLAIN (GENERIC_PLAN) SELECT FROM parent WHERE pid = $1 AND id = $2',
    );
  });
  expect(plan.map((row) => row['QUERY PLAN']).join('\n')).not.toContain('Seq Scan');
});
