import { randomUUID } from 'node:crypto';
import {
  claimMessages,
  enqueueMessage,
  findDueFlows,
  recordEnds,
  renewLeases,
} from '../../src/alerts/queue/outbox.repo.ts';
import type { NewMessage } from '../../src/alerts/queue/outbox.repo.ts';
import { MAX_ATTEMPTS, acknowledge, createAcknowledger } from '../../src/alerts/queue/outbox.service.ts';
import type { ClaimedMessage } from '../../src/alerts/queue/outbox.repo.ts';
import type { Outcome } from '../../src/alerts/send/outcome.ts';
import { readConfig } from '../../src/config.ts';
import { openDatabase } from '../../src/platform/database/database.ts';
import type { Database, Tx } from '../../src/platform/database/database.ts';
import { createLogger } from '../../src/platform/log.ts';
import { createTestDatabase } from '../setup/database.ts';
import type { TestDatabase } from '../setup/database.ts';
import { until } from '../until.ts';

const START = new Date('2026-03-01T09:00:00Z');
const KEY = { lane: 'message', medium: 'sms' } as const;
const config = readConfig({ LOG_LEVEL: 'fatal' });
const LEASE_MS = config.dispatchLeaseMs;

const WAITING = "SELECT 1 FROM pg_locks WHERE relation = 'outbox'::regclass AND NOT granted";

let database: TestDatabase;
let db: Database;
let now: Date;
let pid: string;

beforeAll(async () => {
  database = await createTestDatabase();
  db = openDatabase(database.url, 6, createLogger('fatal'));
});
afterAll(async () => {
  await db.close();
  await database.drop();
});
beforeEach(async () => {
  now = START;
  pid = await newStore();
});

async function newStore(): Promise<string> {
  const { pid } = await db.prisma.store.create({
    data: { pid: randomUUID(), name: 'Shop', secret: new Uint8Array(32) },
  });
  return pid;
}

const later = (ms: number): Date => new Date(START.getTime() + ms);
const enqueue = (fields: Partial<NewMessage> = {}): Promise<string | null> => {
  const message = {
    pid,
    medium: 'sms',
    kind: 'test',
    recipient: '+14155552671',
    payload: {},
    ...fields,
  } as const;
  return db.transaction((tx) => enqueueMessage(tx, message, now));
};
const enqueueMany = async (count: number): Promise<void> => {
  for (let index = 0; index < count; index += 1) await enqueue();
};
const shareOf = (store: string, most: number) => ({ pid: store, recipient: '', most });
const claim = (most = 10): Promise<ClaimedMessage[]> =>
  claimMessages(db, KEY, [shareOf(pid, most)], LEASE_MS, now);
const renew = (message: ClaimedMessage): Promise<void> =>
  renewLeases(db, [message], new Date(now.getTime() + LEASE_MS));
const claimOne = async (): Promise<ClaimedMessage> => {
  const claimed = await claim();
  expect(claimed).toHaveLength(1);
  return claimed[0]!;
};
const settle = (message: ClaimedMessage, outcome: Outcome): Promise<void> =>
  acknowledge({ db, config, now: () => now }, [{ message, outcome }]);
const isDue = async (): Promise<boolean> =>
  (await findDueFlows(db, KEY, now)).some((flow) => flow.pid === pid);
const rowOf = ({ id }: ClaimedMessage) => db.prisma.outboxMessage.findFirstOrThrow({ where: { pid, id } });

describe('a claim', () => {
  test('passes over what another claimer is about to take, without waiting for it', async () => {
    await enqueueMany(3);
    await db.transaction(async (tx) => {
      const [first] = await claimMessages(tx, KEY, [shareOf(pid, 1)], LEASE_MS, now);
      const others = await claim();
      expect(others).toHaveLength(2);
      expect(others.map(({ id }) => id)).not.toContain(first!.id);
    });
    expect(await claim()).toEqual([]);
  });

  test('of several at once gives each message to one alone', async () => {
    await enqueueMany(30);
    let claims: Promise<ClaimedMessage[]>[] = [];
    await db.transaction(async (tx) => {
      await tx.query('LOCK TABLE outbox IN EXCLUSIVE MODE');
      claims = [claim(30), claim(30), claim(30)];
      await until(async () => (await tx.query(WAITING)).length === claims.length);
    });
    const ids = (await Promise.all(claims)).flat().map(({ id }) => id);
    expect(ids).toHaveLength(30);
    expect(new Set(ids).size).toBe(30);
  });

  test('takes the oldest first and no more than the turn says', async () => {
    const second = await enqueue({ dueAt: later(-1_000) });
    const first = await enqueue({ dueAt: later(-2_000) });
    await enqueue();
    expect((await claim(2)).map(({ id }) => id).sort()).toEqual([first, second].sort());
  });

  test('holds for its lease and for what that is lengthened by', async () => {
    await enqueue();
    const message = await claimOne();
    now = later(LEASE_MS - 1);
    expect(await claim()).toEqual([]);
    await renew(message);
    now = later(2 * LEASE_MS - 2);
    expect(await claim()).toEqual([]);
    now = later(2 * LEASE_MS - 1);
    expect(await claimOne()).toMatchObject({ id: message.id });
  });
});

describe('a lease that ran out', () => {
  let old: ClaimedMessage;
  let current: ClaimedMessage;

  beforeEach(async () => {
    await enqueue();
    old = await claimOne();
    now = later(LEASE_MS);
    current = await claimOne();
  });

  test('is claimed again under a new number, as the next try', () => {
    expect(current).toMatchObject({ id: old.id, claim: old.claim + 1, attempts: old.attempts + 1 });
  });

  test.each<Outcome>([
    { kind: 'failed', reason: 'no' },
    { kind: 'withheld', reason: 'no' },
    { kind: 'retry', reason: 'no' },
    { kind: 'deferred', until: START },
  ])('is not settled as $kind by the claim of before', async (outcome) => {
    const before = await rowOf(current);
    await settle(old, outcome);
    expect(await rowOf(current)).toEqual(before);
    await settle(current, { kind: 'failed', reason: 'of now' });
    expect(await rowOf(current)).toMatchObject({ state: 'failed', error: 'of now' });
  });

  test('is not lengthened by the claim of before', async () => {
    const before = await rowOf(current);
    now = later(LEASE_MS + 1);
    await renew(old);
    expect(await rowOf(current)).toEqual(before);
  });

  test('counts as sent where the claim of before did send it', async () => {
    await settle(old, { kind: 'sent' });
    await settle(current, { kind: 'failed', reason: 'too late' });
    expect(await rowOf(current)).toMatchObject({ state: 'sent', error: null, finishedAt: now });
  });
});

test('the same dedupe key queues once, and another store may use it too', async () => {
  const dedupeKey = randomUUID();
  expect(await enqueue({ dedupeKey })).toEqual(expect.any(String));
  expect(await enqueue({ dedupeKey })).toBeNull();
  expect(await enqueue({ dedupeKey, pid: await newStore() })).toEqual(expect.any(String));
  expect(await claim()).toHaveLength(1);
});

test('the storm of one store does not hold up another', async () => {
  const quiet = await newStore();
  await enqueueMany(20);
  now = later(1_000);
  const id = await enqueue({ pid: quiet });
  const flows = (await findDueFlows(db, KEY, now)).filter((flow) => [pid, quiet].includes(flow.pid));
  expect(flows.map((flow) => flow.pid).sort()).toEqual([pid, quiet].sort());
  const shares = flows.map((flow) => ({ ...flow, most: 2 }));
  const claimed = await claimMessages(db, KEY, shares, LEASE_MS, now);
  expect(claimed.filter((message) => message.pid === pid)).toHaveLength(2);
  expect(claimed.filter((message) => message.pid === quiet)).toEqual([expect.objectContaining({ id })]);
});

describe('a message that is put back', () => {
  const expectDueAt = async (time: Date): Promise<void> => {
    now = new Date(time.getTime() - 1);
    expect(await isDue()).toBe(false);
    expect(await claim()).toEqual([]);
    now = time;
    expect(await isDue()).toBe(true);
    expect(await claim()).toHaveLength(1);
  };

  test('is due when its receiver said, and keeps the reason', async () => {
    await enqueue();
    const message = await claimOne();
    const afterMs = 12 * 3_600_000;
    await settle(message, { kind: 'retry', reason: 'busy', afterMs });
    expect(await rowOf(message)).toMatchObject({ state: 'queued', error: 'busy' });
    await expectDueAt(later(afterMs));
  });

  test('is due at the end of the cool-down for which it waits', async () => {
    await enqueue();
    await settle(await claimOne(), { kind: 'deferred', until: later(5_000) });
    await expectDueAt(later(5_000));
  });

  test('is due at its time where it was queued for later', async () => {
    await enqueue({ dueAt: later(7_000) });
    await expectDueAt(later(7_000));
  });
});

test.each<[string, Outcome, object]>([
  ['sent', { kind: 'sent' }, { state: 'sent', error: null, payload: null }],
  ['failed', { kind: 'failed', reason: 'refused' }, { state: 'failed', error: 'refused' }],
  ['withheld', { kind: 'withheld', reason: 'gone' }, { state: 'withheld', error: 'gone' }],
  [
    'tried too often',
    { kind: 'retry', reason: 'busy', most: 1 },
    { state: 'failed', error: 'failed on attempt 1: busy' },
  ],
])('a message that was %s is never claimed again', async (_how, outcome, row) => {
  await enqueue();
  const message = await claimOne();
  await settle(message, outcome);
  expect(await rowOf(message)).toMatchObject({ ...row, finishedAt: now });
  now = later(365 * 86_400_000);
  await renew(message);
  expect(await isDue()).toBe(false);
  expect(await claim()).toEqual([]);
});

test('a message is tried so often and then given up', async () => {
  await enqueue();
  for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt += 1) {
    const message = await claimOne();
    expect(message.attempts).toBe(attempt);
    await settle(message, { kind: 'retry', reason: 'busy' });
    now = new Date(now.getTime() + 86_400_000);
  }
  expect(await claim()).toEqual([]);
});

test('outcomes that are recorded together are each recorded as their own', async () => {
  await enqueueMany(5);
  const messages = await claim();
  const until = later(7_200_000);
  const outcomes: Outcome[] = [
    { kind: 'sent' },
    { kind: 'failed', reason: 'no' },
    { kind: 'withheld', reason: 'gone' },
    { kind: 'deferred', until },
    { kind: 'retry', reason: 'busy', afterMs: 3_600_000 },
  ];
  await acknowledge(
    { db, config, now: () => now },
    messages.map((message, index) => ({ message, outcome: outcomes[index]! })),
  );
  const rows = await Promise.all(messages.map(rowOf));
  expect(rows).toMatchObject([
    { state: 'sent', error: null, finishedAt: START },
    { state: 'failed', error: 'no', finishedAt: START },
    { state: 'withheld', error: 'gone', finishedAt: START },
    { state: 'queued', error: null, dueAt: until, finishedAt: null },
    { state: 'queued', error: 'busy', dueAt: later(3_600_000), finishedAt: null },
  ]);
});

test('an outcome is recorded also where the message is changed while that waits', async () => {
  await enqueue();
  const message = await claimOne();
  const LOCKED = `SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`;
  let settling: Promise<void> = Promise.resolve();
  await db.transaction(async (tx) => {
    await tx.query(`UPDATE outbox SET error = 'beside' WHERE pid = $1`, [pid]);
    settling = settle(message, { kind: 'sent' });
    await until(async () => (await db.query(LOCKED)).length > 0);
  });
  await settling;
  expect(await rowOf(message)).toMatchObject({ state: 'sent', error: null });
});

test('an outcome that cannot be stored does not take others with it', async () => {
  await enqueueMany(3);
  const messages = await claim();
  const settle = createAcknowledger({ db, config, now: () => now });
  const results = await Promise.allSettled(
    messages.map((message, index) =>
      settle({ message, outcome: index === 1 ? { kind: 'failed', reason: 'NUL \u0000' } : { kind: 'sent' } }),
    ),
  );
  expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
  const rows = await Promise.all(messages.map(rowOf));
  expect(rows.map(({ state }) => state)).toEqual(['sent', 'queued', 'sent']);
});

/** SQL: what this transaction read of the table, in whatever way, and earlier ones of its session that PostgreSQL has not reported yet. */
const READ = `SELECT (seq_tup_read + idx_tup_fetch)::int AS count FROM pg_stat_xact_user_tables WHERE relname = 'outbox'`;
const readSoFar = async (tx: Tx): Promise<number> => (await tx.query<{ count: number }>(READ))[0]!.count;

describe('while much is queued that the planner knows nothing of', () => {
  const QUEUED = 3_000;
  const claimIn = (tx: Tx): Promise<ClaimedMessage[]> =>
    claimMessages(tx, KEY, [shareOf(pid, 4)], LEASE_MS, now);

  beforeEach(async () => {
    await db.query(
      `INSERT INTO outbox (pid, id, lane, medium, kind, recipient, payload, due_at, cts)
       SELECT $1, gen_random_uuid()::text, 'message', 'sms', 'test', '+14155552671', '{}', $2, $2 FROM generate_series(1, ${QUEUED})`,
      [pid, START],
    );
  });

  const end = { reason: 'no', until: now, isContactGone: false, timeZone: null };
  const endAs = (kind: Outcome['kind']) => (tx: Tx, messages: ClaimedMessage[]) =>
    recordEnds(
      tx,
      messages.map((message) => ({ ...end, message, kind })),
      now,
    );

  test.each<[string, (tx: Tx, messages: ClaimedMessage[]) => Promise<unknown>]>([
    ['claimed', async () => undefined],
    ['kept', (tx, messages) => renewLeases(tx, messages, later(LEASE_MS))],
    ['sent', endAs('sent')],
    ['failed', endAs('failed')],
    ['withheld', endAs('withheld')],
    ['put back', endAs('retry')],
  ])('four that are %s cost what four cost', async (_how, work) => {
    await db.transaction(async (tx) => {
      const before = await readSoFar(tx);
      const messages = await claimIn(tx);
      expect(messages).toHaveLength(4);
      await work(tx, messages);
      expect((await readSoFar(tx)) - before).toBeLessThan(QUEUED / 10);
    });
  });
});

test('a claim reads only its own store’s queue, also where an index by store is larger than one of due times', async () => {
  const OTHERS = 2_000;
  await enqueueMany(10);
  await db.transaction(async (tx) => {
    // The stores need not exist.
    await tx.query('SET LOCAL session_replication_role = replica');
    await tx.query(
      `INSERT INTO outbox (pid, id, lane, medium, kind, recipient, payload, due_at, cts)
       SELECT repeat(md5(n::text), 2), gen_random_uuid()::text, 'message', 'sms', 'test', '+14155552671', '{}', $1, $1
       FROM generate_series(1, ${OTHERS}) n`,
      [new Date(START.getTime() - 1_000)],
    );
    const before = await readSoFar(tx);
    expect(await claimMessages(tx, KEY, [shareOf(pid, 4)], LEASE_MS, now)).toHaveLength(4);
    expect((await readSoFar(tx)) - before).toBeLessThan(OTHERS / 10);
    await tx.query('DELETE FROM outbox WHERE length(pid) = 64');
  });
});

test('workers are woken once the message is committed, and not at all when it is not', async () => {
  const seen: Promise<boolean>[] = [];
  const end = db.onWork(() => void seen.push(isDue()));
  const message = { pid, medium: 'sms', kind: 'test', recipient: '+14155552671', payload: {} } as const;
  const failed = db.transaction(async (tx) => {
    await enqueueMessage(tx, message, now);
    throw new Error('no');
  });
  await expect(failed).rejects.toThrow('no');
  expect(seen).toHaveLength(0);
  await db.transaction(async (tx) => {
    await enqueueMessage(tx, message, now);
    expect(seen).toHaveLength(0);
  });
  expect(await Promise.all(seen)).toEqual([true]);
  end();
});
