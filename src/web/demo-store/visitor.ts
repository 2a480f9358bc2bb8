import { createBackend } from '../../../examples/storefront/backend.mjs';
import type { DemoStore } from './demo.ts';
import { DEMO_PRODUCTS } from './products.ts';

const UUID = '5d1b2c9e-6f0a-4a77-9a1e-0c4b7d2e8f31';
const LIST = 'Living room';
const WISHED = ['throw', 'lamp', 'vase'];

/** The guest of the demo store whose list GraphiQL shows. */
export type DemoVisitor = { regid: string; sessionid: string; lid: string };

type Lists = { lists: { edges: { node: { lid: string; lname: string } }[] } };

const READ = '{ lists(first: 100) { edges { node { lid lname } } } }';
const CREATE = 'mutation ($lname: String!) { createList(input: { lname: $lname }) { lid } }';
const FILL =
  'mutation ($lid: ID!, $a: [ItemInput!]) { updateListContents(lid: $lid, a: $a) { list { cnt } } }';

/** The first call creates the guest and its list of three products, through the public API. */
export async function ensureDemoVisitor(baseUrl: string, { pid, apiKey }: DemoStore): Promise<DemoVisitor> {
  const { regid, sessionid } = await createBackend({ baseUrl, pid, apiKey }).identify({ guestId: UUID });
  const headers = {
    authorization: `Basic ${Buffer.from(`${pid}:${apiKey}`).toString('base64')}`,
    'x-regid': regid,
    'content-type': 'application/json',
  };
  const request = async <Data>(query: string, variables: object = {}): Promise<Data> => {
    const body = JSON.stringify({ query, variables });
    const response = await fetch(`${baseUrl}/graphql`, { method: 'POST', headers, body });
    return ((await response.json()) as { data: Data }).data;
  };
  const find = async (): Promise<string | undefined> =>
    (await request<Lists>(READ)).lists.edges.find(({ node }) => node.lname === LIST)?.node.lid;

  const known = await find();
  if (known !== undefined) return { regid, sessionid, lid: known };
  await request(CREATE, { lname: LIST });
  // If two requests are concurrent, one of them finds the name in use: both get the same list.
  const lid = (await find())!;
  const wished = DEMO_PRODUCTS.filter(({ slug }) => WISHED.includes(slug));
  const a = wished.map(({ epi, empi, slug }) => ({ epi, empi, du: `/demo#/p/${slug}` }));
  await request(FILL, { lid, a });
  return { regid, sessionid, lid };
}
