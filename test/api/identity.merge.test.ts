import { randomUUID } from 'node:crypto';
import { revokeSessions } from '../../src/shoppers/shopper.service.ts';
import { updateStore } from '../../src/stores/store.service.ts';
import { useService, useStore } from '../harness.ts';
import type { TestShopper } from '../harness.ts';
import { NO_PD } from './list-kit.ts';

const service = useService();
const store = useStore(service);

const GENERATE = '/storeadmin/v3/user/generate-regid';
const SYNC = '/storeadmin/v3/user/guest-validate-sync';
const ZEROS = { lists: 0, items: 0, duplicates: 0 };

const newEmail = (): string => `${randomUUID()}@example.com`;
const sync = (regid: string, useremail: string) =>
  service.post(SYNC, { regid, useremail, useragenttype: 'test' }, { store });

/** The failure type that a shopper meets, or its regid when it is let in. */
async function answerTo(shopper: TestShopper): Promise<string> {
  const { body } = await service.graphql('{ shopper { regid } }', {}, { shopper });
  return body.errors?.[0].extensions.type ?? body.data.shopper.regid;
}

async function epochOf(regid: string): Promise<number> {
  const [row] = await service.services.db.query<{ epoch: number }>(
    'SELECT epoch FROM shopper WHERE pid = $1 AND regid = $2',
    [store.pid, regid],
  );
  return row!.epoch;
}

test("a merge answers the account's own identity and what moved", async () => {
  const useremail = newEmail();
  const guest = await service.guest(store);
  const { body } = await sync(guest.regid, useremail).expect(200);
  const account = await service.account(store, useremail);
  expect(body).toEqual({
    message: 'The guest was merged into the account',
    regid: account.regid,
    sessionid: account.sessionid,
    merged: ZEROS,
  });
});

test("an account's regid is refused with 403 and its sessions live on", async () => {
  const account = await service.account(store);
  const { body } = await sync(account.regid, newEmail()).expect(403);
  expect(body.type).toBe('forbidden');
  expect(await answerTo(account)).toBe(account.regid);
});

test.each([
  ['unknown', 'x'.repeat(43)],
  ['missing', ''],
  ['NUL in it', 'a\u0000b'],
  ['10 kB long', 'r'.repeat(10_000)],
])('a regid that is %s answers 401 sw-badregid', async (_name, regid) => {
  const { body } = await sync(regid, newEmail()).expect(401);
  expect(body.type).toBe('sw-badregid');
  expect(body.msg).toContain('sw-badregid');
});

test('the regid of a guest of another store is unknown here', async () => {
  const other = await service.createStore();
  const guest = await service.guest(other);
  const { body } = await sync(guest.regid, newEmail()).expect(401);
  expect(body.type).toBe('sw-badregid');
  expect(await answerTo(guest)).toBe(guest.regid);
});

test('after a merge the old sessionid opens the account and no longer the guest', async () => {
  const guest = await service.guest(store);
  const { body } = await sync(guest.regid, newEmail()).expect(200);
  expect(await answerTo({ ...guest, regid: body.regid })).toBe(body.regid);
  expect(await answerTo(guest)).toBe('sw-badregid');
});

test("every useragenttype's old sessionid opens the account", async () => {
  const uuid = randomUUID();
  const sessions = await Promise.all(['web', 'app'].map((type) => service.guest(store, uuid, type)));
  const { body } = await sync(sessions[0]!.regid, newEmail()).expect(200);
  for (const session of sessions) expect(await answerTo({ ...session, regid: body.regid })).toBe(body.regid);
});

test('an old sessionid opens no other account', async () => {
  const guest = await service.guest(store);
  const stranger = await service.account(store);
  await sync(guest.regid, newEmail()).expect(200);
  expect(await answerTo({ ...guest, regid: stranger.regid })).toBe('bad-sessionid');
});

test('a later visitor with the same uuid has the same regid, a new sessionid, and no way into the account', async () => {
  const uuid = randomUUID();
  const guest = await service.guest(store, uuid);
  const { body } = await sync(guest.regid, newEmail()).expect(200);
  const visitor = await service.guest(store, uuid);
  expect(visitor.regid).toBe(guest.regid);
  expect(visitor.sessionid).not.toBe(guest.sessionid);
  expect(await answerTo(visitor)).toBe(visitor.regid);
  expect(await answerTo({ ...visitor, regid: body.regid })).toBe('bad-sessionid');
});

test('repeating a merge reports zeros and moves no session on', async () => {
  const uuid = randomUUID();
  const useremail = newEmail();
  const guest = await service.guest(store, uuid);
  const first = await sync(guest.regid, useremail).expect(200);
  const epoch = await epochOf(guest.regid);
  for (const path of [SYNC, SYNC, GENERATE])
    await service
      .post(path, { regid: guest.regid, uuid, useremail, useragenttype: 'test' }, { store })
      .expect(200);
  const repeat = await sync(guest.regid, useremail).expect(200);
  expect(repeat.body).toEqual({ ...first.body, merged: ZEROS });
  expect(await epochOf(guest.regid)).toBe(epoch);
  expect(await answerTo({ ...guest, regid: first.body.regid })).toBe(first.body.regid);
});

test('a guest who comes back and logs in again keeps both old sessionids for the account', async () => {
  const uuid = randomUUID();
  const useremail = newEmail();
  const first = await service.guest(store, uuid);
  const { body } = await sync(first.regid, useremail).expect(200);
  const second = await service.guest(store, uuid);
  await sync(first.regid, useremail).expect(200);
  for (const { sessionid } of [first, second])
    expect(await answerTo({ pid: store.pid, regid: body.regid, sessionid })).toBe(body.regid);
  expect(await answerTo(second)).toBe('sw-badregid');
});

test("an account opens with every merged guest's sessionid, however many there were", async () => {
  const first = await service.guest(store);
  const { body } = await sync(first.regid, newEmail()).expect(200);
  // More merges than any reader would look through one by one.
  await service.services.db.query(
    `INSERT INTO guest_link (pid, account_regid, guest_regid, guest_epoch, account_epoch, mark, created_at)
     SELECT pid, account_regid, guest_regid, 'x' || n, account_epoch, 'x' || n, now() + interval '1 day'
     FROM guest_link, generate_series(1, 2000) n WHERE pid = $1 AND guest_regid = $2 AND guest_epoch = '0.0'`,
    [store.pid, first.regid],
  );
  expect(await answerTo({ ...first, regid: body.regid })).toBe(body.regid);
  expect(await answerTo(first)).toBe('sw-badregid');
});

test('20 concurrent merges of one guest are one merge', async () => {
  const useremail = newEmail();
  const guest = await service.guest(store);
  const answers = await Promise.all(Array.from({ length: 20 }, () => sync(guest.regid, useremail)));
  expect(answers.map(({ status }) => status)).toEqual(Array(20).fill(200));
  expect(new Set(answers.map(({ body }) => body.sessionid)).size).toBe(1);
  expect(await epochOf(guest.regid)).toBe(1);
  const links = await service.services.db.query(
    'SELECT 1 FROM guest_link WHERE pid = $1 AND guest_regid = $2',
    [store.pid, guest.regid],
  );
  expect(links).toHaveLength(1);
});

test('merging one guest into two accounts at once gives its sessions to exactly one of them', async () => {
  const guest = await service.guest(store);
  const answers = await Promise.all(
    [newEmail(), newEmail()].map((useremail) => sync(guest.regid, useremail)),
  );
  const opened = await Promise.all(
    answers.map(async ({ body }) => (await answerTo({ ...guest, regid: body.regid })) === body.regid),
  );
  expect(opened.filter(Boolean)).toHaveLength(1);
});

test('generate-regid with uuid and useremail is the same login', async () => {
  const uuid = randomUUID();
  const useremail = newEmail();
  const guest = await service.guest(store, uuid);
  const { body } = await service
    .post(GENERATE, { uuid, useremail, useragenttype: 'test' }, { store })
    .expect(200);
  expect(body).toEqual({
    message: 'Regid generated using useremail; the guest was merged into the account',
    regid: (await service.account(store, useremail)).regid,
    sessionid: expect.any(String),
  });
  expect(await answerTo({ ...guest, regid: body.regid })).toBe(body.regid);
  expect(await answerTo(guest)).toBe('sw-badregid');
});

test('a uuid that was never seen logs in like any other: its guest may have a session without a row', async () => {
  const uuid = randomUUID();
  await service.post(GENERATE, { uuid, useremail: newEmail(), useragenttype: 'test' }, { store }).expect(200);
  const guest = await service.guest(store, uuid);
  expect(await answerTo(guest)).toBe(guest.regid);
  expect(await epochOf(guest.regid)).toBe(1);
});

test.each([
  ['of the account', (useremail: string) => ({ email: useremail })],
  ['of the whole store', () => ({ all: true }) as const],
])('revoking the sessions %s ends the old sessionid, too', async (_name, scopeOf) => {
  const useremail = newEmail();
  const guest = await service.guest(store);
  const { body } = await sync(guest.regid, useremail).expect(200);
  await revokeSessions(service.services, store.pid, scopeOf(useremail));
  expect(await answerTo({ ...guest, regid: body.regid })).toBe('bad-sessionid');
  const account = await service.account(store, useremail);
  expect(account.regid).toBe(body.regid);
  expect(account.sessionid).not.toBe(body.sessionid);
  expect(await answerTo(account)).toBe(account.regid);
});

test('a store can forbid that old sessionids open accounts', async () => {
  const guest = await service.guest(store);
  const { body } = await sync(guest.regid, newEmail()).expect(200);
  await updateStore(service.services, store.pid, { mergedSessions: false });
  expect(await answerTo({ ...guest, regid: body.regid })).toBe('bad-sessionid');
  await updateStore(service.services, store.pid, { mergedSessions: true });
});

test("revoking one guest's sessions leaves other shoppers alone", async () => {
  const uuid = randomUUID();
  const [revoked, other] = [await service.guest(store, uuid), await service.guest(store)];
  await revokeSessions(service.services, store.pid, { uuid });
  expect(await answerTo(revoked)).toBe('bad-sessionid');
  expect(await answerTo(other)).toBe(other.regid);
  expect((await service.guest(store, uuid)).regid).toBe(revoked.regid);
});

const UPDATE = 'mutation ($input: UpdateShopperInput!) { updateShopper(input: $input) { regid } }';
const INFO = '{ shopper { userinfo { fname lname m sw_mkt ut acc_mkt extags prefs pd } } }';
const BLANK = {
  ...{ fname: '', lname: '', m: null, sw_mkt: null, ut: null },
  ...{ acc_mkt: false, extags: [], prefs: { Mediums: {} }, pd: NO_PD },
};
const fill = (shopper: TestShopper, input: object) =>
  service.graphql(UPDATE, { input }, { store, shopper }).expect(200);
const infoOf = async (shopper: TestShopper) =>
  (await service.graphql(INFO, {}, { shopper })).body.data.shopper.userinfo;

test('what is known of a guest goes to an account that knows nothing, and the next visitor with its uuid finds nothing', async () => {
  const uuid = randomUUID();
  const useremail = newEmail();
  const guest = await service.guest(store, uuid);
  const known = {
    ...{ fname: 'Ann', lname: 'Lee', m: '+49 151 23456789', sw_mkt: 'ad', ut: 'vip' },
    ...{
      acc_mkt: true,
      extags: ['a'],
      prefs: { Mediums: { sms: { acceptmarketing: true } } },
      pd: { city: 'Ulm' },
    },
  };
  await fill(guest, known);
  await sync(guest.regid, useremail).expect(200);
  expect(await infoOf(await service.account(store, useremail))).toEqual({
    ...known,
    pd: { ...NO_PD, ...known.pd },
  });
  expect(await infoOf(await service.guest(store, uuid))).toEqual(BLANK);
});

test("a guest's profile fills only what the account's leaves open, also when the store wrote it after the merge", async () => {
  const uuid = randomUUID();
  const useremail = newEmail();
  const account = await service.account(store, useremail);
  const guest = await service.guest(store, uuid);
  await fill(account, {
    fname: 'Ann',
    extags: ['own'],
    prefs: { Mediums: { email: { signuptime: 1 } } },
    pd: { city: 'Ulm' },
  });
  await sync(guest.regid, useremail).expect(200);
  await fill(guest, {
    ...{ fname: 'Bea', lname: 'Lee', acc_mkt: true, extags: ['given'] },
    ...{
      prefs: { Mediums: { email: { signuptime: 2 }, sms: { signuptime: 3 } } },
      pd: { city: 'Bonn', state: 'NW' },
    },
  });
  await sync(guest.regid, useremail).expect(200);
  expect(await infoOf(account)).toEqual({
    ...BLANK,
    ...{ fname: 'Ann', lname: 'Lee', extags: ['own'] },
    ...{
      prefs: { Mediums: { email: { signuptime: 1 }, sms: { signuptime: 3 } } },
      pd: { ...NO_PD, city: 'Ulm', state: 'NW' },
    },
  });
  expect(await infoOf(await service.guest(store, uuid))).toEqual(BLANK);
});
