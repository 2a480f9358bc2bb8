import { connect } from 'node:net';
import type { Socket } from 'node:net';
import { BUILT_IN_TOPICS } from '../../src/alerts/topics/topic.rules.ts';
import { createLogger } from '../../src/platform/log.ts';
import { startService, useService, useStore } from '../harness.ts';
import { until } from '../until.ts';
import { item, newAccount, newGuest, useAccount } from './list-kit.ts';
import type { Client } from './list-kit.ts';

const service = useService();
const store = useStore(service);
const rich = useAccount(service, store);
let lid: string;

/** Items that are as large as items can be; `props` is their property map. */
async function fill(client: Client, list: string, count: number, props: string): Promise<void> {
  await service.services.db.query(
    `INSERT INTO item (pid, lid, epi, id, empi, du, di, cprops)
     SELECT $1, $2, i::text, $2 || '-' || i, '1', '/p', 'd', $4::jsonb FROM generate_series(1, $3::int) i`,
    [client.shopper.pid, list, count, props],
  );
}

const LARGE_TEXT = JSON.stringify({ a: 'x'.repeat(32_000) });

beforeAll(async () => {
  ({ lid } = await rich.create('Large'));
  await fill(rich, lid, 600, LARGE_TEXT);
});

const typesOf = (body: { errors?: { extensions: { type: string } }[] }) =>
  (body.errors ?? []).map(({ extensions }) => extensions.type);
const aliases = (count: number, field: (n: number) => string) =>
  Array.from({ length: count }, (_, n) => field(n)).join(' ');

describe('one request has one budget', () => {
  test('reads that are fine alone are refused together once they are too much', async () => {
    const alone = await rich.graphql(
      'query ($l: ID!) { listContents(lid: $l, limit: 500) { items { epi } } }',
      { l: lid },
    );
    expect(alone.body.data.listContents.items).toHaveLength(500);
    const together = await rich.graphql(
      `query ($l: ID!) { ${aliases(15, (n) => `a${n}: listContents(lid: $l, limit: 500) { items { cprops } }`)} }`,
      { l: lid },
    );
    expect(new Set(typesOf(together.body))).toEqual(new Set(['limit-reached']));
    expect(together.text.length).toBeLessThan(33_000_000);
  });

  test('what was read once cannot be answered again and again under other names', async () => {
    const query = `query ($l: ID!) { listContents(lid: $l, limit: 100) { items { ${aliases(300, (n) => `a${n}: cprops`)} } } }`;
    const { body, text } = await rich.graphql(query, { l: lid });
    expect(typesOf(body)).toEqual(['limit-reached']);
    expect(text.length).toBeLessThan(1_000);
  });

  test('pages of pages with very many fields are refused before they are resolved', async () => {
    const many = await newAccount(service, store);
    for (let n = 0; n < 20; n += 1) await fill(many, (await many.create(`Many ${n}`)).lid, 100, '{}');
    const query = (fields: number) =>
      `{ lists(first: 20) { edges { node { items(first: 100) { edges { node { ${aliases(fields, (n) => `a${n}: epi`)} } } } } } } }`;
    expect(typesOf((await many.graphql(query(50))).body)).toEqual([]);
    expect(new Set(typesOf((await many.graphql(query(600))).body))).toEqual(new Set(['limit-reached']));
  });

  test('property maps come out as they went in, large and small, over REST and GraphQL', async () => {
    const client = await newAccount(service, store);
    const list = await client.create('Props', {
      lprops: { deep: { list: [1, 2.5, null, true, '\u0001"\\ü€😀'] } },
    });
    const large = {
      text: 'é'.repeat(2_000),
      9: 'nine',
      10: 'ten',
      nested: [[[{ a: [] }]]],
      number: 0.1,
      empty: {},
    };
    await client.add(
      list.lid,
      item(1, { cprops: large }),
      item(2, { cprops: {} }),
      item(3, { cprops: { a: 1 } }),
    );
    const rest = await client.contents(list.lid);
    expect(rest.items.map(({ cprops }: { cprops: object }) => cprops)).toEqual([{ a: 1 }, {}, large]);
    expect(rest.list.lprops).toEqual({ deep: { list: [1, 2.5, null, true, '\u0001"\\ü€😀'] } });
    const { body } = await client.graphql(
      'query ($l: ID!) { listContents(lid: $l) { items { cprops again: cprops } } }',
      {
        l: list.lid,
      },
    );
    expect(body.data.listContents.items[2]).toEqual({ cprops: large, again: large });
  });

  test('writes whose answers are too much together are undone from there on', async () => {
    const client = await newAccount(service, store);
    const list = await client.create('Written');
    await fill(client, list.lid, 500, LARGE_TEXT);
    const u = Array.from({ length: 500 }, (_, n) => ({ epi: n + 1, qty: 2 }));
    const query = `mutation ($l: ID!, $u: [ItemInput!]) { ${aliases(4, (n) => `a${n}: updateListContents(lid: $l, u: $u) { cnt }`)} }`;
    expect(typesOf((await client.graphql(query, { l: list.lid, u })).body)).toContain('limit-reached');
    const [row] = await service.services.db.query<{ version: number }>(
      'SELECT version FROM list WHERE lid = $1',
      [list.lid],
    );
    expect(row!.version).toBe(2);
  });

  test("a store's topics with all their texts are answered once, not twenty times", async () => {
    const rich = await service.createStore();
    await service.services.db.query(
      `INSERT INTO topic (pid, name, trigger, subject, html, text, sms)
       SELECT $1, 'topic' || n, 'manual', 's', repeat('h', 50000), repeat('t', 50000), 'm' FROM generate_series(1, 90) n`,
      [rich.pid],
    );
    const topics = (count: number) =>
      service.graphql(`{ ${aliases(count, (n) => `a${n}: topics { html text }`)} }`, {}, { store: rich });
    expect((await topics(1)).body.data.a0).toHaveLength(90 + BUILT_IN_TOPICS.length);
    expect(new Set(typesOf((await topics(20)).body))).toEqual(new Set(['limit-reached']));
  });

  test('maps and bundles that hold as many values as they can are read whole', async () => {
    const client = await newAccount(service, await service.createStore({ customItems: true }));
    const lprops = { z: Array.from({ length: 5_000 }, () => [[1]]) };
    const bundle = Array.from({ length: 100 }, (_, n) => ({ title: `Part ${n}`, price: n }));
    const { lid: own } = await client.create('Values', { lprops });
    await client.add(own, { title: 'Bundle', du: '/b', price: 1, bundle });
    const [read] = await client.ok('lists/fetch-lists');
    expect(read.lprops).toEqual(lprops);
    expect(read.lhash).toBe((await client.contents(own)).list.lhash);
    expect(read.listcontents[0].bundle).toHaveLength(100);
  });

  test('a list too large to be shown as it is deleted stays, and goes with a smaller answer', async () => {
    const client = await newAccount(service, store);
    const list = await client.create('Huge');
    await fill(client, list.lid, 1_000, JSON.stringify({ a: 'y'.repeat(32_700) }));
    expect(await client.failure(400, 'lists/delete-list?limit=1000', { lid: list.lid })).toBe(
      'limit-reached',
    );
    const gone = await client.ok('lists/delete-list', { lid: list.lid });
    expect([gone.cnt, gone.listcontents.length]).toEqual([1_000, 10]);
  });
});

describe('readers who do not read', () => {
  const open: Socket[] = [];
  afterEach(() => {
    for (const socket of open.splice(0)) socket.destroy();
  });

  /** Sends a query and takes none of the answer. */
  function ask(client: Client, query: string, variables: object): Socket {
    const { hostname, port } = new URL(service.url);
    const body = JSON.stringify({ query, variables });
    const { pid, regid, sessionid } = client.shopper;
    const socket = connect(Number(port), hostname);
    socket.pause();
    socket.write(
      `POST /graphql HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\nx-pid: ${pid}\r\nx-regid: ${regid}\r\nx-sessionid: ${sessionid}\r\ncontent-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
    );
    open.push(socket);
    return socket;
  }

  test('hold up nobody but themselves', async () => {
    const query = 'query ($l: ID!) { listContents(lid: $l, limit: 500) { items { cprops } } }';
    for (let n = 0; n < 5; n += 1) ask(rich, query, { l: lid });
    const other = await newGuest(service, await service.createStore());
    const mine = await other.create('Mine');
    await fill(other, mine.lid, 100, LARGE_TEXT);
    const { body } = await other.graphql(query, { l: mine.lid });
    expect(body.data.listContents.items).toHaveLength(100);
    // Their own next large read comes once one of them has gone.
    const waiting = rich
      .graphql(query, { l: lid })
      .then(({ body: late }) => late.data.listContents.items.length);
    await until(async () => {
      open.pop()?.destroy();
      return open.length === 0;
    });
    expect(await waiting).toBe(500);
  });

  test('hold no room when they leave before the service knows who they are', async () => {
    const lines: string[] = [];
    const log = createLogger('info', { write: (line: string) => void lines.push(line) });
    const own = await startService({ databasePool: 1 }, log, service);
    try {
      const { pool } = own.services.db;
      const connection = await pool.connect();
      const leaving = new AbortController();
      const { pid, ...session } = rich.shopper;
      const asking = fetch(`${own.url}/api/v3/lists/fetch-deleted?pid=${pid}`, {
        method: 'POST',
        body: new URLSearchParams(session),
        signal: leaving.signal,
      });
      await until(() => pool.waitingCount > 0);
      leaving.abort();
      await expect(asking).rejects.toThrow();
      await until(() => lines.some((line) => line.includes('"status":499')));
      connection.release();
      await own.post('/api/v3/lists/fetch-deleted', {}, rich).expect(200);
    } finally {
      await own.close();
    }
  });
});

describe('requests that a client sends at once over one connection', () => {
  function send(client: Client, ...paths: string[]) {
    const { hostname, port } = new URL(service.url);
    const { pid, ...session } = client.shopper;
    const body = new URLSearchParams({ ...session, lname: 'Sent at once' }).toString();
    const socket = connect(Number(port), hostname).setEncoding('utf8');
    let text = '';
    socket.on('data', (part: string) => (text += part));
    for (const path of paths)
      socket.write(
        `POST ${path}?pid=${encodeURIComponent(pid)} HTTP/1.1\r\nhost: x\r\ncontent-type: application/x-www-form-urlencoded\r\ncontent-length: ${body.length}\r\n\r\n${body}`,
      );
    const closed = new Promise((resolve) => socket.on('error', () => {}).once('close', resolve));
    return { socket, closed, text: () => text };
  }

  test('are served one after the other', async () => {
    const me = await newGuest(service, store);
    const { socket, text } = send(me, '/api/v3/lists/create', '/api/v3/lists/fetch-lists');
    await until(() => text().split('HTTP/1.1 200').length === 3);
    socket.destroy();
    expect(text().split('HTTP/1.1 200')[2]).toContain('Sent at once');
  });

  test('hold no room after it has left', async () => {
    const me = await newGuest(service, store);
    const { socket, closed } = send(me, ...Array<string>(3).fill('/api/v3/lists/fetch-deleted'));
    socket.end();
    await closed;
    await service.post('/api/v3/lists/fetch-deleted', {}, me).expect(200);
  });

  test('are not collected without end', async () => {
    const me = await newGuest(service, store);
    const { closed } = send(me, ...Array<string>(200).fill('/api/v3/lists/changes'));
    await closed;
  });
});

describe('what a caller without a session can do', () => {
  const document = 'mutation ($a: [ItemInput!]) { updateListContents(lid: "x", a: $a) { cnt } }';
  const faulty = { a: Array.from({ length: 50_000 }, () => ({ z: 1 })) };

  test.each([
    ['nobody', () => ({ headers: { 'x-pid': store.pid } })],
    ['a shopper', () => ({ shopper: rich.shopper })],
    ['a store', () => ({ store })],
  ])(
    'faults in variables are told to %s, but not all of them, also at the third call',
    async (_who, caller) => {
      for (let n = 0; n < 4; n += 1) {
        const { body, text } = await service.graphql(document.replaceAll('x', `x${_who}`), faulty, caller());
        expect(body.data).toBeUndefined();
        expect(body.errors[0].extensions).toEqual({
          code: 'BAD_USER_INPUT',
          type: 'invalid-items',
          status: 400,
        });
        expect(body.errors.length).toBeLessThanOrEqual(21);
        expect(text.length).toBeLessThan(20_000);
      }
    },
  );

  test('a fault does not quote megabytes', async () => {
    const value = {
      ...Object.fromEntries(Array.from({ length: 30 }, (_, n) => [`z${n}`, 1])),
      text: 'x'.repeat(1_000_000),
    };
    const { text } = await service.graphql(document, { a: [value] }, { shopper: rich.shopper });
    expect(text.length).toBeLessThan(50_000);
  });
});

describe('pages behind links', () => {
  test('a shared list that is too large shows fewer items', async () => {
    const client = await newAccount(service, store);
    const list = await client.create('Shared');
    await fill(client, list.lid, 500, JSON.stringify({ a: 'y'.repeat(32_700), b: '"'.repeat(20) }));
    await service.services.db.query(
      `UPDATE item SET bundle = jsonb_build_array(jsonb_build_object('title', repeat('b', 32000))), cprops = cprops || jsonb_build_object('c', 'd') WHERE lid = $1`,
      [list.lid],
    );
    await client.ok('lists/markPublic', { lid: list.lid });
    const { text, status } = await service.http.get(`/shared/${list.lid}`).query({ pid: store.pid });
    expect(status).toBe(200);
    expect(text.match(/<li>/g)?.length).toBe(50);
    expect(text).toContain('and 450 more');
  });

  test.each([
    ['a shared list', (pid: string) => `/shared/unknown?pid=${encodeURIComponent(pid)}`],
    [
      'an unsubscribe link',
      (pid: string) => `/unsubscribe/${Buffer.from(pid).toString('base64url')}.${'x'.repeat(60)}`,
    ],
    [
      'a confirmation link',
      (pid: string) => `/confirm/${Buffer.from(pid).toString('base64url')}.${'x'.repeat(60)}`,
    ],
  ])('%s counts against the limit of its address', async (_what, path) => {
    const limited = await startService();
    try {
      const { pid } = await limited.createStore({ rateLimits: { address: 2 } });
      const statuses: number[] = [];
      for (let n = 0; n < 3; n += 1) statuses.push((await limited.http.get(path(pid))).status);
      expect(statuses).toEqual([404, 404, 429]);
    } finally {
      await limited.close();
    }
  });
});
