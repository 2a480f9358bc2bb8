import type { NewStore } from '../../../src/stores/store.service.ts';
import { seedSubscription, setStock } from '../../alerts/kit.ts';
import { startSmtp } from '../../alerts/receivers.ts';
import type { TestSmtp } from '../../alerts/receivers.ts';
import { cleanUp, makeDataDir } from '../fault/fixtures/embedded-kit.ts';
import { endMains, startMain } from '../fault/fixtures/main-process.ts';
import { startService } from '../../harness.ts';
import type { TestService, TestShopper } from '../../harness.ts';
import { inFull } from '../../tier.ts';
import { until } from '../../until.ts';
import { startCluster } from './cluster.ts';
import type { Cluster } from './cluster.ts';
import { describeWith } from './parts.ts';
import { askPostgres, startPostgresOn, untilServing } from './postgres.ts';

const CONTACTS = inFull(60, 20);
const WRITERS = inFull(8, 4);

/** Something that was not a success. */
type Refusal = { status: number; type: string | null; retryAfter: string | null };

/** A shopper who adds one item after another to its list; each is sent until it is acknowledged, and then read back. */
type Writer = {
  shopper: TestShopper;
  lid: string;
  isGraphql: boolean;
  acknowledged: number;
  refusals: Refusal[];
};

describeWith(['PostgreSQL 15'], 'failover to a synchronous replica', () => {
  let cluster: Cluster;
  let service: TestService;
  let smtp: TestSmtp;
  let url: string;
  let store: NewStore;
  let writers: Writer[];
  let isOver = false;

  beforeAll(async () => {
    [cluster, smtp] = await Promise.all([startCluster({ isSynchronous: true }), startSmtp()]);
    const both = cluster.primary.url.replace(/\/wishgate$/, `,${new URL(cluster.replicaUrl).host}/wishgate`);
    const database = { url: `${both}?target_session_attrs=read-write`, drop: async () => undefined };
    service = await startService({ rateLimits: false }, undefined, { database });
    const main = startMain({
      DATABASE_URL: database.url,
      DATABASE_REPLICA_URL: cluster.replicaUrl,
      DATA_DIR: await makeDataDir(),
      RATE_LIMITS: 'off',
      LOG_LEVEL: 'fatal',
      SMTP_URL: smtp.url,
      MAIL_FROM: 'alerts@store.example',
      MAIL_CONNECTIONS: '2',
      DISPATCH_LEASE_MS: '1000',
      DISPATCH_RETRY_MS: '100',
    });
    url = await main.url;
    store = await service.createStore();
    for (let index = 0; index < CONTACTS; index += 1)
      await seedSubscription(service, store, { epi: '77', value: `c${index}@example.com` });
    writers = await Promise.all(
      Array.from({ length: WRITERS }, async (_, index) => {
        const shopper = await service.account(store);
        const { body } = await service
          .post('/api/v3/lists/create', { lname: 'Wishes' }, { shopper })
          .expect(200);
        return { shopper, lid: body.lid, isGraphql: index % 2 === 1, acknowledged: 0, refusals: [] };
      }),
    );
  });
  afterAll(async () => {
    isOver = true;
    await endMains();
    await service?.close();
    await smtp?.close();
    await cluster?.remove();
    await cleanUp();
  });

  /** The body of a success; null and a note otherwise. */
  const call = async (writer: Writer, path: string, query: string, fields: object): Promise<unknown> => {
    const { shopper, lid, isGraphql, refusals } = writer;
    const { regid, sessionid } = shopper;
    const form = Object.entries({ regid, sessionid, lid, ...fields }).map(([name, value]) => [
      name,
      typeof value === 'string' ? value : JSON.stringify(value),
    ]);
    const answer = await fetch(
      isGraphql ? `${url}/graphql` : `${url}/api/v3/${path}?pid=${shopper.pid}`,
      isGraphql
        ? {
            method: 'POST',
            headers: {
              'content-type': 'application/json',
              accept: 'application/graphql-response+json',
              'x-pid': shopper.pid,
              'x-regid': regid,
              'x-sessionid': sessionid,
            },
            body: JSON.stringify({ query, variables: { lid, ...fields } }),
          }
        : { method: 'POST', body: new URLSearchParams(form) },
    );
    const body = await answer.json();
    const error = body.errors?.[0]?.extensions;
    if (answer.status === 200 && !error) return body;
    const retryAfter = answer.headers.get('retry-after');
    refusals.push({
      status: error?.status ?? answer.status,
      type: error?.type ?? body.type ?? null,
      retryAfter,
    });
    return null;
  };

  const add = (writer: Writer, epi: number): Promise<unknown> =>
    call(
      writer,
      'lists/update-ctx',
      'mutation ($lid: ID!, $a: [ItemInput!]) { updateListContents(lid: $lid, a: $a) { cnt } }',
      { a: [{ epi, empi: 1, du: 'https://shop.example/p' }] },
    );

  const countIn = async (writer: Writer): Promise<number | null> => {
    const body = (await call(
      writer,
      'lists/fetch-list-with-contents',
      'query ($lid: ID!) { list(lid: $lid) { cnt items(first: 1) { totalCount } } }',
      {},
    )) as { pagination: { totalcount: number }; data: { list: { items: { totalCount: number } } } } | null;
    if (body === null) return null;
    return writer.isGraphql ? body.data.list.items.totalCount : body.pagination.totalcount;
  };

  const write = async (writer: Writer): Promise<void> => {
    while (!isOver) {
      await until(async () => (await add(writer, writer.acknowledged + 1)) !== null);
      writer.acknowledged += 1;
      expect([writer.acknowledged, null]).toContain(await countIn(writer));
    }
  };

  const rowsOf = ({ lid }: Writer): Promise<{ cnt: number; epis: string[] }[]> =>
    // On the new primary itself: who has not asked since the failover cannot tell it from an old one that came back.
    askPostgres(
      cluster.replicaUrl,
      `SELECT cnt, ARRAY(SELECT epi FROM item i WHERE i.pid = l.pid AND i.lid = l.lid ORDER BY seq) AS epis FROM list l WHERE lid = '${lid}'`,
    );

  /** Waits until every writer has been acknowledged this many times more. */
  const untilWritten = async (more: number): Promise<void> => {
    const wanted = writers.map(({ acknowledged }) => acknowledged + more);
    await until(() => writers.every(({ acknowledged }, index) => acknowledged >= wanted[index]!));
  };

  const areRefused = (): boolean =>
    [true, false].every((isGraphql) =>
      writers.some((writer) => writer.isGraphql === isGraphql && writer.refusals.length > 0),
    );

  const expectOnlyUnavailable = (): void => {
    for (const { isGraphql, refusals } of writers)
      for (const refusal of refusals)
        // What fails in the midst of a GraphQL answer has no header of its own.
        expect(refusal).toEqual({
          status: 503,
          type: 'unavailable',
          retryAfter: isGraphql && refusal.retryAfter === null ? null : '5',
        });
  };

  /** The primary is killed under writers over REST and GraphQL and while mails are under way, and the replica promoted. */
  const failOver = async (): Promise<void> => {
    let isKilled = false;
    // Five mails are recorded as sent; further ones are under way when the server dies.
    smtp.beforeAnswer = () => until(() => smtp.received.length <= 5 || isKilled);
    const written = Promise.all(writers.map(write));
    await untilWritten(5);
    await setStock(service, store, '77', 5);
    await until(() => smtp.received.length > 5);
    await cluster.primary.process.stop('SIGKILL');
    isKilled = true;
    const killedAt = performance.now();
    await Promise.race([until(areRefused), written]);
    await askPostgres(cluster.replicaUrl, 'SELECT pg_promote()');
    const promotedAt = performance.now();
    await Promise.race([untilWritten(1), written]);
    const ms = (since: number): string => (performance.now() - since).toFixed(0);
    process.stderr.write(
      `all writers were back ${ms(promotedAt)} ms after the promotion, ${ms(killedAt)} ms after the kill\n`,
    );
    await untilWritten(5);
    isOver = true;
    await written;
  };
  beforeAll(failOver);

  test('no acknowledged write is lost or doubled', async () => {
    for (const writer of writers) {
      const epis = Array.from({ length: writer.acknowledged }, (_, index) => String(index + 1));
      expect(await rowsOf(writer)).toEqual([{ cnt: epis.length, epis }]);
      expect(await countIn(writer)).toBe(epis.length);
    }
  });

  test('callers of REST and GraphQL see nothing but 503 meanwhile', () => {
    expect(areRefused()).toBe(true);
    expectOnlyUnavailable();
  });

  test('everybody gets an alert, and nobody one of another id', async () => {
    await until(async () => {
      const open = `SELECT 1 FROM outbox WHERE pid = '${store.pid}' AND state <> 'sent'`;
      return (await askPostgres(cluster.replicaUrl, open)).length === 0;
    });
    const ids = new Map<string, Set<string>>();
    for (const { to, mail } of smtp.received) {
      const id = mail.headers.find(({ key }) => key === 'x-alert-id')!.value;
      ids.set(to, (ids.get(to) ?? new Set()).add(id));
    }
    expect(ids.size).toBe(CONTACTS);
    expect([...ids.values()].every(({ size }) => size === 1)).toBe(true);
  });

  test('an old primary that comes back on its own gets no write, also while the new one takes none: 503 then', async () => {
    const { primary } = cluster;
    const current = cluster.replicaUrl;
    const close = async (isClosed: boolean): Promise<void> => {
      await askPostgres(current, `ALTER SYSTEM SET default_transaction_read_only = ${isClosed}`);
      await askPostgres(current, 'SELECT pg_reload_conf()');
    };
    const old = await startPostgresOn(primary.dir, {
      port: primary.process.port,
      synchronous_standby_names: '',
    });
    const [writer] = writers as [Writer];
    const count = writer.acknowledged;
    try {
      await close(true);
      await until(async () => (await add(writer, count + 1)) === null);
      for (let again = 0; again < 5; again += 1) expect(await add(writer, count + 1)).toBeNull();
      expectOnlyUnavailable();
      await close(false);
      await until(async () => (await add(writer, count + 1)) !== null);
      writer.acknowledged += 1;
      expect(await rowsOf(writer)).toEqual([{ cnt: count + 1, epis: expect.anything() }]);
      expect(await countIn(writer)).toBe(count + 1);
      await untilServing(primary.url);
      expect(
        await askPostgres(
          primary.url,
          `SELECT 1 FROM item WHERE lid = '${writer.lid}' AND epi = '${count + 1}'`,
        ),
      ).toEqual([]);
    } finally {
      await old.stop('SIGQUIT');
    }
  });

  test('a write whose wait for the replica somebody cancelled is not acknowledged; other warnings of PostgreSQL change nothing', async () => {
    const primary = cluster.replicaUrl;
    const waitFor = async (name: string): Promise<void> => {
      await askPostgres(primary, `ALTER SYSTEM SET synchronous_standby_names = '${name}'`);
      await askPostgres(primary, 'SELECT pg_reload_conf()');
    };
    const shopper = await service.account(store);
    await waitFor('nobody');
    try {
      // Commits wait only once the server has read the new setting.
      let isRefused = false;
      const write = async (): Promise<boolean> => {
        const { body } = await service.post('/api/v3/lists/create', { lname: 'Wishes' }, { shopper });
        return (isRefused = body.type === 'unavailable');
      };
      const cancel = async (): Promise<boolean> => {
        await askPostgres(
          primary,
          `SELECT pg_cancel_backend(pid) FROM pg_stat_activity WHERE wait_event = 'SyncRep'`,
        );
        return isRefused;
      };
      await Promise.all([until(write), until(cancel)]);
    } finally {
      await waitFor('');
    }
    // As when a session ends just before another one is about to end it.
    const { db } = service.services;
    expect(await db.query(`SELECT pg_terminate_backend(2147483647) AS "hasEnded"`)).toEqual([
      { hasEnded: false },
    ]);
  });
});
