import { randomUUID } from 'node:crypto';
import { noteFigures } from '../../figures.ts';
import { isLong } from '../../tier.ts';
import { until } from '../../until.ts';
import { longToken, shortToken } from '../../../src/stores/revenue/click.rules.ts';
import {
  shortConfirm,
  shortUnsubscribeUrl,
  unsubscribeUrl,
} from '../../../src/shoppers/contacts/link.rules.ts';
import type { ShortLinkStore } from '../../../src/shoppers/contacts/link.rules.ts';
import { cleanUp } from '../fault/fixtures/embedded-kit.ts';
import { callStore, identifyGuest, rowsOf, startTwoServers, tracesOf } from './move-kit.ts';
import type { Server, TwoServers } from './move-kit.ts';
import type { StoreAccess, TestShopper } from '../../harness.ts';
import { describeWith } from './parts.ts';
import { startPgBouncer } from './pgbouncer.ts';
import { askPostgres, startPostgres15 } from './postgres.ts';
import { startTraffic } from './traffic.ts';
import type { Traffic } from './traffic.ts';

const NO_TRACES = { publications: 0, subscriptions: 0, slots: 0, fences: 0 };
const SHOPPERS = 3;

describeWith(['PostgreSQL 15', 'HAProxy', 'PgBouncer'], 'a store that moves between two servers', () => {
  let both: TwoServers;
  let first: Server;
  let second: Server;
  beforeAll(async () => {
    both = await startTwoServers();
    ({ first, second } = both);
  });
  afterAll(async () => {
    await both.close();
    await cleanUp();
  });

  const guests = (store: StoreAccess): Promise<TestShopper[]> =>
    Promise.all(Array.from({ length: SHOPPERS }, () => identifyGuest(both.url, store, randomUUID())));

  /** Everything that was acknowledged is there, once. */
  async function expectWritten(server: Server, { written }: Traffic): Promise<void> {
    for (const [{ pid, regid }, { names, epis }] of written) {
      const rows = await askPostgres<{ lname: string; epis: string[] }>(
        server.database.url,
        `SELECT lname, ARRAY(SELECT epi FROM item i WHERE i.pid = l.pid AND i.lid = l.lid ORDER BY seq) AS epis
         FROM list l WHERE pid = '${pid}' AND regid = '${regid}' ORDER BY seq`,
      );
      expect(rows.map(({ lname }) => lname)).toEqual(names);
      expect(rows[0]!.epis).toEqual(epis.map(String));
    }
  }

  const SUBSCRIBERS = Array.from({ length: 20 }, (_, index) => `s${index}@example.com`);
  const PRODUCT = { epi: 1, empi: 1, du: 'https://shop.example/p', dt: 'Kettle' };

  /** A product that is sold out, and subscribers who wait for it. */
  async function subscribe(store: StoreAccess): Promise<void> {
    const call = async (path: string, form: Record<string, string>): Promise<void> =>
      void expect((await callStore(both.url, `/storeadmin/${path}`, store, form)).status).toBe(200);
    await call('v3/products/upsert', { products: JSON.stringify([{ ...PRODUCT, stk: 0 }]) });
    for (const mediumvalue of SUBSCRIBERS)
      await call('bispa/subscriptions/create', {
        ...{ medium: 'email', mediumvalue, products: JSON.stringify([PRODUCT]), topics: '["backinstock"]' },
      });
  }

  const setStock = (store: StoreAccess, stk: number, url = both.url): Promise<Response> =>
    callStore(url, '/storeadmin/v3/products/set-stock', store, { stocks: JSON.stringify([{ epi: 1, stk }]) });

  /** Every kind of link that the store sends, and calls that name it in other ways. */
  async function linksOf(
    { pid, apiKey }: StoreAccess,
    shopper: TestShopper,
  ): Promise<(() => Promise<Response>)[]> {
    const [row] = await askPostgres<ShortLinkStore>(
      second.database.url,
      `SELECT pid, secret, link_no AS "linkNo", token_keys AS "tokenKeys" FROM store WHERE pid = '${pid}'`,
    );
    const store = row!;
    const [alert] = await askPostgres<{ id: string; seq: string }>(
      second.database.url,
      `SELECT id, seq FROM outbox WHERE pid = '${pid}' AND lane = 'alert' LIMIT 1`,
    );
    const contact = { medium: 'email', value: 'a@example.com' } as const;
    const phone = { medium: 'sms', value: '+4915112345678' } as const;
    const claim = { ...contact, scope: 'all', topic: '', epi: '' } as const;
    const confirm = shortConfirm(store, { contact: phone, issuedAt: new Date(), requester: '' })!;
    const pages = [
      unsubscribeUrl(both.url, store, claim),
      shortUnsubscribeUrl(both.url, store, 'sms', { recipient: phone.value, seq: 1 })!,
      `${both.url}/c/${confirm}`,
      `${both.url}/go/${longToken(store, alert!.id, 'https://shop.example/p', new Date())}`,
      `${both.url}/go/${shortToken(store, Number(alert!.seq))}`,
    ];
    const headers = {
      'x-wishgate-dashboard': '1',
      'sec-fetch-site': 'same-origin',
      'content-type': 'application/json',
    };
    const { regid, sessionid } = shopper;
    const body = new URLSearchParams({ pid, regid, sessionid });
    return [
      ...pages.map((page) => () => fetch(page, { redirect: 'manual' })),
      () => fetch(`${both.url}/api/v3/lists/fetch-lists`, { method: 'POST', body }),
      async () => {
        const signed = await fetch(`${both.url}/dashboard/session`, {
          method: 'POST',
          headers,
          body: JSON.stringify({ pid, apiKey }),
        });
        const cookie = signed.headers.getSetCookie()[0]?.split(';')[0] ?? '';
        const query = JSON.stringify({ query: '{ store { pid } }' });
        return fetch(`${both.url}/graphql`, { method: 'POST', headers: { ...headers, cookie }, body: query });
      },
    ];
  }

  test('nothing acknowledged is lost or doubled, alerts are sent once, links go on, and other stores see no error', async () => {
    const [moves, stays] = [await both.createStore(first, 'Moves'), await both.createStore(first, 'Stays')];
    const [moving, staying] = [await guests(moves), await guests(stays)];
    await subscribe(moves);
    const traffic = startTraffic(both.url, moving);
    const other = startTraffic(both.url, staying);
    await until(() => traffic.count() > 20);
    // Alerts are being sent while the store moves.
    both.smtp.beforeAnswer = () => until(() => traffic.count() > 60);
    await setStock(moves, 5);
    const { code, stdout, stderr } = await both.move(first, second, moves.pid, '--json');
    const after = traffic.count();
    await until(() => traffic.count() > after + 20);
    await Promise.all([traffic.stop(), other.stop()]);
    expect([code, stderr]).toEqual([0, expect.stringContaining('The store is open on the target')]);
    const { closedMs, differences } = JSON.parse(stdout) as { closedMs: number; differences: string[] };
    await noteFigures('a store that moves', { closedMs });
    expect(differences).toEqual([]);
    if (isLong) expect(closedMs).toBeLessThan(5_000);
    expect(other.failures).toEqual([]);
    // A call of those seconds is told to come again.
    const others = traffic.failures.filter((failure) => !/503.*moving|moving.*503/.test(failure));
    expect(others).toEqual([]);
    await expectWritten(second, traffic);
    await expectWritten(first, other);
    await until(() => both.smtp.received.length >= SUBSCRIBERS.length);
    expect(both.smtp.received.map(({ to }) => to).sort()).toEqual([...SUBSCRIBERS].sort());
    expect(await tracesOf(second.database.url)).toEqual(NO_TRACES);
    // The old rows lie out of service until they are removed.
    const stale = await setStock(moves, 5, first.url);
    expect([stale.status, stale.headers.get('retry-after')]).toEqual([503, '2']);
    expect(Object.keys(await rowsOf(first.database.url, moves.pid))).toContain('item');
    const finished = await both.finish(first, moves.pid);
    expect([finished.status, finished.stdout]).toEqual([
      0,
      expect.stringMatching(/^Removed [\d,]+ old rows/),
    ]);
    expect(await rowsOf(first.database.url, moves.pid)).toEqual({});
    expect(await tracesOf(first.database.url)).toEqual(NO_TRACES);
    const answers = await Promise.all((await linksOf(moves, moving[0]!)).map((open) => open()));
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 302, 302, 200, 200]);
    expect(await answers.at(-1)!.json()).toEqual({ data: { store: { pid: moves.pid } } });
  });

  test('killed at any step it can be run again, a reply STOP from long before that, while it lay closed, is not lost, and the way back is a second move over the old rows', async () => {
    const store = await both.createStore(first, 'Killed');
    const [shopper] = await guests(store);
    await subscribe(store);
    const list = (name: string): Promise<Response> =>
      fetch(`${both.url}/api/v3/lists/create?pid=${encodeURIComponent(store.pid)}`, {
        method: 'POST',
        body: new URLSearchParams({ regid: shopper!.regid, sessionid: shopper!.sessionid, lname: name }),
      });
    expect((await list('before')).status).toBe(200);
    const ends: unknown[] = [];
    const kill = async (step: string): Promise<void> =>
      void ends.push(await both.kill(step, first, second, store.pid));
    const steps = ['Preparing both servers', 'Copying', 'Waiting for messages', 'Closing the store'];
    for (const step of steps) await kill(step);
    await askPostgres(
      first.database.url,
      `UPDATE store SET move_step = 'closed' WHERE pid = '${store.pid}' AND move_step = 'paused';
       INSERT INTO stop (medium, value, is_stopped, uts) VALUES ('sms', '+4915199', true, now() - interval '1 hour')`,
    );
    await kill('The store is open on the target');
    const stops = `SELECT is_stopped FROM stop WHERE value = '+4915199'`;
    expect(await askPostgres(second.database.url, stops)).toEqual([{ is_stopped: true }]);
    await kill('Comparing checksums');
    // The last steps take moments, and once the store is open on the target, a later run has little left to say.
    const any: unknown = expect.anything();
    expect(ends).toEqual(['SIGKILL', 'SIGKILL', any, any, any, 0]);
    expect((await list('there')).status).toBe(200);
    expect(await tracesOf(second.database.url)).toEqual(NO_TRACES);
    const rows = await rowsOf(second.database.url, store.pid);
    const back = await both.move(second, first, store.pid, '--json');
    expect([back.code, back.stdout]).toEqual([0, expect.stringContaining('"differences":[]')]);
    const { store: settings, store_key: _keys, ...own } = rows;
    expect(settings).toBeDefined();
    expect(await rowsOf(first.database.url, store.pid)).toMatchObject(own);
    expect((await list('back again')).status).toBe(200);
    const late = await both.undo(second, first, store.pid);
    expect([late.status, late.stderr]).toEqual([
      1,
      expect.stringContaining('The target serves the store: the way back is a second move'),
    ]);
    expect((await both.finish(second, store.pid)).status).toBe(0);
  });

  /** Kills a move when it says this; one that was quicker is moved back, and begun again. */
  async function killAt(step: string, { pid }: StoreAccess): Promise<void> {
    const sql = `SELECT FROM store WHERE pid = '${pid}' AND move_step IS NULL`;
    const isServed = async (): Promise<boolean> => (await askPostgres(second.database.url, sql)).length > 0;
    for (;;) {
      await both.kill(step, first, second, pid);
      if (!(await isServed())) return;
      await both.move(second, first, pid);
      await both.finish(second, pid);
    }
  }

  async function expectUndone(store: StoreAccess): Promise<void> {
    const { status, stdout, stderr } = await both.undo(first, second, store.pid);
    expect([status, stdout, stderr]).toEqual([0, expect.stringContaining('works here'), expect.any(String)]);
    expect(await rowsOf(second.database.url, store.pid)).toEqual({});
    for (const { database } of [first, second]) expect(await tracesOf(database.url)).toEqual(NO_TRACES);
    expect((await setStock(store, 0)).status).toBe(200);
  }

  test('a move that has not ended can be undone, also one that was killed while the store was closed, and after a failover of the source, by which its slot is lost', async () => {
    const store = await both.createStore(first, 'Undone');
    await subscribe(store);
    for (const step of ['Copying', 'Closing the store']) {
      await killAt(step, store);
      await expectUndone(store);
    }
    await killAt('Copying', store);
    const { url } = first.database;
    await until(async () => {
      await askPostgres(
        url,
        'SELECT pg_terminate_backend(active_pid) FROM pg_replication_slots WHERE active',
      );
      const drop = 'SELECT pg_drop_replication_slot(slot_name) FROM pg_replication_slots WHERE NOT active';
      await askPostgres(url, drop).catch(() => undefined);
      return (await askPostgres(url, 'SELECT FROM pg_replication_slots')).length === 0;
    });
    const again = await both.move(first, second, store.pid);
    expect([again.code, again.stderr]).toEqual([1, expect.stringContaining('slot on the source is gone')]);
    await expectUndone(store);
  });

  test('says all that is in the way before it changes anything, each with the line that mends it', async () => {
    const third = await startPostgres15({ settings: { max_replication_slots: 2, max_wal_senders: 1 } });
    try {
      const plain = { ...first, database: third, env: { ...first.env, DATABASE_URL: third.url } };
      const store = await both.createStore(plain, 'Stuck');
      await askPostgres(second.database.url, 'CREATE ROLE app LOGIN; GRANT pg_read_all_data TO app');
      const app = {
        ...second,
        database: { ...second.database, url: second.database.url.replace('wishgate@', 'app@') },
      };
      const { code, stderr } = await both.move(plain, app, store.pid);
      expect(code).toBe(1);
      for (const line of [
        'The source has wal_level=replica\n  → psql -c "ALTER SYSTEM SET wal_level = \'logical\'"',
        'The source has 2 free replication slots, and 3 are needed\n  → psql -c "ALTER SYSTEM SET max_replication_slots = \'3\'"',
        'The source has 1 free WAL senders',
        'The target refuses a connection for replication',
        'The target does not let the role create subscriptions',
      ])
        expect(stderr).toContain(line);
      const own = await both.move(first, first, (await both.createStore(first, 'Same')).pid);
      expect(own.stderr).toContain('The source and the target are the same database');
      const pooler = await startPgBouncer(first.database.url, 2);
      const pooled = await both.move(first, second, store.pid, '--from', pooler.url);
      await pooler.remove();
      expect(pooled.stderr).toContain('name PostgreSQL itself, not a pooler (--from, --to)');
      const taken = await both.createStore(first, 'Taken');
      await askPostgres(
        first.database.url,
        `INSERT INTO mail_server (pid, host, port, security, login, password, version, cts, uts) VALUES ('${taken.pid}', 'h', 25, 'none', '', 'deadbeef.x', '1', now(), now());
         UPDATE store SET link_no = 77 WHERE pid = '${taken.pid}'`,
      );
      await askPostgres(
        second.database.url,
        `INSERT INTO store (pid, name, secret, link_no) VALUES ('other', 'Other', '', 77), ('${taken.pid}', 'Live', '', 78)`,
      );
      const three = await both.move(first, second, taken.pid);
      for (const line of [
        'same number in short links (77)',
        'No service of the target has the key',
        'in service on the target, too',
      ])
        expect(three.stderr).toContain(line);
      expect(await tracesOf(first.database.url)).toEqual(NO_TRACES);
    } finally {
      await third.remove();
    }
  });
});
