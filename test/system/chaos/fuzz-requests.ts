import { gzipSync } from 'node:zlib';
import { routes } from '../../../src/api/rest/routes.ts';
import type { Route } from '../../../src/platform/route/route.ts';
import type { StoreAccess, TestShopper } from '../../harness.ts';
import { ROOT_CALLS, valueOf } from './hostile.ts';
import type { Chance, Known } from './hostile.ts';
import { rawBytes } from './raw-bytes.ts';

/** A request as bytes. One that is not `isWhole` breaks HTTP, and may be answered by a closed connection. */
export type FuzzRequest = {
  kind: 'form' | 'json' | 'graphql' | 'bomb' | 'headers' | 'raw';
  /** Method and path of a REST call whose answer the API reference describes. */
  call: readonly [method: string, path: string] | null;
  bytes: Buffer;
  isWhole: boolean;
};

/** Whom requests pretend to be. */
export type Victim = { store: StoreAccess; shopper: TestShopper; lid: string };

const ROUTES = Object.entries<Route>(routes).map(([key, route]) => {
  const [method, path] = key.split(' ') as [string, string];
  return { method, path, fields: [...Object.keys(route.form ?? {}), 'limit', 'offset', 'lid'] };
});

function pack(
  method: string,
  target: string,
  headers: Record<string, string>,
  body: Buffer | string,
): Buffer {
  const bytes = Buffer.from(body as string);
  const all = {
    host: 'fuzz',
    ...headers,
    ...(method === 'GET' ? {} : { 'content-length': String(bytes.length) }),
  };
  const head = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
  return Buffer.concat([
    Buffer.from(`${method} ${target} HTTP/1.1\r\n${head.join('')}\r\n`, 'latin1'),
    method === 'GET' ? Buffer.alloc(0) : bytes,
  ]);
}

const FORM = 'application/x-www-form-urlencoded';
const text = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value));
/** What a header can carry without breaking HTTP. */
const headerText = (value: unknown): string =>
  text(value)
    .slice(0, 3_000)
    .replace(/[^\x20-\x7e\x80-\xff]/g, '?');

/** Makes requests of every kind against one victim. */
export function createFuzz(chance: Chance, { store, shopper, lid }: Victim): () => FuzzRequest {
  const { number, pick, hostile } = chance;
  const known: Known = {
    ID: [lid, lid, 'nobody', shopper.regid],
    VariantId: [1, 2, 3, '4711', 'gid://shopify/ProductVariant/1', 'gid://shopify/Order/1'],
    ProductId: [1, 2, 3, '4711', 'gid://shopify/Product/1', 'gid://shopify/Order/1'],
    TopicName: ['backinstock', 'comingsoon', 'none'],
    String: ['a', 'List', 'x@example.com', '2026-01-01', 'https://shop.example/p', '+4915112345678', 'EUR'],
  };
  const basic = `Basic ${Buffer.from(`${store.pid}:${store.apiKey}`).toString('base64')}`;
  const asShopper = { 'x-pid': store.pid, 'x-regid': shopper.regid, 'x-sessionid': shopper.sessionid };
  const credentials = (): Record<string, string> =>
    pick<Record<string, string>>([
      asShopper,
      { authorization: basic },
      { authorization: basic, 'x-regid': shopper.regid },
      {},
    ]);
  const oddHeaders = (): Record<string, string> =>
    Object.fromEntries(
      Array.from({ length: 1 + number(4) }, () => [
        pick([
          ...['authorization', 'x-pid', 'x-regid', 'x-sessionid', 'idempotency-key', 'traceparent', 'accept'],
          ...[
            'x-forwarded-for',
            'x-forwarded-host',
            'forwarded',
            'origin',
            'cookie',
            'if-none-match',
            'range',
          ],
          ...['accept-encoding', 'accept-language', 'x-request-id', 'x-http-method-override', 'upgrade'],
        ]),
        headerText(hostile()),
      ]),
    );

  const rest = (): { method: string; path: string; target: string; fields: [string, string][] } => {
    const { method, path, fields } = pick(ROUTES);
    const own = { regid: shopper.regid, sessionid: shopper.sessionid, lid };
    const sent = Array.from({ length: number(5) }, (): [string, string] => [
      pick(fields),
      text(number(3) === 0 ? pick(known.String) : hostile()),
    ]);
    return {
      method,
      path,
      target: `${path}?pid=${encodeURIComponent(store.pid)}`,
      fields: [...Object.entries(number(8) === 0 ? {} : own), ...sent],
    };
  };
  const form = (): FuzzRequest => {
    const { method, path, target, fields } = rest();
    const headers: Record<string, string> = number(3) === 0 ? {} : { authorization: basic };
    const body = new URLSearchParams(fields).toString();
    const bytes = pack(method, target, { 'content-type': FORM, ...headers }, body);
    return { kind: 'form', call: [method, path], bytes, isWhole: true };
  };
  /** The wrong content type, encodings that lie, bytes that are no UTF-8. */
  const json = (): FuzzRequest => {
    const { path, target, fields } = rest();
    const body: Buffer = pick([
      () => Buffer.from(JSON.stringify(Object.fromEntries(fields))),
      () => Buffer.from(text(hostile())),
      () => Buffer.from([0xff, 0xfe, 0x00, 0xc3, 0x28, 0x61, 0x3d, 0xed, 0xa0, 0x80]),
      () => gzipSync(text(hostile())),
      () => Buffer.from(`${'['.repeat(20_000)}${']'.repeat(20_000)}`),
      () => Buffer.from('a=%ff%fe&lid=%00&&==&%%%&a[b][c]=1&__proto__[x]=1'),
    ])();
    const types = [
      'application/json',
      FORM,
      'multipart/form-data; boundary=x',
      'text/xml',
      '',
      `${FORM}; charset=utf-7`,
    ];
    const headers: Record<string, string> = { ...credentials(), 'content-type': pick(types) };
    if (number(4) === 0) headers['content-encoding'] = pick(['gzip', 'br', 'deflate', 'nonsense']);
    const target2 = number(3) === 0 ? '/graphql' : target;
    return {
      kind: 'json',
      call: target2 === target ? ['POST', path] : null,
      bytes: pack('POST', target2, headers, body),
      isWhole: true,
    };
  };
  const graphql = (): FuzzRequest => {
    const { document, variables } = pick(ROOT_CALLS);
    const cut = (source: string): string => {
      const at = number(source.length);
      return (
        source.slice(0, at) +
        pick(['', '{', '}', '$', '"""', '\u0000', '@skip', '...']) +
        source.slice(at + number(3))
      );
    };
    const query = number(6) === 0 ? cut(document) : document;
    const values = Object.fromEntries(
      Object.entries(variables).map(([name, type]) => [name, valueOf(type, chance, known)]),
    );
    const one = {
      query,
      variables: number(20) === 0 ? hostile() : values,
      ...(number(10) === 0 ? { extensions: hostile(), operationName: hostile() } : {}),
    };
    if (number(8) === 0) {
      const target = `/graphql?${new URLSearchParams({ query, variables: JSON.stringify(values) }).toString()}`;
      return {
        kind: 'graphql',
        call: null,
        bytes: pack('GET', target.slice(0, 8_000), { ...credentials(), 'x-apollo-operation-name': 'x' }, ''),
        isWhole: true,
      };
    }
    const body = JSON.stringify(number(20) === 0 ? [one, one] : one);
    const headers = {
      ...credentials(),
      'content-type': 'application/json',
      ...(number(6) === 0 ? { 'idempotency-key': headerText(hostile()).slice(0, 300) } : {}),
    };
    return { kind: 'graphql', call: null, bytes: pack('POST', '/graphql', headers, body), isWhole: true };
  };
  /** Small to send, large to answer: aliases, fragments, depth, variables, directives. */
  const bomb = (): FuzzRequest => {
    const size = 1 + number(2_000);
    const times = (make: (n: number) => string): string =>
      Array.from({ length: size }, (_, n) => make(n)).join(' ');
    const query = pick([
      () => `{ ${times((n) => `a${n}: store { pid }`)} }`,
      () => `{ list(lid: "${lid}") { ${times((n) => `a${n}: lname`)} } }`,
      () =>
        `query { ...f0 } ${times((n) => `fragment f${n} on Query { ...f${(n + 1) % size} ...f${(n + 2) % size} }`)}`,
      () =>
        `{ lists { edges { node { ${'items { edges { node { '.repeat(size % 60)}epi${' } } }'.repeat(size % 60)} } } } }`,
      () => `query (${times((n) => `$v${n}: Int`)}) { store { pid } }`,
      () => `{ store { pid ${times(() => '@include(if: true)')} } }`,
      () => `{ store { pid } } ${times((n) => `query q${n} { store { pid } }`)}`,
      () => `{ isInLists(epis: [${times(String)}]) { epi } }`,
      () => `${'{'.repeat(size)}`,
      () =>
        `{ __schema { types { fields { type { ${'ofType { '.repeat(size % 40)}name${' }'.repeat(size % 40)} } } } } }`,
    ])();
    const body = JSON.stringify({ query });
    return {
      kind: 'bomb',
      call: null,
      bytes: pack('POST', '/graphql', { ...credentials(), 'content-type': 'application/json' }, body),
      isWhole: true,
    };
  };
  const headers = (): FuzzRequest => {
    const { path, target, fields } = rest();
    const isGraphql = number(2) === 0;
    const body = isGraphql ? '{"query":"{ store { pid } }"}' : new URLSearchParams(fields).toString();
    const all = { ...credentials(), 'content-type': isGraphql ? 'application/json' : FORM, ...oddHeaders() };
    return {
      kind: 'headers',
      call: isGraphql ? null : ['POST', path],
      bytes: pack('POST', isGraphql ? '/graphql' : target, all, body),
      isWhole: true,
    };
  };
  return () => {
    const dice = number(100);
    if (dice < 32) return form();
    if (dice < 44) return json();
    if (dice < 80) return graphql();
    // Each takes up to a fifth of a second of the service's CPU, so they are few.
    if (dice < 81) return bomb();
    if (dice < 93) return headers();
    return { kind: 'raw', call: null, bytes: rawBytes(chance, form().bytes), isWhole: false };
  };
}
