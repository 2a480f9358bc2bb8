import { useService, useStore } from '../harness.ts';
import type { TestShopper } from '../harness.ts';

const service = useService();
const store = useStore(service);
let shopper: TestShopper;

beforeAll(async () => {
  shopper = await service.account(store);
});

const LISTS = '/api/v3/lists/fetch-lists';
const query = (fields: Record<string, string>) => `${LISTS}?${new URLSearchParams(fields).toString()}`;

test.each([
  ['regid', () => ({ sessionid: shopper.sessionid }), 'sw-badregid'],
  ['sessionid', () => ({ regid: shopper.regid }), 'bad-sessionid'],
])('a missing %s is called missing, not unknown, over REST and GraphQL', async (name, sent, type) => {
  const { body } = await service.post(query({ pid: store.pid }), sent()).expect(401);
  expect(body).toMatchObject({ type, msg: expect.stringContaining(`${name} is missing`) });
  const headers = {
    'x-pid': store.pid,
    ...Object.fromEntries(Object.entries(sent()).map(([key, value]) => [`x-${key}`, value])),
  };
  const { errors } = (await service.graphql('{ allLists { lid } }', {}, { headers })).body;
  expect(errors[0]).toMatchObject({ message: body.msg, extensions: { type } });
});

test('a missing pid and a missing store key are called missing, with what to send', async () => {
  const { regid, sessionid } = shopper;
  const noStore = await service.post(LISTS, { regid, sessionid }).expect(401);
  expect(noStore.body).toMatchObject({
    type: 'unauthorised',
    msg: expect.stringMatching(/^pid is missing: .*pid=/),
  });
  const noKey = await service.get('/storeadmin/me').expect(401);
  expect(noKey.body).toMatchObject({
    type: 'unauthorised',
    msg: expect.stringMatching(/^The API key is missing: .*Basic/),
  });
  const { errors } = (await service.graphql('{ store { pid } }', {}, { shopper })).body;
  expect(errors[0]).toMatchObject({
    message: 'This field requires a store API key; shopper credentials are not enough',
    extensions: { type: 'forbidden' },
  });
});

test('wrong credentials are not called missing, and with a key a wrong pid is answered like a wrong key', async () => {
  const texts = [
    await service.post(query({ pid: store.pid }), { regid: 'nobody', sessionid: 'x' }),
    await service.post(query({ pid: store.pid }), { regid: shopper.regid, sessionid: 'x' }),
    await service.post(query({ pid: 'nothing' }), { regid: 'nobody', sessionid: 'x' }),
    await service.post(query({ pid: 'x'.repeat(1_000) }), { regid: 'nobody', sessionid: 'x' }),
    await service.get('/storeadmin/me', { store: { ...store, apiKey: 'wrong' } }),
    await service.get('/storeadmin/me', { store: { ...store, pid: 'nothing' } }),
  ].map(({ body }) => body.msg as string);
  for (const text of texts) expect(text).not.toContain('missing');
  const noSuchPid = 'No store has this pid. In a URL, encode its +, / and =';
  expect(texts.slice(2, 4)).toEqual([noSuchPid, noSuchPid]);
  expect(new Set(texts.slice(4)).size).toBe(1);
});

test('regid and sessionid are read from the form or from headers, never from the URL, which proxies log', async () => {
  const { pid, regid, sessionid } = shopper;
  const inUrl = await service.post(query({ pid, regid, sessionid }), {}).expect(401);
  expect(inUrl.body.type).toBe('sw-badregid');
  const half = await service.post(query({ pid, sessionid }), { regid }).expect(401);
  expect(half.body.type).toBe('bad-sessionid');
  await service.post(query({ pid }), { regid, sessionid }).expect(200);
  const headers = { 'x-regid': regid, 'x-sessionid': sessionid };
  await service.post(query({ pid }), {}, { headers }).expect(200);
  const sync = await service.post(
    `/storeadmin/v3/user/guest-validate-sync?regid=${(await service.guest(store)).regid}`,
    { useremail: 'a@example.com', useragenttype: 'test' },
    { store },
  );
  expect([sync.status, sync.body.type]).toEqual([401, 'sw-badregid']);
});
