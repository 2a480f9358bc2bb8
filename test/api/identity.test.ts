import { randomUUID } from 'node:crypto';
import { useService, useStore } from '../harness.ts';

const service = useService();
const store = useStore(service);

const GENERATE = '/storeadmin/v3/user/generate-regid';

test('a guest gets message, regid and sessionid, and nothing else', async () => {
  const { body, headers } = await service
    .post(GENERATE, { uuid: randomUUID(), useragenttype: 'pos' }, { store })
    .expect(200);
  expect(body).toEqual({
    message: 'Regid generated using uuid',
    regid: expect.stringMatching(/^[\w-]{43}$/),
    sessionid: expect.stringMatching(/^[\w-]{20,}$/),
  });
  expect(headers['content-type']).toBe('application/json; charset=utf-8');
});

test('an account gets a message that names the e-mail', async () => {
  const { body } = await service
    .post(GENERATE, { useremail: 'a@example.com', useragenttype: 'pos' }, { store })
    .expect(200);
  expect(body.message).toBe('Regid generated using useremail');
});

test('50 parallel first calls with one uuid give one identity', async () => {
  const uuid = randomUUID();
  const shoppers = await Promise.all(Array.from({ length: 50 }, () => service.guest(store, uuid)));
  expect(new Set(shoppers.map(({ regid, sessionid }) => `${regid} ${sessionid}`)).size).toBe(1);
});

test('50 parallel first calls with one e-mail address give one identity and one row', async () => {
  const email = `${randomUUID()}@example.com`;
  const shoppers = await Promise.all(Array.from({ length: 50 }, () => service.account(store, email)));
  expect(new Set(shoppers.map(({ regid, sessionid }) => `${regid} ${sessionid}`)).size).toBe(1);
  const rows = await service.services.db.query('SELECT 1 FROM shopper WHERE pid = $1 AND regid = $2', [
    store.pid,
    shoppers[0]!.regid,
  ]);
  expect(rows).toHaveLength(1);
});

test('the same identity has the same regid and sessionid years later', async () => {
  const uuid = randomUUID();
  const first = await service.guest(store, uuid);
  service.setNow(new Date(Date.now() + 10 * 365 * 86_400_000));
  const later = await service.guest(store, uuid);
  service.setNow(new Date());
  expect(later).toEqual(first);
});

test('an e-mail address counts trimmed and in lower case', async () => {
  const name = randomUUID();
  const plain = await service.account(store, `${name}@example.com`);
  expect(await service.account(store, `  ${name.toUpperCase()}@EXAMPLE.com `)).toEqual(plain);
});

test('a uuid counts in lower case', async () => {
  const uuid = randomUUID();
  const plain = await service.guest(store, uuid);
  expect(await service.guest(store, ` ${uuid.toUpperCase()} `)).toEqual(plain);
});

test('two identities, and one identity in two stores, have different regids', async () => {
  const uuid = randomUUID();
  const other = await service.createStore();
  const regids = await Promise.all([
    service.guest(store, uuid),
    service.guest(store),
    service.guest(other, uuid),
    service.account(store),
  ]);
  expect(new Set(regids.map(({ regid }) => regid)).size).toBe(4);
});

test('a whole User-Agent of 2,048 characters is a useragenttype, over REST and GraphQL', async () => {
  const fields = { uuid: randomUUID(), useragenttype: `Mozilla/5.0 (${'é'.repeat(2_034)})` };
  const { body } = await service.post(GENERATE, fields, { store }).expect(200);
  const query = `mutation ($uuid: String, $useragenttype: String!) {
    generateRegid(uuid: $uuid, useragenttype: $useragenttype) { message regid sessionid } }`;
  expect((await service.graphql(query, fields, { store })).body.data.generateRegid).toEqual(body);
});

test('the older path of generate-regid answers the same, its fields in the form or in the query', async () => {
  const fields = { uuid: randomUUID(), useragenttype: 'pos' };
  const { body } = await service.post(GENERATE, fields, { store }).expect(200);
  const older = '/storeadmin/user/generate-regid';
  expect((await service.post(older, fields, { store }).expect(200)).body).toEqual(body);
  const inQuery = `${older}?${new URLSearchParams(fields).toString()}`;
  const { body: answer } = await service.http.post(inQuery).auth(store.pid, store.apiKey).expect(200);
  expect(answer).toEqual(body);
  const { body: failure } = await service.post(older, { useragenttype: 'pos' }, { store }).expect(400);
  expect(failure.type).toBe('invalid-uuid');
  await service.post(older, fields).expect(401);
});

test('each useragenttype has its own sessionid for one regid, and all of them work', async () => {
  const uuid = randomUUID();
  const web = await service.guest(store, uuid, 'web');
  const app = await service.guest(store, uuid, 'app');
  expect(app.regid).toBe(web.regid);
  expect(app.sessionid).not.toBe(web.sessionid);
  for (const shopper of [web, app]) {
    const { body } = await service.graphql('{ shopper { regid } }', {}, { shopper });
    expect(body).toEqual({ data: { shopper: { regid: web.regid } } });
  }
});

test('public ids reveal neither regid nor sessionid nor e-mail nor uuid', async () => {
  const uuid = randomUUID();
  const shopper = await service.guest(store, uuid);
  await service.post('/api/v3/lists/create', { lname: 'Wishes' }, { shopper }).expect(200);
  const { body } = await service.graphql('{ shopper { uid userinfo { uid } } }', {}, { shopper });
  const [row] = await service.services.db.query<{ di: string }>(
    'SELECT di FROM shopper WHERE pid = $1 AND regid = $2',
    [store.pid, shopper.regid],
  );
  for (const id of [body.data.shopper.uid, body.data.shopper.userinfo.uid, row!.di]) {
    expect(id).toMatch(/^[\w-]{22}$/);
    expect(shopper.regid).not.toContain(id);
    expect(shopper.sessionid).not.toContain(id);
    expect(uuid).not.toContain(id);
  }
});

test('fields in the query count like fields in the body, and unknown fields are ignored', async () => {
  const uuid = randomUUID();
  const guest = await service.guest(store, uuid);
  const { body } = await service
    .post(`${GENERATE}?appId=Wishlist&useragenttype=test`, { uuid, source: 'x', _cv: 1 }, { store })
    .expect(200);
  expect(body.regid).toBe(guest.regid);
});

test('an empty field counts as absent', async () => {
  const { body } = await service
    .post(GENERATE, { uuid: '', useremail: 'empty@example.com', useragenttype: 'pos' }, { store })
    .expect(200);
  expect(body.message).toBe('Regid generated using useremail');
});

test('a charset in the content type and a missing user-agent are accepted', async () => {
  await service.http
    .post(GENERATE)
    .auth(store.pid, store.apiKey)
    .unset('user-agent')
    .set('content-type', 'application/x-www-form-urlencoded;charset=utf-8')
    .send(`uuid=${randomUUID()}&useragenttype=pos`)
    .expect(200);
});
