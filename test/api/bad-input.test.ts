import { randomUUID } from 'node:crypto';
import { connect } from 'node:net';
import { gzipSync } from 'node:zlib';
import { getIntrospectionQuery } from 'graphql';
import { DOCUMENT_LIMITS } from '../../src/api/graphql/limits.ts';
import { useService, useStore } from '../harness.ts';

const service = useService();
const store = useStore(service);

const GENERATE = '/storeadmin/v3/user/generate-regid';
const FORM = 'application/x-www-form-urlencoded';

/** A POST of these bytes with the store's key. */
async function send(path: string, body: string | Uint8Array, headers: Record<string, string> = {}) {
  const authorization = `Basic ${Buffer.from(`${store.pid}:${store.apiKey}`).toString('base64')}`;
  const answer = await fetch(service.url + path, {
    method: 'POST',
    body: body as BodyInit,
    headers: { authorization, 'content-type': FORM, ...headers },
  });
  return { status: answer.status, body: (await answer.json()) as Record<string, unknown> };
}

/** Whatever the server answers to these bytes until it closes the connection. */
function sendRaw(bytes: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(Number(new URL(service.url).port), '127.0.0.1', () => socket.write(bytes));
    let text = '';
    socket.setEncoding('utf8').on('data', (part: string) => (text += part));
    socket.on('end', () => resolve(text)).on('error', reject);
  });
}

describe('REST bodies', () => {
  const good = (): string => `uuid=${randomUUID()}&useragenttype=pos`;

  test.each([
    ['JSON', 'application/json'],
    ['multipart', 'multipart/form-data; boundary=x'],
    ['plain text', 'text/plain'],
    ['a type that only begins alike', 'application/x-www-form-urlencoded-not'],
  ])('%s answers 400 unsupported-content-type', async (_name, type) => {
    const { status, body } = await send(GENERATE, good(), { 'content-type': type });
    expect([status, body['type']]).toEqual([400, 'unsupported-content-type']);
  });

  test('a body without a content type answers 400 unsupported-content-type', async () => {
    const { status, body } = await send(GENERATE, Buffer.from(good()), { 'content-type': '' });
    expect([status, body['type']]).toEqual([400, 'unsupported-content-type']);
  });

  test.each([
    ['a broken percent-encoding in a value', 'uuid=%zz&useragenttype=pos'],
    ['a broken percent-encoding in a name', '%=1&useragenttype=pos'],
    ['a percent-encoding that is not UTF-8', 'uuid=%ff%fe&useragenttype=pos'],
    ['a field sent twice', 'useragenttype=a&uuid=x&useragenttype=b'],
    ['a field sent twice, once encoded', 'uuid=x&uui%64=y'],
    ['more than 1,000 fields', Array.from({ length: 1_001 }, (_, n) => `f${n}=1`).join('&')],
  ])('%s answers 400 invalid-request', async (_name, text) => {
    const { status, body } = await send(GENERATE, text);
    expect([status, body['type']]).toEqual([400, 'invalid-request']);
  });

  test('bytes that are not UTF-8 answer 400 invalid-request', async () => {
    const { body } = await send(GENERATE, Buffer.from([0x75, 0x3d, 0xff]));
    expect(body['type']).toBe('invalid-request');
  });

  test('a broken percent-encoding in the query answers 400 invalid-request', async () => {
    const { body } = await send(`${GENERATE}?x=%zz`, good());
    expect(body['type']).toBe('invalid-request');
  });

  test('2 MB is the limit: below it the fields count, beyond it the answer is 400 request-too-large', async () => {
    const fill = (length: number): string => `${good()}&fill=`.padEnd(length, 'x');
    expect((await send(GENERATE, fill(2_000_000))).status).toBe(200);
    const { status, body } = await send(GENERATE, fill(2_000_001));
    expect([status, body['type']]).toEqual([400, 'request-too-large']);
  });

  test('a compressed body is read, and its size counts unpacked', async () => {
    const zipped = (text: string) => send(GENERATE, gzipSync(text), { 'content-encoding': 'gzip' });
    expect((await zipped(good())).status).toBe(200);
    const bomb = await zipped('x'.repeat(50_000_000));
    expect([bomb.status, bomb.body['type']]).toEqual([400, 'request-too-large']);
  });

  test.each(['gzip', 'br', 'deflate'])(
    'a body that is not the %s it claims answers 400 invalid-request',
    async (encoding) => {
      const { status, body } = await send(GENERATE, good(), { 'content-encoding': encoding });
      expect([status, body['type']]).toEqual([400, 'invalid-request']);
    },
  );

  test('an unknown content encoding answers 400 unsupported-content-type', async () => {
    const { body } = await send(GENERATE, good(), { 'content-encoding': 'rot13' });
    expect(body['type']).toBe('unsupported-content-type');
  });
});

describe('addresses', () => {
  test.each([
    ['GET', '/'.concat('nowhere')],
    ['GET', '//storeadmin/me'],
    ['GET', '/storeadmin/me/more'],
    ['GET', '/STOREADMIN/ME'],
    ['GET', '/storeadmin/v3/user/generate-regid'],
    ['POST', '/storeadmin/me'],
    ['PUT', '/storeadmin/v3/user/generate-regid'],
    ['DELETE', '/storeadmin/v3/user/generate-regid'],
    ['GET', '/%zz'],
    ['GET', '/assets/%zz'],
    ['GET', '/client/%zz'],
    ['GET', '/__proto__'],
    ['GET', '/constructor'],
  ])('%s %s answers JSON 404 not-found', async (method, path) => {
    const answer = await sendRaw(`${method} ${path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`);
    const [head, body] = answer.split('\r\n\r\n');
    expect(head).toMatch(/^HTTP\/1.1 404 /);
    expect(head).toContain('application/json; charset=utf-8');
    expect(JSON.parse(body!)).toMatchObject({ error: true, type: 'not-found' });
  });

  test('HEAD answers what GET would, without a body', async () => {
    const answer = await sendRaw('HEAD /storeadmin/me HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n');
    expect(answer).toMatch(/^HTTP\/1.1 401 [\s\S]*\r\n\r\n$/);
  });

  test('an address with a host in it is served by its path alone', async () => {
    const answer = await sendRaw(
      'GET http://evil.example/healthz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n',
    );
    expect(answer).toMatch(/^HTTP\/1.1 200 /);
  });
});

describe('broken HTTP', () => {
  test.each([
    [
      'a header of 40 kB',
      `GET /healthz HTTP/1.1\r\nHost: x\r\nX: ${'a'.repeat(40_000)}\r\n\r\n`,
      /^HTTP\/1.1 431 /,
    ],
    ['no host', 'GET /healthz HTTP/1.1\r\nConnection: close\r\n\r\n', /^HTTP\/1.1 400 /],
    [
      'a broken chunk',
      `POST ${GENERATE} HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\nZZ\r\n`,
      /^HTTP\/1.1 400 /,
    ],
    ['no HTTP at all', 'hello\r\n\r\n', /^HTTP\/1.1 400 /],
    [
      'an expectation nobody has',
      `POST ${GENERATE} HTTP/1.1\r\nHost: x\r\nExpect: tea\r\nConnection: close\r\n\r\n`,
      /^HTTP\/1.1 417 /,
    ],
    ['OPTIONS *', 'OPTIONS * HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n', /^HTTP\/1.1 404 /],
    ['CONNECT', 'CONNECT x:443 HTTP/1.1\r\nHost: x\r\n\r\n', /^$/],
  ])('%s is refused and the service lives on', async (_name, bytes, expected) => {
    expect(await sendRaw(bytes)).toMatch(expected);
    await service.get('/healthz').expect(200);
  });

  test('a client that leaves in the middle of its body costs nothing', async () => {
    await new Promise<void>((resolve) => {
      const socket = connect(Number(new URL(service.url).port), '127.0.0.1', () => {
        socket.write(
          `POST ${GENERATE} HTTP/1.1\r\nHost: x\r\nContent-Type: ${FORM}\r\nContent-Length: 99\r\n\r\nuuid=`,
          () => socket.destroy(),
        );
      }).on('close', () => resolve());
    });
    await service.get('/healthz').expect(200);
  });
});

describe('GraphQL documents', () => {
  const JSON_TYPE = { 'content-type': 'application/json' };
  const query = (text: string, extra = {}) =>
    send('/graphql', JSON.stringify({ query: text, ...extra }), JSON_TYPE);
  /** Time on the processor since `start`, by the service and this test; how long a busy machine takes over it does not count. */
  const workMs = (start: NodeJS.CpuUsage): number => {
    const { user, system } = process.cpuUsage(start);
    return (user + system) / 1000;
  };
  const failureOf = ({ body }: Awaited<ReturnType<typeof send>>) =>
    (body['errors'] as { message: string; extensions: object }[])[0];

  test('a byte order mark before the JSON is skipped', async () => {
    const { body } = await send('/graphql', '\ufeff{"query":"{ __typename }"}', JSON_TYPE);
    expect(body).toEqual({ data: { __typename: 'Query' } });
  });

  test.each([
    ['broken JSON', '{"query":'],
    ['null', 'null'],
    ['a list', '[{"query":"{ __typename }"}]'],
    ['a number as query', '{"query":3}'],
    ['no query', '{}'],
    ['a list of variables', '{"query":"{ __typename }","variables":[1]}'],
    ['bytes that are not UTF-8', Buffer.from([0x7b, 0xff, 0x7d])],
  ])('%s answers 400 invalid-request', async (_name, text) => {
    const answer = await send('/graphql', text, JSON_TYPE);
    expect(answer.status).toBe(400);
    expect(failureOf(answer)).toMatchObject({ extensions: { type: 'invalid-request', status: 400 } });
  });

  test('a form on /graphql is refused, so that no other site can post one', async () => {
    const answer = await send('/graphql', 'query={__typename}');
    expect(answer.status).toBe(400);
    expect(failureOf(answer)).toMatchObject({ extensions: { type: 'invalid-request' } });
  });

  test('a mutation by GET is refused and not run', async () => {
    const [before] = await service.services.db.query<{ n: number }>('SELECT count(*)::int AS n FROM shopper');
    const text = encodeURIComponent(
      `mutation { generateRegid(uuid: "${randomUUID()}", useragenttype: "x") { regid } }`,
    );
    const { status } = await service.get(`/graphql?query=${text}`, {
      store,
      headers: { 'apollo-require-preflight': '1' },
    });
    expect(status).toBe(405);
    const [after] = await service.services.db.query<{ n: number }>('SELECT count(*)::int AS n FROM shopper');
    expect(after).toEqual(before);
  });

  test('a GET that a page on another site could make without a preflight is refused', async () => {
    const { status } = await service.get('/graphql?query=%7B__typename%7D', { store });
    expect(status).toBe(400);
  });

  test.each(Array.from({ length: 5 }, (_, n) => n + 1))(
    'bad variables and unknown operation names are the caller’s mistake, also at call %i, when the document is compiled',
    async () => {
      const wrong = await query('query Bad($a: Boolean!) { __typename @skip(if: $a) }', {
        variables: { a: 'x' },
      });
      expect(failureOf(wrong)).toMatchObject({ extensions: { type: 'invalid-request', status: 400 } });
      expect(failureOf(wrong)!.message).toContain('$a');
      expect(wrong.body).not.toHaveProperty('data');
      const unknown = await query('query Known { __typename }', { operationName: 'Unknown' });
      expect(failureOf(unknown)).toMatchObject({ extensions: { type: 'invalid-request' } });
    },
  );

  const repeat = (count: number, make: (n: number) => string): string =>
    Array.from({ length: count }, (_, n) => make(n)).join(' ');
  test.each<[string, string]>([
    ['too many tokens', `{ ${repeat(DOCUMENT_LIMITS.authenticated.tokens, (n) => `a${n}: __typename`)} }`],
    [
      'more root fields than one request may do',
      `mutation { ${repeat(21, (n) => `a${n}: generateRegid(useragenttype: "x") { regid }`)} }`,
    ],
    [
      'root fields hidden in fragments',
      `{ ...A ...B } fragment A on Query { ${repeat(15, (n) => `a${n}: __typename`)} } fragment B on Query { ${repeat(15, (n) => `b${n}: __typename`)} }`,
    ],
    ['21 introspections', `{ ${repeat(21, (n) => `a${n}: __schema { types { name } }`)} }`],
    [
      'introspection that goes round and round',
      `{ __schema { types ${'{ fields { type '.repeat(6)} { name } ${'} }'.repeat(6)} } }`,
    ],
    [
      'introspection whose aliases multiply lists of lists',
      `{ __schema { ${repeat(60, (n) => `a${n}: types { ...A }`)} } }
       fragment A on __Type { ${repeat(30, (n) => `a${n}: fields { ...B }`)} }
       fragment B on __Field { ${repeat(30, (n) => `a${n}: type { ...C }`)} }
       fragment C on __Type { ${repeat(100, (n) => `a${n}: name`)} }`,
    ],
    [
      'introspection of a type that is not there, whose fragments multiply',
      `{ __type(name: "X") { ...A } }
       fragment A on __Type { ${repeat(40, (n) => `a${n}: fields { ...B }`)} }
       fragment B on __Field { ${repeat(40, (n) => `a${n}: name`)} }`,
    ],
    [
      'introspection with 450 aliases below all fields',
      `{ __schema { types { fields { ${repeat(450, (n) => `a${n}: name`)} } } } }`,
    ],
    [
      'introspection with aliases of a type that a variable names',
      `query ($n: String!) { __type(name: $n) { fields { ${repeat(450, (n) => `a${n}: name`)} } } }`,
    ],
    [
      'introspection with aliases below 120 inline fragments',
      `{ __schema { types { ${'... { '.repeat(120)} ${repeat(300, (n) => `a${n}: name`)} ${'} '.repeat(120)} } } }`,
    ],
    [
      'names of types that fragments multiply',
      `{ ${repeat(20, (n) => `a${n}: store { ...A }`)} } fragment A on Store { ${repeat(60, (n) => `a${n}: __typename`)} }`,
    ],
    ['a fragment within itself', '{ ...A } fragment A on Query { ...B } fragment B on Query { ...A }'],
    [
      'fragments that double 300 times and hold nothing',
      `{ ...F0 } ${repeat(300, (n) => `fragment F${n} on Query { ...F${n + 1} ...F${n + 1} }`)}`,
    ],
    ['900 levels', `${'{ a '.repeat(900)}${'}'.repeat(900)}`],
    ['an argument nested 900 times', `{ store(a: ${'['.repeat(900)}${']'.repeat(900)}) { pid } }`],
    ['a subscription', 'subscription { x }'],
    ['@defer', '{ ... @defer { __typename } }'],
  ])('%s is refused within a second of work', async (_name, text) => {
    const start = process.cpuUsage();
    const answer = await query(text);
    expect(failureOf(answer)).toMatchObject({ extensions: { type: 'invalid-request', status: 400 } });
    expect(answer.body).not.toHaveProperty('data');
    expect(workMs(start)).toBeLessThan(1_000);
  });

  test('the costliest document that the limits let through is refused within two seconds of work', async () => {
    const start = process.cpuUsage();
    const answer = await query(`{ ${repeat(490, () => 'store { pid }')} }`);
    expect(failureOf(answer)).toMatchObject({ extensions: { type: 'invalid-request' } });
    expect(workMs(start)).toBeLessThan(2_000);
  });

  test.each([
    ['nothing but the schema', getIntrospectionQuery({ descriptions: false })],
    [
      'all that graphql-js can ask for',
      getIntrospectionQuery({
        schemaDescription: true,
        specifiedByUrl: true,
        directiveIsRepeatable: true,
        inputValueDeprecation: true,
        oneOf: true,
      }),
    ],
    ['20 types', `{ ${repeat(20, (n) => `a${n}: __type(name: "List") { name fields { name } }`)} }`],
  ])('tools may introspect %s', async (_name, text) => {
    const { status, body } = await query(text);
    expect([status, body['errors']]).toEqual([200, undefined]);
  });

  test.each([
    ['the hash of nothing that was sent', {}, {}],
    ['a text and the hash of another', { query: '{ __typename }' }, {}],
    ['another version', { query: '{ __typename }' }, { version: 2 }],
    ['a hash that is no text', {}, { sha256Hash: { a: 1 } }],
  ])('persisted queries are the caller’s mistake: %s', async (_name, extra, more) => {
    const extensions = { persistedQuery: { version: 1, sha256Hash: '0'.repeat(64), ...more } };
    const answer = await send('/graphql', JSON.stringify({ ...extra, extensions }), JSON_TYPE);
    expect(failureOf(answer)).toMatchObject({ extensions: { type: 'invalid-request', status: 400 } });
  });

  test('variables nested 300,000 deep are refused', async () => {
    const nested = `${'{"a":'.repeat(300_000)}1${'}'.repeat(300_000)}`;
    const shopper = await service.account(store);
    const answer = await fetch(`${service.url}/graphql`, {
      method: 'POST',
      headers: {
        ...JSON_TYPE,
        'x-regid': shopper.regid,
        authorization: `Basic ${btoa(`${store.pid}:${store.apiKey}`)}`,
      },
      body: `{"query":"mutation ($pd: JSONObject) { updateShopper(input: { pd: $pd }) { uid } }","variables":{"pd":${nested}}}`,
    });
    const body = (await answer.json()) as { errors: object[] };
    expect(body.errors[0]).toMatchObject({ extensions: { type: 'invalid-request', status: 400 } });
  });
});

test('every answer forbids sniffing, framing and caching', async () => {
  const answers = [
    await service.get('/healthz'),
    await service.get('/nowhere'),
    await service.get('/storeadmin/me', { store }),
    await service.graphql('{ __typename }'),
  ];
  for (const { headers } of answers)
    expect(headers).toMatchObject({
      'x-content-type-options': 'nosniff',
      'x-frame-options': 'DENY',
      'referrer-policy': 'no-referrer',
      'cache-control': 'no-store',
    });
  for (const { headers } of answers) expect(headers).not.toHaveProperty('x-powered-by');
});

test.each([
  ['a good x-request-id comes back', 'abc-1.2:3', /^abc-1\.2:3$/],
  ['an x-request-id with other characters is replaced', 'a b<script>', /^[0-9a-f-]{36}$/],
  ['an x-request-id of 129 characters is replaced', 'x'.repeat(129), /^[0-9a-f-]{36}$/],
])('%s', async (_name, given, expected) => {
  const { headers } = await service.get('/healthz', { headers: { 'x-request-id': given } });
  expect(headers['x-request-id']).toMatch(expected);
});
