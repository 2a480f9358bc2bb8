import { addressGroup } from '../../src/api/limit.ts';
import { findStore } from '../../src/stores/store.repo.ts';
import { consume } from '../../src/stores/usage-window.repo.ts';
import { USAGE_LIMITS, usageKey } from '../../src/stores/usage-window.rules.ts';
import type { UsageKind } from '../../src/stores/usage-window.rules.ts';
import { useNewStore, useService } from '../harness.ts';
import type { Caller, Fields, TestShopper } from '../harness.ts';

// A guest costs its caller nothing, so what guests do also counts by IP address and by recipient.

const SHOP = 'https://shop.example';
const service = useService({ trustProxy: ['loopback'] });
const store = useNewStore(service, { allowedOrigins: [SHOP] });

const from = (address: string) => ({ origin: SHOP, 'x-forwarded-for': address });
const call = (path: string, fields: Fields, shopper: TestShopper, address: string) =>
  service.post(`/api/v3/lists/${path}`, fields, { shopper, headers: from(address) });

async function newGuest(address = '192.0.2.1'): Promise<TestShopper> {
  const { pid } = store;
  const { body } = await service.post('/api/v3/shopper/identify', { pid }, { headers: from(address) });
  return { pid, regid: body.regid, sessionid: body.sessionid };
}

/** Counts all uses of a limit but `left`. */
async function use(kind: UsageKind, subject: string, left: number): Promise<void> {
  const { db, now } = service.services;
  const { secret } = (await findStore(db, store.pid))!;
  const limit = USAGE_LIMITS[kind];
  const key = usageKey(secret, kind, subject);
  await db.transaction((tx) => consume(tx, store.pid, key, limit, now(), limit.points - left));
}

async function subscribe(shopper: TestShopper, address: string, mediumvalue: string, count = 1) {
  const products = Array.from({ length: count }, (_, epi) => ({ epi, empi: 1, du: '/p' }));
  const input = { medium: 'email', mediumvalue, products, topics: ['backinstock'] };
  const query = 'mutation($input: SubscribeInput!) { subscribe(input: $input) { message } }';
  const caller: Caller = { shopper, headers: from(address) };
  const { body } = await service.graphql(query, { input }, caller);
  return (body.errors?.[0].extensions.type ?? null) as string | null;
}

const rows = async (table: 'shopper' | 'list'): Promise<number> =>
  (await service.services.db.query(`SELECT 1 FROM ${table} WHERE pid = $1`, [store.pid])).length;

test('new guests of one address make 120 subscriptions an hour together, those of another go on', async () => {
  const sign = async (index: number, address: string) =>
    subscribe(await newGuest(address), address, `p${index}@example.com`, 40);
  expect(await sign(1, '192.0.2.1')).toBeNull();
  expect(await sign(2, '192.0.2.1')).toBeNull();
  expect(await sign(3, '192.0.2.1')).toBeNull();
  expect(await sign(4, '192.0.2.1')).toBe('too-many-requests');
  expect(await sign(5, '192.0.2.2')).toBeNull();
});

test('one contact is asked to confirm three times a day, however many guests and addresses ask, and however it is written', async () => {
  const start = new Date('2030-05-05T12:00:00Z');
  service.setNow(start);
  for (let index = 0; index < 6; index += 1) {
    const address = `192.0.2.${10 + index}`;
    const contact = index % 2 ? 'Ann@Example.com' : ' ann@example.com';
    expect(await subscribe(await newGuest(address), address, contact)).toBeNull();
  }
  service.resetClock();
  const due = await service.services.db.query<{ recipient: string }>(
    `SELECT recipient FROM outbox WHERE pid = $1 AND kind = 'confirm' AND due_at <= $2`,
    [store.pid, start],
  );
  expect(due).toEqual(Array(3).fill({ recipient: 'ann@example.com' }));
});

test('guests of one address who save something are 1,000 a day; beyond, nothing is stored, and known guests go on', async () => {
  const address = '192.0.2.31';
  await use('guest address', addressGroup(address), 1);
  const known = await newGuest(address);
  await call('create', { lname: 'Wishes' }, known, address).expect(200);
  const refused = await call('create', { lname: 'Wishes' }, await newGuest(address), address).expect(429);
  expect(refused.body.msg).toMatch(/new guests from this IP address: the limit is 1000 per day/);
  expect(refused.headers).toMatchObject({ 'ratelimit-limit': '1000', 'ratelimit-remaining': '0' });
  expect(Number(refused.headers['retry-after'])).toBeGreaterThan(80_000);
  expect(await subscribe(await newGuest(address), address, 'ann@example.com')).toBe('too-many-requests');
  expect([await rows('shopper'), await rows('list')]).toEqual([1, 1]);
  await call('create', { lname: 'More' }, known, address).expect(200);
  await call('create', { lname: 'Wishes' }, await newGuest(), '192.0.2.32').expect(200);
  const { regid } = await newGuest();
  const byStore = { store, headers: { 'x-regid': regid, 'x-forwarded-for': address } };
  const { body } = await service.graphql(
    'mutation { createList(input: { lname: "Wishes" }) { lid } }',
    {},
    byStore,
  );
  expect(body.errors).toBeUndefined();
});

test('where a back end makes all guests, those who save are not counted at its address', async () => {
  const address = '192.0.2.35';
  await use('guest address', addressGroup(address), 0);
  await call('create', { lname: 'Wishes' }, await newGuest(), address).expect(429);
  await service.graphql('mutation { updateStore(input: { allowedOrigins: [] }) { pid } }', {}, { store });
  const headers = { 'x-forwarded-for': address };
  await service
    .post('/api/v3/lists/create', { lname: 'Wishes' }, { shopper: await service.guest(store), headers })
    .expect(200);
});

test('300 shares an hour are recorded from one address, whichever guests report them', async () => {
  const address = '192.0.2.41';
  const owner = await newGuest();
  const { lid } = (await call('create', { lname: 'Wishes' }, owner, '192.0.2.42').expect(200)).body;
  await call('markPublic', { lid }, owner, '192.0.2.42').expect(200);
  await use('share report', address, 1);
  const share = async (by: string) => call('reportShare', { lid, medium: 'link' }, await newGuest(), by);
  expect((await share(address)).status).toBe(200);
  const refused = await share(address);
  expect([refused.status, refused.body.type, refused.headers['ratelimit-limit']]).toEqual([
    429,
    'too-many-requests',
    '300',
  ]);
  expect((await share('192.0.2.43')).status).toBe(200);
  const [list] = await service.services.db.query('SELECT shares FROM list WHERE pid = $1', [store.pid]);
  expect(list).toEqual({ shares: 2 });
});

test('100 lists an hour are emailed from one address, whichever accounts do; a back end has only the other limits', async () => {
  const address = '192.0.2.51';
  await use('share address', address, 1);
  const mail = async (headers: object, caller: Caller = {}) => {
    const shopper = await service.account(store);
    const { lid } = (await call('create', { lname: 'Wishes' }, shopper, '192.0.2.52').expect(200)).body;
    const toemail = `${shopper.regid.slice(0, 8)}@example.com`;
    const query = 'mutation($lid: ID!, $to: String!) { emailList(lid: $lid, toemail: $to) { msg } }';
    const all = { ...from(address), ...headers };
    const { body } = await service.graphql(query, { lid, to: toemail }, { shopper, ...caller, headers: all });
    return (body.errors?.[0].extensions.type ?? null) as string | null;
  };
  expect(await mail({})).toBeNull();
  expect(await mail({})).toBe('too-many-requests');
  expect(await mail({ 'x-forwarded-for': '192.0.2.53' })).toBeNull();
  expect(await mail({}, { store })).toBeNull();
});
