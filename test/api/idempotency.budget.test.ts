import { randomBytes, randomUUID } from 'node:crypto';
import { KEPT_BYTES } from '../../src/api/idempotency.rules.ts';
import { useNewStore, useService } from '../harness.ts';
import type { Caller } from '../harness.ts';
import { item, newAccount, useNewAccount } from './list-kit.ts';

const service = useService();
const store = useNewStore(service, { customItems: true });
const client = useNewAccount(service, store);
let lid: string;
beforeEach(async () => {
  ({ lid } = await client.create('Large'));
});

const keyed = (key: string, caller: Caller): Caller => ({ ...caller, headers: { 'idempotency-key': key } });
const rest = (path: string, fields: object, key: string) =>
  service.post(`/api/v3/lists/${path}`, fields as never, keyed(key, { shopper: client.shopper }));
const graphql = (
  query: string,
  variables: object,
  key: string,
  caller: Caller = { shopper: client.shopper },
) => service.graphql(query, variables, keyed(key, caller));
const keptBytes = async (): Promise<number> => {
  const [row] = await service.services.db.query<{ bytes: number }>(
    'SELECT coalesce(sum(octet_length(answer)), 0)::int AS bytes FROM idempotent_write WHERE pid = $1',
    [store.pid],
  );
  return row!.bytes;
};
const versionOf = async (): Promise<number> =>
  (await service.services.db.query<{ version: number }>('SELECT version FROM list WHERE lid = $1', [lid]))[0]!
    .version;

/** Items that do not become smaller by packing. */
const dense = (count: number) =>
  Array.from({ length: count }, (_, n) => item(n, { cprops: { a: randomBytes(20_000).toString('base64') } }));

/** What a retry receives where the first response was not kept. */
const CARRIED_OUT = {
  type: 'forbidden',
  msg: 'This request was already executed, and its response is not stored: read the records that it changed',
};

test('a large response is not kept: its retry does nothing again and says how to read it', async () => {
  const key = randomUUID();
  const fields = { lid, a: [...dense(30), { title: 'Own', du: '/own', price: 1 }] };
  await rest('update-ctx', fields, key).expect(200);
  const before = await versionOf();
  expect(await keptBytes()).toBeLessThan(20_000);
  const { body } = await rest('update-ctx', fields, key).expect(403);
  expect(body).toMatchObject(CARRIED_OUT);
  expect(await versionOf()).toBe(before);
});

test('a large response of each kind of write is not kept, and no retry does it again', async () => {
  await client.add(lid, ...dense(20));
  const other = await client.create('Other');
  const contents = 'lid lname listcontents(limit: 100) { epi cprops }';
  const writes: [string, object][] = [
    [`mutation ($l: ID!) { updateList(lid: $l, input: { lname: "Renamed" }) { ${contents} } }`, { l: lid }],
    [`mutation ($l: ID!) { setListPublic(lid: $l, anonRead: true) { ${contents} } }`, { l: lid }],
    [`mutation ($l: ID!) { setListArchived(lid: $l, isArchived: true) { ${contents} } }`, { l: lid }],
    [
      `mutation ($l: ID!, $o: ID!, $e: [VariantId!]!) { copyItems(fromlid: $l, tolid: $o, epis: $e) { from { ${contents} } items { epi cprops } } }`,
      { l: lid, o: other.lid, e: Array.from({ length: 20 }, (_, n) => n) },
    ],
    [
      `mutation ($l: ID!) { createList(input: { lname: "Copied", fromlid: $l }) { ${contents} } }`,
      { l: lid },
    ],
    [
      `mutation ($l: ID!) { emailList(lid: $l, toemail: "bob@example.com") { msg listinfo { ${contents} } } }`,
      { l: lid },
    ],
  ];
  for (const [query, variables] of writes) {
    const key = randomUUID();
    const kept = await keptBytes();
    const first = await graphql(query, variables, key).expect(200);
    expect(first.body.errors).toBeUndefined();
    const versions = await service.services.db.query(
      'SELECT lid, version, shares FROM list WHERE pid = $1 ORDER BY seq',
      [store.pid],
    );
    const second = await graphql(query, variables, key).expect(400);
    expect(second.body.errors[0]).toMatchObject({
      message: CARRIED_OUT.msg,
      extensions: { type: CARRIED_OUT.type, status: 403 },
    });
    expect(
      await service.services.db.query('SELECT lid, version, shares FROM list WHERE pid = $1 ORDER BY seq', [
        store.pid,
      ]),
    ).toEqual(versions);
    expect((await keptBytes()) - kept).toBeLessThan(20_000);
  }
  const mails = await service.services.db.query('SELECT 1 FROM outbox WHERE pid = $1', [store.pid]);
  expect(mails).toHaveLength(1);
});

test('answers are kept for a shopper up to a size a day; far beyond it new keys are refused until the next day', async () => {
  const answer = { lid, a: dense(8) };
  for (let n = 0; n < 30; n += 1) await rest('update-ctx', answer, randomUUID()).expect(200);
  expect(await keptBytes()).toBeLessThan(KEPT_BYTES.shopper.results + 100_000);
  await service.services.db.query('UPDATE idempotency_usage SET bytes = $2 WHERE pid = $1', [
    store.pid,
    KEPT_BYTES.shopper.keys,
  ]);
  const before = await versionOf();
  const { body, headers } = await rest('update', { lid, lname: 'Again' }, randomUUID()).expect(429);
  expect(body.type).toBe('too-many-requests');
  expect(Number(headers['retry-after'])).toBeGreaterThan(80_000);
  expect(await versionOf()).toBe(before);
  // Without a key, and for others, all goes on.
  await client.ok('lists/update', { lid, lname: 'Again' });
  const neighbour = await newAccount(service, store);
  await service
    .post('/api/v3/lists/create', { lname: 'Mine' }, keyed(randomUUID(), { shopper: neighbour.shopper }))
    .expect(200);
  // Old keys still answer, and the next day is a new one.
  service.setNow(new Date(Date.now() + 25 * 3_600_000));
  await rest('update', { lid, lname: 'Next day' }, randomUUID()).expect(200);
  service.setNow(new Date());
});

test.each(['exportShopper', '... on Mutation { exportShopper', '...F'])(
  'an export (%s) under a key is not kept: after the erasure it is not found',
  async (form) => {
    const email = `${randomUUID()}@example.com`;
    await service.account(store, email);
    const field = `exportShopper(useremail: "${email}") { data }`;
    const query =
      form === '...F'
        ? `mutation { ...F } fragment F on Mutation { ${field} }`
        : `mutation { ${form.includes('on') ? `... on Mutation { ${field} }` : field} }`;
    const key = randomUUID();
    const first = await graphql(query, {}, key, { store });
    expect(JSON.stringify(first.body.data)).toContain(email);
    await graphql(`mutation { eraseShopper(useremail: "${email}") { id } }`, {}, randomUUID(), { store });
    const second = await graphql(query, {}, key, { store });
    expect(second.text).not.toContain(email);
  },
);

test("an erasure takes the idempotency results of the person's own calls along", async () => {
  await rest('update', { lid, lname: 'Mine' }, randomUUID()).expect(200);
  expect(await keptBytes()).toBeGreaterThan(0);
  const { regid } = client.shopper;
  await service.graphql(`mutation { eraseShopper(regid: "${regid}") { id } }`, {}, { store }).expect(200);
  expect(await keptBytes()).toBe(0);
});
