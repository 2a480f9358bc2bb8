import { once } from 'node:events';
import { connect } from 'node:net';
import { setMaintenance } from '../../src/stores/store.service.ts';
import { revokeSessions } from '../../src/shoppers/shopper.service.ts';
import { startService, useService, useStore } from '../harness.ts';
import type { Caller, TestService } from '../harness.ts';
import { EVENTS, PARTS, WATCH, fillBuffers, headersOf, openStream } from '../live.ts';
import type { Stream } from '../live.ts';
import { until } from '../until.ts';
import { item, useNewAccount } from './list-kit.ts';

const service = useService({ rateLimits: true });
const store = useStore(service);
const me = useNewAccount(service, store);
const open: { close: () => void }[] = [];
afterEach(() => open.splice(0).forEach((stream) => stream.close()));

type Options = { request?: object; on?: TestService; protocol?: typeof PARTS };

async function watchAs(
  caller: Caller,
  { request = { query: WATCH }, on = service, protocol = PARTS }: Options = {},
): Promise<Stream> {
  const stream = await openStream(on, caller, null, request, protocol);
  open.push(stream);
  return stream;
}
const watch = (options?: Options): Promise<Stream> => watchAs({ shopper: me.shopper }, options);

/** A stream by its bytes; `text` is all that has arrived. */
function openSocket(query: string, accept = PARTS.accept) {
  const body = JSON.stringify({ query });
  const head = {
    ...{ host: 'x', accept, 'accept-encoding': 'gzip, br', 'content-type': 'application/json' },
    ...headersOf({ shopper: me.shopper }),
    'content-length': String(body.length),
  };
  const lines = Object.entries(head).map(([name, value]) => `${name}: ${value}\r\n`);
  const socket = connect(Number(new URL(service.url).port), '127.0.0.1').setEncoding('utf8');
  open.push({ close: () => socket.destroy() });
  socket.write(`POST /graphql HTTP/1.1\r\n${lines.join('')}\r\n${body}`);
  let text = '';
  const read = () => socket.on('data', (bytes: string) => (text += bytes));
  return { socket, read, text: () => text };
}

/** The text of a chunked body. */
const bodyOf = (response: string): string =>
  response
    .slice(response.indexOf('\r\n\r\n') + 4)
    .replaceAll(/([\da-f]+)\r\n([\s\S]*?)\r\n(?=[\da-f]+\r\n|$)/g, '$2');

test('each message is a part with a payload that the client can read at once, uncompressed and not for caches', async () => {
  const stream = openSocket('subscription { lists { isWhole lids } }');
  stream.read();
  await until(() => stream.text().endsWith('--graphql\r\n'));
  const [head] = stream.text().split('\r\n\r\n');
  expect(head).toMatch(/^HTTP\/1\.1 200 OK\r\n/);
  expect(head).toMatch(/\r\nContent-Type: multipart\/mixed;boundary=graphql;subscriptionSpec=1\.0(\r\n|$)/);
  expect(head).toMatch(/\r\nCache-Control: no-cache, no-store, no-transform(\r\n|$)/);
  expect(head).toMatch(/\r\nX-Accel-Buffering: no(\r\n|$)/);
  expect(head).not.toMatch(/content-encoding/i);
  const part = (body: object): string =>
    `\r\nContent-Type: application/json\r\n\r\n${JSON.stringify(body)}\r\n--graphql`;
  const first = part({ payload: { data: { lists: { isWhole: true, lids: [] } } } });
  expect(bodyOf(stream.text())).toBe(`\r\n--graphql${first}`);
  const { lid } = await me.create('Told');
  const second = part({ payload: { data: { lists: { isWhole: false, lids: [lid] } } } });
  await until(() => stream.text().includes(lid) && stream.text().endsWith('--graphql\r\n'));
  expect(bodyOf(stream.text())).toBe(`\r\n--graphql${first}${second}`);
});

test('an idle stream gets an empty part as often as server-sent events get a comment', async () => {
  const { setInterval: start } = globalThis;
  let ping = (): void => undefined;
  globalThis.setInterval = ((call: () => void, ms: number) => {
    if (ms === 12_000) ping = call;
    return start(call, ms);
  }) as typeof setInterval;
  try {
    const pings: string[] = [];
    for (const [query, accept] of [
      ['subscription Parts { lists { rev } }', PARTS.accept],
      ['subscription Events { lists { rev } }', EVENTS.accept],
    ]) {
      const stream = openSocket(query!, accept);
      stream.read();
      await until(() => stream.text().includes('rev'));
      const before = stream.text();
      ping();
      await until(() => stream.text().length > before.length);
      pings.push(bodyOf(`\r\n\r\n${stream.text().slice(before.length)}`));
    }
    expect(pings).toEqual(['\r\nContent-Type: application/json\r\n\r\n{}\r\n--graphql', ':\n\n']);
  } finally {
    globalThis.setInterval = start;
  }
});

test('a shopper who may no longer read is told why in a part without payload, and the last boundary follows', async () => {
  const stream = openSocket('subscription { lists { rev } }');
  stream.read();
  await until(() => stream.text().includes('payload'));
  await revokeSessions(service.services, store.pid, { all: true });
  await until(() => bodyOf(stream.text()).includes('--graphql--'));
  const last = /\{"payload":null.*?\}(?=\r\n)/.exec(stream.text())![0];
  expect(JSON.parse(last)).toEqual({
    payload: null,
    errors: [expect.objectContaining({ extensions: expect.objectContaining({ type: 'bad-sessionid' }) })],
  });
  expect(bodyOf(stream.text())).toContain(`${last}\r\n--graphql--\r\n`);
});

test('a stream that breaks off ends without the last boundary: for maintenance, and when the process ends', async () => {
  const beside = await startService({}, undefined, service);
  const [here, there] = [await watch(), await watch({ on: beside })];
  await Promise.all([here.message(1), there.message(1)]);
  await beside.close();
  await until(() => there.end() === 'broken');
  await setMaintenance(service.services, null, true);
  try {
    await until(() => here.end() === 'broken');
    expect((await watch()).status).toBe(503);
  } finally {
    await setMaintenance(service.services, null, false);
  }
});

test('a stream is rejected before it starts, with its status and the usual errors', async () => {
  const shut = await service.createStore({ allowedOrigins: ['https://shop.example'] });
  const elsewhere = { shopper: await service.account(shut), headers: { origin: 'https://evil.example' } };
  const since = { query: WATCH, variables: { since: 'abc' } };
  const rejected: [Caller, object | undefined, number, string][] = [
    [{}, undefined, 401, 'unauthorised'],
    [{ shopper: { ...me.shopper, sessionid: 'wrong' } }, undefined, 401, 'bad-sessionid'],
    [{ store }, undefined, 401, 'sw-badregid'],
    [elsewhere, undefined, 403, 'forbidden'],
    [{ shopper: me.shopper }, since, 400, 'invalid-request'],
    [{ shopper: me.shopper }, { query: 'subscription { lists { nothing } }' }, 400, 'invalid-request'],
  ];
  for (const [caller, request, status, type] of rejected) {
    const stream = await watchAs(caller, { request });
    expect([stream.status, stream.body!.errors![0]!.extensions.type]).toEqual([status, type]);
    expect(stream.messages).toEqual([]);
  }
});

test('streams of both kinds count together', async () => {
  const small: TestService = await startService({ maxStreams: 2 }, undefined, service);
  try {
    const shopper = await service.account(await service.createStore());
    expect((await watch({ on: small })).status).toBe(200);
    const { status } = await openStream(small, { shopper }).then((stream) => (open.push(stream), stream));
    expect(status).toBe(200);
    for (const protocol of [PARTS, EVENTS]) {
      const refused = await watch({ on: small, protocol });
      expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '10']);
    }
  } finally {
    await small.close();
  }
});

test('a query or mutation with this header is answered as JSON', async () => {
  for (const accept of [PARTS.accept, 'multipart/mixed;subscriptionSpec="1.0", application/json']) {
    const { body, headers } = await me
      .graphql('mutation { createList(input: { lname: "By JSON" }) { lname } }')
      .set('accept', accept)
      .expect(200);
    expect(headers['content-type']).toMatch(/^application\/(graphql-response\+)?json/);
    expect(body.data.createList).toEqual(accept === PARTS.accept ? { lname: 'By JSON' } : null);
  }
  const wrong = '{ nothing }';
  await me.graphql(wrong).set('accept', PARTS.accept).expect(400);
  await me.graphql(wrong).set('accept', 'multipart/mixed;subscriptionSpec=1.0, application/json').expect(200);
  // Without the version of the protocol it is no request for a stream.
  const { body } = await me.graphql(WATCH).set('accept', 'multipart/mixed, application/json').expect(200);
  expect(body.errors[0].message).toMatch(/subscriptionSpec=1\.0 at \/graphql/);
});

test.each([
  ['Apollo iOS', 'multipart/mixed;boundary="graphql";subscriptionSpec="1.0",application/json', PARTS],
  ['Apollo Kotlin', 'multipart/mixed;subscriptionSpec=1.0, application/graphql-response+json', PARTS],
  ['a client that accepts nothing else', 'multipart/mixed; subscriptionSpec=1.0', PARTS],
  ['urql', 'text/event-stream, multipart/mixed', { ...EVENTS, path: '/graphql' }],
])('the header of %s opens a stream at /graphql', async (_client, accept, protocol) => {
  const stream = await watch({ protocol: { ...protocol, accept } });
  expect((await stream.message(1)).data!.lists.isWhole).toBe(true);
});

test('a reader that takes nothing gets the newest state when it reads again', async () => {
  const { lid } = await me.create('Slow');
  const note = 'x'.repeat(900);
  await me.add(lid, ...Array.from({ length: 500 }, (_, n) => item(n, { note })));
  const query = 'subscription { lists { rev lists { listcontents(limit: 500) { note } } } }';
  const stream = openSocket(query);
  await once(stream.socket, 'readable');
  const writes = await fillBuffers(service, (n) => me.add(lid, item(1, { qty: n + 2 })));
  const { rev } = await me.ok('lists/changes', { wait: 0 });
  stream.read();
  await until(() => stream.text().includes(`"rev":"${rev}"`));
  expect(stream.text().split('"payload"').length - 1).toBeLessThan(writes + 2);
});
