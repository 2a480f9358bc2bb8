import { PORTION } from '../../src/alerts/events/event.rules.ts';
import { queueNextPortion } from '../../src/alerts/events/event.service.ts';
import type { NewStore } from '../../src/stores/store.service.ts';
import { saveTopic } from '../../src/alerts/topics/topic.repo.ts';
import { BUILT_IN_TOPICS } from '../../src/alerts/topics/topic.rules.ts';
import { onEachConnection } from '../connections.ts';
import { startService } from '../harness.ts';
import type { TestService } from '../harness.ts';
import { inLongRun } from '../tier.ts';
import { seedHolders, seedSubscribers, setStock } from './kit.ts';

// How those who have a product in a list are gone through, and what that costs.

let service: TestService;
let store: NewStore;

beforeEach(async () => {
  service = await startService();
  store = await service.createStore();
  const topic = BUILT_IN_TOPICS.find(({ name }) => name === 'wishlistrestock')!;
  await saveTopic(
    service.services.db,
    { ...store, locale: 'en' },
    { ...topic, listHolders: true },
    new Date(),
  );
});
afterEach(() => service.close());

async function countAlerts(): Promise<{ told: number; alerts: number }> {
  const [row] = await service.services.db.query<{ told: number; alerts: number }>(
    `SELECT count(DISTINCT recipient)::int AS told, count(*)::int AS alerts FROM outbox WHERE pid = $1`,
    [store.pid],
  );
  return row!;
}

const queueAll = async (): Promise<number> => {
  let portions = 0;
  while (await queueNextPortion(service.services)) portions += 1;
  return portions;
};

/** Rows that PostgreSQL has looked at by now: each connection tells its own when it is told to, at its next statement. */
async function countReads(): Promise<number> {
  await onEachConnection(service, async (client) => {
    await client.query('SELECT pg_stat_force_next_flush()');
    await client.query('SELECT 1');
  });
  const [row] = await service.services.db.query<{ reads: number }>(
    `SELECT (sum(idx_tup_fetch) + sum(seq_tup_read))::int AS reads FROM pg_stat_user_tables
     WHERE relname IN ('outbox', 'item', 'list', 'shopper', 'mailing_answer', 'alert_seen', 'suppression', 'alert_mute', 'subscription')`,
  );
  return row!.reads;
}

test('more than a portion of holders, in two lists each, are told once, and each is found by keys, also while PostgreSQL takes the alerts for none', async () => {
  const { db } = service.services;
  const holders = PORTION + 1_000;
  await seedHolders(db, store.pid, '1', holders, 2);
  // The first hundred are subscribers as well.
  await seedSubscribers(db, store.pid, '1', 100, 'wishlistrestock');
  await db.query('ANALYZE item, list, shopper, mailing_answer');
  // So many that the index of a store's newest looks cheaper than it is.
  await db.query(
    `INSERT INTO outbox (pid, id, lane, medium, kind, recipient, state, due_at, cts)
     SELECT $1, gen_random_uuid()::text, 'message', 'email', 'test', 's' || n || '@example.com', 'sent', now(), now() FROM generate_series(1, 9000) n`,
    [(await service.createStore()).pid],
  );
  await db.query('VACUUM outbox');
  await db.query(`UPDATE pg_class SET reltuples = 0 WHERE oid = 'outbox'::regclass`);
  const before = await countReads();
  await setStock(service, store, '1', 5);
  await queueAll();
  const reads = (await countReads()) - before;
  expect(await countAlerts()).toEqual({ told: holders, alerts: holders });
  expect(reads / holders).toBeGreaterThan(1);
  // Two items a holder, looked at in two passes, with a list, an account and an answer each.
  expect(reads / holders).toBeLessThan(50);
});

test('a portion looks at a bounded number of items, however few of their owners accept marketing', async () => {
  const { db } = service.services;
  await seedHolders(db, store.pid, '1', PORTION + 1_000, 1);
  await db.query(
    `DELETE FROM mailing_answer WHERE pid = $1 AND value NOT IN ('s1@example.com', 's5999@example.com')`,
    [store.pid],
  );
  await db.query('ANALYZE item, list, shopper, mailing_answer');
  await setStock(service, store, '1', 5);
  // One for the subscribers, of whom there are none, and two for each of two passes.
  expect(await queueAll()).toBe(5);
  expect(await countAlerts()).toEqual({ told: 2, alerts: 2 });
});

inLongRun('100,000 holders of one product are told once each', async () => {
  const { db } = service.services;
  await seedHolders(db, store.pid, '1', 100_000, 1);
  await db.query('ANALYZE item, list, shopper, mailing_answer');
  await setStock(service, store, '1', 5);
  await queueAll();
  expect(await countAlerts()).toEqual({ told: 100_000, alerts: 100_000 });
});
