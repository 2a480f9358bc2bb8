import { itemColumns } from '../../src/lists/item.columns.ts';
import type { NewStore } from '../../src/stores/store.service.ts';
import { startService, useNewStore, useService } from '../harness.ts';
import type { TestService } from '../harness.ts';
import { until } from '../until.ts';
import { createClient, item, newAccount, newGuest } from './list-kit.ts';
import type { Client } from './list-kit.ts';

const service = useService(() => ({ rateLimits: false, maxShopperBytes: MAX }));
const store = useNewStore(service);

const MAX = 100_000;

/** Properties of about this many bytes. */
const props = (bytes: number) => ({ text: 'x'.repeat(bytes) });
const storageOf = async (client: Client): Promise<{ used: number; allowed: number }> =>
  (await client.graphql('{ shopper { storage { used allowed } } }')).body.data.shopper.storage;
const usedBy = async (client: Client): Promise<number> => (await storageOf(client)).used;
/** What the rows of a store's lists come to, counted anew beside what the lists say. */
const recount = (counted: TestService, { pid }: NewStore) =>
  counted.services.db.query<{ told: number; counted: number }>(
    `SELECT l.bytes AS told, list_bytes(l)
       + coalesce((SELECT sum(item_bytes(i)) FROM item i WHERE i.pid = l.pid AND i.lid = l.lid), 0)::bigint
       + coalesce((SELECT sum(bytes) FROM list_copy c WHERE c.pid = l.pid AND c.lid = l.lid), 0)::bigint AS counted
     FROM list l WHERE l.pid = $1`,
    [pid],
  );
/** A shopper with 90 kB in a list, a save-for-later list and an empty one. */
async function nearlyFull(client: Client) {
  const { lid: full } = await client.create('Full');
  await client.add(full, ...[1, 2, 3].map((epi) => item(epi, { cprops: props(30_000) })));
  const { lid: empty } = await client.create('Empty');
  const { list } = await client.ok('lists/sfl/create');
  return { full, empty, sfl: list.lid as string };
}

type Lists = Awaited<ReturnType<typeof nearlyFull>>;

const ways: Record<string, (client: Client, lists: Lists) => Promise<{ type: string; msg: string }>> = {
  'lists/create': async (client) =>
    (await client.call('lists/create', { lname: 'More', ldesc: props(20_000) })).body,
  'lists/create with fromlid': async (client, { full }) =>
    (await client.call('lists/create', { lname: 'More', fromlid: full })).body,
  'lists/update': async (client, { empty }) =>
    (await client.call('lists/update', { lid: empty, lprops: props(20_000) })).body,
  'update-ctx with a': async (client, { empty }) =>
    (await client.call('lists/update-ctx', { lid: empty, a: [item(9, { cprops: props(20_000) })] })).body,
  'update-ctx with u': async (client, { full }) => {
    const note = 'ü'.repeat(2_000);
    const u = [1, 2, 3].map((epi) => item(epi, { note, cprops: props(31_000) }));
    return (await client.call('lists/update-ctx', { lid: full, u })).body;
  },
  'sfl/add': async (client, { sfl }) =>
    (await client.call('lists/sfl/add', { lid: sfl, items: [item(9, { cprops: props(20_000) })] })).body,
  copyItems: async (client, { full, empty }) => {
    const { body } = await client.graphql(
      'mutation ($f: ID!, $t: ID!) { copyItems(fromlid: $f, tolid: $t, epis: [1]) { to { cnt } } }',
      { f: full, t: empty },
    );
    return { type: body.errors[0].extensions.type, msg: body.errors[0].message };
  },
};

test.each(Object.keys(ways))('%s beyond the quota answers limit-reached and changes nothing', async (way) => {
  const client = await newGuest(service, store);
  const lists = await nearlyFull(client);
  const before = await usedBy(client);
  const { type, msg } = await ways[way]!(client, lists);
  expect([type, msg]).toEqual(['limit-reached', "A shopper's lists can use at most 100000 bytes in total"]);
  expect(await usedBy(client)).toBe(before);
});

test('another shopper has a quota of its own', async () => {
  await nearlyFull(await newGuest(service, store));
  await nearlyFull(await newGuest(service, store));
});

test('many empty items are not free', async () => {
  const client = await newGuest(service, store);
  const { lid } = await client.create('Many');
  const a = Array.from({ length: 400 }, (_, index) => ({ epi: index, empi: 1, du: '/' }));
  expect(await client.failure(400, 'lists/update-ctx', { lid, a })).toBe('limit-reached');
});

test('what is removed, shortened, moved or deleted gives its room back', async () => {
  const client = await newGuest(service, store);
  const { full, empty } = await nearlyFull(client);
  const before = await usedBy(client);
  await client.ok('lists/update-ctx', { lid: full, u: [item(1, { cprops: {} })] });
  await client.add(empty, item(4, { cprops: props(30_000) }));
  await client.ok('lists/update-ctx', { lid: full, d: [item(2)] });
  await client.ok('lists/update', { lid: empty, lprops: props(20_000) });
  const { body } = await client.graphql(
    'mutation ($f: ID!, $t: ID!) { moveItems(fromlid: $f, tolid: $t, epis: [3]) { to { cnt } } }',
    { f: full, t: empty },
  );
  expect(body.data.moveItems.to.cnt).toBe(2);
  await client.ok('lists/delete-list', { lid: empty });
  expect(await usedBy(client)).toBeLessThan(before - 89_000);
  await client.add(full, item(5, { cprops: props(30_000) }), item(6, { cprops: props(30_000) }));
});

test('a merge never fails on the quota and counts; beyond it everything but growth is allowed', async () => {
  const account = await newAccount(service, store, 'full@example.com');
  await nearlyFull(account);
  const guest = await newGuest(service, store);
  await nearlyFull(guest);
  const more = await guest.create('More', { lprops: { a: 1 } });
  const total = (await usedBy(account)) + (await usedBy(guest));
  const fields = { regid: guest.shopper.regid, useremail: 'full@example.com', useragenttype: 'test' };
  const { body } = await service
    .post('/storeadmin/v3/user/guest-validate-sync', fields, { store })
    .expect(200);
  expect(body.merged).toMatchObject({ items: 0, duplicates: 3 });
  const guestOfOthers = await newGuest(service, store);
  const { lid: other } = await guestOfOthers.create('Other');
  await guestOfOthers.add(other, item(7, { cprops: props(30_000) }));
  await service
    .post(
      '/storeadmin/v3/user/guest-validate-sync',
      { ...fields, regid: guestOfOthers.shopper.regid },
      { store },
    )
    .expect(200);
  const used = await usedBy(account);
  expect(used).toBeGreaterThan(MAX);
  expect(used).toBeLessThan(total);

  const grow = { lid: more.lid, lnote: 'a note' };
  expect(await account.failure(400, 'lists/update', grow)).toBe('limit-reached');
  await account.ok('lists/update', { lid: more.lid, lprops: {} });
  await account.ok('lists/markPublic', { lid: more.lid });
  await account.ok('lists/update-ctx', { lid: other, u: [item(7, { qty: 2 })] });
  await account.ok('lists/update-ctx', { lid: other, u: [item(7, { cprops: props(10) })] });
  await account.ok('lists/update', grow);
});

test('large writes into several lists of a shopper wait for each other, so that the room there is is found once', async () => {
  const client = await newGuest(service, store);
  const lids = [(await client.create('One')).lid as string, (await client.create('Two')).lid as string];
  const { pool, query } = service.services.db;
  const untilWaiting = (count: number, isOver = () => false) =>
    until(async () => {
      const rows = await query(
        `SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`,
      );
      return rows.length === count || isOver();
    });
  const a = [1, 2, 3].map((epi) => item(epi, { cprops: props(25_000) }));
  const write = (lid: string) => client.call('lists/update-ctx', { lid, a }).then(({ status }) => status);
  const holder = await pool.connect();
  try {
    await holder.query('BEGIN');
    await holder.query('SELECT 1 FROM list WHERE lid = $1 FOR UPDATE', [lids[0]]);
    const first = write(lids[0]!);
    await untilWaiting(1);
    let isOver = false;
    const second = write(lids[1]!).finally(() => (isOver = true));
    await untilWaiting(2, () => isOver);
    await holder.query('COMMIT');
    expect(await Promise.all([first, second])).toEqual([200, 400]);
  } finally {
    holder.release();
  }
  expect(await usedBy(client)).toBeLessThanOrEqual(MAX);
});

test('a copy in the background counts from the moment it is asked for', async () => {
  const [client, owner] = [await newGuest(service, store), await newAccount(service, store)];
  const { lid } = await owner.create('Source');
  // Written by hand: so many items are more than this service's quota.
  await service.services.db.query(
    `INSERT INTO item (pid, lid, epi, id, empi, du, di) SELECT $1, $2, n::text, 'i' || n, '1', '/', '' FROM generate_series(1, 501) n`,
    [store.pid, lid],
  );
  await owner.ok('lists/markPublic', { lid });
  expect(await client.failure(400, 'lists/create', { lname: 'Copy', fromlid: lid })).toBe('limit-reached');
  expect(await usedBy(client)).toBe(0);
});

test('what lists say they hold is what their rows come to, whatever wrote them', async () => {
  const roomy = await startService({ rateLimits: false, maxShopperBytes: 10_000_000 });
  try {
    const its = await roomy.createStore();
    const account = await newAccount(roomy, its, 'all@example.com');
    const guest = await newGuest(roomy, its);
    const wide = (epi: number) =>
      item(epi, { note: 'ö"\\', lbls: ['red'], cprops: { a: [1, 'ü'] }, dt: 'T', pr: 2 });
    for (const client of [account, guest]) {
      const { lid } = await client.create('Wishes', { lnote: 'note', lprops: { a: 1 }, ldesc: { b: 'ä' } });
      const { lid: other } = await client.create('Other');
      await client.add(lid, ...[1, 2, 3, 4].map(wide));
      await client.add(lid, ...Array.from({ length: 499 }, (_, index) => item(100 + index)));
      await client.ok('lists/update-ctx', { lid, u: [{ epi: 1, note: '' }], d: [{ epi: 2 }], a: [wide(5)] });
      await client.ok('lists/update', { lid, lname: 'Wishes', lprops: { b: 'longer' } });
      for (const mutation of ['copyItems', 'moveItems'])
        await client.graphql(
          `mutation ($f: ID!, $t: ID!) { ${mutation}(fromlid: $f, tolid: $t, epis: [3, 4]) { to { cnt } } }`,
          { f: lid, t: other },
        );
      expect((await client.create('Copy', { fromlid: lid }))._cp).toBe(true);
    }
    const same = async () =>
      expect((await recount(roomy, its)).filter((row) => row.told !== row.counted)).toEqual([]);
    await same();
    const waiting = await usedBy(guest);
    await roomy.runTasks();
    expect(await usedBy(guest)).toBe(waiting);
    await same();
    const fields = { regid: guest.shopper.regid, useremail: 'all@example.com', useragenttype: 'test' };
    await roomy.post('/storeadmin/v3/user/guest-validate-sync', fields, { store: its }).expect(200);
    await same();
    expect(await recount(roomy, its)).toHaveLength(3);
  } finally {
    await roomy.close();
  }
});

test('a store sees what a shopper of its own stores and may store; another store sees nothing', async () => {
  const guest = await newGuest(service, store);
  await guest.create('Wishes');
  const query = 'query ($regid: String) { findShopper(regid: $regid) { storage { used allowed } } }';
  const { regid } = guest.shopper;
  const { body } = await service.graphql(query, { regid }, { store });
  // 256 for the list, its name and three empty maps.
  expect(body.data.findShopper.storage).toEqual({ used: 256 + 'Wishes{}{}{}'.length, allowed: MAX });
  const stranger = await service.createStore();
  expect((await service.graphql(query, { regid }, { store: stranger })).body.data.findShopper).toBeNull();
  expect(await storageOf(createClient(service, guest.shopper))).toEqual(body.data.findShopper.storage);
});

const X = 'x'.repeat(5_000);
const LONG: Record<string, string> = { text: `'${X}'`, jsonb: `'["${X}"]'`, 'text[]': `ARRAY['${X}']` };
const TEXTS = itemColumns.filter(({ sql, write }) => write !== 'own' && sql in LONG);

test.each(TEXTS.map(({ field, column, sql }) => [field, column, sql]))(
  'what %s of an item holds counts',
  async (_field, column, sql) => {
    const me = await newAccount(service, store);
    const { lid } = await me.create('Weighed');
    await me.add(lid, item(1));
    const before = await usedBy(me);
    await service.services.db.query(`UPDATE item SET ${column} = ${LONG[sql]} WHERE pid = $1`, [store.pid]);
    expect(await usedBy(me)).toBeGreaterThan(before + 4_000);
  },
);
