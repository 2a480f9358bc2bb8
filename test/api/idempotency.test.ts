import { randomUUID } from 'node:crypto';
import { useNewStore, useService } from '../harness.ts';
import type { Caller, Fields, TestShopper } from '../harness.ts';
import { until } from '../until.ts';

const service = useService();
const store = useNewStore(service);
let shopper: TestShopper;
beforeEach(async () => {
  shopper = await service.account(store);
});

const keyed = (key: string, caller: Caller): Caller => ({ ...caller, headers: { 'idempotency-key': key } });
const rest = (path: string, fields: Fields, key: string, caller: Caller = { shopper }) =>
  service.post(`/api/v3/lists/${path}`, fields, keyed(key, caller));
const RENAME =
  'mutation ($fname: String!) { updateShopper(input: { fname: $fname }) { userinfo { fname uts } } }';
const rename = (fname: string, key: string, caller: Caller = { store, shopper }) =>
  service.graphql(RENAME, { fname }, keyed(key, caller));
const listsOf = (regid: string) =>
  service.services.db.query<{ lid: string; lname: string; version: number }>(
    'SELECT lid, lname, version FROM list WHERE regid = $1 ORDER BY seq',
    [regid],
  );
const writesOf = () =>
  service.services.db.query<{ answer: Buffer | null }>('SELECT answer FROM idempotent_write WHERE pid = $1', [
    store.pid,
  ]);

test('a REST write that comes again gives the first answer and no second effect', async () => {
  const key = randomUUID();
  const first = await rest('create', { lname: 'Summer' }, key).expect(200);
  const second = await rest('create', { lname: 'Summer' }, key).expect(200);
  expect(second.text).toBe(first.text);
  expect(await listsOf(shopper.regid)).toHaveLength(1);
});

test('a GraphQL write that comes again gives the first answer and no second effect', async () => {
  const key = randomUUID();
  const first = await rename('Ada', key).expect(200);
  service.setNow(new Date(Date.now() + 5_000));
  const second = await rename('Ada', key).expect(200);
  expect(first.body.data.updateShopper.userinfo.fname).toBe('Ada');
  expect(second.text).toBe(first.text);
});

test.each(['REST', 'GraphQL'])(
  '50 parallel writes with one key have one effect and one answer over %s',
  async (api) => {
    const { body: list } = await service
      .post('/api/v3/lists/create', { lname: 'Parallel' }, { shopper })
      .expect(200);
    const key = randomUUID();
    const update =
      'mutation ($lid: ID!) { updateList(lid: $lid, input: { lname: "Renamed" }) { lid lname uts } }';
    const answers = await Promise.all(
      Array.from({ length: 50 }, () =>
        api === 'REST'
          ? rest('update', { lid: list.lid, lname: 'Renamed' }, key)
          : service.graphql(update, { lid: list.lid }, keyed(key, { shopper })),
      ),
    );
    expect(new Set(answers.map(({ status, text }) => `${status} ${text}`)).size).toBe(1);
    expect(answers[0]!.status).toBe(200);
    expect(answers[0]!.body.errors).toBeUndefined();
    expect(await listsOf(shopper.regid)).toEqual([{ lid: list.lid, lname: 'Renamed', version: 2 }]);
  },
);

test('a failure of the caller is the first answer, too, over REST and GraphQL', async () => {
  const key = randomUUID();
  const first = await rest('create', { lname: 'ab' }, key).expect(400);
  expect((await rest('create', { lname: 'ab' }, key).expect(400)).text).toBe(first.text);
  const create = 'mutation { createList(input: { lname: "ab" }) { lid } }';
  const failed = await service.graphql(create, {}, keyed(key, { shopper }));
  const again = await service.graphql(create, {}, keyed(key, { shopper }));
  expect(failed.body.errors[0].extensions.type).toBe('invalid-lname');
  expect(again.status).toBe(failed.status);
  expect(again.text).toBe(failed.text);
  expect(await writesOf()).toHaveLength(2);
});

test('the same key with another body is refused and changes nothing', async () => {
  const key = randomUUID();
  await rest('create', { lname: 'First' }, key).expect(200);
  const { body } = await rest('create', { lname: 'Second' }, key).expect(400);
  expect(body).toMatchObject({ error: true, type: 'idempotency-key-reused' });
  expect((await listsOf(shopper.regid)).map(({ lname }) => lname)).toEqual(['First']);
});

test('over GraphQL another variable and another literal are another body', async () => {
  const key = randomUUID();
  await rename('Ada', key);
  const other = await rename('Eve', key);
  expect(other.body.errors[0].extensions).toMatchObject({ type: 'idempotency-key-reused', status: 400 });
  const literal = 'mutation { updateShopper(input: { fname: "Eve" }) { userinfo { fname } } }';
  const { body } = await service.graphql(literal, {}, keyed(key, { store, shopper }));
  expect(body.errors[0].extensions.type).toBe('idempotency-key-reused');
});

test('keys of other operations, shoppers, stores and of the store itself are other keys', async () => {
  const key = randomUUID();
  const other = await service.account(store);
  const elsewhere = await service.account(await service.createStore());
  const { body: list } = await rest('create', { lname: 'Mine' }, key).expect(200);
  await rest('create', { lname: 'Theirs' }, key, { shopper: other }).expect(200);
  await rest('create', { lname: 'Elsewhere' }, key, { shopper: elsewhere }).expect(200);
  await rest('update', { lid: list.lid, lname: 'Renamed' }, key).expect(200);
  await service
    .post('/api/v3/lists/create', { lname: 'By the store', regid: shopper.regid }, keyed(key, { store }))
    .expect(200);
});

test('an answer given to a store key is not given to the shopper it acted for', async () => {
  const key = randomUUID();
  await rename('Ada', key);
  const { body } = await rename('Ada', key, { shopper });
  expect(body.errors[0].extensions.type).toBe('forbidden');
});

test('whether a session is valid is decided before the key is looked at', async () => {
  const key = randomUUID();
  await rest('create', { lname: 'Private' }, key).expect(200);
  const { body } = await rest('create', { lname: 'Private' }, key, {
    shopper: { ...shopper, sessionid: 'wrong' },
  }).expect(401);
  expect(body.type).toBe('bad-sessionid');
});

test('an answer of 5xx is not kept: the retry does the work', async () => {
  const { db } = service.services;
  await db.query(`CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE 'no'; END $$`);
  await db.query('CREATE TRIGGER refuse BEFORE UPDATE ON shopper FOR EACH ROW EXECUTE FUNCTION refuse()');
  const key = randomUUID();
  const failed = await rename('Ada', key);
  expect(failed.body.errors[0].extensions.status).toBe(500);
  await db.query('DROP TRIGGER refuse ON shopper');
  expect((await rename('Ada', key)).body.data.updateShopper.userinfo.fname).toBe('Ada');
});

test('a write whose key cannot be claimed because the database went away answers 503 over REST and GraphQL', async () => {
  const { db } = service.services;
  const calls = [() => rename('Ada', randomUUID()), () => rest('create', { lname: 'Summer' }, randomUUID())];
  for (const call of calls) {
    const status = await db.transaction(async (tx) => {
      await tx.query('LOCK TABLE idempotent_write');
      let isOver = false;
      const answer = call().then((result) => {
        isOver = true;
        return [result.status, result.headers['retry-after']];
      });
      // Ends the session that waits for the table; a call that met one that was ended before is over already.
      await until(async () => {
        if (isOver) return true;
        const ended = await tx.query(
          `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()`,
        );
        return ended.length > 0;
      });
      return answer;
    });
    expect(status).toEqual([503, '5']);
  }
});

test('an answer of 401 or 403 is not kept: the retry is judged anew', async () => {
  const key = randomUUID();
  const guest = await service.guest(store);
  const { body: list } = await service
    .post('/api/v3/lists/create', { lname: 'Shared' }, { shopper: guest })
    .expect(200);
  const mail = { lid: list.lid, toemail: 'friend@example.com' };
  await rest('emailList', mail, key, { shopper: guest }).expect(403);
  expect(await writesOf()).toEqual([]);
});

test('an answer is kept for 24 hours and then removed', async () => {
  const start = Date.now();
  const key = randomUUID();
  service.setNow(new Date(start));
  await rest('create', { lname: 'First' }, key).expect(200);
  service.setNow(new Date(start + 24 * 3_600_000 - 1));
  await service.runTasks();
  await rest('create', { lname: 'Second' }, key).expect(400);
  service.setNow(new Date(start + 24 * 3_600_000));
  await rest('create', { lname: 'Second' }, key).expect(200);
  service.setNow(new Date(start + 48 * 3_600_000));
  await service.runTasks();
  expect(await writesOf()).toEqual([]);
});

test('a claim whose process died is taken over when its lease has ended, by the same body only', async () => {
  const key = randomUUID();
  await rename('Ada', key);
  await service.services.db.query(
    `UPDATE idempotent_write SET answer = NULL, lease_until = clock_timestamp() - interval '1 second' WHERE pid = $1`,
    [store.pid],
  );
  expect((await rename('Eve', key)).body.errors[0].extensions.type).toBe('idempotency-key-reused');
  expect((await rename('Ada', key)).body.data.updateShopper.userinfo.fname).toBe('Ada');
  expect((await writesOf())[0]!.answer).not.toBeNull();
});

test('a retry waits for the first request, however many wait', async () => {
  const { db } = service.services;
  const key = randomUUID();
  const client = await db.pool.connect();
  await client.query('BEGIN');
  await client.query('SELECT 1 FROM shopper WHERE regid = $1 FOR UPDATE', [shopper.regid]);
  const answers = Promise.all(Array.from({ length: 30 }, () => rename('Ada', key)));
  await until(async () => (await writesOf()).length === 1);
  // With 30 retries waiting on a pool of ten, another shopper is still served.
  await service.account(store);
  await client.query('COMMIT');
  client.release();
  expect(new Set((await answers).map(({ text }) => text)).size).toBe(1);
  expect((await answers)[0]!.body.data.updateShopper.userinfo.fname).toBe('Ada');
});

test('the report of a merge is answered again, although a repeat would find nothing', async () => {
  const guest = await service.guest(store);
  await service.post('/api/v3/lists/create', { lname: 'From the guest' }, { shopper: guest }).expect(200);
  const key = randomUUID();
  const fields = { regid: guest.regid, useremail: 'merge@example.com', useragenttype: 'test' };
  const sync = () =>
    service.post('/storeadmin/v3/user/guest-validate-sync', fields, keyed(key, { store })).expect(200);
  const first = await sync();
  expect(first.body.merged.lists).toBe(1);
  expect((await sync()).text).toBe(first.text);
});

test('neither the key nor anything of the answer can be read from the table', async () => {
  const key = randomUUID();
  const { body } = await service
    .post(
      '/storeadmin/v3/user/generate-regid',
      { useremail: 'hidden@example.com', useragenttype: 'test' },
      keyed(key, { store }),
    )
    .expect(200);
  const rows = await service.services.db.query<Record<string, unknown>>(
    'SELECT * FROM idempotent_write WHERE pid = $1',
    [store.pid],
  );
  const dump = rows
    .flatMap((row) => Object.values(row))
    .map((value) => (Buffer.isBuffer(value) ? value.toString('latin1') : String(value)));
  expect(rows).toHaveLength(1);
  for (const secret of [key, body.sessionid, body.regid, 'hidden@example.com'])
    expect(dump.join('\n')).not.toContain(secret);
});

test.each([
  ['256 characters', 'k'.repeat(256)],
  ['a tab', 'a\tb'],
  ['a letter beyond ASCII', 'caf\u00e9'],
])('a key with %s is a bad request over REST and GraphQL', async (_what, key) => {
  const { body } = await rest('create', { lname: 'Never' }, key).expect(400);
  expect(body.type).toBe('invalid-request');
  expect((await rename('Ada', key)).body.errors[0].extensions).toMatchObject({
    type: 'invalid-request',
    status: 400,
  });
  expect(await listsOf(shopper.regid)).toEqual([]);
});

test('255 characters pass, and an empty key counts as none', async () => {
  await rest('create', { lname: 'Longest' }, 'k'.repeat(255)).expect(200);
  await rest('create', { lname: 'Without' }, '').expect(200);
  await rest('create', { lname: 'Without' }, '').expect(400);
});

test('a key on a read is ignored', async () => {
  const key = randomUUID();
  const read = '{ store { name } }';
  await service.graphql(read, {}, keyed(key, { store })).expect(200);
  expect(await writesOf()).toEqual([]);
});
