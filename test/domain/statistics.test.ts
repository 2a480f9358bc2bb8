import {
  claimMessages,
  findDueFlows,
  lock,
  recordEnds,
  renewLeases,
} from '../../src/alerts/queue/outbox.repo.ts';
import type { Tx } from '../../src/platform/database/database.ts';
import { createClient, item } from '../api/list-kit.ts';
import type { Client } from '../api/list-kit.ts';
import { noteFigures } from '../figures.ts';
import { useService, useStore } from '../harness.ts';

// A database before the first ANALYZE, which on a server of its own takes a minute or longer: nothing is known of its tables, and everything is planned
// while they are small. The server of the tests never analyses by itself.

const ITEMS = 10_000;
const MESSAGES = 24_000;
const KEY = { lane: 'alert', medium: 'email' } as const;

// One connection, so that each statement is planned there.
const service = useService({
  databasePool: 1,
  maxItems: 2 * ITEMS,
  responseCacheBytes: 0,
  rateLimits: false,
});
const store = useStore(service);
let client: Client;
let lid: string;

beforeAll(async () => {
  client = createClient(service, await service.guest(store));
  ({ lid } = await client.create('Large'));
  await client.add(lid, item(1), item(2));
});

/** The plan that a connection keeps for all values, by the name of the statement. */
async function readPlans(): Promise<Map<string, string[]>> {
  const { db } = service.services;
  const statements = await db.query<{ name: string; params: number }>(
    'SELECT name, cardinality(parameter_types) AS params FROM pg_prepared_statements',
  );
  const plans = new Map<string, string[]>();
  // EXPLAIN (GENERIC_PLAN) is of PostgreSQL 16.
  await db.query('SET plan_cache_mode = force_generic_plan');
  for (const { name, params } of statements) {
    const values = params === 0 ? '' : `(${Array.from({ length: params }, () => 'NULL').join(', ')})`;
    const plan = await db.query<{ 'QUERY PLAN': string }>(`EXPLAIN EXECUTE "${name}"${values}`);
    plans.set(
      name,
      plan.map((row) => row['QUERY PLAN'].trim()),
    );
  }
  await db.query('RESET plan_cache_mode');
  return plans;
}

/** The indexes by which a plan reads a table. */
const indexesOf = (plan: string[] | undefined, table: string): string[] => [
  ...new Set((plan ?? []).flatMap((line) => new RegExp(`using (\\w+) on ${table}\\b`).exec(line)?.[1] ?? [])),
];

test('without statistics, rows are found by all columns of their key, in a list of 10,000 items, too', async () => {
  const { db } = service.services;
  await db.query(
    `INSERT INTO item (pid, lid, epi, id, empi, du, di) SELECT $1, $2, 'x' || n, 'i' || n, 'x', '/p', 'd' FROM generate_series(1, ${ITEMS}) n`,
    [store.pid, lid],
  );
  await client.add(lid, item(3), item(4));
  const startedAt = performance.now();
  await client.add(lid, ...Array.from({ length: 500 }, (_, n) => item(`new-${n}`)));
  await noteFigures('500 items into a list of 10,000, without statistics', {
    ms: Math.round(performance.now() - startedAt),
  });
  await client.ok('lists/update-ctx', { lid, d: [{ epi: 3 }] });
  await client.contents(lid);
  await client.ok('lists/fetch-lists');
  const analysed = await db.query(`SELECT FROM pg_stats WHERE schemaname = 'public'`);
  expect(analysed).toEqual([]);
  const plans = await readPlans();
  for (const name of ['write_contents', 'write_contents_keeping']) {
    expect([name, indexesOf(plans.get(name), 'item')]).toEqual([name, ['item_pkey']]);
    expect(indexesOf(plans.get(name), 'product')).toEqual(['product_pkey']);
    // By its key, and by its owner for the storage quota.
    expect(indexesOf(plans.get(name), 'list').sort()).toEqual(['list_pid_regid_seq_idx', 'list_pkey']);
  }
  expect(indexesOf(plans.get('load_identities'), 'shopper')).toEqual(['shopper_pkey']);
  expect(indexesOf(plans.get('lock_free_lists'), 'list')).toEqual(['list_pkey']);
  expect(indexesOf(plans.get('lists_of'), 'list')).toEqual(['list_pid_regid_seq_idx']);
});

test('without statistics, a batch of messages reads a few rows of a queue of 24,000, when it is claimed, renewed and ended', async () => {
  const { db } = service.services;
  const now = new Date();
  await db.query(
    `INSERT INTO outbox (pid, id, lane, kind, medium, recipient, due_at, cts, topic, epi)
     SELECT $1, 'm' || n, $2, 'alert', $3, n || '@example.com', $4, $4, 'backinstock', 'x' || n FROM generate_series(1, ${MESSAGES}) n`,
    [store.pid, KEY.lane, KEY.medium, now],
  );
  const read = async <Result>(work: (tx: Tx) => Promise<Result>): Promise<[Result, number]> =>
    db.transaction(async (tx) => {
      const count = async (): Promise<number> => {
        const [row] = await tx.query<{ rows: number }>(
          `SELECT (seq_tup_read + idx_tup_fetch)::int AS rows FROM pg_stat_xact_user_tables WHERE relname = 'outbox'`,
        );
        return row!.rows;
      };
      const before = await count();
      const result = await work(tx);
      return [result, (await count()) - before];
    });
  const share = [{ pid: store.pid, recipient: '', most: 100 }];
  const [messages, claimed] = await read((tx) => claimMessages(tx, KEY, share, 60_000, now));
  const steps: ((tx: Tx) => Promise<unknown>)[] = [
    (tx) => findDueFlows(tx, KEY, now),
    (tx) => renewLeases(tx, messages, now),
    (tx) => lock(tx, messages),
    (tx) =>
      recordEnds(
        tx,
        messages.map((message) => ({
          ...{ message, kind: 'sent', reason: null, until: null },
          ...{ isContactGone: false, timeZone: null },
        })),
        now,
      ),
  ];
  const reads = [claimed];
  for (const step of steps) reads.push((await read(step))[1]);
  expect(messages).toHaveLength(100);
  for (const rows of reads) expect(rows).toBeLessThan(10 * messages.length);
});
