import { createCipheriv, createHmac } from 'node:crypto';
import { runCli } from '../../src/cli/run.ts';
import {
  encryptLink,
  shortConfirm,
  shortUnsubscribeUrl,
  unsubscribeUrl,
} from '../../src/shoppers/contacts/link.rules.ts';
import { longToken } from '../../src/stores/revenue/click.rules.ts';
import { findStore } from '../../src/stores/store.repo.ts';
import type { StoreRow } from '../../src/stores/store.repo.ts';
import type { NewStore } from '../../src/stores/store.service.ts';
import { useService } from '../harness.ts';
import type { TestShopper } from '../harness.ts';

const service = useService();
let store: NewStore;
const NOW = new Date('2026-03-10T12:00:00Z');
const DAY = 24 * 3_600_000;
const UUID = '9b1deb4d-3b7d-4bad-9bdd-2b0d7b3dcb6d';
beforeEach(async () => {
  service.setNow(NOW);
  store = await service.createStore();
});

/** Links of every kind that the store would send now; none needs a row of its own but the shop's page. */
async function links(): Promise<string[]> {
  const row = (await findStore(service.services.db, store.pid))!;
  const claim = { scope: 'all', medium: 'email', value: 'me@example.com', topic: '', epi: '' } as const;
  const contact = { medium: 'sms', value: '+4915123456789' } as const;
  const asked = { contact, issuedAt: NOW, requester: '' };
  const alertId = '9b1deb4d-3b7d-4bad-9bdd-2b0d7b3dcb6d';
  return [
    unsubscribeUrl('', row, claim),
    shortUnsubscribeUrl('', row, contact.medium, { recipient: contact.value, seq: 1 })!,
    `/confirm/${encryptLink(row, 'confirm', ['email', 'me@example.com', String(NOW.getTime()), ''])}`,
    `/c/${shortConfirm(row, asked)}`,
    `/go/${longToken(row, alertId, 'https://shop.example/p/1', NOW)}`,
  ];
}

const statuses = (paths: readonly string[]) =>
  Promise.all(paths.map(async (path) => (await service.http.get(path)).status));
const WORKING = [200, 200, 200, 200, 302];
const ENDED = [404, 404, 404, 404, 404];

async function stateOf(shopper: TestShopper): Promise<string> {
  const [rest, graph] = await Promise.all([
    service.post('/api/v3/lists/fetch-lists', {}, { shopper }),
    service.graphql('{ allLists { lid } }', {}, { shopper }),
  ]);
  const type = graph.body.errors?.[0].extensions.type ?? 'works';
  expect(rest.body.type ?? 'works').toBe(type);
  return type;
}

const KEYS = 'tokenKeys { cts endsAt }';
async function rotate(oldDays?: number): Promise<{ cts: number; endsAt: number | null }[]> {
  const { body } = await service.graphql(
    `mutation ($oldDays: Int) { rotateTokenKey(oldDays: $oldDays) { ${KEYS} } }`,
    { oldDays },
    { store },
  );
  expect(body.errors).toBeUndefined();
  return body.data.rotateTokenKey.tokenKeys;
}

/** A link in a text message as releases made it that had no other medium for phones. */
function olderShortLink({ pid, secret, linkNo }: StoreRow, contents: Uint8Array): string {
  const keyOf = (use: string) => createHmac('sha256', secret).update(`short link ${use}`).digest();
  const mac = createHmac('sha256', keyOf('check')).update(JSON.stringify(['unsubscribe', pid]));
  const check = mac.update(contents).digest().subarray(0, 8);
  const cipher = createCipheriv('aes-256-ctr', keyOf('hide'), Buffer.concat([check], 16));
  const sealed = Buffer.concat([check, cipher.update(contents), cipher.final()]);
  return `/u/${sealed.toString('base64url')}.${linkNo.toString(36)}`;
}

test('a link of a text message that was sent before links could be of another medium still leaves SMS', async () => {
  const row = (await findStore(service.services.db, store.pid))!;
  const contents = Buffer.alloc(12);
  contents.writeUIntBE(4915123456789, 1, 6);
  contents.writeUInt8(1, 11);
  await service.http.post(olderShortLink(row, contents)).expect(200);
  const left = await service.services.db.query('SELECT medium, value FROM suppression WHERE pid = $1', [
    store.pid,
  ]);
  expect(left).toEqual([{ medium: 'sms', value: '+4915123456789' }]);
});

test('a rotated key signs what is new, and what older keys signed goes on until it is dropped', async () => {
  const [before, sent] = [await service.guest(store, UUID), await links()];
  expect(await statuses(sent)).toEqual(WORKING);
  // As every store signed before there were token keys: an upgrade ends no session.
  const [head, proof] = [before.sessionid.slice(0, 19), before.sessionid.slice(19)];
  const { secret } = (await findStore(service.services.db, store.pid))!;
  const mac = createHmac('sha256', secret).update(JSON.stringify(['session', before.regid, head, '0.0']));
  expect(proof).toBe(mac.digest('base64url'));
  expect(await rotate()).toHaveLength(2);
  const [after, later] = [await service.guest(store, UUID), await links()];
  expect(after.regid).toBe(before.regid);
  expect(after.sessionid).not.toBe(before.sessionid);
  expect([await stateOf(before), await stateOf(after)]).toEqual(['works', 'works']);
  expect([await statuses(sent), await statuses(later)]).toEqual([WORKING, WORKING]);

  const { body } = await service.graphql(`mutation { dropTokenKeys { ${KEYS} } }`, {}, { store });
  expect(body.data.dropTokenKeys.tokenKeys).toEqual([{ cts: NOW.getTime(), endsAt: null }]);
  expect([await stateOf(before), await stateOf(after)]).toEqual(['bad-sessionid', 'works']);
  expect([await statuses(sent), await statuses(later)]).toEqual([ENDED, WORKING]);
  const again = await service.guest(store, UUID);
  expect(again).toEqual(after);
});

test('older keys end after the days that were named, and never later than an earlier rotation said', async () => {
  const [before, sent] = [await service.guest(store, UUID), await links()];
  await rotate(30);
  const between = await service.guest(store, UUID);
  const ends = (await rotate(60)).map(({ endsAt }) => endsAt && (endsAt - NOW.getTime()) / DAY);
  expect(ends).toEqual([null, 60, 30]);
  service.setNow(new Date(NOW.getTime() + 30 * DAY - 1));
  expect([await stateOf(before), await statuses(sent)]).toEqual(['works', WORKING.with(2, 404).with(3, 404)]);
  service.setNow(new Date(NOW.getTime() + 30 * DAY));
  expect([await stateOf(before), await stateOf(between)]).toEqual(['bad-sessionid', 'works']);
  expect(await statuses(sent)).toEqual(ENDED);
  const { body } = await service.graphql(`{ store { ${KEYS} } }`, {}, { store });
  expect(body.data.store.tokenKeys).toHaveLength(2);
});

test('with 0 days everything that was signed ends at once, also where its answer was kept, and nobody loses a list', async () => {
  const before = await service.account(store, 'me@example.com');
  await service.post('/api/v3/lists/create', { lname: 'Birthday' }, { shopper: before }).expect(200);
  for (let times = 0; times < 3; times += 1) expect(await stateOf(before)).toBe('works');
  const sent = await links();
  expect(await rotate(0)).toHaveLength(1);
  expect([await stateOf(before), await statuses(sent)]).toEqual(['bad-sessionid', ENDED]);
  const after = await service.account(store, 'me@example.com');
  const { body } = await service.post('/api/v3/lists/fetch-lists', {}, { shopper: after }).expect(200);
  expect(body.map(({ lname }: { lname: string }) => lname)).toEqual(['Birthday']);
});

test("a merged guest's session opens its account across a rotation, and no longer than its key", async () => {
  const guest = await service.guest(store, UUID);
  await rotate();
  const fields = { regid: guest.regid, useremail: 'me@example.com', useragenttype: 'test' };
  const { body } = await service.post('/storeadmin/v3/user/guest-validate-sync', fields, { store });
  const joined = { ...guest, regid: body.regid };
  expect(await stateOf(joined)).toBe('works');
  await rotate();
  expect(await stateOf(joined)).toBe('works');
  await rotate(0);
  expect(await stateOf(joined)).toBe('bad-sessionid');
});

test('another store is not touched, API keys and their dashboards neither', async () => {
  const other = await service.createStore();
  const shopper = await service.guest(other, UUID);
  await rotate(0);
  expect(await stateOf(shopper)).toBe('works');
  await service.get('/storeadmin/me', { store }).expect(200);
});

test('a store has at most 5 token keys, days are a whole number, and rotations at the same moment all count', async () => {
  await Promise.all([rotate(), rotate(), rotate(), rotate()]);
  const tooMany = await service.graphql('mutation { rotateTokenKey { pid } }', {}, { store });
  expect(tooMany.body.errors[0].extensions.type).toBe('limit-reached');
  for (const oldDays of [-1, 3_651]) {
    const query = `mutation { rotateTokenKey(oldDays: ${oldDays}) { pid } }`;
    const { body } = await service.graphql(query, {}, { store });
    expect(body.errors[0].message).toBe('oldDays must be a whole number from 0 to 3650');
  }
  expect(await rotate(0)).toHaveLength(1);
});

test('only the store itself rotates or sees its token keys, and nobody sees a key', async () => {
  const shopper = await service.guest(store, UUID);
  for (const [type, caller] of [
    ['forbidden', { shopper }],
    ['unauthorised', {}],
  ] as const) {
    const queries = ['mutation { rotateTokenKey { pid } }', 'mutation { dropTokenKeys { pid } }'];
    for (const query of queries) {
      const { body } = await service.graphql(query, {}, caller);
      expect(body.errors[0].extensions.type).toBe(type);
    }
  }
  const row = (await findStore(service.services.db, store.pid))!;
  expect(row.tokenKeys).toEqual([]);
});

describe('on the command line', () => {
  const cli = (...args: string[]) => {
    const { db, config } = service.services;
    return runCli(args, { DATABASE_URL: db.pool.options.connectionString!, DATA_DIR: config.dataDir });
  };

  test('keys are rotated, listed without the keys, and dropped', async () => {
    service.setClock(() => new Date());
    const before = await service.guest(store, UUID);
    const rotated = await cli('rotate-token-key', '--pid', store.pid, '--old-days', '30');
    expect(rotated).toMatchObject({ status: 0, stderr: expect.stringMatching(/^Using PostgreSQL at .*\n$/) });
    expect(rotated.stdout).toMatch(
      /^The token key has been rotated\.\n {2}token key {2}since \S+ {2}signs\n {2}token key {2}since \S+ {2}valid until \S+\n$/,
    );
    expect(await stateOf(before)).toBe('works');
    const listed = await cli('list', '--json');
    const secrets = await service.services.db.query<{ key: string }>(
      `SELECT one->>'key' AS key FROM store, jsonb_array_elements(token_keys) one WHERE pid = $1
       UNION ALL SELECT encode(secret, 'base64') FROM store WHERE pid = $1`,
      [store.pid],
    );
    expect(secrets).toHaveLength(3);
    for (const { key } of secrets) expect(listed.stdout + rotated.stdout).not.toContain(key);
    const dropped = await cli('drop-token-keys', '--pid', store.pid, '--json');
    expect(JSON.parse(dropped.stdout)).toEqual({
      pid: store.pid,
      tokenKeys: [{ cts: expect.any(String), endsAt: null }],
    });
    expect(await stateOf(before)).toBe('bad-sessionid');
  });

  test('a wrong number or store is named', async () => {
    expect(await cli('rotate-token-key', '--pid', store.pid, '--old-days', 'ten')).toEqual({
      status: 2,
      stdout: '',
      stderr: '--old-days must be a whole number\n',
    });
    expect(await cli('drop-token-keys', '--pid', 'nobody')).toMatchObject({ status: 1, stdout: '' });
  });
});
