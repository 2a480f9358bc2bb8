import { randomUUID } from 'node:crypto';
import supertest from 'supertest';
import { useNewStore, useService } from '../../harness.ts';
import type { Fields, TestShopper } from '../../harness.ts';
import { inFull } from '../../tier.ts';
import { until } from '../../until.ts';
import { besideService, endMains, startMain } from './fixtures/main-process.ts';

// Of its own: processes that are killed do its background work.
const service = useService({ rateLimits: false });
const store = useNewStore(service);
let email: string;

beforeEach(() => void (email = `${randomUUID()}@example.com`));
afterEach(endMains);

const range = (length: number, first = 1) => Array.from({ length }, (_, index) => first + index);
const item = (epi: number) => ({ epi, empi: epi, du: `/p/${epi}` });
const post = (path: string, fields: Fields, shopper: TestShopper) =>
  service.post(`/api/v3/lists/${path}`, fields, { shopper });
const create = async (shopper: TestShopper, lname: string, more: Fields = {}): Promise<string> =>
  (await post('create', { lname, ...more }, shopper).expect(200)).body.lid;
const add = (shopper: TestShopper, lid: string, ...epis: number[]) =>
  post('update-ctx', { lid, a: epis.map(item) }, shopper);
const sync = async (guest: TestShopper, useremail = email) => {
  const fields = { regid: guest.regid, useremail, useragenttype: 'test' };
  return (await service.post('/storeadmin/v3/user/guest-validate-sync', fields, { store }).expect(200)).body
    .merged;
};

type ListRow = { lid: string; lname: string; cnt: number; epis: number[] };
const listsOf = ({ regid }: TestShopper): Promise<ListRow[]> =>
  service.services.db.query<ListRow>(
    `SELECT lid, lname, cnt, ARRAY(SELECT epi::int FROM item i WHERE i.pid = l.pid AND i.lid = l.lid ORDER BY seq) AS epis
     FROM list l WHERE pid = $1 AND regid = $2 ORDER BY seq`,
    [store.pid, regid],
  );
const expectSoundCounts = (lists: ListRow[]) => {
  for (const { cnt, epis } of lists) expect(cnt).toBe(epis.length);
};

test('100 parallel creates of one name leave one list', async () => {
  const shopper = await service.account(store);
  const answers = await Promise.all(range(100).map(() => post('create', { lname: 'Only one' }, shopper)));
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
  expect(new Set(answers.filter(({ status }) => status !== 200).map(({ body }) => body.type))).toEqual(
    new Set(['duplicate-lname']),
  );
  expect(await listsOf(shopper)).toHaveLength(1);
});

test('100 parallel save-for-later creates leave one list, and all get it', async () => {
  const shopper = await service.guest(store);
  const answers = await Promise.all(range(100).map(() => post('sfl/create', {}, shopper).expect(200)));
  expect(new Set(answers.map(({ body }) => body.list.lid)).size).toBe(1);
  expect(await listsOf(shopper)).toHaveLength(1);
});

test('100 parallel adds of one variant leave one item', async () => {
  const shopper = await service.account(store);
  const lid = await create(shopper, 'Favourites');
  await Promise.all(range(100).map(() => add(shopper, lid, 7).expect(200)));
  expect(await listsOf(shopper)).toMatchObject([{ cnt: 1, epis: [7] }]);
});

test('100 parallel adds and removals leave counters that fit the rows', async () => {
  const shopper = await service.account(store);
  const lid = await create(shopper, 'Favourites');
  await Promise.all(
    range(100).map((n) =>
      post(
        'update-ctx',
        n % 2 ? { lid, a: [item(n % 5), item(5 + (n % 3))] } : { lid, d: [{ epi: n % 5 }] },
        shopper,
      ).expect(200),
    ),
  );
  expectSoundCounts(await listsOf(shopper));
});

test.each(range(5))(
  'a merge while the guest is still adding loses no acknowledged item (round %i)',
  async (round) => {
    const guest = await service.guest(store);
    const account = await service.account(store, email);
    const joined = await create(guest, 'Favourites');
    const moved = await create(guest, 'Holiday');
    await create(account, 'Favourites');
    const acknowledged: number[] = [];
    const write = async (epi: number) => {
      const { status, body } = await add(guest, epi % 2 ? joined : moved, epi);
      if (status === 200) acknowledged.push(epi);
      else expect(['sw-badregid', 'list-not-found']).toContain(body.type);
    };
    const client = async (first: number) => {
      for (const epi of range(25, first)) await write(epi);
    };
    const adding = Promise.all(range(4).map((n) => client(n * 100)));
    await until(async () => acknowledged.length >= round * 8);
    await sync(guest);
    await adding;
    const lists = [...(await listsOf(account)), ...(await listsOf(guest))];
    expect(lists.flatMap(({ epis }) => epis).sort((a, b) => a - b)).toEqual(
      acknowledged.sort((a, b) => a - b),
    );
    expectSoundCounts(lists);
    expect((await listsOf(account)).map(({ lname }) => lname).sort()).toEqual(['Favourites', 'Holiday']);
  },
);

test('ten merges of one guest at once are one merge', async () => {
  const guest = await service.guest(store);
  const account = await service.account(store, email);
  await add(account, await create(account, 'Favourites'), 1);
  await add(guest, await create(guest, 'Favourites'), 1, 2);
  await add(guest, await create(guest, 'Holiday'), 3);
  const reports = await Promise.all(range(10).map(() => sync(guest)));
  expect(reports.filter(({ lists }) => lists > 0)).toEqual([{ lists: 2, items: 2, duplicates: 1 }]);
  expect((await listsOf(account)).map(({ lname, epis }) => [lname, epis])).toEqual([
    ['Favourites', [1, 2]],
    ['Holiday', [3]],
  ]);
});

test('merges of one guest into two accounts at once give every item to one of them', async () => {
  const guest = await service.guest(store);
  for (const n of range(5)) await add(guest, await create(guest, `List ${n}`), n, n + 10);
  const emails = [email, `other-${email}`];
  await Promise.all(range(10).map((n) => sync(guest, emails[n % 2])));
  const accounts = await Promise.all(emails.map((useremail) => service.account(store, useremail)));
  const counts = await Promise.all(accounts.map(async (account) => (await listsOf(account)).length));
  expect(counts.sort()).toEqual([0, 5]);
  expect(await listsOf(guest)).toEqual([]);
});

test('ten guests that merge into one account at once all arrive', async () => {
  const guests = await Promise.all(range(10).map(() => service.guest(store)));
  await Promise.all(
    guests.map(async (guest, index) => {
      await add(guest, await create(guest, 'Favourites'), 1, 100 + index).expect(200);
      await post('sfl/create', {}, guest).expect(200);
    }),
  );
  await Promise.all(guests.map((guest) => sync(guest)));
  const lists = await listsOf(await service.account(store, email));
  expect(lists.map(({ lname }) => lname).sort()).toEqual(['Favourites', 'Save for later']);
  expect(lists.find(({ lname }) => lname === 'Favourites')!.epis.sort((a, b) => a - b)).toEqual([
    1,
    ...range(10, 100),
  ]);
  expectSoundCounts(lists);
});

test.each(range(5))('a merge and a create of the same name leave one list of it (round %i)', async () => {
  const guest = await service.guest(store);
  const account = await service.account(store, email);
  await add(guest, await create(guest, 'Favourites'), 1).expect(200);
  const creating = post('create', { lname: 'Favourites' }, account);
  const [{ status, body }] = await Promise.all([creating, sync(guest)]);
  expect(status === 200 ? 'created' : body.type).toMatch(/^(created|duplicate-lname)$/);
  expect(await listsOf(account)).toMatchObject([{ lname: 'Favourites', epis: [1] }]);
});

const PORTION = 500;
/** Where the copy is killed, in portions, and how many it has. */
const [STOPS, PORTIONS] = [inFull(8, 3), inFull(20, 5)];

test(`a copy of ${PORTIONS * PORTION} items that is killed half-way ends complete and once, in order`, async () => {
  const shopper = await service.account(store, email);
  const source = await create(shopper, 'Source');
  // As autovacuum does within a minute: until then the plans that are kept are those of a table with a few rows.
  await service.services.db.query('ANALYZE item');
  for (const n of range(PORTIONS, 0)) await add(shopper, source, ...range(PORTION, n * PORTION)).expect(200);
  const { body: copy } = await post('create', { lname: 'Copy', fromlid: source }, shopper).expect(200);
  expect(copy).toMatchObject({ _cp: true, cnt: 0 });
  // The copy is the list as it was at the call.
  await post('update-ctx', { lid: source, d: [{ epi: 1 }], a: [item(20_000)] }, shopper).expect(200);
  const copied = async () => (await listsOf(shopper)).find(({ lid }) => lid === copy.lid)!;
  const other = await service.services.db.pool.connect();
  for (const portion of [1, STOPS]) {
    // The copy comes to a stop before this portion, and the process is killed right there.
    await other.query('BEGIN');
    await other.query('SELECT 1 FROM list_copy WHERE lid = $1 AND portion = $2 FOR UPDATE', [
      copy.lid,
      portion,
    ]);
    const main = startMain(besideService(service));
    await until(async () => (await copied()).cnt === portion * PORTION);
    await main.end('SIGKILL');
    await other.query('ROLLBACK');
    // Waits until the database has noticed that the process is gone.
    await other.query('SELECT 1 FROM list WHERE lid = $1 FOR UPDATE', [copy.lid]);
    const { cnt, epis } = await copied();
    expect([cnt, epis.length]).toEqual([portion * PORTION, portion * PORTION]);
  }
  other.release();
  await service.runTasks();
  const { cnt, epis } = await copied();
  expect(cnt).toBe(PORTIONS * PORTION);
  expect(epis).toEqual(range(PORTIONS * PORTION, 0));
  const { body } = await post('fetch-list-with-contents', { lid: copy.lid }, shopper).expect(200);
  expect(body.list).toMatchObject({ _cp: false, cnt: PORTIONS * PORTION });
  expect(await service.services.db.query('SELECT 1 FROM list_copy WHERE pid = $1', [store.pid])).toEqual([]);
});

test('two workers on one copy add every item once and keep the order', async () => {
  const shopper = await service.account(store, email);
  const source = await create(shopper, 'Source');
  for (const n of range(6, 0)) await add(shopper, source, ...range(500, n * 500)).expect(200);
  await create(shopper, 'Copy', { fromlid: source });
  await Promise.all(range(4).map(() => service.runTasks()));
  await service.runTasks();
  expect(await listsOf(shopper)).toMatchObject([
    { cnt: 3_000, epis: range(3_000, 0) },
    { cnt: 3_000, epis: range(3_000, 0) },
  ]);
});

test('a write under an Idempotency-Key whose process was killed is answered to the retry when its lease has ended', async () => {
  const shopper = await service.account(store, email);
  const lid = await create(shopper, 'Favourites');
  const main = startMain(besideService(service));
  const url = await main.url;
  const { pool } = service.services.db;
  const blocker = await pool.connect();
  await blocker.query('BEGIN');
  await blocker.query('SELECT 1 FROM list WHERE lid = $1 FOR UPDATE', [lid]);
  const headers = { 'idempotency-key': randomUUID() };
  const fields = { lid, lname: 'Renamed' };
  const form = { ...fields, regid: shopper.regid, sessionid: shopper.sessionid };
  const first = supertest(url)
    .post(`/api/v3/lists/update?pid=${encodeURIComponent(shopper.pid)}`)
    .set(headers)
    .type('form')
    .send(form)
    .catch((error: NodeJS.ErrnoException) => error.code);
  await until(
    async () =>
      (await service.services.db.query('SELECT 1 FROM idempotent_write WHERE pid = $1', [store.pid]))
        .length === 1,
  );
  await main.end('SIGKILL');
  expect(typeof (await first)).toBe('string');
  await blocker.query('COMMIT');
  blocker.release();
  const { body } = await service.post('/api/v3/lists/update', fields, { shopper, headers }).expect(200);
  expect(body.lname).toBe('Renamed');
});
