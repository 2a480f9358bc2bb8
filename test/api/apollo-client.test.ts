import { createHash } from 'node:crypto';
import { ApolloClient, ApolloLink, HttpLink, InMemoryCache, gql } from '@apollo/client';
import { PersistedQueryLink } from '@apollo/client/link/persisted-queries';
import { useService, useStore } from '../harness.ts';
import type { TestShopper } from '../harness.ts';
import { newAccount } from './list-kit.ts';

const service = useService();
const store = useStore(service);

type Call = { method: string; status: number; contentType: string | null };

/** The real client as its manual sets it up: hashes only, read by GET. */
function createApolloClient(headers: Record<string, string>): { client: ApolloClient; calls: Call[] } {
  const calls: Call[] = [];
  const http = new HttpLink({
    uri: `${service.url}/graphql`,
    headers,
    fetch: async (url, request) => {
      const answer = await fetch(url, request);
      const contentType = new Headers(request?.headers).get('content-type');
      calls.push({ method: request?.method ?? 'GET', status: answer.status, contentType });
      return answer;
    },
  });
  const hashes = new PersistedQueryLink({
    sha256: (text) => createHash('sha256').update(text).digest('hex'),
    useGETForHashedQueries: true,
  });
  const link = ApolloLink.from([hashes, http]);
  return { client: new ApolloClient({ link, cache: new InMemoryCache() }), calls };
}

const headersOf = ({ pid, regid, sessionid }: TestShopper) => ({
  'x-pid': pid,
  'x-regid': regid,
  'x-sessionid': sessionid,
});

test('Apollo Client with persisted queries reads by hashed GETs, and a document is sent only once', async () => {
  const me = await newAccount(service, store);
  await me.create('Read by hash');
  const query = gql`
    query ReadByHash {
      allLists {
        lname
      }
    }
  `;
  const first = createApolloClient(headersOf(me.shopper));
  const { data } = await first.client.query({ query });
  expect(data).toMatchObject({ allLists: [{ lname: 'Read by hash' }] });
  // The hash was not known, so the client sent the document.
  expect(first.calls.map(({ method, status }) => [method, status])).toEqual([
    ['GET', 200],
    ['POST', 200],
  ]);

  const again = createApolloClient(headersOf(me.shopper));
  expect((await again.client.query({ query })).data).toEqual(data);
  expect(again.calls).toEqual([{ method: 'GET', status: 200, contentType: 'application/json' }]);
});

test.each([
  'text/plain',
  'text/plain; application/json',
  'application/x-www-form-urlencoded',
  'multipart/form-data; boundary=application/json',
])('a GET of type %s, which a page of another site can send unasked, is refused', async (type) => {
  const { status, body } = await service.http
    .get('/graphql?query={__typename}')
    .set({ 'content-type': type, accept: 'application/json' });
  expect([status, body.errors[0].extensions.type]).toEqual([400, 'invalid-request']);
  expect(body.data).toBeUndefined();
});

test('a GET of type JSON is read from its address, and its body counts for nothing', async () => {
  const { body } = await service.http
    .get('/graphql?query={__typename}')
    .set('content-type', 'application/json')
    .send('{"query":"{ nothing }"}')
    .expect(200);
  expect(body).toEqual({ data: { __typename: 'Query' } });
});
