import assert from 'node:assert/strict';
import { isDeepStrictEqual } from 'node:util';

/** What the storefront is told about the service, and what clients print. */
const { URL: url = '', PID: pid = '', KEY: key = '' } = process.env;
export const endpoint = `${url}/graphql`;

const warnings: unknown[][] = [];
for (const name of ['warn', 'error'] as const) console[name] = (...args) => void warnings.push(args);

/** Requests of the clients: their method, and whether they sent a document or only its hash. */
export const requests: { method: string; hasDocument: boolean }[] = [];
const { fetch: send } = globalThis;
globalThis.fetch = (input, init) => {
  const { body } = init ?? {};
  const hasDocument = typeof body === 'string' && Boolean((JSON.parse(body) as { query?: string }).query);
  requests.push({ method: init?.method ?? 'GET', hasDocument });
  return send(input, init);
};

async function call<Data>(headers: Record<string, string>, query: string, variables: object): Promise<Data> {
  const response = await send(endpoint, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify({ query, variables }),
  });
  const { data, errors } = (await response.json()) as { data: Data; errors?: unknown };
  assert.equal(errors, undefined);
  return data;
}

export const item = (epi: number) => ({ epi, empi: 900 + epi, du: `/p/${epi}`, dt: `Product ${epi}` });

/** A guest as the shop's back end signs it in, with three lists, five items in the first of them and two alerts. */
export async function signIn() {
  const store = { authorization: `Basic ${Buffer.from(`${pid}:${key}`).toString('base64')}` };
  type Identity = { generateRegid: { regid: string; sessionid: string } };
  const { generateRegid } = await call<Identity>(
    store,
    'mutation ($uuid: String) { generateRegid(uuid: $uuid, useragenttype: "web") { regid sessionid } }',
    { uuid: crypto.randomUUID() },
  );
  const headers = {
    'x-pid': pid,
    'x-regid': generateRegid.regid,
    'x-sessionid': generateRegid.sessionid,
  };
  const create = async (lname: string) => {
    const query = 'mutation ($lname: String!) { createList(input: { lname: $lname }) { lid } }';
    return (await call<{ createList: { lid: string } }>(headers, query, { lname })).createList.lid;
  };
  const change = (lid: string, a: object[]) =>
    call(headers, 'mutation ($lid: ID!, $a: [ItemInput!]) { updateListContents(lid: $lid, a: $a) { cnt } }', {
      lid,
      a,
    });
  const remove = (lid: string) =>
    call(headers, 'mutation ($lid: ID!) { deleteList(lid: $lid) { lid } }', { lid });
  const lid = await create('Birthday');
  const others = [await create('Wedding'), await create('Kitchen')] as const;
  await change(lid, [1, 2, 3, 4, 5].map(item));
  await call(headers, 'mutation ($input: SubscribeInput!) { subscribe(input: $input) { confirmed } }', {
    input: {
      ...{ medium: 'email', mediumvalue: `${crypto.randomUUID()}@example.com`, topics: ['backinstock'] },
      products: [6, 7].map((epi) => ({ epi, empi: 900 + epi, du: `/p/${epi}` })),
    },
  });
  return { headers, lid, others, change, remove };
}

/** Waits until a page shows this; clients render after they have written to their cache. */
export async function shows(read: () => unknown, expected: unknown): Promise<void> {
  step = String(read);
  const limit = performance.now() + 15_000;
  while (!isDeepStrictEqual(read(), expected) && performance.now() < limit)
    await new Promise((done) => setTimeout(done, 5));
  assert.deepEqual(read(), expected);
}

/** Node ends a process without a word when it waits only for what cannot come; so it says where it was. */
let step = 'sign in';
setTimeout(() => {
  throw new Error(`The storefront is not done after 60 s: ${step}`);
}, 60_000);

/** Ends the process: an open stream would keep it. */
export function finish(): void {
  assert.deepEqual(warnings, []);
  process.stdout.write('done\n', () => process.exit());
}
