import { once } from 'node:events';
import { request } from 'node:http';
import { connect } from 'node:net';
import type { Socket } from 'node:net';
import type { PoolClient } from 'pg';
import type { NewStore } from '../../src/domain/store/store.service.ts';
import { queueFigures } from '../../src/transport/shedding.ts';
import { startService } from '../harness.ts';
import type { TestService, TestShopper } from '../harness.ts';
import { until } from '../until.ts';

const MAX = 2;
/** More than it takes at once. */
const CROWD = 9 * MAX + 1;
const BODY = { error: true, type: 'unavailable', msg: expect.any(String), message: expect.any(String) };

let service: TestService;
let store: NewStore;
let shopper: TestShopper;
let holder: PoolClient;
const sockets: Socket[] = [];

// A new one for each test: a crowd spends the burst of a service for seconds.
beforeEach(async () => {
  service = await startService({ maxRequests: MAX, databasePool: 30, liveWaitMs: 60_000 });
  store = await service.createStore();
  shopper = await service.guest(store);
  holder = await service.services.db.pool.connect();
});
afterEach(async () => {
  await holder.query('ROLLBACK');
  for (const socket of sockets.splice(0)) socket.destroy();
  await until(() => queueFigures().underWay === 0);
  holder.release();
  await service.close();
});

const createList = (lname: string) => service.post('/api/v3/lists/create', { lname }, { shopper });

/** Requests that a lock keeps under way until `ROLLBACK`: as many as the service takes, a burst included. */
async function fill(): Promise<Promise<{ status: number }>[]> {
  await holder.query('BEGIN; LOCK TABLE list');
  const held: Promise<{ status: number }>[] = [];
  for (const { refused } = queueFigures(); ;) {
    const call = createList(`Held ${held.length}`).then((answer) => answer);
    await until(() => queueFigures().refused > refused || queueFigures().underWay > held.length);
    if (queueFigures().refused > refused) return held;
    held.push(call);
  }
}

/** Everything that the service answers to these bytes, once `isWhole` holds. */
async function send(bytes: string, isWhole = (text: string) => text.includes('\r\n\r\n')): Promise<string> {
  const socket = connect(Number(new URL(service.url).port), '127.0.0.1');
  sockets.push(socket);
  let text = '';
  socket.setEncoding('utf8').on('data', (part: string) => (text += part));
  socket.write(bytes);
  await until(() => isWhole(text));
  return text;
}

const head = (path: string, length: number, more = ''): string =>
  `POST ${path} HTTP/1.1\r\nHost: x\r\nContent-Type: application/x-www-form-urlencoded\r\nContent-Length: ${length}\r\n${more}\r\n`;

test('one request too many is answered 503 with Retry-After and the body of its door, health goes on, and after the others all are served', async () => {
  const held = await fill();
  expect(held.length).toBe(CROWD - 1);
  const rest = await createList('Too many').expect(503);
  expect(rest.body).toEqual(BODY);
  expect(rest.headers).toMatchObject({ 'retry-after': '2', 'cache-control': 'no-store' });
  const graphql = await service.graphql('{ allLists { lid } }', {}, { shopper }).expect(503);
  expect(graphql.body).toEqual({
    errors: [
      {
        message: rest.body.msg,
        extensions: { code: 'SERVICE_UNAVAILABLE', type: 'unavailable', status: 503 },
      },
    ],
  });
  expect(graphql.headers['retry-after']).toBe('2');
  const page = await service.http.get('/docs').set('accept', 'text/html').expect(503);
  expect([page.headers['content-type'], page.headers['retry-after']]).toEqual([
    'text/html; charset=utf-8',
    '2',
  ]);
  const foreign = await service.http.post('/graphql').set('origin', 'https://shop.example').expect(503);
  expect(foreign.headers['access-control-allow-origin']).toBe('https://shop.example');
  for (const path of ['/healthz', '/readyz']) await service.http.get(path).expect(200);
  await service.http.options('/graphql').set('origin', 'https://shop.example').expect(204);
  await holder.query('ROLLBACK');
  expect((await Promise.all(held)).map(({ status }) => status)).toEqual(held.map(() => 200));
  await createList('Served again').expect(200);
  const { body } = await service.graphql('{ allLists { lname } }', {}, { shopper }).expect(200);
  expect(body.data.allLists.map(({ lname }: { lname: string }) => lname)).not.toContain('Too many');
});

test('who is turned away is told before its body is read, and one that asks first need not send it', async () => {
  const held = await fill();
  expect(await send(head('/api/v3/lists/create', 1_000))).toMatch(/^HTTP\/1.1 503 /);
  const expecting = await send(head('/api/v3/lists/create', 1_000, 'Expect: 100-continue\r\n'));
  expect(expecting).toMatch(/^HTTP\/1.1 503 /);
  await holder.query('ROLLBACK');
  await Promise.all(held);
  const welcome = await send(head('/api/v3/lists/create', 1_000, 'Expect: 100-continue\r\n'));
  expect(welcome).toMatch(/^HTTP\/1.1 100 Continue\r\n\r\n$/);
});

test('who asks again at once on the same connection waits for its refusal; one who comes back in time does not', async () => {
  const held = await fill();
  const asked = head('/api/v3/lists/create', 0);
  const count = (text: string): number => text.split('HTTP/1.1 503').length - 1;
  const before = queueFigures().refused;
  const first = await send(`${asked}${asked}`, () => queueFigures().refused === before + 2);
  // The second is known of and not answered; the first was, at once.
  expect(count(first)).toBeLessThanOrEqual(1);
  await holder.query('ROLLBACK');
  await Promise.all(held);
});

test('streams, calls that wait for a change and bodies that come slowly keep nobody from being served', async () => {
  const headers = {
    'content-type': 'application/json',
    'x-pid': shopper.pid,
    'x-regid': shopper.regid,
    'x-sessionid': shopper.sessionid,
  };
  const { body } = await service.graphql('{ listChanges { rev } }', {}, { shopper }).expect(200);
  const ask = async (path: string, query: string, accept: string): Promise<void> => {
    const call = request(`${service.url}${path}`, { method: 'POST', headers: { ...headers, accept } });
    call.on('error', () => undefined).end(JSON.stringify({ query }));
    await once(call, 'socket').then(([socket]) => sockets.push(socket as Socket));
    if (accept === 'text/event-stream') await once(call, 'response');
  };
  for (let n = 0; n < CROWD; n += 1) {
    await ask('/graphql/stream', 'subscription { lists { rev } }', 'text/event-stream');
    await ask('/graphql', `{ listChanges(since: "${body.data.listChanges.rev}", wait: 60) { rev } }`, '*/*');
    const slow = connect(Number(new URL(service.url).port), '127.0.0.1');
    sockets.push(slow);
    slow.write(`${head('/api/v3/lists/create', 1_000)}lname=`);
  }
  await until(() => queueFigures().underWay === 0);
  await service.get('/storeadmin/me', { store }).expect(200);
});

/** Opens connections while every turn of the loop is slow; it takes one in each, so that the last ones wait for long. */
async function openSlowly(port: number): Promise<Socket[]> {
  let isOver = false;
  const slowDown = (): void => {
    for (const end = performance.now() + 10; performance.now() < end;);
    if (!isOver) setImmediate(slowDown);
  };
  slowDown();
  const opened = Array.from({ length: 40 }, () => connect(port, '127.0.0.1'));
  sockets.push(...opened);
  await Promise.all(opened.map((socket) => ask(socket, '/healthz')));
  isOver = true;
  return opened;
}

/** The status of a call that needs a store key, and has none. */
async function ask(socket: Socket, path = '/storeadmin/me'): Promise<string> {
  socket.write(`GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`);
  const [answer] = (await once(socket, 'data')) as [Buffer];
  return answer.toString().slice(9, 12);
}

test('below the limit nobody is turned away, though its connection waited long to be taken', async () => {
  await holder.query('BEGIN; LOCK TABLE list');
  const held = createList('Held').then((answer) => answer);
  await until(() => queueFigures().underWay === MAX - 1);
  for (const socket of await openSlowly(Number(new URL(service.url).port)))
    expect(await ask(socket)).toBe('401');
  await holder.query('ROLLBACK');
  expect((await held).status).toBe(200);
});

test('at the limit a connection that waited long to be taken is no part of a burst; one that was taken at once is', async () => {
  const fresh = await startService({ maxRequests: MAX });
  const port = Number(new URL(fresh.url).port);
  await holder.query('BEGIN; LOCK TABLE list');
  const held = Array.from({ length: MAX }, (_, n) => createList(`Held ${n}`).then((answer) => answer));
  await until(() => queueFigures().underWay === MAX);
  const late = (await openSlowly(port)).at(-1)!;
  expect(await ask(late)).toBe('503');
  const inTime = connect(port, '127.0.0.1');
  sockets.push(inTime);
  expect(await ask(inTime)).toBe('401');
  await holder.query('ROLLBACK');
  await Promise.all(held);
  await fresh.close();
});
