import { createSocket } from 'node:dgram';
import type { Socket as DatagramSocket } from 'node:dgram';
import { getServers, setServers } from 'node:dns';
import { once } from 'node:events';
import { request } from 'node:http';
import type { IncomingMessage } from 'node:http';
import { connect } from 'node:net';
import type { Socket } from 'node:net';
import type { PoolClient } from 'pg';
import type { Config } from '../../src/config.ts';
import type { NewStore } from '../../src/stores/store.service.ts';
import { METRICS } from '../../src/platform/metrics.ts';
import { startService } from '../harness.ts';
import type { TestService, TestShopper } from '../harness.ts';
import { until } from '../until.ts';

/** Places; a shopper and an address have one of them, a key two, a store six. */
const MAX = 8;
const BODY = { error: true, type: 'unavailable', msg: expect.any(String), message: expect.any(String) };

let service: TestService;
let store: NewStore;
let shopper: TestShopper;
let holder: PoolClient;
let isSpecial = false;
const sockets: Socket[] = [];

async function start(settings: Partial<Config> = {}): Promise<void> {
  const patience = { queueWaitMs: 60_000, liveWaitMs: 60_000 };
  service = await startService({ maxRequests: MAX, databasePool: 30, ...patience, ...settings });
  holder = await service.services.db.pool.connect();
}

beforeAll(() => start());
beforeEach(async () => {
  store = await service.createStore();
  shopper = await known();
});
afterEach(async () => {
  await holder.query('ROLLBACK');
  for (const socket of sockets.splice(0)) socket.destroy();
  await untilFigures(0, 0);
  if (isSpecial) await stop().then(() => start());
  isSpecial = false;
});
afterAll(stop);

async function stop(): Promise<void> {
  holder.release();
  await service.close();
}

/** Runs the rest of the test with other settings. */
async function restart(settings: Partial<Config>): Promise<void> {
  isSpecial = true;
  await stop();
  await start(settings);
  store = await service.createStore();
  shopper = await known();
}

/** How many requests are served now, and how many wait. */
async function figures(): Promise<{ held: number; waiting: number }> {
  const [held, waiting] = await Promise.all([METRICS.requestsUnderWay.get(), METRICS.requestsWaiting.get()]);
  return { held: held.values[0]!.value, waiting: waiting.values[0]!.value };
}

const untilFigures = (held: number, waiting: number) =>
  until(async () => {
    const now = await figures();
    return now.held === held && now.waiting === waiting;
  });

const createList = (lname: string, by = shopper) =>
  service.post('/api/v3/lists/create', { lname }, { shopper: by }).then((answer) => answer);

/** A shopper whose credentials the service has seen, so that it has a line of its own. */
async function known(of = store): Promise<TestShopper> {
  const guest = await service.guest(of);
  await service.post('/api/v3/lists/fetch-lists', {}, { shopper: guest }).expect(200);
  return guest;
}

/** Keeps writes of lists under way until `ROLLBACK`. */
const lockLists = () => holder.query('BEGIN; LOCK TABLE list');

const statusesOf = async (calls: Promise<{ status: number }>[]): Promise<number[]> =>
  (await Promise.all(calls)).map(({ status }) => status);

test('requests of one shopper wait for each other, others are served meanwhile, and then all of them are', async () => {
  const [neighbour, stranger] = [await known(), await known(await service.createStore())];
  await lockLists();
  const crowd = Array.from({ length: 20 }, (_, n) => createList(`Crowd ${n}`));
  await untilFigures(1, 19);
  for (const other of [neighbour, stranger])
    await service.graphql('{ __typename }', {}, { shopper: other }).expect(200);
  await holder.query('ROLLBACK');
  expect(await statusesOf(crowd)).toEqual(crowd.map(() => 200));
});

test('one store never has all places', async () => {
  const [crowd, stranger] = [[] as TestShopper[], await known(await service.createStore())];
  for (let n = 0; n < MAX; n += 1) crowd.push(await known());
  await lockLists();
  const held = crowd.map((one) => createList('Held', one));
  await untilFigures(6, 2);
  await service.graphql('{ __typename }', {}, { shopper: stranger }).expect(200);
  await holder.query('ROLLBACK');
  expect(await statusesOf(held)).toEqual(held.map(() => 200));
});

test('made-up credentials wait in the line of their address, and known callers do not notice', async () => {
  await holder.query('BEGIN; LOCK TABLE shopper');
  const guesses = Array.from({ length: 20 }, (_, n) =>
    createList('Guess', { ...shopper, regid: `made-up-${n}`, sessionid: `${n}` }),
  );
  await untilFigures(1, 19);
  const own = createList('Mine');
  await untilFigures(2, 19);
  await holder.query('ROLLBACK');
  expect((await own).status).toBe(200);
  expect(await statusesOf(guesses)).toEqual(guesses.map(() => 401));
});

test('/readyz has a connection of its own: it answers while requests have all others', async () => {
  const { pool } = service.services.db;
  const taken = await Promise.all(Array.from({ length: 29 }, () => pool.connect()));
  expect((await service.http.get('/readyz')).status).toBe(200);
  for (const client of taken) client.release();
});

/** Opens a connection from this address of the machine and sends the bytes. */
function send(bytes: string | Buffer, localAddress = '127.0.0.1'): Socket {
  const socket = connect({ port: Number(new URL(service.url).port), host: '127.0.0.1', localAddress });
  sockets.push(socket.on('error', () => undefined));
  socket.write(bytes);
  return socket;
}

const head = (path: string, length: string): string =>
  `POST ${path} HTTP/1.1\r\nHost: x\r\nContent-Type: application/x-www-form-urlencoded\r\n${length}\r\n\r\n`;

test('streams, calls that wait for a change and bodies that come slowly hold no place', async () => {
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
  for (let n = 0; n < MAX; n += 1) {
    await ask('/graphql/stream', 'subscription { lists { rev } }', 'text/event-stream');
    await ask('/graphql', `{ listChanges(since: "${body.data.listChanges.rev}", wait: 60) { rev } }`, '*/*');
    send(`${head('/api/v3/lists/create', 'Content-Length: 1000')}lname=`);
  }
  await untilFigures(0, 0);
  await service.get('/storeadmin/me', { store }).expect(200);
});

/** Sends a large form in pieces of unknown length, as an honest client may. */
async function sendChunked(localAddress: string): Promise<number> {
  const call = request(`${service.url}/api/v3/lists/fetch-lists?pid=${encodeURIComponent(shopper.pid)}`, {
    method: 'POST',
    localAddress,
    headers: { 'content-type': 'application/x-www-form-urlencoded', 'transfer-encoding': 'chunked' },
  });
  call.write(`regid=${encodeURIComponent(shopper.regid)}&sessionid=${encodeURIComponent(shopper.sessionid)}`);
  call.end(`&pad=${'x'.repeat(300_000)}`);
  const [response] = (await once(call, 'response')) as [IncomingMessage];
  response.resume();
  return response.statusCode!;
}

test('bodies that are never finished keep nobody from sending one, neither by their number nor by their size', async () => {
  const slow = Array.from({ length: 12 }, (_, n) =>
    send(`${head('/api/v3/lists/create', 'Transfer-Encoding: chunked')}1\r\nl\r\n`, `127.0.0.${2 + (n % 3)}`),
  );
  await until(() => slow.every(({ bytesWritten }) => bytesWritten > 0));
  expect(await sendChunked('127.0.0.1')).toBe(200);
  // Four of each address are read at a time: together more than all bodies may take.
  const large = `${head('/api/v3/lists/create', 'Content-Length: 1999999')}${'x'.repeat(1_990_000)}`;
  let refused = 0;
  for (let n = 0; n < 40; n += 1)
    send(large, `127.0.0.${20 + Math.floor(n / 4)}`).on('data', (reply: Buffer) => {
      if (reply.toString().startsWith('HTTP/1.1 503')) refused += 1;
    });
  await until(() => refused > 0);
  expect(await sendChunked('127.0.0.1')).toBe(200);
});

describe('what waits for something outside of the process', () => {
  let nameServer: DatagramSocket;
  const asked: { name: string; answer: () => void }[] = [];
  const before = getServers();

  /** A name server that says "no such name" only once it is told to. */
  beforeEach(async () => {
    nameServer = createSocket('udp4');
    nameServer.on('message', (question, { port, address }) => {
      const answer = Buffer.from(question);
      answer.writeUInt16BE(0x8183, 2);
      asked.push({
        name: question.toString('latin1', 13, 13 + question[12]!),
        answer: () => nameServer.send(answer, port, address),
      });
    });
    nameServer.bind(0, '127.0.0.1');
    await once(nameServer, 'listening');
    setServers([`127.0.0.1:${nameServer.address().port}`]);
  });
  afterEach(() => {
    setServers(before);
    asked.splice(0);
    nameServer.close();
  });

  const saveWebhook = (n: number) =>
    service
      .graphql(
        'mutation ($url: String!) { saveWebhook(url: $url, events: ["list.item.added"]) { secret } }',
        { url: `https://slow${n}.example.com/` },
        { store },
      )
      .then((answer) => answer);

  test('a host whose name is slow to look up holds no place, and a store looks up a few at a time', async () => {
    await service.get('/storeadmin/me', { store }).expect(200);
    let done = 0;
    const calls = Array.from({ length: 10 }, (_, n) => saveWebhook(n).finally(() => (done += 1)));
    const hosts = (): number => new Set(asked.map(({ name }) => name)).size;
    await until(() => hosts() >= 4);
    expect(hosts()).toBe(4);
    await untilFigures(0, 0);
    expect(done).toBe(0);
    await service.get('/storeadmin/me', { store }).expect(200);
    let isOver = false;
    const all = statusesOf(calls).finally(() => (isOver = true));
    await until(() => {
      for (const { answer } of asked.splice(0)) answer();
      return isOver;
    });
    expect(await all).toEqual(calls.map(() => 200));
    expect((await calls[0]!).body.errors[0].message).toBe('url: its host cannot be found');
  });

  test('templates that loop hold no place while they wait for the renderer', async () => {
    await service.get('/storeadmin/me', { store }).expect(200);
    const loop = '{% for i in (1..100000) %}{% for j in (1..100000) %}x{% endfor %}{% endfor %}';
    const query = 'query ($s: String!) { previewTopic(topic: "backinstock", subject: $s) { subject } }';
    let done = 0;
    const calls = Array.from({ length: 4 }, (_, n) =>
      service.graphql(query, { s: `${loop}${n}` }, { store }).then(() => (done += 1)),
    );
    await untilFigures(0, 0);
    expect(done).toBeLessThan(4);
    await Promise.all(calls);
  });
});

test('who waited too long is answered 503 with Retry-After and the documented body, and changed nothing; health goes on', async () => {
  await restart({ queueWaitMs: 50 });
  await lockLists();
  const held = createList('Held');
  await untilFigures(1, 0);
  const rest = await service.post('/api/v3/lists/create', { lname: 'Too late' }, { shopper }).expect(503);
  expect(rest.body).toEqual(BODY);
  expect(rest.headers).toMatchObject({ 'retry-after': '2' });
  const graphql = await service
    .graphql('{ allLists { lid } }', {}, { shopper })
    .set('origin', 'https://shop.example')
    .expect(503);
  expect(graphql.body).toEqual({
    errors: [
      {
        message: rest.body.msg,
        extensions: { code: 'SERVICE_UNAVAILABLE', type: 'unavailable', status: 503 },
      },
    ],
  });
  expect(graphql.headers).toMatchObject({
    'retry-after': '2',
    'access-control-allow-origin': 'https://shop.example',
  });
  for (const path of ['/healthz', '/readyz']) await service.http.get(path).expect(200);
  await holder.query('ROLLBACK');
  expect((await held).status).toBe(200);
  const { body } = await service.graphql('{ allLists { lname } }', {}, { shopper }).expect(200);
  expect(body.data.allLists.map(({ lname }: { lname: string }) => lname)).not.toContain('Too late');
});

test('one store never has all streams of a process', async () => {
  await restart({ maxStreams: 4 });
  shopper = await known(await service.createStore());
  const mine = await service.guest(store);
  const open = async ({ pid, regid, sessionid }: TestShopper): Promise<number> => {
    const call = request(`${service.url}/graphql/stream`, {
      method: 'POST',
      headers: {
        ...{ 'content-type': 'application/json', accept: 'text/event-stream' },
        ...{ 'x-pid': pid, 'x-regid': regid, 'x-sessionid': sessionid },
      },
    });
    call.end(JSON.stringify({ query: 'subscription { lists { rev } }' }));
    const [response] = (await once(call, 'response')) as [IncomingMessage];
    sockets.push(response.socket);
    return response.statusCode!;
  };
  expect([await open(mine), await open(mine), await open(mine)]).toEqual([200, 200, 429]);
  expect([await open(shopper), await open(shopper), await open(shopper)]).toEqual([200, 200, 503]);
});
