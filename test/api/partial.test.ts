import { randomUUID } from 'node:crypto';
import { isNonNullType } from 'graphql';
import { createSchema } from '../../src/api/graphql/schema.ts';
import { useService, useStore } from '../harness.ts';
import { newGuest, useNewAccount } from './list-kit.ts';
import type { Client } from './list-kit.ts';

const service = useService();
const store = useStore(service);
const client = useNewAccount(service, store);

/** More calls than it takes for a document to be compiled. */
const CALLS = [1, 2, 3, 4];

test('every field at the top is nullable', () => {
  const schema = createSchema();
  const roots = [schema.getQueryType()!, schema.getMutationType()!];
  const required = roots.flatMap((type) =>
    Object.values(type.getFields()).filter((field) => isNonNullType(field.type)),
  );
  expect(required.map(({ name }) => name)).toEqual([]);
});

test('a read that fails leaves the answers beside it, in an interpreted document and in a compiled one', async () => {
  await client.create('Mine');
  const text = `{ lists { edges { node { lname } } } deliveries(webhookId: "x") { totalCount } store { pid } shopper { isGuest } }`;
  for (const _call of CALLS) {
    const { status, body } = await client.graphql(text);
    expect(status).toBe(200);
    expect(body).toEqual({
      data: {
        lists: { edges: [{ node: { lname: 'Mine' } }] },
        deliveries: null,
        store: null,
        shopper: { isGuest: false },
      },
      errors: expect.arrayContaining([
        expect.objectContaining({
          path: ['deliveries'],
          extensions: { code: 'FORBIDDEN', type: 'forbidden', status: 403 },
        }),
        expect.objectContaining({
          path: ['store', 'pid'],
          extensions: { code: 'FORBIDDEN', type: 'forbidden', status: 403 },
        }),
      ]),
    });
    expect(body.errors).toHaveLength(2);
  }
});

test('a partial answer has status 200 in the newer media type, too', async () => {
  const { status, body } = await client
    .graphql('{ shopper { isGuest } list(lid: "gone") { lid } }')
    .set('accept', 'application/graphql-response+json');
  expect([status, body.data]).toEqual([200, { shopper: { isGuest: false }, list: null }]);
});

test('a write that fails tells of those before it and after it', async () => {
  for (const call of CALLS) {
    const text = `mutation ($a: String!, $c: String!) {
      a: createList(input: { lname: $a }) { lname } b: createList(input: { lname: "ab" }) { lname }
      c: createList(input: { lname: $c }) { lname } }`;
    const { status, body } = await client.graphql(text, { a: `First ${call}`, c: `Third ${call}` });
    expect(status).toBe(200);
    expect(body.data).toEqual({ a: { lname: `First ${call}` }, b: null, c: { lname: `Third ${call}` } });
    expect(body.errors).toMatchObject([{ path: ['b'], extensions: { type: 'invalid-lname', status: 400 } }]);
  }
  const rows = await service.services.db.query('SELECT 1 FROM list WHERE regid = $1', [client.shopper.regid]);
  expect(rows).toHaveLength(CALLS.length * 2);
});

test('an answer with a failure in it is made anew each time', async () => {
  const { lid } = await client.create('Kept');
  const text = `{ lists { totalCount } list(lid: "${lid}") { lname } }`;
  await client.ok('lists/delete-list', { lid });
  const ask = async () => (await client.graphql(text)).body;
  const [first, second] = [await ask(), await ask()];
  expect(first).toMatchObject({ data: { lists: { totalCount: 0 }, list: null } });
  expect(second).toEqual(first);
});

describe('under an Idempotency-Key', () => {
  const keyed = (text: string, key: string, who: Client) =>
    service.graphql(text, {}, { shopper: who.shopper, headers: { 'idempotency-key': key } });
  const namesOf = async (who: Client): Promise<string[]> => {
    const rows = await service.services.db.query<{ lname: string }>(
      'SELECT lname FROM list WHERE regid = $1 ORDER BY seq',
      [who.shopper.regid],
    );
    return rows.map(({ lname }) => lname);
  };

  test('what was done beside a failure of the caller is answered again and not done again', async () => {
    const text = `mutation { a: createList(input: { lname: "Once" }) { lid } b: createList(input: { lname: "ab" }) { lid } }`;
    const key = randomUUID();
    const first = await keyed(text, key, client);
    const second = await keyed(text, key, client);
    expect(first.body.data).toEqual({ a: { lid: expect.any(String) }, b: null });
    expect(second.text).toBe(first.text);
    expect(await namesOf(client)).toEqual(['Once']);
  });

  test('what was done beside a failure that could be mended is answered again and not done again', async () => {
    const guest = await newGuest(service, store);
    const { lid } = await guest.create('Shared');
    const text = `mutation {
      a: createList(input: { lname: "Once" }) { lid } b: emailList(lid: "${lid}", toemail: "a@example.com") { msg } }`;
    const key = randomUUID();
    const first = await keyed(text, key, guest);
    expect(first.body).toMatchObject({
      data: { a: { lid: expect.any(String) }, b: null },
      errors: [{ extensions: { type: 'login-required' } }],
    });
    expect((await keyed(text, key, guest)).text).toBe(first.text);
    expect(await namesOf(guest)).toEqual(['Shared', 'Once']);
  });

  test('where all fail in ways that can be mended, the retry is judged anew', async () => {
    const guest = await newGuest(service, store);
    const { lid } = await guest.create('Shared');
    const text = `mutation { __typename a: emailList(lid: "${lid}", toemail: "a@example.com") { msg } }`;
    await keyed(text, randomUUID(), guest);
    const rows = await service.services.db.query(
      'SELECT 1 FROM idempotent_write WHERE regid = $1 AND answer IS NOT NULL',
      [guest.shopper.regid],
    );
    expect(rows).toEqual([]);
  });
});
