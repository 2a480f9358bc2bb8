import { copyFile, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { cleanUp, makeDataDir } from '../fault/fixtures/embedded-kit.ts';
import { runProgram, startMain } from '../fault/fixtures/main-process.ts';
import { withAdmin } from '../../setup/database.ts';
import { until } from '../../until.ts';
import { describeWith, programOf } from './parts.ts';
import { runPostgresTool, startPostgres15, startPostgresOn } from './postgres.ts';
import { freePort, makePartFolder, startPart } from './process.ts';
import type { PartProcess } from './process.ts';

type Store = { pid: string; apiKey: string };

async function readRows<Row>(url: string, sql: string, params: unknown[] = []): Promise<Row[]> {
  let rows: Row[] = [];
  await withAdmin(url, async (admin) => void ({ rows } = (await admin.query(sql, params)) as never));
  return rows;
}

/** What a server has of a store: a count and a digest of its rows, table by table; tables without any are left out. */
async function rowsOf(url: string, pid: string): Promise<Record<string, string>> {
  const tables = await readRows<{ name: string }>(
    url,
    `SELECT attrelid::regclass::text AS name FROM pg_attribute JOIN pg_class c ON c.oid = attrelid
     WHERE c.relkind = 'r' AND c.relnamespace = 'public'::regnamespace AND attname = 'pid'`,
  );
  const each = tables.map(
    ({ name }) =>
      `SELECT '${name}' AS name, count(*) || ' ' || md5(string_agg(t::text, '|' ORDER BY t::text)) AS rows
       FROM ${name} t WHERE pid = $1 HAVING count(*) > 0`,
  );
  const found = await readRows<{ name: string; rows: string }>(url, each.join(' UNION ALL '), [pid]);
  return Object.fromEntries(found.map(({ name, rows }) => [name, rows]));
}

/** HAProxy with the frontend of docs/scale.md before two servers; the store `moved` is on the second one. */
async function startRouter(dir: string, first: string, second: string, moved: string): Promise<PartProcess> {
  const [, frontend] = /```\n(frontend wishes\n.*?)```/s.exec(await readFile('docs/scale.md', 'utf8'))!;
  const [port, map] = [await freePort(), join(dir, 'stores.map')];
  await writeFile(map, `${moved} s2\n`);
  const backends = [first, second].map(
    (url, index) => `backend s${index + 1}\n  server one ${new URL(url).host}\n`,
  );
  const parts = ['defaults\n  mode http\n  timeout connect 5s\n  timeout client 30s\n  timeout server 30s\n'];
  parts.push(
    frontend!.replace('bind :8080', `bind 127.0.0.1:${port}`).replace('/etc/haproxy/stores.map', map),
  );
  const file = join(dir, 'haproxy.cfg');
  await writeFile(file, [...parts, ...backends].join('\n'));
  return startPart(programOf('HAProxy'), ['-f', file], port);
}

describeWith(['PostgreSQL 15', 'HAProxy'], 'a server that is split by store', () => {
  afterEach(cleanUp);

  const post = async (
    url: string,
    path: string,
    store: Store,
    form: Record<string, string>,
  ): Promise<Response> =>
    fetch(url + path, {
      method: 'POST',
      headers: { authorization: `Basic ${Buffer.from(`${store.pid}:${store.apiKey}`).toString('base64')}` },
      body: new URLSearchParams(form),
    });
  const ask = (url: string, store: Store): Promise<Response> =>
    post(url, '/storeadmin/v3/user/generate-regid', store, {
      useremail: 'ada@example.com',
      useragenttype: 'web',
    });

  /** A shopper with a list, a deleted list, a subscription, and an alert that could not be sent yet. */
  async function fill(url: string, store: Store): Promise<void> {
    const { regid, sessionid } = (await (await ask(url, store)).json()) as Record<string, string>;
    const shop = async (path: string, form: Record<string, string>): Promise<{ lid: string }> => {
      const query = `?pid=${encodeURIComponent(store.pid)}`;
      const body = { regid: regid!, sessionid: sessionid!, ...form };
      const answer = await post(url, `/api/v3/lists/${path}${query}`, store, body);
      expect(answer.status).toBe(200);
      return (await answer.json()) as { lid: string };
    };
    const { lid } = await shop('create', { lname: 'Birthday' });
    const product = { epi: 1, empi: 1, du: 'https://shop.example/p', dt: 'Kettle' };
    await shop('update-ctx', { lid, a: JSON.stringify([product, { ...product, epi: 2 }]) });
    await shop('delete-list', { lid: (await shop('create', { lname: 'Gone' })).lid });
    const products = JSON.stringify([product]);
    for (const [path, form] of [
      ['v3/products/upsert', { products: JSON.stringify([{ ...product, stk: 0 }]) }],
      [
        'bispa/subscriptions/create',
        {
          medium: 'email',
          mediumvalue: 'ada@example.com',
          products,
          topics: '["backinstock"]',
          addtomailinglist: '1',
        },
      ],
      ['v3/products/set-stock', { stocks: '[{"epi":1,"stk":5}]' }],
    ] as const)
      expect((await post(url, `/storeadmin/${path}`, store, form)).status).toBe(200);
  }

  test('keeps on each side the rows of its stores to the letter, answers only for them, sends their alerts once, and is found by the store in a call', async () => {
    const first = await startPostgres15();
    const copy = await makePartFolder();
    let second: PartProcess | undefined;
    let proxy: PartProcess | undefined;
    try {
      const dataDir = await makeDataDir();
      const env = {
        DATABASE_URL: first.url,
        DATA_DIR: dataDir,
        DISPATCH_RETRY_MS: '10',
        MAX_REQUESTS: '0',
        LOG_LEVEL: 'fatal',
      };
      const before = startMain({ ...env, SMTP_URL: 'smtp://127.0.0.1:1', MAIL_FROM: 'a@example.com' });
      const url = await before.url;
      const [stays, moves] = (await Promise.all(
        ['Stays', 'Moves'].map(async (name) => {
          const args = ['create', '--name', name, '--json'];
          return JSON.parse((await runProgram('cli/store', env, { args })).stdout) as Store;
        }),
      )) as [Store, Store];
      for (const store of [stays, moves]) await fill(url, store);
      const tried = `SELECT pid FROM outbox WHERE lane = 'alert' AND state = 'queued' AND attempts > 0`;
      await until(async () => (await readRows(first.url, tried)).length === 2);
      await before.end();

      const port = String(first.process.port);
      const dir = join(copy.dir, 'data');
      const from = ['-h', '127.0.0.1', '-p', port, '-U', 'wishgate'];
      await runPostgresTool('pg_basebackup', [...from, '-D', dir, '-c', 'fast', '--no-sync']);
      second = await startPostgresOn(dir);
      const other = first.url.replace(port, String(second.port));
      const sides = [
        { server: 1, url: first.url, own: stays, foreign: moves },
        { server: 2, url: other, own: moves, foreign: stays },
      ];
      // Where the user that runs it can read it.
      const script = join(copy.dir, 'distribute.sql');
      await copyFile('prisma/distribute.sql', script);
      for (const side of sides) {
        const rows = await rowsOf(side.url, side.own.pid);
        const variables = ['ON_ERROR_STOP=1', `server=${side.server}`, `stores={${side.own.pid}}`];
        await runPostgresTool('psql', [
          ...[side.url, '-q', '-X', '-f', script],
          ...variables.flatMap((one) => ['-v', one]),
        ]);
        expect(Object.keys(rows).length).toBeGreaterThan(12);
        expect(await rowsOf(side.url, side.own.pid)).toEqual(rows);
        expect(await rowsOf(side.url, side.foreign.pid)).toEqual({});
      }

      const mains = new Map<Store, string>();
      const started = sides.map(async (side) => {
        const main = startMain({ ...env, DATABASE_URL: side.url, DATA_DIR: await makeDataDir() });
        mains.set(side.own, await main.url);
      });
      await Promise.all(started);
      for (const side of sides) {
        const at = mains.get(side.own)!;
        expect((await ask(at, side.own)).status).toBe(200);
        expect((await ask(at, side.foreign)).status).toBe(401);
        const sent = `SELECT pid FROM outbox WHERE lane = 'alert' AND state = 'sent'`;
        await until(async () => (await readRows(side.url, sent)).length > 0);
        expect(await readRows(side.url, sent)).toEqual([{ pid: side.own.pid }]);
      }

      proxy = await startRouter(copy.dir, mains.get(stays)!, mains.get(moves)!, moves.pid);
      for (const store of [stays, moves]) {
        const at = `http://127.0.0.1:${proxy.port}`;
        // By the store's key, by `pid` in the query, and by the header of GraphQL.
        const { regid, sessionid } = (await (await ask(at, store)).json()) as Record<string, string>;
        const lists = await fetch(`${at}/api/v3/lists/fetch-lists?pid=${encodeURIComponent(store.pid)}`, {
          method: 'POST',
          body: new URLSearchParams({ regid: regid!, sessionid: sessionid! }),
        });
        expect(await lists.json()).toEqual([expect.objectContaining({ lname: 'Birthday', cnt: 2 })]);
        const graph = await fetch(`${at}/graphql`, {
          method: 'POST',
          headers: {
            'content-type': 'application/json',
            'x-pid': store.pid,
            'x-regid': regid!,
            'x-sessionid': sessionid!,
          },
          body: '{"query":"{ allLists { cnt } }"}',
        });
        expect(await graph.json()).toEqual({ data: { allLists: [{ cnt: 2 }] } });
      }
    } finally {
      await proxy?.stop('SIGKILL');
      await second?.stop('SIGQUIT');
      await copy.remove();
      await first.remove();
    }
  });
});
