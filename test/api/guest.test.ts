import { createHmac, randomUUID } from 'node:crypto';
import { removeGuests, removeNextGuests } from '../../src/shoppers/guest.service.ts';
import { revokeSessions } from '../../src/shoppers/shopper.service.ts';
import { findStore } from '../../src/stores/store.repo.ts';
import { rotateTokenKey } from '../../src/stores/settings.service.ts';
import { startService, useNewStore, useService } from '../harness.ts';
import type { TestService, TestShopper } from '../harness.ts';
import { statementsOf } from '../statements.ts';
import { until } from '../until.ts';
import { createClient, item, newGuest } from './list-kit.ts';
import type { Client } from './list-kit.ts';

const service = useService();
const store = useNewStore(service);
afterEach(() => service.resetClock());

const DAY = 24 * 3_600_000;
const SYNC = '/storeadmin/v3/user/guest-validate-sync';
const PROFILE = '{ shopper { regid isGuest language userinfo { cts uts lastlogin } lists { totalCount } } }';

type Row = { epoch: number; lastlogin: Date | null; fname: string };

async function rowOf({ pid, regid }: TestShopper): Promise<Row | undefined> {
  const sql = 'SELECT epoch, lastlogin, fname FROM shopper WHERE pid = $1 AND regid = $2';
  return (await service.services.db.query<Row>(sql, [pid, regid]))[0];
}

/** The error type that REST and GraphQL give a shopper, or nothing. */
async function errorOf(shopper: TestShopper): Promise<string | undefined> {
  const { body } = await service.graphql('{ shopper { regid } }', {}, { shopper });
  const rest = await service.post('/api/v3/lists/fetch-lists', {}, { shopper });
  expect(rest.body.type).toBe(body.errors?.[0].extensions.type);
  return rest.body.type;
}

/** The same guest as a version before marked regids stored it. */
async function formerRow(uuid: string): Promise<string> {
  const { secret } = (await findStore(service.services.db, store.pid))!;
  const regid = createHmac('sha256', secret)
    .update(JSON.stringify(['guest', uuid]))
    .digest('base64url');
  await service.services.db.query(
    `INSERT INTO shopper (pid, regid, is_guest, uid, di, lastlogin) VALUES ($1, $2, true, $3, 'd', now())`,
    [store.pid, regid, regid.slice(0, 22)],
  );
  return regid;
}

test('identifying a new guest writes nothing, and reads of its lists are empty over REST and GraphQL', async () => {
  const uuid = randomUUID();
  let guest: TestShopper;
  // The first call of a key notes its use.
  await service.guest(store);
  const statements = await statementsOf(service, async () => (guest = await service.guest(store, uuid)));
  expect(statements).toEqual(['load_identities', 'find_shoppers']);
  const me = createClient(service, guest!);
  expect(await me.ok('lists/fetch-lists')).toEqual([]);
  expect(await me.failure(404, 'lists/fetch-list-with-contents', { lid: 'none' })).toBe('list-not-found');
  expect(await me.failure(404, 'lists/update-ctx', { lid: 'none', a: [item(1)] })).toBe('list-not-found');
  expect((await me.graphql(PROFILE)).body.data.shopper).toEqual({
    ...{ regid: guest!.regid, isGuest: true, language: null },
    ...{ userinfo: { cts: null, uts: null, lastlogin: null }, lists: { totalCount: 0 } },
  });
  expect(await service.guest(store, uuid)).toEqual(guest!);
  expect(await rowOf(guest!)).toBeUndefined();
});

test('repeated reads of a guest without a row come from the response cache, also beside another process that writes', async () => {
  const other: TestService = await startService({}, undefined, service);
  try {
    const me = await newGuest(service, store);
    for (let n = 0; n < 2; n += 1) expect(await me.ok('lists/fetch-lists')).toEqual([]);
    const third = await statementsOf(service, () => me.ok('lists/fetch-lists'));
    expect(third).toEqual(['load_identities']);
    const { lid } = await createClient(other, me.shopper).create('Wishes');
    expect(await me.ok('lists/fetch-lists')).toMatchObject([{ lid }]);
  } finally {
    await other.close();
  }
});

test.each<[string, (regid: string) => string]>([
  ['of another store', (regid) => regid],
  ['with one character changed', (regid) => (regid[0] === 'a' ? 'b' : 'a') + regid.slice(1)],
  [
    'with another check',
    (regid) => `${regid.slice(0, 30)}${regid[30] === 'a' ? 'b' : 'a'}${regid.slice(31)}`,
  ],
  ['without its mark', (regid) => `${regid.slice(0, -1)}A`],
  ['made up', () => `${'x'.repeat(42)}G`],
])('a regid %s is sw-badregid, also where the store names it, and makes no row', async (name, forge) => {
  const guest = await service.guest(name.startsWith('of') ? await service.createStore() : store);
  const forged = { ...guest, pid: store.pid, regid: forge(guest.regid) };
  expect(await errorOf(forged)).toBe('sw-badregid');
  const { body } = await service.graphql(
    'mutation { updateShopper(input: { fname: "x" }) { regid } }',
    {},
    { store, shopper: forged },
  );
  expect(body.errors[0].extensions.type).toBe('sw-badregid');
  const fields = { regid: forged.regid, useremail: 'a@example.com', useragenttype: 'test' };
  expect((await service.post(SYNC, fields, { store }).expect(401)).body.type).toBe('sw-badregid');
  expect(await rowOf(forged)).toBeUndefined();
});

const PRODUCTS = [{ epi: 1, empi: 1, du: 'https://shop.example/p' }];
const subscribe = (me: Client): Promise<unknown> => {
  const input = {
    medium: 'email',
    mediumvalue: `${randomUUID()}@example.com`,
    products: PRODUCTS,
    topics: ['backinstock'],
  };
  return me
    .graphql('mutation ($input: SubscribeInput!) { subscribe(input: $input) { message } }', { input })
    .expect(200);
};

test.each<[string, (me: Client) => Promise<unknown>]>([
  ['a list', (me) => me.create('Wishes')],
  ['a save-for-later list', (me) => me.ok('lists/sfl/create')],
  ['a subscription', subscribe],
  ['a choice about tracking', (me) => me.graphql('mutation { setMeasured(measured: false) { measured } }')],
  [
    'a profile that the store writes',
    ({ shopper }) =>
      service.graphql(
        'mutation { updateShopper(input: { fname: "Ann" }) { regid } }',
        {},
        { store, shopper },
      ),
  ],
])('%s gives the guest its row, and ten at once give one', async (_name, write) => {
  const me = await newGuest(service, store);
  await Promise.all(Array.from({ length: 10 }, () => write(me).catch(() => null)));
  expect(await rowOf(me.shopper)).toMatchObject({ epoch: 0, lastlogin: expect.any(Date) });
  expect(await errorOf(me.shopper)).toBeUndefined();
  const { body } = await me.graphql(PROFILE);
  expect(body.data.shopper.userinfo).toEqual({
    cts: expect.any(Number),
    uts: expect.any(Number),
    lastlogin: expect.any(String),
  });
});

test('first lists that race with the login are in the account or refused, and none is lost', async () => {
  for (let round = 0; round < 5; round += 1) {
    const me = await newGuest(service, store);
    const useremail = `${randomUUID()}@example.com`;
    const fields = { regid: me.shopper.regid, useremail, useragenttype: 'test' };
    const [login, ...made] = await Promise.all([
      service.post(SYNC, fields, { store }).expect(200),
      ...[1, 2, 3].map((n) => me.call('lists/create', { lname: `List ${n}` })),
    ]);
    const kept = made.filter(({ status }) => status === 200).map(({ body }) => body.lname);
    for (const { status, body } of made) if (status !== 200) expect(body.type).toBe('sw-badregid');
    const account = createClient(service, { ...me.shopper, regid: login.body.regid });
    const lists: { lname: string }[] = await account.ok('lists/fetch-lists');
    expect(lists.map(({ lname }) => lname).sort()).toEqual(kept.sort());
    expect(await errorOf(me.shopper)).toBe('sw-badregid');
  }
});

test('the login of a guest without a row ends its session and lets it open the account', async () => {
  const guest = await service.guest(store);
  const fields = { regid: guest.regid, useremail: `${randomUUID()}@example.com`, useragenttype: 'test' };
  const { body } = await service.post(SYNC, fields, { store }).expect(200);
  expect(await errorOf(guest)).toBe('sw-badregid');
  expect(await errorOf({ ...guest, regid: body.regid })).toBeUndefined();
});

test('revoking ends the session of a guest without a row: of the one, of all, and with the token key', async () => {
  const uuids = [randomUUID(), randomUUID()];
  const [one, two] = [await service.guest(store, uuids[0]), await service.guest(store, uuids[1])];
  await revokeSessions(service.services, store.pid, { uuid: uuids[0]! });
  expect([await errorOf(one), await errorOf(two)]).toEqual(['bad-sessionid', undefined]);
  await revokeSessions(service.services, store.pid, { all: true });
  expect(await errorOf(two)).toBe('bad-sessionid');
  const again = await service.guest(store, uuids[1]);
  expect(await errorOf(again)).toBeUndefined();
  await rotateTokenKey(service.services, store.pid, 0);
  expect(await errorOf(again)).toBe('bad-sessionid');
  expect(await errorOf(await service.guest(store, uuids[1]))).toBeUndefined();
  expect(await rowOf(two)).toBeUndefined();
});

test('erasing a guest ends its session, whether or not it has a row, and leaves nothing but regid and epoch', async () => {
  const [unseen, seen] = [await newGuest(service, store), await newGuest(service, store)];
  await seen.create('Wishes');
  const erase = 'mutation ($regid: String) { eraseShopper(regid: $regid) { action } }';
  for (const { shopper } of [unseen, seen]) {
    const { body } = await service.graphql(erase, { regid: shopper.regid }, { store });
    expect(body.data.eraseShopper).toEqual({ action: 'erase' });
    expect(await errorOf(shopper)).toBe('bad-sessionid');
    expect(await rowOf(shopper)).toEqual({ epoch: 1, lastlogin: null, fname: '' });
  }
  const { body } = await service.graphql('{ shoppers { totalCount edges { node { uid } } } }', {}, { store });
  expect(body.data.shoppers).toEqual({ totalCount: 0, edges: [] });
});

test('a uuid that has a row from before keeps its regid, logs in and is revoked under it', async () => {
  const uuid = randomUUID();
  const regid = await formerRow(uuid);
  const guest = await service.guest(store, uuid);
  expect(guest.regid).toBe(regid);
  await createClient(service, guest).create('Wishes');
  await revokeSessions(service.services, store.pid, { uuid });
  expect(await errorOf(guest)).toBe('bad-sessionid');
  const again = await service.guest(store, uuid);
  const fields = { uuid, useremail: `${randomUUID()}@example.com`, useragenttype: 'test' };
  const { body } = await service.post('/storeadmin/v3/user/generate-regid', fields, { store }).expect(200);
  const account = createClient(service, { ...again, regid: body.regid });
  expect(await account.ok('lists/fetch-lists')).toHaveLength(1);
});

describe('lastlogin', () => {
  const START = new Date('2026-05-01T12:00:00Z');
  const at = (hours: number): Date => new Date(START.getTime() + hours * 3_600_000);
  const lastloginOf = async (shopper: TestShopper) => (await rowOf(shopper))!.lastlogin?.toISOString();

  test('of an account moves with a login, at most once a day', async () => {
    service.setNow(START);
    const email = `${randomUUID()}@example.com`;
    const account = await service.account(store, email);
    for (const [hours, moved] of [
      [23, 0],
      [24, 24],
      [47, 24],
      [49, 49],
    ] as const) {
      service.setNow(at(hours));
      await service.account(store, email);
      expect(await lastloginOf(account)).toBe(at(moved).toISOString());
    }
  });

  test('of a guest moves with any call, at most once a day', async () => {
    service.setNow(START);
    const me = await newGuest(service, store);
    await me.create('Wishes');
    service.setNow(at(23));
    await me.ok('lists/fetch-lists');
    service.setNow(at(30));
    await me.ok('lists/fetch-lists');
    await until(async () => (await lastloginOf(me.shopper)) === at(30).toISOString());
    service.setNow(at(50));
    await me.ok('lists/fetch-lists');
    expect(await lastloginOf(me.shopper)).toBe(at(30).toISOString());
  });
});

describe('removing idle guests', () => {
  const START = new Date('2026-05-01T12:00:00Z');
  const after = (days: number): Date => new Date(START.getTime() + days * DAY);
  beforeEach(() => service.setNow(START));

  const remove = (days: number, isDryRun = false) =>
    removeGuests(service.services, { pid: store.pid, isDryRun, now: after(days) }, () => undefined);

  /** A guest who had a list and has deleted it for good. */
  async function idleGuest(uuid?: string): Promise<TestShopper> {
    const me = createClient(service, await service.guest(store, uuid));
    const { lid } = await me.create('Wishes');
    await me.ok('lists/delete-list', { lid });
    await service.services.db.query('DELETE FROM deleted_list WHERE pid = $1 AND lid = $2', [store.pid, lid]);
    return me.shopper;
  }

  test('deletes the row after 30 days; the session stays valid and the next write makes a row again', async () => {
    const guest = await idleGuest();
    expect(await remove(29)).toEqual({ examined: 1, deleted: 0, reduced: 0 });
    expect(await remove(31, true)).toEqual({ examined: 1, deleted: 1, reduced: 0 });
    expect(await rowOf(guest)).toBeDefined();
    expect(await remove(31)).toEqual({ examined: 1, deleted: 1, reduced: 0 });
    expect(await rowOf(guest)).toBeUndefined();
    const me = createClient(service, guest);
    expect(await me.ok('lists/fetch-lists')).toEqual([]);
    const { lid } = await me.create('Again');
    expect(await me.ok('lists/fetch-lists')).toMatchObject([{ lid }]);
  });

  test.each<[string, (me: Client) => Promise<unknown>]>([
    ['a list', (me) => me.create('Wishes')],
    [
      'a list that it can restore',
      async (me) => me.ok('lists/delete-list', { lid: (await me.create('Wishes')).lid }),
    ],
    ['a subscription', subscribe],
    [
      'a consent',
      ({ shopper }) =>
        service.services.db.query(
          `INSERT INTO mailing_answer (pid, medium, value, acceptmarketing, signuptime, acceptsource, regid)
           VALUES ($1, 'sms', '+49151', true, now(), 'subscription', $2)`,
          [shopper.pid, shopper.regid],
        ),
    ],
  ])('leaves a guest with %s', async (_name, give) => {
    const guest = await idleGuest();
    await give(createClient(service, guest));
    expect(await remove(400)).toEqual({ examined: 1, deleted: 0, reduced: 0 });
  });

  test('leaves a guest who has visited meanwhile, and accounts', async () => {
    await service.account(store);
    const guest = await idleGuest();
    service.setNow(after(20));
    await createClient(service, guest).ok('lists/fetch-lists');
    await until(async () => (await rowOf(guest))!.lastlogin!.getTime() === after(20).getTime());
    expect(await remove(40)).toEqual({ examined: 2, deleted: 0, reduced: 0 });
  });

  test('reduces a row whose sessions have ended to regid and epoch, so that they stay ended', async () => {
    const uuid = randomUUID();
    const guest = await idleGuest(uuid);
    const update = 'mutation { updateShopper(input: { fname: "Ann" }) { regid } }';
    await service.graphql(update, {}, { store, shopper: guest });
    await revokeSessions(service.services, store.pid, { uuid });
    expect(await remove(31)).toEqual({ examined: 1, deleted: 0, reduced: 1 });
    expect(await rowOf(guest)).toEqual({ epoch: 1, lastlogin: null, fname: '' });
    expect(await errorOf(guest)).toBe('bad-sessionid');
    expect(await remove(400)).toEqual({ examined: 1, deleted: 0, reduced: 0 });
    const again = createClient(service, await service.guest(store, uuid));
    expect((await again.graphql(PROFILE)).body.data.shopper.userinfo.cts).toBeNull();
    await again.create('Wishes');
    expect((await again.graphql(PROFILE)).body.data.shopper.userinfo.cts).toBe(START.getTime());
  });

  test('reduces a row under a regid from before, so that its uuid keeps the regid', async () => {
    const uuid = randomUUID();
    const regid = await formerRow(uuid);
    await service.services.db.query('UPDATE shopper SET lastlogin = $2 WHERE pid = $1', [store.pid, START]);
    expect(await remove(31)).toEqual({ examined: 1, deleted: 0, reduced: 1 });
    expect((await service.guest(store, uuid)).regid).toBe(regid);
  });

  test('follows guestDays of the store; with 0 it removes nobody', async () => {
    const set = (n: number) =>
      service.graphql(
        'mutation ($n: Int) { updateStore(input: { guestDays: $n }) { guestDays } }',
        { n },
        { store },
      );
    await idleGuest();
    expect((await set(0)).body.data.updateStore).toEqual({ guestDays: 0 });
    expect(await remove(4_000)).toMatchObject({ deleted: 0 });
    await set(2);
    expect(await remove(3)).toMatchObject({ deleted: 1 });
  });

  test('never takes a list that is created at the same moment', async () => {
    for (let round = 0; round < 10; round += 1) {
      const me = createClient(service, await idleGuest());
      const [{ lid }] = await Promise.all([me.create('Wishes'), remove(31)]);
      expect(await me.ok('lists/fetch-lists')).toMatchObject([{ lid }]);
    }
  });

  test('the service does it by itself, a portion at a time and one pass a day', async () => {
    const { db } = service.services;
    const guest = await idleGuest();
    const sweep = (days: number) => removeNextGuests({ db }, after(days));
    await db.query(`UPDATE service_state SET swept_pid = '', swept_regid = '', sweep_at = $1`, [after(40)]);
    await sweep(40.5);
    expect(await rowOf(guest)).toBeDefined();
    await sweep(41);
    await until(async () => {
      const [at] = await db.query<{ last: string }>('SELECT swept_pid AS last FROM service_state');
      if (at!.last !== '') await sweep(41);
      return at!.last === '';
    });
    expect(await rowOf(guest)).toBeUndefined();
  });
});
