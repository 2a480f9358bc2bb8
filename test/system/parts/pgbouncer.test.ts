import { randomUUID } from 'node:crypto';
import { readFile, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { cleanUp, makeDataDir } from '../fault/fixtures/embedded-kit.ts';
import { demoAuthorization, endMains, startMain, untilReady } from '../fault/fixtures/main-process.ts';
import { withAdmin } from '../../setup/database.ts';
import { until } from '../../until.ts';
import { describeWith } from './parts.ts';
import { startPgBouncer } from './pgbouncer.ts';
import type { PgBouncer } from './pgbouncer.ts';
import { startPostgres15 } from './postgres.ts';
import type { Postgres15 } from './postgres.ts';

/** Connections of PgBouncer to PostgreSQL, which two processes with twenty of their own share. */
const SERVER_CONNECTIONS = 3;
const SHOPPERS = 30;
const SUBSCRIBERS = 20;

type Answer = { status: number; body: Record<string, never> };

describeWith(['PostgreSQL 15', 'PgBouncer'], 'PgBouncer in transaction mode', () => {
  let postgres: Postgres15;
  let bouncer: PgBouncer;
  let dataDir: string;
  let urls: string[];
  let authorization: string;
  let pid: string;

  beforeAll(async () => {
    postgres = await startPostgres15({ isEmpty: true });
    bouncer = await startPgBouncer(postgres.url, SERVER_CONNECTIONS);
    dataDir = await makeDataDir();
    const env = {
      DATABASE_URL: bouncer.url,
      DATABASE_POOLER: 'transaction',
      DATABASE_POOL: '20',
      MAX_REQUESTS: '0',
    };
    const mains = [1, 2].map(() =>
      startMain({ ...env, DATA_DIR: dataDir, DEMO: '1', RATE_LIMITS: 'off', LOG_LEVEL: 'fatal' }),
    );
    urls = await Promise.all(mains.map(({ url }) => url));
    authorization = await demoAuthorization(dataDir);
    pid = Buffer.from(authorization.slice(6), 'base64').toString().split(':')[0]!;
  });
  afterAll(async () => {
    await endMains();
    await bouncer.remove();
    await postgres.remove();
    await cleanUp();
  });

  const readRows = async <Row>(sql: string): Promise<Row[]> => {
    let rows: Row[] = [];
    await withAdmin(postgres.url, async (admin) => void ({ rows } = (await admin.query(sql)) as never));
    return rows;
  };
  let calls = 0;
  /** A form to one of the processes in turn, as the store or as a shopper. */
  const post = async (path: string, form: Record<string, string>, headers = {}): Promise<Answer> => {
    const isStore = path.startsWith('/storeadmin');
    const url = `${urls[(calls += 1) % urls.length]}${path}${isStore ? '' : `?pid=${encodeURIComponent(pid)}`}`;
    const all = isStore ? { ...headers, authorization } : headers;
    const answer = await fetch(url, { method: 'POST', headers: all, body: new URLSearchParams(form) });
    return { status: answer.status, body: (await answer.json()) as never };
  };
  type Shopper = { regid: string; sessionid: string };
  const identify = async (): Promise<Shopper> => {
    const form = { uuid: randomUUID(), useragenttype: 'test' };
    const { status, body } = await post('/storeadmin/v3/user/generate-regid', form);
    expect(status).toBe(200);
    return { regid: body['regid']!, sessionid: body['sessionid']! };
  };
  const create = (shopper: Shopper, lname: string, key: string): Promise<Answer> =>
    post('/api/v3/lists/create', { ...shopper, lname }, { 'idempotency-key': key });

  // The oldest PostgreSQL that is promised.
  test('processes that start at once bring an empty database of PostgreSQL 15 up to date, each migration once', async () => {
    for (const url of urls) {
      await untilReady(url);
      const ready = await fetch(`${url}/readyz`);
      expect(await ready.json()).toMatchObject({ status: 'ready', migrations: { pending: [] } });
    }
    const applied = await readRows<{ name: string }>(
      'SELECT migration_name AS name FROM _prisma_migrations ORDER BY 1',
    );
    const names = (await readdir('prisma/migrations')).filter((name) => !name.endsWith('.toml')).sort();
    expect(applied.map(({ name }) => name)).toEqual(names);
  });

  test('its connections plan as our own do, and no statement takes for ever', async () => {
    await bouncer.console('RECONNECT');
    await withAdmin(bouncer.url, async (client) => {
      const settings = ['enable_seqscan', 'jit', 'statement_timeout'].map(
        (name) => `current_setting('${name}')`,
      );
      const { rows } = await client.query({ text: `SELECT ${settings.join(', ')}`, rowMode: 'array' });
      expect(rows).toEqual([['off', 'off', '30s']]);
    });
  });

  test('calls of REST and GraphQL, a retry and transactions are right on fewer connections than they ask for', async () => {
    await Promise.all(
      Array.from({ length: SHOPPERS }, async () => {
        const shopper = await identify();
        const key = randomUUID();
        const [first, retry] = await Promise.all([
          create(shopper, 'Birthday', key),
          create(shopper, 'Birthday', key),
        ]);
        expect([first.status, retry.status, retry.body]).toEqual([200, 200, first.body]);
        const a = JSON.stringify([1, 2].map((epi) => ({ epi, empi: epi, du: '/p' })));
        const { lid } = first.body as never;
        expect((await post('/api/v3/lists/update-ctx', { ...shopper, lid, a })).status).toBe(200);
        const lists = await fetch(`${urls[0]}/graphql`, {
          method: 'POST',
          headers: {
            'content-type': 'application/json',
            'x-pid': pid,
            'x-regid': shopper.regid,
            'x-sessionid': shopper.sessionid,
          },
          body: '{"query":"{ allLists { lname cnt listcontents { epi } } }"}',
        });
        expect(await lists.json()).toEqual({
          data: { allLists: [{ lname: 'Birthday', cnt: 2, listcontents: [{ epi: 2 }, { epi: 1 }] }] },
        });
      }),
    );
    const backends = await readRows(
      `SELECT FROM pg_stat_activity WHERE backend_type = 'client backend' AND application_name = 'wishgate'`,
    );
    expect(backends.length).toBeGreaterThan(0);
    expect(backends.length).toBeLessThanOrEqual(SERVER_CONNECTIONS);
  });

  test('a restock alerts each subscriber once, whichever process sends', async () => {
    const product = { epi: 990_001, empi: 990_001, du: 'https://shop.example/p', dt: 'Kettle' };
    const products = JSON.stringify([{ ...product, stk: 0 }]);
    expect((await post('/storeadmin/v3/products/upsert', { products })).status).toBe(200);
    await Promise.all(
      Array.from({ length: SUBSCRIBERS }, async (_, index) => {
        const form = {
          medium: 'email',
          mediumvalue: `s${index}@example.com`,
          products: JSON.stringify([product]),
          topics: '["backinstock"]',
          addtomailinglist: '0',
        };
        expect((await post('/storeadmin/bispa/subscriptions/create', form)).status).toBe(200);
      }),
    );
    const stocks = JSON.stringify([{ epi: product.epi, stk: 9 }]);
    expect((await post('/storeadmin/v3/products/set-stock', { stocks })).status).toBe(200);
    const states = (): Promise<{ state: string; count: number }[]> =>
      readRows(
        `SELECT state, count(*)::int AS count FROM outbox WHERE epi = '${product.epi}' AND lane = 'alert' GROUP BY state`,
      );
    await until(async () =>
      (await states()).some(({ state, count }) => state === 'sent' && count === SUBSCRIBERS),
    );
    expect(await states()).toEqual([{ state: 'sent', count: SUBSCRIBERS }]);
    const outbox = join(dataDir, 'outbox');
    const mails = await Promise.all(
      (await readdir(outbox)).map((name) => readFile(join(outbox, name), 'utf8')),
    );
    const reached = mails.flatMap((mail) => /^To: (s\d+@example\.com)/im.exec(mail)?.slice(1) ?? []);
    expect([new Set(reached).size, reached.length]).toEqual([SUBSCRIBERS, SUBSCRIBERS]);
  });

  test('PAUSE holds calls back until RESUME and none fails; readiness says meanwhile that the database is away', async () => {
    const shopper = await identify();
    await bouncer.console('PAUSE');
    let answered = 0;
    const waiting = Array.from({ length: 10 }, async (_, index) => {
      const { status } = await create(shopper, `Held ${index}`, randomUUID());
      answered += 1;
      return status;
    });
    const ready = await fetch(`${urls[0]}/readyz`);
    expect([ready.status, await ready.json()]).toEqual([
      503,
      expect.objectContaining({ type: 'unavailable' }),
    ]);
    expect(answered).toBe(0);
    await bouncer.console('RESUME');
    expect(new Set(await Promise.all(waiting))).toEqual(new Set([200]));
    await untilReady(urls[0]!);
  });

  test('it is killed under writes: 503 meanwhile, then 200 again, and no acknowledged write is lost or doubled', async () => {
    const shopper = await identify();
    const acknowledged: string[] = [];
    const statuses: number[] = [];
    let isOver = false;
    const writers = Array.from({ length: 4 }, async (_, writer) => {
      for (let count = 0; !isOver; count += 1) {
        const lname = `List ${writer}-${count}`;
        let answer = await create(shopper, lname, lname);
        while (answer.status === 503) {
          statuses.push(answer.status);
          answer = await create(shopper, lname, lname);
          // The commit whose answer was cut off was done: its repetition says so (decision 14).
          if (answer.body['type'] === 'duplicate-lname') answer.status = 200;
        }
        statuses.push(answer.status);
        acknowledged.push(lname);
      }
    });
    await until(() => acknowledged.length > 8);
    await bouncer.restart(() => until(() => statuses.includes(503)));
    const { length } = acknowledged;
    await until(() => acknowledged.length > length + 8);
    isOver = true;
    await Promise.all(writers);
    expect(statuses.filter((status) => status !== 200 && status !== 503)).toEqual([]);
    const lists = await readRows<{ lname: string }>(
      `SELECT lname FROM list WHERE regid = '${shopper.regid}'`,
    );
    expect(lists.map(({ lname }) => lname).sort()).toEqual(acknowledged.sort());
  });
});
