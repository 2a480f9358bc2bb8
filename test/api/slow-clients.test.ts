import { once } from 'node:events';
import { connect } from 'node:net';
import type { Socket } from 'node:net';
import { startService } from '../harness.ts';
import type { TestService } from '../harness.ts';
import { until } from '../until.ts';
import { item, newAccount } from './list-kit.ts';

/**
 * Small ones, so that tests need not wait long; the service has those of src/api/http.ts. A process that stands still on a busy
 * machine may cut a connection before it has read what came, and such a client reads no 408: the limits are longer than that.
 */
const LIMITS = { headersMs: 1_000, requestMs: 1_500, idleMs: 300 };

let service: TestService;
const sockets: Socket[] = [];

beforeAll(async () => {
  service = await startService({ rateLimits: false }, undefined, undefined, LIMITS);
});
afterEach(() => {
  for (const socket of sockets.splice(0)) socket.destroy();
});
afterAll(() => service.close());

function open(bytes = '', to = service): { socket: Socket; text: () => string; closed: Promise<unknown> } {
  const socket = connect(Number(new URL(to.url).port), '127.0.0.1');
  sockets.push(socket);
  let text = '';
  socket.setEncoding('utf8').on('data', (part: string) => (text += part));
  // What was sent after the cut is answered with a reset.
  socket.on('error', () => undefined);
  if (bytes) socket.write(bytes);
  return { socket, text: () => text, closed: new Promise((done) => socket.once('close', done)) };
}

/** Sends one more byte again and again, as slow clients do, until the connection is gone. */
function trickle(socket: Socket, bytes: string): void {
  const timer = setInterval(() => socket.write(bytes), 20);
  socket.once('close', () => clearInterval(timer));
}

const POST =
  'POST /api/v3/lists/create HTTP/1.1\r\nHost: x\r\nContent-Type: application/x-www-form-urlencoded\r\n';

test('a connection on which no request comes is closed', async () => {
  await open().closed;
});

const HALF_HEAD = 'GET /healthz HTTP/1.1\r\nHost: x\r\n';
const HALF_BODY = `${POST}Content-Length: 100000\r\n\r\na`;

test.each([
  ['head', HALF_HEAD],
  ['body', HALF_BODY],
])('a %s that does not end is cut with 408', async (_part, bytes) => {
  const { text, closed } = open(bytes);
  await closed;
  expect(text()).toMatch(/^HTTP\/1.1 408 /);
});

// Whoever still sends when it is cut may not get to read the 408: the system throws it away at the reset.
test.each([
  ['head', HALF_HEAD, 'X-Slow: 1\r\n'],
  ['body', HALF_BODY, 'a'],
])('a %s that comes byte by byte is cut', async (_part, bytes, more) => {
  const { socket, closed } = open(bytes);
  trickle(socket, more);
  await closed;
});

test('a connection that stays idle after its answer is closed', async () => {
  const { text, closed } = open('GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n');
  await closed;
  expect(text()).toMatch(/^HTTP\/1.1 200 /);
});

test('a reader that takes nothing of its answers is cut, however small each of them is', async () => {
  const hasty = await startService({ rateLimits: false }, undefined, service, { stallMs: 200 });
  const me = await newAccount(hasty, await hasty.createStore());
  const { lid } = await me.create('Long');
  await me.add(lid, ...Array.from({ length: 10 }, (_, n) => item(n + 1, { note: 'x'.repeat(1_000) })));
  const { pid, regid, sessionid } = me.shopper;
  const body = new URLSearchParams({ regid, sessionid, lid }).toString();
  const { socket, closed } = open('', hasty);
  socket.pause();
  const call = `POST /api/v3/lists/fetch-list-with-contents?pid=${pid} HTTP/1.1\r\nHost: x\r\nContent-Type: application/x-www-form-urlencoded\r\n`;
  // More of them than the system's own buffers take.
  socket.write(`${call}Content-Length: ${body.length}\r\n\r\n${body}`.repeat(1_000));
  // What it sends meanwhile does not help it; and whoever is cut finds out when it writes.
  trickle(socket, '\r\n');
  await closed;
  await hasty.close();
});

test('a stream whose reader takes what comes outlives all of these limits', async () => {
  const me = await newAccount(service, await service.createStore());
  const { pid, regid, sessionid } = me.shopper;
  const body = JSON.stringify({ query: 'subscription { lists { rev } }' });
  const { socket, text } = open(
    `POST /graphql/stream HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nAccept: text/event-stream\r\nx-pid: ${pid}\r\nx-regid: ${regid}\r\nx-sessionid: ${sessionid}\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
  );
  await until(() => text().includes('event: next'));
  // Two others come and go by the limits meanwhile.
  await open().closed;
  await open().closed;
  expect(socket.destroyed).toBe(false);
  await me.create('Told');
  await until(() => text().split('event: next').length === 3);
});

test('one connection too many is closed at once; those that are open go on', async () => {
  const maxConnections = 50;
  const full = await startService({ rateLimits: false }, undefined, service, { maxConnections });
  const first = open('', full);
  await once(first.socket, 'connect');
  const opened = Array.from({ length: maxConnections }, () => open('', full));
  await Promise.race(opened.map(({ closed }) => closed));
  first.socket.write('GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n');
  await until(() => first.text().startsWith('HTTP/1.1 200 '));
  await full.close();
});
