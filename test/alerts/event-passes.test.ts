import { queueNextPortion } from '../../src/alerts/events/event.service.ts';
import { PORTION } from '../../src/alerts/events/event.rules.ts';
import { onEachConnection } from '../connections.ts';
import { startService } from '../harness.ts';
import type { TestService } from '../harness.ts';
import { seedSubscribers, seedSubscription, setStock } from './kit.ts';

// How the subscribers of a restock are gone through, and what that costs.

let service: TestService;

beforeEach(async () => (service = await startService()));
afterEach(() => service.close());

/** How many alerts each subscription has; the greatest number says whether somebody would be told twice. */
async function countAlerts(pid: string): Promise<{ told: number; most: number }> {
  const [row] = await service.services.db.query<{ told: number; most: number }>(
    `SELECT count(*)::int AS told, max(alerts)::int AS most
     FROM (SELECT count(*) AS alerts FROM outbox WHERE pid = $1 GROUP BY subscription_id) a`,
    [pid],
  );
  return row!;
}

const queueAll = async (): Promise<void> => {
  while (await queueNextPortion(service.services));
};

test('who was subscribing while the first portion was queued is told as well, and nobody twice', async () => {
  const store = await service.createStore();
  const { db } = service.services;
  const [early] = await db.query<{ seq: number }>(`SELECT nextval('subscription_seq_seq') AS seq`);
  await seedSubscribers(db, store.pid, '1', PORTION + 3);
  await setStock(service, store, '1', 5);
  await queueNextPortion(service.services);
  expect(await countAlerts(store.pid)).toEqual({ told: PORTION, most: 1 });
  await seedSubscription(service, store, { epi: '1', value: 'late@example.com' });
  // A number that was drawn before the others and is seen after them.
  await db.query(`UPDATE subscription SET seq = $2 WHERE pid = $1 AND value = 'late@example.com'`, [
    store.pid,
    early!.seq,
  ]);
  await queueAll();
  expect(await countAlerts(store.pid)).toEqual({ told: PORTION + 4, most: 1 });
});

test.each([
  ['has ended a pass', 0],
  ['is in the middle of one', 2],
  ['is in the middle of its first one', -2],
])('a restock of which a process of an older version %s is told to each once', async (_what, place) => {
  const store = await service.createStore();
  const { db } = service.services;
  await seedSubscribers(db, store.pid, '1', 5);
  const rows = await db.query<{ id: string; seq: number }>(
    'SELECT id, seq FROM subscription WHERE pid = $1 ORDER BY seq',
    [store.pid],
  );
  await setStock(service, store, '1', 5);
  await queueAll();
  // One of those behind the place has no alert yet.
  await db.query('DELETE FROM outbox WHERE pid = $1 AND subscription_id = $2', [store.pid, rows[4]!.id]);
  await db.query(
    `UPDATE restock SET state = 'open', cursor_seq = $2, next_batch_at = opened_at WHERE pid = $1`,
    [store.pid, place === 0 ? 0 : Math.sign(place) * rows[Math.abs(place)]!.seq],
  );
  await queueAll();
  expect(await countAlerts(store.pid)).toEqual({ told: 5, most: 1 });
});

/** Rows of alerts and subscriptions that PostgreSQL has looked at by now: each connection tells its own when it is told to, at its next statement. */
async function countReads(): Promise<number> {
  await onEachConnection(service, async (client) => {
    await client.query('SELECT pg_stat_force_next_flush()');
    await client.query('SELECT 1');
  });
  const [row] = await service.services.db.query<{ reads: number }>(
    `SELECT sum(idx_tup_fetch)::int AS reads FROM pg_stat_user_tables WHERE relname IN ('outbox', 'subscription')`,
  );
  return row!.reads;
}

test('an alert that may have arrived, and was withheld when stock went, leaves at the next restock under its own id', async () => {
  const store = await service.createStore();
  const { db } = service.services;
  await seedSubscribers(db, store.pid, '1', 2);
  await setStock(service, store, '1', 5);
  await queueAll();
  // One was claimed by a process of which nobody heard again.
  const [begun] = await db.query<{ id: string }>(
    'UPDATE outbox SET attempts = 1 WHERE id = (SELECT min(id) FROM outbox WHERE pid = $1) RETURNING id',
    [store.pid],
  );
  await setStock(service, store, '1', 0);
  await service.runTasks();
  await setStock(service, store, '1', 5);
  await service.runTasks();
  const alerts = await db.query<{ id: string; state: string; to: string }>(
    `SELECT id, state, recipient AS to FROM outbox WHERE pid = $1 AND lane = 'alert' ORDER BY seq`,
    [store.pid],
  );
  const [first] = alerts.filter(({ id }) => id === begun!.id);
  expect(alerts.filter(({ to }) => to === first!.to)).toEqual([{ ...first, state: 'sent' }]);
  expect(alerts.filter(({ to }) => to !== first!.to).map(({ state }) => state)).toEqual(['withheld', 'sent']);
});

test('alerts are found by their keys also while PostgreSQL takes their table for empty', async () => {
  const store = await service.createStore();
  const { db } = service.services;
  // So many that the key has a level more than the index of a store's newest: then the planner prefers that, if it may.
  await db.query(
    `INSERT INTO outbox (pid, id, lane, medium, kind, recipient, state, due_at, cts)
     SELECT $1, gen_random_uuid()::text, 'message', 'email', 'test', 'somebody@example.com', 'sent', now(), now() FROM generate_series(1, 9000)`,
    [store.pid],
  );
  // As where it was counted between the end of the last storm and the beginning of the next.
  await db.query('VACUUM outbox');
  await db.query(`UPDATE pg_class SET reltuples = 0 WHERE oid = 'outbox'::regclass`);
  const alerts = 500;
  await seedSubscribers(db, store.pid, '1', alerts);
  await setStock(service, store, '1', 5);
  await queueAll();
  const before = await countReads();
  await service.runTasks();
  const reads = (await countReads()) - before;
  const [sent] = await db.query<{ count: number }>(
    `SELECT count(*)::int AS count FROM outbox WHERE pid = $1 AND state = 'sent' AND lane = 'alert'`,
    [store.pid],
  );
  expect(sent!.count).toBe(alerts);
  expect(reads / alerts).toBeGreaterThan(1);
  expect(reads / alerts).toBeLessThan(50);
});
