import { randomUUID } from 'node:crypto';
import { revokeKey, rotateKey, setMaintenance } from '../../src/stores/store.service.ts';
import { startService, useNewStore, useService } from '../harness.ts';
import type { TestService } from '../harness.ts';
import { openStream } from '../live.ts';
import { until } from '../until.ts';
import { createClient, item } from './list-kit.ts';

// Two gateways on one database, neither of which a caller sticks to. What they keep is tested in domain/kept-model.test.ts.

const one = useService();
let other: TestService;
const store = useNewStore(one);

beforeAll(async () => {
  other = await startService({ rateLimits: false }, undefined, one);
});
afterAll(async () => {
  await other.close();
});

test('a write under one Idempotency-Key, sent to two gateways at once and again to each, has one effect and one answer', async () => {
  const shopper = await one.guest(store);
  const headers = { 'idempotency-key': randomUUID() };
  const create = (service: TestService) =>
    service.post('/api/v3/lists/create', { lname: 'Summer' }, { shopper, headers });
  const answers = await Promise.all([one, other, one, other].map(create));
  answers.push(await create(one), await create(other));
  expect(new Set(answers.map(({ status, text }) => `${status} ${text}`))).toEqual(
    new Set([`200 ${answers[0]!.text}`]),
  );
  const rows = await one.services.db.query('SELECT 1 FROM list WHERE regid = $1', [shopper.regid]);
  expect(rows).toHaveLength(1);
});

test('a call that waits at one gateway is answered with a change through the other, and the revision counts at both', async () => {
  const shopper = await one.guest(store);
  const [here, there] = [createClient(one, shopper), createClient(other, shopper)];
  const { lid } = await here.create('Waited for');
  const { rev } = await there.ok('lists/changes', { wait: 0 });
  const waiting = there.ok('lists/changes', { since: rev });
  await here.add(lid, item(1));
  const answer = await waiting;
  expect(answer.lids).toEqual([lid]);
  expect(await here.ok('lists/changes', { since: answer.rev, wait: 0 })).toEqual({
    rev: answer.rev,
    lids: [],
  });
});

test('a login through one gateway moves the lists at the other at once, and ends the streams of the guest there', async () => {
  const guest = createClient(one, await one.guest(store));
  const { lid } = await guest.create('Carried along');
  const { shopper } = guest;
  expect(await createClient(other, shopper).ok('lists/fetch-lists')).toHaveLength(1);
  const stream = await openStream(other, { shopper });
  await stream.message(1);
  const fields = { regid: shopper.regid, useremail: 'ada@example.com', useragenttype: 'test' };
  const { body } = await one.post('/storeadmin/v3/user/guest-validate-sync', fields, { store }).expect(200);
  const account = createClient(other, { ...shopper, regid: body.regid, sessionid: body.sessionid });
  expect((await account.ok('lists/fetch-lists')).map((list: { lid: string }) => list.lid)).toEqual([lid]);
  expect(await createClient(other, shopper).failure(401, 'lists/fetch-lists')).toBe('sw-badregid');
  await until(() => stream.end() === 'complete');
  expect(stream.messages.at(-1)!.errors![0]!.extensions.type).toBe('sw-badregid');
});

test('a key that is revoked through one gateway is refused by the other at once, also where it has just been used', async () => {
  const { keyId, apiKey } = await rotateKey(one.services, store.pid);
  const access = { store: { ...store, apiKey } };
  for (const service of [one, other]) await service.get('/storeadmin/me', access).expect(200);
  await revokeKey(one.services, store.pid, keyId);
  for (const service of [other, one]) await service.get('/storeadmin/me', access).expect(401);
});

test.each(['of the store', 'of the whole service'])(
  'maintenance %s begins and ends at both gateways at once',
  async (whose) => {
    const pid = whose === 'of the store' ? store.pid : null;
    for (const [isClosed, status] of [
      [true, 503],
      [false, 200],
    ] as const) {
      await setMaintenance(one.services, pid, isClosed);
      for (const service of [other, one]) await service.get('/storeadmin/me', { store }).expect(status);
    }
  },
);
