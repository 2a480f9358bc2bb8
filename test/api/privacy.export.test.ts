import { once } from 'node:events';
import { request } from 'node:http';
import type { ClientRequest, IncomingMessage } from 'node:http';
import type { PoolClient } from 'pg';
import { setMaintenance } from '../../src/stores/store.service.ts';
import { useNewStore, useService } from '../harness.ts';
import { until } from '../until.ts';
import { item, newAccount, useNewAccount } from './list-kit.ts';

const service = useService({ webhookAllowPrivate: true });
const store = useNewStore(service);
const EMAIL = 'me@example.com';
const me = useNewAccount(service, store, EMAIL);
/** Portions of items that were read so far. */
let reads = 0;

const EXPORT = '/storeadmin/v3/user/export';
const PHONE = '+4915123456789';

const watched = new WeakSet<PoolClient>();

/** Counts what is read over a connection; it may have been opened by an earlier file. */
function watch(client: PoolClient): void {
  if (watched.has(client)) return;
  watched.add(client);
  const query = client.query.bind(client) as (...args: unknown[]) => unknown;
  client.query = ((...args: unknown[]) => {
    if ((args[0] as { text?: string }).text?.includes(', item x')) reads += 1;
    return query(...args);
  }) as never;
}

beforeAll(() => void service.services.db.pool.on('acquire', watch));
afterAll(() => void service.services.db.pool.off('acquire', watch));

const post = (fields: Record<string, string>, caller: object = { store }) =>
  service.post(EXPORT, fields, caller);
const graphql = async (useremail: string) =>
  (
    await service.graphql(
      'mutation ($useremail: String) { exportShopper(useremail: $useremail) { exportedAt data } }',
      { useremail },
      { store },
    )
  ).body;
const audit = async (): Promise<{ action: string; keyId: string }[]> =>
  (await service.graphql('{ auditLog(first: 100) { action keyId } }', {}, { store })).body.data.auditLog;

/** Puts items of 32 kB each into a list, the short way. */
async function fill(count: number): Promise<void> {
  const { lid } = await me.create('Large');
  await service.services.db.query(
    `INSERT INTO item (pid, lid, epi, id, empi, du, di, cprops)
     SELECT $1, $2, n::text, $2 || n, '1', '/p', 'd', jsonb_build_object('a', repeat('x', 32000)) FROM generate_series(1, $3::int) n`,
    [store.pid, lid, count],
  );
}

/** Asks for the export over a connection of its own and stops reading behind the head. */
async function openExport(): Promise<{ call: ClientRequest; answer: IncomingMessage }> {
  const call = request(`${service.url}${EXPORT}`, {
    method: 'POST',
    auth: `${store.pid}:${store.apiKey}`,
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
  });
  call.end(`useremail=${encodeURIComponent(EMAIL)}`);
  const [answer] = (await once(call, 'response')) as [IncomingMessage];
  answer.pause();
  return { call, answer };
}

const isEveryConnectionFree = (): boolean => {
  const { idleCount, totalCount, waitingCount } = service.services.db.pool;
  return idleCount === totalCount && waitingCount === 0;
};

/** Waits until the export has come to a halt: nothing is read any more, and no connection is held. */
async function untilStill(): Promise<void> {
  let [before, still] = [-1, 0];
  await until(async () => {
    still = reads === before && isEveryConnectionFree() ? still + 1 : 0;
    before = reads;
    return still >= 20;
  });
}

test('REST and GraphQL give one document: everything, whatever the number of portions', async () => {
  await service.graphql(
    'mutation ($events: [String!]!) { saveWebhook(url: "http://127.0.0.1:9/x", events: $events) { secret } }',
    { events: ['list.item.added'] },
    { store },
  );
  await service.graphql(
    'mutation ($input: UpdateShopperInput!) { updateShopper(input: $input) { uid } }',
    { input: { m: PHONE, pd: { city: 'Köln "am Rhein"' } } },
    { store, shopper: me.shopper },
  );
  const { lid } = await me.create('Long', { lprops: { a: '{"' } });
  await me.create('Empty');
  await me.add(lid, ...Array.from({ length: 101 }, (_, index) => item(index + 1, { note: `„${index}“` })));
  for (let index = 0; index < 51; index += 1) await me.create(`List ${index}`);
  const { db } = service.services;
  const other = await newAccount(service, store);
  await service.post(
    '/api/v3/lists/create',
    { lname: 'For me', cfor: EMAIL, regid: other.shopper.regid, pid: store.pid },
    { store },
  );
  await db.query(
    `INSERT INTO subscription (pid, id, medium, value, epi, empi, du, topic)
     SELECT $1, 's' || n, 'email', $2, n::text, '1', '/', 'backinstock' FROM generate_series(1, 120) n`,
    [store.pid, EMAIL],
  );
  await db.query(
    `INSERT INTO alert_seen (pid, medium, value, epi, topic, sent_at)
     SELECT $1, 'sms', $2, n::text, 'backinstock', '2026-01-01'::timestamptz + make_interval(secs => n / 7) FROM generate_series(1, 130) n`,
    [store.pid, PHONE],
  );
  await db.query("INSERT INTO suppression VALUES ($1, 'sms', $2, now()), ($1, 'email', $3, now())", [
    ...[store.pid, PHONE, EMAIL],
  ]);
  const { body: streamed, headers } = await post({ useremail: EMAIL }).expect(200);
  const { data } = await graphql(EMAIL);
  expect(headers['content-type']).toBe('application/json; charset=utf-8');
  expect(streamed.data).toEqual(data.exportShopper.data);
  expect(streamed.exportedAt).toEqual(expect.any(Number));
  const { shopper, lists, messages, subscriptions, alertsReceived, optOuts, listsMadeFor } = streamed.data;
  expect(shopper).toMatchObject({ em: EMAIL, m: PHONE, pd: { city: 'Köln "am Rhein"' } });
  expect(
    lists.map(({ items }: { items: object[] }) => items.length).sort((a: number, b: number) => b - a),
  ).toEqual([101, ...Array.from({ length: 52 }, () => 0)]);
  const epis = Array.from({ length: 101 }, (_, index) => String(index + 1));
  expect(lists[0].items.map(({ epi }: { epi: string }) => epi)).toEqual(epis);
  const told = messages.map(({ payload }: { payload: { data: { epi: string } } }) => payload.data.epi);
  expect(told.sort()).toEqual([...epis].sort());
  expect([subscriptions.length, alertsReceived.length, optOuts.length]).toEqual([120, 130, 2]);
  expect(new Set(alertsReceived.map(({ epi }: { epi: string }) => epi)).size).toBe(130);
  expect(listsMadeFor).toMatchObject([{ lname: 'For me' }]);
});

test('beyond 8 MB GraphQL names the call that streams, and nothing is recorded', async () => {
  await fill(300);
  const { errors } = await graphql(EMAIL);
  expect(errors[0].extensions.type).toBe('limit-reached');
  expect(errors[0].message).toContain(`POST ${EXPORT}`);
  expect(await audit()).toEqual([]);
  const { body } = await post({ useremail: EMAIL }).expect(200);
  expect(body.data.lists[0].items).toHaveLength(300);
});

test('a reader that stops holds no connection and is not read ahead for; when it goes on, it gets everything', async () => {
  await fill(2_000);
  reads = 0;
  const { answer } = await openExport();
  await untilStill();
  expect(reads).toBeLessThan(30);
  // It was recorded before the first byte.
  expect(await audit()).toMatchObject([{ action: 'export' }]);
  const chunks: Buffer[] = [];
  for await (const chunk of answer) chunks.push(chunk as Buffer);
  expect(JSON.parse(Buffer.concat(chunks).toString()).data.lists[0].items).toHaveLength(2_000);
  expect(reads).toBe(41);
});

test('a reader that leaves ends the work', async () => {
  await fill(2_000);
  reads = 0;
  const { call } = await openExport();
  await untilStill();
  call.destroy();
  await untilStill();
  expect(reads).toBeLessThan(30);
});

test('an Idempotency-Key has no effect: each call streams and is recorded', async () => {
  const headers = { 'idempotency-key': 'once' };
  await post({ useremail: EMAIL }, { store, headers }).expect(200);
  await me.create('Later');
  const { body } = await post({ useremail: EMAIL }, { store, headers }).expect(200);
  expect(body.data.lists).toMatchObject([{ lname: 'Later' }]);
  expect(await audit()).toHaveLength(2);
  expect(
    await service.services.db.query('SELECT 1 FROM idempotent_write WHERE pid = $1', [store.pid]),
  ).toEqual([]);
});

test('a guest is exported by its regid; of one who has saved nothing there is nothing to export', async () => {
  const shopper = await service.guest(store);
  const { regid } = shopper;
  expect((await post({ regid }).expect(404)).body.type).toBe('not-found');
  await service.post('/api/v3/lists/create', { lname: 'Wishes' }, { shopper }).expect(200);
  const { body } = await post({ regid }).expect(200);
  expect(body.data).toMatchObject({
    shopper: { regid, is_guest: true },
    lists: [{ items: [] }],
    messages: [],
  });
});

test('an export is refused without a key, to a shopper or another store, for two names or nobody, in maintenance and beyond the rate limit', async () => {
  const refusal = async (fields: Record<string, string>, caller: object): Promise<[number, string]> => {
    const { status, body } = await post(fields, caller);
    return [status, body.type];
  };
  const { regid } = me.shopper;
  const stranger = await service.createStore({ rateLimits: { key: 2 } });
  expect(await refusal({ useremail: EMAIL }, {})).toEqual([401, 'unauthorised']);
  expect(await refusal({}, { shopper: me.shopper })).toEqual([401, 'unauthorised']);
  expect(await refusal({ regid }, { store: stranger })).toEqual([404, 'not-found']);
  expect(await refusal({ regid, useremail: EMAIL }, { store })).toEqual([400, 'invalid-request']);
  expect(await refusal({}, { store })).toEqual([400, 'invalid-useremail']);
  expect(await refusal({ useremail: 'x@example.com' }, { store })).toEqual([404, 'not-found']);
  expect(await refusal({ regid }, { store: stranger })).toEqual([404, 'not-found']);
  expect(await refusal({ regid }, { store: stranger })).toEqual([429, 'too-many-requests']);
  await setMaintenance(service.services, store.pid, true);
  expect(await refusal({ regid }, { store })).toEqual([503, 'maintenance']);
  await setMaintenance(service.services, store.pid, false);
  expect(await audit()).toEqual([]);
});

test('an erasure finds messages however many there are, and leaves those of others between them', async () => {
  await service.services.db.query(
    `INSERT INTO outbox (pid, id, lane, kind, recipient, payload, due_at, cts)
     SELECT $1, 'm' || n, 'webhook', 'x', 'w', jsonb_build_object('about', CASE WHEN n % 3 = 0 THEN 'not' || $2::text ELSE $2 END), now(), now()
     FROM generate_series(1, 300) n`,
    [store.pid, EMAIL],
  );
  const { body } = await service.graphql(
    'mutation ($useremail: String) { eraseShopper(useremail: $useremail) { detail } }',
    { useremail: EMAIL },
    { store },
  );
  expect(body.data.eraseShopper.detail).toMatchObject({ messages: 200 });
  const left = await service.services.db.query('SELECT 1 FROM outbox WHERE pid = $1', [store.pid]);
  expect(left).toHaveLength(100);
});
