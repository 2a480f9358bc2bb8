import { serverAudits } from 'graphql-http';
import { useService } from '../harness.ts';

const service = useService();

const audits = serverAudits({ url: () => `${service.url}/graphql`, fetchFn: fetch });

test('all 61 audits of GraphQL over HTTP are run', () => {
  expect(audits).toHaveLength(61);
});

test.each(audits.map((audit) => [audit.id, audit.name, audit.fn] as const))(
  'audit %s: %s',
  async (_id, name, run) => {
    const result = await run();
    const reason = 'reason' in result ? result.reason : '';
    // A notice is about what a server MAY do: GETs without a preflight are refused here, against cross-site requests.
    expect([name, reason, ['ok', 'notice']]).toEqual([name, reason, expect.arrayContaining([result.status])]);
  },
);

test.each([1, 3, 120])('%i fragments in a circle are a mistake of the caller', async (size) => {
  const circle = Array.from(
    { length: size },
    (_, n) => `fragment f${n} on Query { ...f${(n + 1) % size} ...f${(n + 2) % size} }`,
  );
  const { status, body } = await service.graphql(`{ ...f0 } ${circle.join(' ')}`);
  expect(status).toBeLessThan(500);
  expect(body.errors[0].extensions).toMatchObject({ type: 'invalid-request', status: 400 });
});

const BROWSER = 'text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,*/*;q=0.8';

test('a browser that opens /graphql is sent to GraphiQL, and nothing of another host is on the way', async () => {
  const answer = await service.http.get('/graphql').set('accept', BROWSER).expect(303);
  expect(answer.headers['location']).toBe('/graphiql');
  expect(answer.text).not.toContain('://');
});

test.each([
  ['a browser with a query', '?query={__typename}', { accept: BROWSER }, 400],
  ['a client with a query', '?query={__typename}', { 'apollo-require-preflight': '1' }, 200],
  ['a client that takes anything', '', { accept: '*/*', 'apollo-require-preflight': '1' }, 400],
  ['a client that prefers JSON', '', { accept: 'application/json, text/html;q=0.5' }, 400],
])('a GET of %s is answered in JSON', async (_name, query, headers, status) => {
  const answer = await service.http.get(`/graphql${query}`).set(headers).expect(status);
  expect(answer.headers['content-type']).toMatch(/^application\/(graphql-response\+)?json/);
});
