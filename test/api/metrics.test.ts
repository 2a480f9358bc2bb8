import { readFileSync } from 'node:fs';
import { readConfig } from '../../src/config.ts';
import { startService, useService } from '../harness.ts';
import type { TestService } from '../harness.ts';
import { until } from '../until.ts';

const TOKEN = 'a-token-of-the-metrics';
const service = useService({ rateLimits: true });
let guarded: TestService;
let proxied: TestService;

beforeAll(async () => {
  guarded = await startService({ metricsToken: TOKEN }, undefined, service);
  proxied = await startService({ metricsToken: TOKEN, trustProxy: ['loopback'] }, undefined, service);
});
afterAll(async () => {
  await guarded.close();
  await proxied.close();
});

const scrape = async (): Promise<string> => (await service.http.get('/metrics').expect(200)).text;

/** The value of the line whose labels hold all of these; 0 where there is none. */
async function valueOf(name: string, labels: Record<string, string> = {}): Promise<number> {
  const wanted = Object.entries(labels).map(([label, value]) => `${label}="${value}"`);
  const lines = (await scrape())
    .split('\n')
    .filter((line) => line.startsWith(`${name}{`) || line.startsWith(`${name} `));
  const fitting = lines.filter((line) => wanted.every((label) => line.includes(label)));
  return fitting.reduce((sum, line) => sum + Number(line.slice(line.lastIndexOf(' ') + 1)), 0);
}

const requestsOf = (labels: Record<string, string>): Promise<number> =>
  valueOf('wishgate_http_request_duration_seconds_count', labels);

describe('who may read the metrics', () => {
  const status = async (
    where: TestService,
    headers: Record<string, string> = {},
  ): Promise<[number, string | undefined]> => {
    const answer = await where.http.get('/metrics').set(headers);
    return [answer.status, answer.body.type];
  };
  const elsewhere: Record<string, string>[] = [
    { host: 'shop.example' },
    { host: 'localhost.evil.example' },
    { forwarded: 'for=1.2.3.4' },
    { 'x-forwarded-for': '127.0.0.1' },
    { 'x-forwarded-proto': 'https' },
    { 'x-real-ip': '127.0.0.1' },
    { via: '1.1 proxy' },
  ];
  const shown = (token: string) => ({ authorization: `Bearer ${token}` });

  test('a caller on the own machine may, with or without a token being set', async () => {
    for (const host of ['localhost:4000', '127.0.0.1', '[::1]:4000']) {
      expect(await status(service, { host })).toEqual([200, undefined]);
      expect(await status(guarded, { host })).toEqual([200, undefined]);
    }
  });

  test('without a token, callers from elsewhere are answered as at an unknown address', async () => {
    const nothing = await service.http.get('/nothing').set({ host: 'shop.example' });
    const unknown = JSON.parse(JSON.stringify(nothing.body).replaceAll('/nothing', '/metrics'));
    for (const headers of [...elsewhere, { host: 'shop.example', ...shown(TOKEN) }]) {
      const { status, body } = await service.http.get('/metrics').set(headers);
      expect([status, body]).toEqual([nothing.status, unknown]);
    }
  });

  test('with a token, callers from elsewhere may who show it, and nobody else', async () => {
    for (const headers of elsewhere) {
      for (const wrong of [{}, shown(`${TOKEN}x`), shown(TOKEN.slice(1)), { authorization: TOKEN }])
        expect(await status(guarded, { ...headers, ...wrong })).toEqual([401, 'unauthorised']);
      expect(await status(guarded, { ...headers, ...shown(TOKEN) })).toEqual([200, undefined]);
    }
  });

  test('where a proxy is trusted, nobody is on the own machine', async () => {
    expect(await status(proxied)).toEqual([401, 'unauthorised']);
    expect(await status(proxied, shown(TOKEN))).toEqual([200, undefined]);
  });

  test('with a public address nobody is on the own machine, since a proxy may add no headers', async () => {
    const at = (publicUrl: string, metricsToken: string | null) =>
      startService({ publicUrl, hasPublicUrl: true, metricsToken }, undefined, service);
    const asked = async (where: TestService, headers?: Record<string, string>) =>
      status(where, headers).finally(() => where.close());
    expect(await asked(await at('https://wishes.example', null))).toEqual([404, 'not-found']);
    expect(await asked(await at('https://wishes.example', TOKEN))).toEqual([401, 'unauthorised']);
    expect(await asked(await at('https://wishes.example', TOKEN), shown(TOKEN))).toEqual([200, undefined]);
    expect(await asked(await at('http://localhost:4000', null))).toEqual([200, undefined]);
  });

  test('a token that can be guessed keeps the service from starting', () => {
    expect(() => readConfig({ METRICS_TOKEN: 'fifteen-letters' })).toThrow(
      'METRICS_TOKEN is invalid: use at least 16 characters, without spaces (see .env.example)',
    );
    expect(readConfig({ METRICS_TOKEN: 'sixteen--letters' }).metricsToken).toBe('sixteen--letters');
  });
});

describe('what is counted', () => {
  test('an operation counts under one name over REST and GraphQL, its failures by type', async () => {
    const store = await service.createStore();
    const shopper = await service.guest(store);
    const operation = 'mutation createList';
    const rest = { operation, route: '/api/v3/lists/create', status: '400' };
    const graphql = { operation, route: '/graphql', status: '200' };
    const before = await Promise.all([requestsOf(rest), requestsOf(graphql)]);
    const failed = await valueOf('wishgate_failures_total', { type: 'invalid-lname' });
    await service.post('/api/v3/lists/create/', { lname: 'x' }, { shopper }).expect(400);
    await service.graphql('mutation Mine { a: createList(input: { lname: "x" }) { lid } }', {}, { shopper });
    await until(async () => (await requestsOf(rest)) === before[0] + 1);
    await until(async () => (await requestsOf(graphql)) === before[1] + 1);
    expect(await valueOf('wishgate_failures_total', { type: 'invalid-lname' })).toBe(failed + 2);
  });

  test('nothing that a caller makes up becomes a label', async () => {
    const store = await service.createStore();
    const several = { operation: 'query (several)' };
    const before = await requestsOf(several);
    for (const fields of ['store { pid } topics { __typename }', 'topics { __typename } store { pid }'])
      await service.graphql(`query Invented1 { invented2: ${fields} }`, {}, { store }).expect(200);
    await service.http.get('/invented3').expect(404);
    await service.http.get('/confirm/invented4').expect(404);
    await service.http.patch('/metrics/invented5').expect(404);
    await until(async () => (await requestsOf(several)) === before + 2);
    expect(await scrape()).not.toContain('nvented');
  });

  test('cached responses, shared statements, statements by name and the pool each have a figure', async () => {
    const store = await service.createStore();
    const shopper = await service.guest(store);
    await service.post('/api/v3/lists/create', { lname: 'Wishes' }, { shopper }).expect(200);
    const hits = await valueOf('wishgate_kept_answers_total', { result: 'hit' });
    // Of several services in one process, the one that was started last tells its sizes.
    const newest = await startService({ rateLimits: true }, undefined, service);
    for (let n = 0; n < 4; n += 1) await newest.graphql('{ lists { totalCount } }', {}, { shopper });
    expect(await valueOf('wishgate_kept_answers_total', { result: 'hit' })).toBeGreaterThan(hits);
    expect(await valueOf('wishgate_kept_answers_bytes')).toBeGreaterThan(0);
    expect(await valueOf('wishgate_batch_size_count', { kind: 'read' })).toBeGreaterThan(0);
    const statements = 'wishgate_database_statement_duration_seconds_count';
    for (const statement of ['typed', 'commit', 'load_identities'])
      expect([statement, await valueOf(statements, { statement })]).not.toEqual([statement, 0]);
    expect(await valueOf('wishgate_database_connections')).toBeGreaterThan(0);
    expect(await valueOf('wishgate_database_connections_max')).toBe(10);
    expect(await valueOf('wishgate_database_wait_seconds_count')).toBeGreaterThan(0);
    await newest.close();
  });

  test('a refusal by a rate limit counts under the kind of its limit', async () => {
    const store = await service.createStore({ rateLimits: { key: 1 } });
    const refusals = (): Promise<number> => valueOf('wishgate_rate_limit_refusals_total', { kind: 'key' });
    const before = await refusals();
    await service.get('/storeadmin/me', { store }).expect(200);
    await service.get('/storeadmin/me', { store }).expect(429);
    expect(await refusals()).toBe(before + 1);
  });

  test('messages count while they wait, and then by how they ended', async () => {
    const queued = (): Promise<number> =>
      valueOf('wishgate_outbox_queued', { lane: 'message', medium: 'email' });
    const sent = { lane: 'message', medium: 'email', outcome: 'sent' };
    const before = await valueOf('wishgate_messages_total', sent);
    const other = await startService();
    const store = await other.createStore();
    const shopper = await other.account(store);
    const { body } = await other.post('/api/v3/lists/create', { lname: 'Wishes' }, { shopper });
    const mail = { lid: body.lid, toemail: 'a@example.com', fromname: 'Ann' };
    await other.post('/api/v3/lists/emailList', mail, { shopper }).expect(200);
    expect(await queued()).toBe(1);
    expect(
      await valueOf('wishgate_outbox_oldest_due_seconds', { lane: 'message', medium: 'email' }),
    ).toBeGreaterThan(0);
    await other.runTasks();
    expect(await valueOf('wishgate_messages_total', sent)).toBe(before + 1);
    expect(await valueOf('wishgate_send_duration_seconds_count', { lane: 'message' })).toBeGreaterThan(0);
    await other.close();
  });

  test('a figure that cannot be read is left out, and the others are told', async () => {
    const failures = (): Promise<number> =>
      valueOf('wishgate_scrape_failures_total', { metric: 'wishgate_outbox_queued' });
    const before = await failures();
    const broken = await startService();
    await broken.services.db.query('ALTER TABLE outbox RENAME TO gone');
    const text = await scrape();
    expect(text).not.toMatch(/^wishgate_outbox_queued\{/m);
    expect(text).toMatch(/^process_cpu_seconds_total /m);
    expect(await failures()).toBeGreaterThan(before);
    await broken.close();
  });
});

describe('what operators are given to read them with', () => {
  const board = readFileSync('docs/operations/grafana.json', 'utf8');
  const docs = readFileSync('docs/operations/observe.md', 'utf8');

  test('the board and the rules name only metrics that there are, and the docs name all of ours', async () => {
    const text = await scrape();
    const known = new Set([...text.matchAll(/^# TYPE (\S+)/gm)].map(([, name]) => name!));
    const named = (page: string): Set<string> =>
      new Set(
        [...page.matchAll(/\b(?:wishgate|process|nodejs)_[a-z0-9_]+\b/g)].map(([name]) =>
          known.has(name) ? name : name.replace(/_(bucket|sum|count)$/, ''),
        ),
      );
    expect([...named(board), ...named(docs)].filter((name) => !known.has(name))).toEqual([]);
    const ours = [...known].filter((name) => name.startsWith('wishgate_'));
    expect(ours.filter((name) => !named(docs).has(name))).toEqual([]);
    expect(ours.filter((name) => !named(board).has(name))).toEqual([]);
  });

  test('every metric says what it is', async () => {
    const text = await scrape();
    const names = [...text.matchAll(/^# TYPE (\S+)/gm)].map(([, name]) => name!);
    const helped = new Set([...text.matchAll(/^# HELP (\S+) \S.{9,}$/gm)].map(([, name]) => name));
    expect(names.filter((name) => !helped.has(name))).toEqual([]);
  });
});

test('health tells the version, and readiness how far the database is', async () => {
  const { version } = JSON.parse(readFileSync('package.json', 'utf8')) as { version: string };
  const healthy = await service.http.get('/healthz').set({ host: 'shop.example' });
  expect(healthy.body).toEqual({ status: 'ok', version });
  const ready = await service.http.get('/readyz');
  const migrations = {
    applied: expect.any(Number),
    latest: expect.stringMatching(/^\d{14}_\w+$/),
    pending: [],
  };
  expect(ready.body).toEqual({ status: 'ready', version, migrations });
  const { latest } = ready.body.migrations as { latest: string };
  await service.services.db.query(
    'UPDATE _prisma_migrations SET finished_at = NULL WHERE migration_name = $1',
    [latest],
  );
  const behind = await service.http.get('/readyz').expect(503);
  expect(behind.body).toMatchObject({ type: 'unavailable', version, migrations: { pending: [latest] } });
  await service.services.db.query('UPDATE _prisma_migrations SET finished_at = now()');
});
