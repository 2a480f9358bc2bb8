import { createHash, randomUUID } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { getIntrospectionQuery, print } from 'graphql';
import { CLIENT_DOCUMENTS } from '../../src/sdk/documents.ts';
import * as documents from '../../src/generated/operations.ts';
import { DOCUMENT_LIMITS } from '../../src/api/graphql/limits.ts';
import { startService, useService, useStore } from '../harness.ts';
import type { TestService } from '../harness.ts';
import { item, newAccount } from './list-kit.ts';

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');
const named = (hash: string) => ({ extensions: { persistedQuery: { version: 1, sha256Hash: hash } } });

const service = useService();
const store = useStore(service);

const ask = (to: TestService, body: object, headers: Record<string, string> = {}) =>
  to.http.post('/graphql').set(headers).send(body);

describe('automatic persisted queries', () => {
  test('a document is sent once and then named by its hash, by anybody, with the same answer', async () => {
    const query = '{ __typename again: __typename }';
    const hash = sha256(query);
    const first = await ask(service, named(hash)).expect(200);
    expect(first.body.errors[0]).toMatchObject({
      message: 'PersistedQueryNotFound',
      extensions: { code: 'PERSISTED_QUERY_NOT_FOUND' },
    });
    const sent = (await ask(service, { query, ...named(hash) }).expect(200)).body;
    expect(sent).toEqual({ data: { __typename: 'Query', again: 'Query' } });
    expect((await ask(service, named(hash)).expect(200)).body).toEqual(sent);
  });

  test('a hash of another text is refused and remembered by nobody', async () => {
    const hash = sha256('{ something }');
    await ask(service, { query: '{ __typename }', ...named(hash) }).expect(400);
    expect((await ask(service, named(hash))).body.errors[0].message).toBe('PersistedQueryNotFound');
  });

  test('what does not validate is not remembered', async () => {
    const query = '{ nothingOfTheKind }';
    await ask(service, { query, ...named(sha256(query)) });
    expect((await ask(service, named(sha256(query)))).body.errors[0].message).toBe('PersistedQueryNotFound');
  });

  test('credentials are those of each call, and an answer that is kept is the caller’s own', async () => {
    const query = '{ allLists { lname listcontents { epi } } }';
    const [me, other] = [await newAccount(service, store), await newAccount(service, store)];
    const { lid } = await me.create('Mine');
    const headersOf = ({ shopper }: typeof me) => ({
      'x-pid': shopper.pid,
      'x-regid': shopper.regid,
      'x-sessionid': shopper.sessionid,
    });
    await ask(service, { query, ...named(sha256(query)) }, headersOf(me)).expect(200);
    for (let times = 0; times < 3; times += 1) {
      const { body } = await ask(service, named(sha256(query)), headersOf(me));
      expect(body.data.allLists).toEqual([{ lname: 'Mine', listcontents: [] }]);
    }
    expect((await ask(service, named(sha256(query)), headersOf(other))).body.data.allLists).toEqual([]);
    expect((await ask(service, named(sha256(query)))).body.errors[0].extensions.type).toBe('unauthorised');
    await me.add(lid, item(1));
    const { body } = await ask(service, named(sha256(query)), headersOf(me));
    expect(body.data.allLists).toEqual([{ lname: 'Mine', listcontents: [{ epi: 1 }] }]);
  });

  test('documents are forgotten rather than kept without bound', async () => {
    const text = (id: string) => `{ __typename } # ${id.padEnd(45_000, 'x')}`;
    const key = { authorization: `Basic ${Buffer.from(`${store.pid}:${store.apiKey}`).toString('base64')}` };
    const first = text(randomUUID());
    await ask(service, { query: first, ...named(sha256(first)) }, key).expect(200);
    for (let count = 0; count < 100; count += 1) {
      const query = text(randomUUID());
      await ask(service, { query, ...named(sha256(query)) }, key).expect(200);
    }
    expect((await ask(service, named(sha256(first)))).body.errors[0].message).toBe('PersistedQueryNotFound');
  });
});

describe('bounds', () => {
  const { anonymous, authenticated } = DOCUMENT_LIMITS;
  const repeat = (count: number, make: (index: number) => string): string =>
    Array.from({ length: count }, (_, index) => make(index)).join(' ');
  /** A document that has so much of something that makes it dear to parse or to validate. */
  const having: Record<keyof typeof anonymous, (count: number) => string> = {
    characters: (count) => `{ __typename }`.padEnd(count),
    lines: (count) => `{ __typename }${'\n'.repeat(count - 1)}`,
    tokens: (count) => `{ list(lid: "none") { ${repeat((count - 9) / 3, (n) => `a${n}: lname`)} } }`,
    nesting: (count) => `{ ${'... { '.repeat(count - 1)} __typename ${'} '.repeat(count)}`,
    definitions: (count) =>
      `{ ${repeat(count - 1, (n) => `...F${n}`)} } ${repeat(count - 1, (n) => `fragment F${n} on Query { __typename }`)}`,
    spreads: (count) =>
      `{ list(lid: "none") { ${repeat(count, () => '...F')} } } fragment F on List { lname }`,
    pairs: (count) => `{ list(lid: "none") { ${'lname '.repeat(Math.floor(Math.sqrt(2 * count)) + 1)} } }`,
    introspected: (count) =>
      `{ __schema { types { fields { ${repeat(count / 500, (n) => `a${n}: name`)} } } } }`,
  };
  const NAMES = Object.keys(having) as (keyof typeof having)[];
  /** More of it than a limit allows, in a document that nobody has sent before: one that was valid once is known. */
  const exceeding = (bound: keyof typeof anonymous, limits: typeof anonymous): string =>
    `${having[bound](Math.ceil(limits[bound] * 1.1) + 3)} # ${randomUUID()}`;

  test.each(NAMES)(
    'a document with too many %s is refused, and its answer names the bound',
    async (bound) => {
      const { body } = await ask(service, { query: exceeding(bound, anonymous) }).expect(400);
      expect(body).toEqual({
        errors: [
          {
            message: expect.stringMatching(
              new RegExp(
                `^The document has more than ${anonymous[bound]} .* without a store API key or a session$`,
              ),
            ),
            extensions: { code: 'BAD_USER_INPUT', type: 'invalid-request', status: 400 },
          },
        ],
      });
    },
  );

  test.each(NAMES.filter((bound) => authenticated[bound] > anonymous[bound] * 1.2))(
    'who shows a session may have more %s, within another bound',
    async (bound) => {
      const shopper = await service.guest(store);
      const { body } = await service.graphql(exceeding(bound, anonymous), {}, { shopper }).expect(200);
      expect(body).toHaveProperty('data');
      const beyond = exceeding(bound, authenticated);
      const refused = await service.graphql(beyond, {}, { shopper }).expect(400);
      expect(refused.body.errors[0].message).toContain(`more than ${authenticated[bound]} `);
    },
  );

  test('210 spreads of one fragment are refused before they are validated', async () => {
    const query = `{ ${repeat(210, () => '...F')} nothingOfTheKind } fragment F on Query { __typename }`;
    const { body } = await ask(service, { query }).expect(400);
    expect(body.errors).toHaveLength(1);
    expect(body.errors[0].message).toContain('fragment spreads');
  });

  test('a document that was valid once is known by its hash: it is neither parsed nor checked again, whoever sends it', async () => {
    const query = `${having.tokens(authenticated.tokens - 50)} # ${randomUUID()}`;
    await ask(service, { query }).expect(400);
    const shopper = await service.guest(store);
    await service.graphql(query, {}, { shopper }).expect(200);
    const { body } = await ask(service, { query }).expect(200);
    expect(body.errors[0].extensions.type).toBe('unauthorised');
  });

  test('of many faults the first are told', async () => {
    const { body } = await ask(service, {
      query: `{ list(lid: "none") { ${repeat(50, (n) => `nothing${n}`)} } }`,
    });
    expect(body.errors).toHaveLength(6);
    expect(body.errors[5].message).toContain('Too many validation errors');
  });

  test.each<readonly [what: string, query: string]>([
    [
      'what GraphiQL asks first',
      getIntrospectionQuery({ inputValueDeprecation: true, schemaDescription: true }),
    ],
    ...CLIENT_DOCUMENTS.map((text) => ['what the browser library asks', text] as const),
    ...Object.values(documents).flatMap((document) =>
      typeof document === 'object' && 'kind' in document
        ? [['what a storefront asks with all fields', print(document)] as const]
        : [],
    ),
  ])('%s is checked without credentials: %.40s', async (_what, query) => {
    const { body } = await ask(service, { query });
    // It may lack variables or credentials, but is no document that is refused.
    expect(body.errors?.[0].message ?? '').not.toMatch(/^The (document|query)|Cannot|Syntax/);
  });
});

describe('GET', () => {
  const QUERY = 'query ($lid: ID!) { list(lid: $lid) { lname cnt listcontents { epi } } }';
  const get = (lid: string, headers: Record<string, string>) =>
    service.http
      .get(`/graphql?${new URLSearchParams({ query: QUERY, variables: JSON.stringify({ lid }) }).toString()}`)
      .set(headers);

  test('public data has an ETag: who has it already is answered 304 until it changes', async () => {
    const owner = await newAccount(service, store);
    const { lid } = await owner.create('Birthday');
    await owner.ok('lists/markPublic', { lid });
    const caller = { 'x-pid': store.pid };
    const { headers, body } = await get(lid, caller).expect(200);
    expect(body.data.list).toEqual({ lname: 'Birthday', cnt: 0, listcontents: [] });
    expect(headers).toMatchObject({
      'cache-control': 'public, no-cache',
      etag: expect.stringMatching(/^W\/"[\w-]{27}"$/),
      vary: expect.stringMatching(/X-Pid.*X-Regid.*Authorization/),
    });
    const again = await get(lid, { ...caller, 'if-none-match': headers['etag']! }).expect(304);
    expect([again.text, again.headers['etag']]).toEqual(['', headers['etag']]);
    await owner.add(lid, item(1));
    const changed = await get(lid, { ...caller, 'if-none-match': headers['etag']! }).expect(200);
    expect(changed.body.data.list).toMatchObject({ cnt: 1, listcontents: [{ epi: 1 }] });
  });

  test('what belongs to a caller, and what failed, is stored by no cache', async () => {
    const owner = await newAccount(service, store);
    const { lid } = await owner.create('Private');
    const { pid, regid, sessionid } = owner.shopper;
    const callers: Record<string, string>[] = [
      { 'x-pid': pid, 'x-regid': regid, 'x-sessionid': sessionid },
      { 'x-pid': pid, 'x-regid': 'wrong', 'x-sessionid': sessionid },
      {
        authorization: `Basic ${Buffer.from(`${store.pid}:${store.apiKey}`).toString('base64')}`,
        'apollo-require-preflight': '1',
      },
    ];
    for (const caller of callers) {
      const { headers } = await get(lid, caller);
      expect(headers['cache-control']).toBe('no-store');
      expect(headers['etag']).toBeUndefined();
    }
  });

  test('a list that an anonymous caller may not read is null, and checked again each time', async () => {
    const owner = await newAccount(service, store);
    const { lid } = await owner.create('Private');
    const anonymous = { 'x-pid': owner.shopper.pid };
    const { body, headers } = await get(lid, anonymous).expect(200);
    expect([body, headers['cache-control']]).toEqual([{ data: { list: null } }, 'public, no-cache']);
    await owner.ok('lists/markPublic', { lid });
    const shown = await get(lid, { ...anonymous, 'if-none-match': headers['etag']! }).expect(200);
    expect(shown.body.data.list.cnt).toBe(0);
  });

  test('a GET that a page of another site could make unasked is refused', async () => {
    await get('any', {}).expect(400);
    const basic = `Basic ${Buffer.from(`${store.pid}:${store.apiKey}`).toString('base64')}`;
    await get('any', { authorization: basic }).expect(400);
  });
});

describe('trusted documents', () => {
  const TRUSTED = 'query Names { allLists { lname } }';
  const SECOND = '{ shopper { isGuest } }';
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'wishgate-trusted-'));
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));

  const start = async (content: unknown): Promise<TestService> => {
    const file = join(folder, `${randomUUID()}.json`);
    await writeFile(file, typeof content === 'string' ? content : JSON.stringify(content));
    return startService({ trustedDocuments: file });
  };

  test.each([
    ['ids and documents', { names: TRUSTED, [sha256(SECOND)]: SECOND }],
    [
      'a manifest',
      {
        format: 'apollo-persisted-query-manifest',
        version: 1,
        operations: [
          { id: 'names', name: 'Names', type: 'query', body: TRUSTED },
          { id: sha256(SECOND), name: 'Second', type: 'query', body: SECOND },
        ],
      },
    ],
  ])('from %s run by id and by text, and nothing else does', async (_form, content) => {
    const strict = await start(content);
    try {
      const shop = await strict.createStore();
      const me = await newAccount(strict, shop);
      const { pid, regid, sessionid } = me.shopper;
      const headers = { 'x-pid': pid, 'x-regid': regid, 'x-sessionid': sessionid };
      for (const body of [{ query: TRUSTED }, named('names')])
        expect((await ask(strict, body, headers).expect(200)).body).toEqual({ data: { allLists: [] } });
      expect((await ask(strict, named(sha256(SECOND)), headers)).body.data.shopper.isGuest).toBe(false);
      const other = '{ allLists { lid } }';
      for (const query of [other, '{ __schema { types { name } } }', `${TRUSTED} # another`])
        for (const more of [{}, named(sha256(query))]) {
          const { body } = await ask(strict, { query, ...more }, headers).expect(403);
          expect(body.errors[0].extensions).toMatchObject({ type: 'forbidden', status: 403 });
          expect(body.data).toBeUndefined();
        }
      // It is decided before anything is parsed.
      const { body: unread } = await ask(strict, { query: '{ this is no document' }, headers).expect(403);
      expect(unread.errors[0].extensions.type).toBe('forbidden');
      expect((await ask(strict, named(sha256(other)), headers)).body.errors[0].message).toBe(
        'PersistedQueryNotFound',
      );
      for (const query of CLIENT_DOCUMENTS)
        expect((await ask(strict, { query, variables: {} }, headers)).status).not.toBe(403);
      expect((await strict.graphql('{ store { pid } }', {}, { store: shop })).body.data.store.pid).toBe(pid);
      await me.create('REST goes on');
      // Its cost was accepted with the document; what a key asks for beside them is estimated.
      const trusted = await ask(strict, { query: TRUSTED }, headers).expect(200);
      expect(trusted.headers).not.toHaveProperty('x-cost');
      const { headers: told } = await strict.graphql('{ store { pid } }', {}, { store: shop });
      expect(told['x-cost']).toBe('1');
    } finally {
      await strict.close();
    }
  });

  test.each([
    ['{', 'TRUSTED_DOCUMENTS is invalid'],
    ['[]', 'must be a JSON object that maps ids to documents'],
    ['{"a": 1}', 'must be a JSON object that maps ids to documents'],
  ])('a file with %s stops the start and says why', async (content, reason) => {
    await expect(start(content)).rejects.toThrow(reason);
  });
});
