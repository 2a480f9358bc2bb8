import { useService, useStore } from '../harness.ts';
import { until } from '../until.ts';
import { item, newAccount, rowsOf } from './list-kit.ts';
import type { Client } from './list-kit.ts';

const service = useService(() => ({ rateLimits: false, maxItems: MAX_ITEMS }));
const store = useStore(service);

const MAX_ITEMS = 20;

type Own = Client & { lid: string };
const range = (length: number, first = 1) => Array.from({ length }, (_, index) => first + index);

async function newOwner(...epis: number[]): Promise<Own> {
  const client = await newAccount(service, store);
  const { lid } = await client.create('Wishes');
  if (epis.length > 0) await client.add(lid, ...epis.map((epi) => item(epi, { note: 'n' })));
  return { ...client, lid };
}

const newOwners = (count: number, ...epis: number[]): Promise<Own[]> =>
  Promise.all(range(count).map(() => newOwner(...epis)));

const write = ({ call, lid }: Own, change: object) => call('lists/update-ctx', { lid, ...change });

/** The revision of a shopper moves once for each new version of a row of its lists. */
async function stateOf({ lid, shopper }: Own): Promise<{ rev: number; version: number }> {
  const [row] = await service.services.db.query<{ rev: number; version: number }>(
    `SELECT r.rev, l.version FROM list l JOIN shopper_revision r ON r.pid = l.pid AND r.regid = l.regid
     WHERE l.pid = $1 AND l.lid = $2 AND r.regid = $3`,
    [store.pid, lid, shopper.regid],
  );
  return row!;
}

/** Lists of the store whose own figures are not those of their rows. */
const unsoundLists = () =>
  service.services.db.query(
    `SELECT l.lid, l.cnt, i.* FROM list l CROSS JOIN LATERAL (
       SELECT count(*)::int AS rows, count(note)::int AS noted, coalesce(sum(item_bytes(i)), 0) + list_bytes(l) AS weight
       FROM item i WHERE i.pid = l.pid AND i.lid = l.lid) i
     WHERE l.pid = $1 AND (l.cnt, l.itemcmnts, l.bytes) <> (i.rows, i.noted, i.weight)`,
    [store.pid],
  );

test.each([
  ['an add', { a: [item(9)] }],
  ['an add of what is there', { a: [item(1, { note: 'a longer note' })] }],
  ['a change', { u: [{ epi: 1, note: 'another, longer note' }] }],
  ['a removal', { d: [{ epi: 2 }] }],
  ['all of them', { a: [item(9), item(10)], u: [{ epi: 1, note: '' }], d: [{ epi: 2 }, { epi: 3 }] }],
])('%s writes the row of the list once', async (_what, change) => {
  const owner = await newOwner(1, 2, 3);
  const before = await stateOf(owner);
  await write(owner, change).expect(200);
  expect(await stateOf(owner)).toEqual({ rev: before.rev + 1, version: before.version + 1 });
  expect(await unsoundLists()).toEqual([]);
});

test('a write that does nothing leaves the row as it is', async () => {
  const owner = await newOwner(1);
  const before = await stateOf(owner);
  const { cnt, d } = (await write(owner, { d: [{ epi: 7 }] }).expect(200)).body;
  expect({ cnt, d }).toMatchObject({ cnt: 1, d: [{ epi: 7, hasError: true }] });
  expect(await stateOf(owner)).toEqual(before);
});

test('a variant that is removed, changed and added in one write is met in this order, and the version goes on by one', async () => {
  const owner = await newOwner(1, 2);
  const before = await stateOf(owner);
  const { a, u, d, cnt } = (
    await write(owner, {
      d: [{ epi: 1 }],
      u: [
        { epi: 1, qty: 5 },
        { epi: 2, qty: 6 },
      ],
      a: [item(1, { qty: 7 }), item(2, { note: 'm' })],
    }).expect(200)
  ).body;
  expect(d).toMatchObject([{ epi: 1, note: 'n' }]);
  expect(u).toMatchObject([
    { epi: 1, hasError: true },
    { epi: 2, qty: 6, note: 'n' },
  ]);
  expect(a).toMatchObject([
    { epi: 1, qty: 7, note: null },
    { epi: 2, qty: 6, note: 'm' },
  ]);
  expect(cnt).toBe(2);
  expect((await stateOf(owner)).version).toBe(before.version + 1);
  expect(await unsoundLists()).toEqual([]);
});

test('writes of many shoppers at once, and SQL by hand beside them, leave counts that fit the rows', async () => {
  const owners = await newOwners(12, 1, 2, 3);
  const byHand = ({ lid }: Own) =>
    service.services.db.query(
      `INSERT INTO item (pid, lid, epi, id, empi, du, di, note) VALUES ($1, $2, 'hand', $2, 'hand', '/p', 'd', 'by hand')`,
      [store.pid, lid],
    );
  await Promise.all(
    owners.flatMap((owner, n) => [
      write(owner, { a: [item(4), item(5, { note: 'five' })] }).expect(200),
      write(owner, { u: [{ epi: 1, note: 'x'.repeat(n) }], d: [{ epi: 2 }] }).expect(200),
      byHand(owner),
      write(owner, { d: [{ epi: 3 }, { epi: 99 }] }).expect(200),
    ]),
  );
  expect(await unsoundLists()).toEqual([]);
  for (const { lid } of owners)
    expect((await rowsOf(service, lid))!.epis.sort()).toEqual(['1', '4', '5', 'hand']);
  await service.services.db.query(`DELETE FROM item WHERE pid = $1 AND epi = 'hand'`, [store.pid]);
  expect(await unsoundLists()).toEqual([]);
});

test('what one write is refused for is not the others’ in the same moment', async () => {
  const owners = await newOwners(12, 1);
  const [full, stranger, other] = owners as [Own, Own, Own];
  await full.add(full.lid, ...range(MAX_ITEMS - 1, 2).map((epi) => item(epi)));
  const answers = await Promise.all(
    owners.map((owner) =>
      write(owner === stranger ? { ...owner, lid: other.lid } : owner, { a: [item('new')] }),
    ),
  );
  const types = answers.map(({ status, body }) => (status === 200 ? status : body.type));
  expect(types).toEqual(['limit-reached', 'list-not-found', ...range(10).map(() => 200)]);
  expect((await rowsOf(service, full.lid))!.cnt).toBe(MAX_ITEMS);
  expect((await rowsOf(service, stranger.lid))!.cnt).toBe(1);
  expect(await unsoundLists()).toEqual([]);
});

/** Counts the callers who have been looked up from here on. */
function watchIdentities(): { count: () => number; end: () => void } {
  const { db } = service.services;
  const { query } = db;
  let count = 0;
  db.query = async (statement: string | { name: string }, params?: unknown[]) => {
    const rows = await query(statement as never, params);
    if (typeof statement !== 'string' && statement.name === 'load_identities') count += rows.length;
    return rows as never[];
  };
  return { count: () => count, end: () => void (db.query = query) };
}

test('a stranger who writes in the same moment as the owner writes nothing', async () => {
  const [first, second, ...owners] = (await newOwners(12, 1)) as [Own, Own, ...Own[]];
  const strangers = await newOwners(owners.length, 1);
  const { db } = service.services;
  const waitingFor = (count: number) =>
    until(async () => {
      const rows = await db.query(`SELECT FROM pg_locks WHERE NOT granted AND relation = 'item'::regclass`);
      return rows.length === count;
    });
  const answers = await db.transaction(async (tx) => {
    // Two transactions are under way at most: those who come while both are held up share the next one.
    await tx.query('LOCK TABLE item IN SHARE MODE');
    const before = [write(first, { a: [item('new')] }).then()];
    await waitingFor(1);
    before.push(write(second, { a: [item('new')] }).then());
    await waitingFor(2);
    const identified = watchIdentities();
    const pairs = owners.flatMap((owner, index) => [
      write(owner, { a: [item('own')] }).then(),
      write({ ...strangers[index]!, lid: owner.lid }, { a: [item('stolen')] }).then(),
    ]);
    await until(() => identified.count() === pairs.length);
    identified.end();
    return { before, pairs };
  });
  const statuses = async (calls: Promise<{ status: number }>[]) =>
    (await Promise.all(calls)).map(({ status }) => status);
  expect(await statuses(answers.before)).toEqual([200, 200]);
  expect(await statuses(answers.pairs)).toEqual(owners.flatMap(() => [200, 404]));
  for (const { lid } of owners) expect((await rowsOf(service, lid))!.epis).not.toContain('stolen');
  expect(await unsoundLists()).toEqual([]);
});

test('a list that somebody holds keeps its own writers waiting, and nobody else', async () => {
  const [held, free] = (await newOwners(2, 1)) as [Own, Own];
  const { db } = service.services;
  let waiting: Promise<{ status: number }> | undefined;
  await db.transaction(async (tx) => {
    await tx.query('SELECT FROM list WHERE pid = $1 AND lid = $2 FOR UPDATE', [store.pid, held.lid]);
    waiting = write(held, { a: [item(2)] }).then(({ status }) => ({ status }));
    await until(
      async () =>
        (await db.query(`SELECT FROM pg_locks WHERE NOT granted AND locktype = 'transactionid'`)).length > 0,
    );
    await write(free, { a: [item(2)] }).expect(200);
    expect((await rowsOf(service, held.lid))!.cnt).toBe(1);
  });
  expect(await waiting).toEqual({ status: 200 });
  expect((await rowsOf(service, held.lid))!.cnt).toBe(2);
});

describe('sign-ups', () => {
  const subscribe = (value: string, epis = ['1']) =>
    service.post(
      '/storeadmin/bispa/subscriptions/create',
      {
        medium: 'email',
        mediumvalue: value,
        products: epis.map((epi) => ({ epi, empi: epi, du: '/p' })),
        topics: ['backinstock'],
      },
      { store },
    );

  test('of one moment are each stored and counted; one contact that is over its limit is refused alone', async () => {
    const eager = 'eager@example.com';
    await subscribe(eager, range(100).map(String)).expect(200);
    await subscribe(eager, range(20, 101).map(String)).expect(200);
    const values = [eager, ...range(15).map((n) => `s${n}@example.com`)];
    const answers = await Promise.all(values.map((value) => subscribe(value, ['first', 'second'])));
    expect(answers.map(({ status }) => status)).toEqual([429, ...range(15).map(() => 200)]);
    const rows = await service.services.db.query<{ value: string; n: number; asked: number }>(
      `SELECT s.value, count(*)::int AS n, count(q.id)::int AS asked FROM subscription s
       LEFT JOIN subscription_request q ON q.pid = s.pid AND q.subscription_id = s.id
       WHERE s.pid = $1 AND s.epi IN ('first', 'second') GROUP BY s.value`,
      [store.pid],
    );
    expect(rows).toHaveLength(15);
    expect(rows.every(({ n, asked }) => n === 2 && asked === 2)).toBe(true);
    const [figures] = await service.services.db.query<{ n: number }>(
      `SELECT sum(n)::int AS n FROM (SELECT n FROM tally_delta WHERE pid = $1 AND kind = 'subscribe'
       UNION ALL SELECT n FROM tally WHERE pid = $1 AND kind = 'subscribe') t`,
      [store.pid],
    );
    expect(figures!.n).toBe(150);
  });
});
