import { randomUUID } from 'node:crypto';
import { getNamedType, isObjectType } from 'graphql';
import { addOperatorKey } from '../../src/stores/operator.service.ts';
import { KEPT_BYTES } from '../../src/api/idempotency.rules.ts';
import { sharedSchema } from '../../src/api/graphql/schema.ts';
import { useNewStore, useService } from '../harness.ts';
import type { Caller } from '../harness.ts';
import { newAccount } from './list-kit.ts';

const service = useService();
const store = useNewStore(service);
let operatorKey: string;
beforeAll(async () => {
  operatorKey = (await addOperatorKey(service.services, 'Tests')).key;
});

const CREATE_STORE = 'createStore(name: $name) { apiKey store { pid } }';
const CREATE_KEY = 'createApiKey(name: $name) { apiKey id }';
const ADD_WEBHOOK =
  'saveWebhook(url: "https://93.184.215.14/hook", events: ["alert.sent"]) { secret webhook { id } }';

const operator = (pid?: string): Caller => ({
  store: { pid: 'operator', apiKey: operatorKey },
  ...(pid !== undefined && { headers: { 'x-pid': pid } }),
});
const call = (document: string, variables: object, key: string, caller: Caller) =>
  service.graphql(document, variables, {
    ...caller,
    headers: { ...caller.headers, 'idempotency-key': key },
  });
const mutation = (fields: string): string =>
  fields.includes('$name') ? `mutation ($name: String!) { ${fields} }` : `mutation { ${fields} }`;
const countOf = async (name: string): Promise<number> =>
  (
    await service.services.db.query(
      `SELECT 1 FROM store WHERE name = $1 UNION ALL SELECT 1 FROM store_key WHERE name = $1
       UNION ALL SELECT 1 FROM webhook WHERE pid = $2 UNION ALL SELECT 1 FROM outbox WHERE pid = $2`,
      [name, store.pid],
    )
  ).length;

test("what an operator was answered under a key is never replayed to the store's own key", async () => {
  const key = randomUUID();
  const name = randomUUID();
  const made = await call(mutation(CREATE_STORE), { name }, key, operator(store.pid));
  expect(made.body.data.createStore.apiKey).toBeTruthy();
  const replayed = await call(mutation(CREATE_STORE), { name }, key, { store });
  expect(replayed.body.errors[0].extensions.type).toBe('forbidden');
  expect(replayed.body.errors[0].message).toContain('operator key');
  expect(replayed.text).not.toContain(made.body.data.createStore.store.pid);
  // A response without a secret is not replayed either.
  const rename = 'mutation { updateStore(input: { name: "Renamed" }) { name } }';
  await call(rename, {}, key, operator(store.pid));
  await service.graphql('mutation { updateStore(input: { name: "Again" }) { name } }', {}, { store });
  await call(rename, {}, key, { store });
  const { body } = await service.graphql('{ store { name } }', {}, { store });
  expect(body.data.store.name).toBe('Renamed');
});

test('each operator has keys of its own, also with no store to act for', async () => {
  const other = (await addOperatorKey(service.services, 'Other')).key;
  const key = randomUUID();
  const close = (apiKey: string, maintenance: boolean) =>
    call(
      'mutation ($pid: String!, $on: Boolean!) { setStoreMaintenance(pid: $pid, maintenance: $on) { maintenance } }',
      { pid: store.pid, on: maintenance },
      key,
      { store: { pid: 'operator', apiKey } },
    );
  expect((await close(operatorKey, true)).body.data.setStoreMaintenance.maintenance).toBe(true);
  expect((await close(other, false)).body.data.setStoreMaintenance.maintenance).toBe(false);
  // A retry gets the first response and does nothing.
  expect((await close(operatorKey, true)).body.data.setStoreMaintenance.maintenance).toBe(true);
  await service.get('/storeadmin/me', { store }).expect(200);
});

/** What the mutations below answer. */
type Shown = {
  apiKey?: string;
  secret?: string;
  id?: string;
  store?: { pid: string };
  webhook?: { id: string };
};

test.each([
  ['createStore', mutation(CREATE_STORE), () => operator()],
  ['createStore for an acting operator', mutation(CREATE_STORE), () => operator(store.pid)],
  ['createApiKey', mutation(CREATE_KEY), () => ({ store })],
  ['createApiKey under another name', mutation(`k: ${CREATE_KEY}`), () => ({ store })],
  [
    'createApiKey in a fragment',
    `mutation ($name: String!) { ...F } fragment F on Mutation { ${CREATE_KEY} }`,
    () => ({ store }),
  ],
  ['saveWebhook', mutation(ADD_WEBHOOK), () => ({ store })],
])('the secret that %s shows is not kept: a retry says what was made, and makes nothing', async (...row) => {
  const [, document, callerOf] = row;
  const [key, name] = [randomUUID(), randomUUID()];
  const variables = document.includes('$name') ? { name } : {};
  const first = await call(document, variables, key, callerOf());
  const [shown] = Object.values(first.body.data) as [Shown];
  const secret = shown.apiKey ?? shown.secret!;
  expect(secret).toBeTruthy();
  const count = await countOf(name);
  for (const _again of [1, 2]) {
    const { body, text } = await call(document, variables, key, callerOf());
    expect(body.data ?? null).toBeNull();
    expect(body.errors[0].extensions).toMatchObject({ type: 'forbidden', status: 403 });
    expect(body.errors[0].message).toContain('already executed and created');
    expect(body.errors[0].message).toContain(shown.id ?? shown.store?.pid ?? shown.webhook?.id);
    expect(text).not.toContain(secret);
  }
  expect(await countOf(name)).toBe(count);
});

test('a retry repeats nothing that stands beside a secret, and another body is refused', async () => {
  const { body: saved } = await service.graphql(mutation(ADD_WEBHOOK), {}, { store });
  const both = `mutation ($name: String!, $id: ID!) { ${CREATE_KEY} testWebhook(id: $id) { id } }`;
  const [key, name] = [randomUUID(), randomUUID()];
  const variables = { name, id: saved.data.saveWebhook.webhook.id };
  const first = await call(both, variables, key, { store });
  expect(first.body.data.testWebhook.id).toBeTruthy();
  const count = await countOf(name);
  expect((await call(both, variables, key, { store })).body.errors[0].extensions.type).toBe('forbidden');
  expect(await countOf(name)).toBe(count);
  const { body } = await call(both, { ...variables, name: 'Another' }, key, { store });
  expect(body.errors[0].extensions.type).toBe('idempotency-key-reused');
});

test('a change of a webhook shows no secret, so its response is replayed', async () => {
  const { body: saved } = await service.graphql(mutation(ADD_WEBHOOK), {}, { store });
  const change = `mutation ($id: ID) { saveWebhook(id: $id, url: "https://93.184.215.14/other", events: ["alert.sent"]) { secret webhook { url uts } } }`;
  const variables = { id: saved.data.saveWebhook.webhook.id };
  const key = randomUUID();
  const first = await call(change, variables, key, { store });
  expect(first.body.data.saveWebhook).toMatchObject({ secret: null });
  expect((await call(change, variables, key, { store })).text).toBe(first.text);
});

test('every mutation whose response can hold a key or a secret is known as such', () => {
  const SECRET = /^(key|apiKey|operatorKey|.*secret|.*password|.*token)$/i;
  const mutations = Object.values(sharedSchema().getMutationType()!.getFields());
  const holding = mutations.filter(({ type }) => {
    const answer = getNamedType(type);
    return isObjectType(answer) && Object.keys(answer.getFields()).some((name) => SECRET.test(name));
  });
  expect(holding.map(({ name }) => name).sort()).toEqual(['createApiKey', 'createStore', 'saveWebhook']);
});

test('small responses count for the store, too: beyond its size only the fact is kept', async () => {
  const { db } = service.services;
  const spenders = async (): Promise<number> =>
    (await db.query('SELECT 1 FROM idempotency_usage WHERE pid = $1', [store.pid])).length;
  const ada = await newAccount(service, store);
  const { lid } = await ada.create('Mine');
  const keyed = (path: string, fields: object, shopper: typeof ada.shopper, key: string) =>
    service.post(`/api/v3/lists/${path}`, fields as never, {
      shopper,
      headers: { 'idempotency-key': key },
    });
  // One row is the shopper's own, the others are the store's shares.
  while ((await spenders()) < 17)
    await keyed('update', { lid, lname: 'Mine' }, ada.shopper, randomUUID()).expect(200);
  await db.query('UPDATE idempotency_usage SET bytes = $2 WHERE pid = $1', [
    store.pid,
    KEPT_BYTES.storeShare,
  ]);
  const bob = await newAccount(service, store);
  const key = randomUUID();
  await keyed('create', { lname: 'First' }, bob.shopper, key).expect(200);
  const again = await keyed('create', { lname: 'First' }, bob.shopper, key).expect(403);
  expect(again.body.msg).toContain('already executed');
  expect(
    await db.query('SELECT 1 FROM list WHERE pid = $1 AND regid = $2', [store.pid, bob.shopper.regid]),
  ).toHaveLength(1);
});
