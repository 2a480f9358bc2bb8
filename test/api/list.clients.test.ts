import { randomUUID } from 'node:crypto';
import { useService, useStore } from '../harness.ts';
import { createClient, item, newGuest, useNewGuest } from './list-kit.ts';

// Request shapes of clients that exist: none of them may fail for what it sends beside the point.

const service = useService();
const store = useStore(service);
const me = useNewGuest(service, store);
let lid: string;
beforeEach(async () => {
  ({ lid } = await me.create('My Wishlist'));
});

const encoded = () => encodeURIComponent(store.pid);
const raw = (path: string, body: string, headers: Record<string, string> = {}) =>
  service.http
    .post(path)
    .set({ 'content-type': 'application/x-www-form-urlencoded; charset=UTF-8', ...headers })
    .send(body);

test('a form with a charset, extra headers, ?appId and unknown keys is understood', async () => {
  const a = JSON.stringify([
    {
      epi: 4711,
      empi: '815',
      du: 'https://shop.example/p',
      note: null,
      _cv: false,
      source: 'pdp',
      qty: 1,
      et: 4,
    },
  ]);
  const body = new URLSearchParams({
    lid,
    regid: me.shopper.regid,
    sessionid: me.shopper.sessionid,
    a,
    useragenttype: 'mobileApp',
    extra: '',
  });
  const answer = await raw(`/api/v3/lists/update-ctx?appId=Wishlist&pid=${encoded()}`, body.toString(), {
    'x-api-key': 'abc',
    'x-requested-with': 'XMLHttpRequest',
  }).expect(200);
  expect(answer.body.a).toMatchObject([{ epi: 4711, empi: 815 }]);
  expect(answer.headers['content-type']).toBe('application/json; charset=utf-8');
});

test('a regid that was percent-encoded twice is understood', async () => {
  const body = `regid=${encodeURIComponent(encodeURIComponent(me.shopper.regid))}&sessionid=${encodeURIComponent(me.shopper.sessionid)}`;
  expect((await raw(`/api/v3/lists/fetch-lists?pid=${encoded()}`, body).expect(200)).body).toHaveLength(1);
});

test('a pid whose + arrives as a space finds its store', async () => {
  const loose = `/api/v3/lists/fetch-lists?pid=${store.pid.replaceAll('=', '%3D').replaceAll('/', '%2F')}`;
  const body = `regid=${me.shopper.regid}&sessionid=${me.shopper.sessionid}`;
  expect((await raw(loose, body).expect(200)).body).toHaveLength(1);
});

test('limit and offset count in the query although lid comes in the form', async () => {
  await me.add(lid, item(1), item(2));
  const { body } = await me.call('lists/fetch-list-with-contents?limit=1&offset=1', { lid }).expect(200);
  expect(body.items).toMatchObject([{ epi: 1 }]);
});

test('d and a together switch a variant in one step', async () => {
  await me.add(lid, item(1, { note: 'mine' }));
  const { cnt, a, d } = await me.ok('lists/update-ctx', { lid, d: [item('1')], a: [item('2')] });
  expect([cnt, a[0].epi, d[0].epi]).toEqual([1, 2, 1]);
});

test('ids as numbers and as texts are one variant', async () => {
  await me.add(lid, item(77));
  await me.add(lid, item('77', { qty: 2 }));
  expect((await me.ok('lists/update-ctx', { lid, u: [{ epi: '77', qty: '5' }] })).u).toMatchObject([
    { epi: 77, qty: 5 },
  ]);
  expect((await me.ok('lists/update-ctx', { lid, d: [{ epi: 77 }] })).cnt).toBe(0);
});

test('re-adding everything after a merge, with the old session and the new regid, doubles nothing', async () => {
  const guest = await newGuest(service, store);
  const list = await guest.create('Merged');
  const sent = [item(1, { qty: 2 }), item('b', { note: 'n' })];
  await guest.add(list.lid, ...sent);
  const { body } = await service
    .post(
      '/storeadmin/v3/user/guest-validate-sync',
      { regid: guest.shopper.regid, useremail: `${randomUUID()}@example.com`, useragenttype: 'web' },
      { store },
    )
    .expect(200);
  const account = createClient(service, { ...guest.shopper, regid: body.regid });
  const [mine] = await account.ok('lists/fetch-lists');
  expect((await account.add(mine.lid, ...sent)).cnt).toBe(2);
  expect(await guest.failure(401, 'lists/fetch-lists')).toBe('sw-badregid');
});

test('a browser on a page of the shop may call after its preflight', async () => {
  const origin = 'https://shop.example';
  const preflight = await service.http.options(`/api/v3/lists/update-ctx?pid=${encoded()}`).set({
    origin,
    'access-control-request-method': 'POST',
    'access-control-request-headers': 'content-type',
  });
  expect(preflight.status).toBeLessThan(300);
  expect(preflight.headers['access-control-allow-methods']).toContain('POST');
  const body = new URLSearchParams({ ...me.shopper, pid: '', lid, a: JSON.stringify([item(1)]) });
  const answer = await raw(`/api/v3/lists/update-ctx?pid=${encoded()}`, body.toString(), { origin }).expect(
    200,
  );
  expect(['*', origin]).toContain(answer.headers['access-control-allow-origin']);
  expect(answer.headers['access-control-allow-credentials']).toBeUndefined();
});

test('a body that is no form, and a field sent twice, are refused', async () => {
  const path = `/api/v3/lists/update-ctx?pid=${encoded()}`;
  const json = await service.http.post(path).send({ lid }).expect(400);
  expect(json.body.type).toBe('unsupported-content-type');
  const twice = await raw(
    path,
    `lid=${lid}&lid=${lid}&regid=${me.shopper.regid}&sessionid=${me.shopper.sessionid}`,
  ).expect(400);
  expect(twice.body.type).toBe('invalid-request');
});
