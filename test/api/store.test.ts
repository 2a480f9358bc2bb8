import { randomUUID } from 'node:crypto';
import { revokeKey, rotateKey, updateStore } from '../../src/stores/store.service.ts';
import { useService } from '../harness.ts';

const service = useService();

const ME = '/storeadmin/me';

test('me answers a good key with the pid and the name of the API', async () => {
  const store = await service.createStore();
  const { body } = await service.get(ME, { store }).expect(200);
  expect(body).toEqual({ pid: store.pid, appId: 'StoreadminApi' });
});

test('a trailing slash and a query do not change which call is meant', async () => {
  const store = await service.createStore();
  await service.get(`${ME}/?appId=Wishlist`, { store }).expect(200);
});

test('the scheme of the Authorization header may be in upper or lower case', async () => {
  const { pid, apiKey } = await service.createStore();
  const encoded = Buffer.from(`${pid}:${apiKey}`).toString('base64');
  for (const scheme of ['basic', 'BASIC', 'Basic '])
    await service.get(ME, { headers: { authorization: `${scheme} ${encoded}` } }).expect(200);
});

test('neither a key nor the secret of a store is in the database in clear', async () => {
  const store = await service.createStore();
  const { db } = service.services;
  const tables = await db.query<{ name: string }>(
    "SELECT quote_ident(table_name) AS name FROM information_schema.tables WHERE table_schema = 'public' AND table_type = 'BASE TABLE'",
  );
  for (const { name } of tables) {
    const rows = await db.query(`SELECT 1 FROM ${name} t WHERE t::text LIKE '%' || $1 || '%'`, [
      store.apiKey,
    ]);
    expect([name, rows]).toEqual([name, []]);
  }
  const [row] = await db.query<{ hint: string; length: number }>(
    'SELECT hint, length(hash) FROM store_key WHERE pid = $1',
    [store.pid],
  );
  expect(row).toEqual({ hint: store.apiKey.slice(-4), length: 32 });
});

test('a new key works beside the old one until the old one is revoked, which ends it at once', async () => {
  const store = await service.createStore();
  const [old] = await service.services.db.query<{ id: string }>('SELECT id FROM store_key WHERE pid = $1', [
    store.pid,
  ]);
  const { apiKey } = await rotateKey(service.services, store.pid);
  await service.get(ME, { store }).expect(200);
  await service.get(ME, { store: { ...store, apiKey } }).expect(200);
  await revokeKey(service.services, store.pid, old!.id);
  await service.get(ME, { store }).expect(401);
  await service.get(ME, { store: { ...store, apiKey } }).expect(200);
});

test('a key cannot be revoked through another store, nor twice', async () => {
  const [store, other] = [await service.createStore(), await service.createStore()];
  const { keyId } = await rotateKey(service.services, store.pid);
  await expect(revokeKey(service.services, other.pid, keyId)).rejects.toMatchObject({ type: 'not-found' });
  await revokeKey(service.services, store.pid, keyId);
  await expect(revokeKey(service.services, store.pid, keyId)).rejects.toMatchObject({ type: 'not-found' });
});

test('the store query answers every setting, and never the secret', async () => {
  const settings = {
    name: 'Löwe & Sons',
    listTypes: ['registry'],
    customItems: true,
    inventoryManaged: false,
    allowedOrigins: ['https://shop.example'],
    shareUrl: 'https://shop.example/l/{lid}',
    doubleOptIn: true,
  };
  const store = await service.createStore(settings);
  const { body } = await service.graphql(
    '{ store { pid appId name listTypes customItems inventoryManaged allowedOrigins shareUrl doubleOptIn cts } }',
    {},
    { store },
  );
  expect(body.data.store).toEqual({
    ...settings,
    pid: store.pid,
    appId: 'StoreadminApi',
    cts: expect.any(Number),
  });
  const { body: answer } = await service.graphql('{ store { secret } }', {}, { store });
  expect(answer.errors[0].message).toContain('secret');
});

test.each<[string, object, string]>([
  ['an empty name', { name: ' ' }, 'name'],
  ['a name of two lines', { name: 'a\nb' }, 'name'],
  ['a list type with a space', { listTypes: ['a b'] }, 'list-types'],
  ['a built-in list type', { listTypes: ['sfl'] }, 'list-types'],
  ['an origin with a path', { allowedOrigins: ['https://shop.example/x'] }, 'allowed-origins'],
  ['an origin of another scheme', { allowedOrigins: ['ftp://shop.example'] }, 'allowed-origins'],
  ['a share address that is a script', { shareUrl: 'javascript:alert(1)' }, 'share-url'],
  ['a region that is no country', { defaultRegion: 'ZZ' }, 'default-region'],
  ['half a day', { restoreDays: 0.5 }, 'restore-days'],
  ['days that are no number', { restoreDays: Number.NaN }, 'restore-days'],
  ['a limit of nothing', { rateLimits: { key: 0 } }, 'rate-limits'],
  ['a limit of an unknown kind', { rateLimits: { ip: 5 } }, 'rate-limits'],
])('%s is refused by the name of its flag', async (_name, settings, flag) => {
  const store = await service.createStore();
  await expect(updateStore(service.services, store.pid, settings)).rejects.toMatchObject({
    type: 'invalid-request',
    message: expect.stringContaining(flag),
  });
});

test('a pid with + / = is found in a query, encoded or not, and with its + read as a space', async () => {
  const { db } = service.services;
  const store = await service.createStore();
  const pid = `a+b/c+d${randomUUID()}==`;
  await db.query('ALTER TABLE store_key DROP CONSTRAINT store_key_pid_fkey');
  await db.query('UPDATE store SET pid = $1 WHERE pid = $2', [pid, store.pid]);
  await db.query('UPDATE store_key SET pid = $1 WHERE pid = $2', [pid, store.pid]);
  const { regid, sessionid } = await service.guest({ ...store, pid });
  for (const text of [encodeURIComponent(pid), pid, pid.replaceAll('+', '%20')]) {
    const { status, body } = await service.http
      .post(`/api/v3/lists/fetch-lists?pid=${text}`)
      .type('form')
      .send({ regid, sessionid });
    expect([text, status, body]).toEqual([text, 200, []]);
  }
});
