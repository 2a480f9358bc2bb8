import { once } from 'node:events';
import { createServer } from 'node:http';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { startTracing } from '../../src/services.ts';
import { createLogger } from '../../src/platform/log.ts';
import { closeTracing, readTraceparent } from '../../src/platform/tracing.ts';
import { startService } from '../harness.ts';
import type { TestService } from '../harness.ts';
import { until } from '../until.ts';

type Attribute = { key: string; value: Record<string, unknown> };
type Span = {
  traceId: string;
  spanId: string;
  parentSpanId?: string;
  name: string;
  attributes: Attribute[];
  links?: { traceId: string }[];
};

/** Takes spans over OTLP/HTTP, or refuses them. */
async function startCollector(status = 200) {
  const bodies: string[] = [];
  const server: Server = createServer((req, res) => {
    void text(req).then((body) => {
      bodies.push(body);
      res.writeHead(status, { 'content-type': 'application/json' }).end('{}');
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    bodies,
    endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    spans: (): Span[] =>
      bodies.flatMap((body) =>
        JSON.parse(body).resourceSpans.flatMap((one: { scopeSpans: { spans: Span[] }[] }) =>
          one.scopeSpans.flatMap(({ spans }) => spans),
        ),
      ),
    close: async () => {
      server.closeAllConnections();
      await new Promise((done) => server.close(done));
    },
  };
}

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';
const CALLER = '00f067aa0ba902b7';
const traceparent = `00-${TRACE}-${CALLER}-01`;

let service: TestService;
let lines: Record<string, unknown>[] = [];
const log = createLogger('debug', { write: (line: string) => void lines.push(JSON.parse(line)) });

beforeAll(async () => {
  service = await startService({}, log);
});
beforeEach(() => void (lines = []));
afterEach(closeTracing);
afterAll(() => service.close());

const traceTo = (endpoint: string): Promise<void> =>
  startTracing({ ...service.services.config, traces: { endpoint, serviceName: 'test', share: 1 } }, log);

test("request, operation, statements and the mail that follows are one trace below the caller's span, in the log, too", async () => {
  const collector = await startCollector();
  const shopper = await service.account(await service.createStore());
  const { body } = await service.post('/api/v3/lists/create', { lname: 'Secret wishes' }, { shopper });
  await traceTo(collector.endpoint);
  const mail = { lid: body.lid, toemail: 'hidden.person@example.com', fromname: 'Ann' };
  const headers = { traceparent };
  await service.post('/api/v3/lists/emailList', mail, { shopper, headers }).expect(200);
  await service.runTasks();
  await closeTracing();
  const spans = collector.spans().filter(({ traceId }) => traceId === TRACE);
  const ids = new Map(spans.map((span) => [span.spanId, span]));
  const request = spans.find(({ name }) => name === 'POST /api/v3/lists/emailList')!;
  const operation = spans.find(({ name }) => name === 'mutation emailList')!;
  const send = spans.find(({ name }) => name === 'send message-email')!;
  const statements = spans.filter((span) => ![request, operation, send].includes(span));
  expect(request.parentSpanId).toBe(CALLER);
  expect(operation.parentSpanId).toBe(request.spanId);
  expect(ids.has(send.parentSpanId!)).toBe(true);
  expect(statements.map(({ name }) => name)).toEqual(
    expect.arrayContaining(['load_identities', 'typed', 'commit']),
  );
  expect(statements.every(({ parentSpanId }) => ids.has(parentSpanId!))).toBe(true);
  const said = Object.fromEntries(send.attributes.map(({ key, value }) => [key, Object.values(value)[0]]));
  expect(said).toEqual({
    'wishgate.store': shopper.pid,
    'wishgate.kind': 'list-share',
    'wishgate.medium': 'email',
    'wishgate.attempt': 1,
    'wishgate.outcome': 'sent',
  });
  for (const secret of ['hidden.person', 'Secret wishes', shopper.regid, shopper.sessionid])
    expect(collector.bodies.join('') + JSON.stringify(lines)).not.toContain(secret);
  expect(lines.find(({ msg }) => msg === 'Delivery attempt')).toMatchObject({
    traceId: TRACE,
    store: shopper.pid,
    lane: 'message-email',
    kind: 'list-share',
    outcome: 'sent',
  });
  await collector.close();
});

test('requests that share a statement keep to their own traces, and each finds the statement by a link', async () => {
  const collector = await startCollector();
  const store = await service.createStore();
  const shoppers = await Promise.all(Array.from({ length: 9 }, () => service.account(store)));
  await traceTo(collector.endpoint);
  const traces = shoppers.map((_, n) => `${n + 1}`.repeat(32));
  // The first two who ask wait for the lock; those who come meanwhile share the next statement.
  const holder = await service.services.db.pool.connect();
  await holder.query('BEGIN; LOCK TABLE store');
  const answers = Promise.all(
    shoppers.map((shopper, n) =>
      service
        .graphql(
          'mutation { createList(input: { lname: "Wishes" }) { lid } }',
          {},
          {
            shopper,
            headers: { traceparent: `00-${traces[n]}-${CALLER}-01` },
          },
        )
        .expect(200),
    ),
  );
  const waiting = "SELECT FROM pg_locks WHERE relation = 'store'::regclass AND NOT granted";
  await until(async () => (await holder.query(waiting)).rowCount === 2);
  await holder.query('ROLLBACK');
  holder.release();
  await answers;
  await closeTracing();
  const spans = collector.spans();
  for (const trace of traces) {
    const own = spans.filter(({ traceId }) => traceId === trace);
    const ids = new Set([CALLER, ...own.map(({ spanId }) => spanId)]);
    expect(own.map(({ name }) => name)).toEqual(
      expect.arrayContaining(['POST /graphql', 'mutation createList']),
    );
    expect(own.filter(({ parentSpanId }) => !ids.has(parentSpanId!))).toEqual([]);
  }
  const shared = spans.filter(({ name }) => name === 'load_identities');
  const told = shared.flatMap(({ traceId, links = [] }) => [traceId, ...links.map((link) => link.traceId)]);
  expect(told.sort()).toEqual(traces);
  await collector.close();
});

test('a caller that does not record its trace has none recorded here', async () => {
  const collector = await startCollector();
  const shopper = await service.account(await service.createStore());
  await traceTo(collector.endpoint);
  for (const flags of ['00', '01']) {
    const headers = { traceparent: `00-${flags.repeat(16)}-${CALLER}-${flags}`.replace('-0000', '-ab00') };
    await service.post('/api/v3/lists/fetch-lists', {}, { shopper, headers }).expect(200);
  }
  await closeTracing();
  expect(new Set(collector.spans().map(({ traceId }) => traceId))).toEqual(new Set(['01'.repeat(16)]));
  await collector.close();
});

test('a collector that refuses is one line in the log, and no request notices', async () => {
  const collector = await startCollector(400);
  const store = await service.createStore();
  await traceTo(collector.endpoint);
  for (const count of [1, 2]) {
    await service.get('/storeadmin/me', { store }).expect(200);
    await until(() => collector.bodies.length >= count);
  }
  await closeTracing();
  expect(lines.filter(({ msg }) => msg === 'Cannot export traces')).toHaveLength(1);
  await collector.close();
});

test('without traces, lines name the trace of the caller, and what is no traceparent is left out', async () => {
  const store = await service.createStore();
  const requests = (): Record<string, unknown>[] => lines.filter(({ msg }) => msg === 'Request');
  await service.get('/storeadmin/me', { store, headers: { traceparent } }).expect(200);
  await service.get('/storeadmin/me', { store, headers: { traceparent: 'anna' } }).expect(200);
  await until(() => requests().length === 2);
  expect(requests().map(({ traceId }) => traceId)).toEqual([TRACE, undefined]);
  for (const wrong of [
    `ff-${TRACE}-${CALLER}-01`,
    `00-${'0'.repeat(32)}-${CALLER}-01`,
    `00-${TRACE}-${CALLER}-01x`,
  ])
    expect(readTraceparent(wrong)).toBeNull();
});

test('the lines of a failure name store, operation, type and trace', async () => {
  const shopper = await service.account(await service.createStore());
  await service.services.db.query('ALTER TABLE list RENAME TO gone');
  const headers = { traceparent };
  await service.post('/api/v3/lists/create', { lname: 'Another' }, { shopper, headers }).expect(500);
  await service.services.db.query('ALTER TABLE gone RENAME TO list');
  await until(() => lines.some(({ status }) => status === 500));
  const about = { traceId: TRACE, store: shopper.pid, operation: 'mutation createList' };
  expect(lines.find(({ msg }) => msg === 'Unexpected error')).toMatchObject({ level: 50, ...about });
  expect(lines.find(({ status }) => status === 500)).toMatchObject({
    level: 40,
    ...about,
    type: 'internal-error',
  });
});
