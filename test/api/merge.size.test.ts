import type { NewStore } from '../../src/stores/store.service.ts';
import { useService } from '../harness.ts';
import { watchTransactions } from '../statements.ts';
import type { Seen } from '../statements.ts';
import { NO_PD, item, newAccount, newGuest } from './list-kit.ts';
import type { Client } from './list-kit.ts';

const service = useService({ rateLimits: false, webhookAllowPrivate: true });
let store: NewStore;

const EMAIL = 'big@example.com';
const START = new Date('2030-01-01T00:00:00Z');
beforeEach(async () => {
  service.setNow(START);
  store = await service.createStore();
});

const login = ({ shopper }: Client) =>
  service
    .post(
      '/storeadmin/v3/user/guest-validate-sync',
      { regid: shopper.regid, useremail: EMAIL, useragenttype: 'test' },
      { store },
    )
    .expect(200);
const listen = () =>
  service
    .graphql(
      'mutation ($events: [String!]!) { saveWebhook(url: "http://127.0.0.1:9/x", events: $events) { secret } }',
      { events: ['list.item.added', 'list.item.removed'] },
      { store },
    )
    .expect(200);
const fill = async (client: Client, lid: string, count: number): Promise<void> => {
  for (let start = 0; start < count; start += 500)
    await client.add(
      lid,
      ...Array.from({ length: Math.min(500, count - start) }, (_, index) => item(start + index + 1)),
    );
};
/** The outbox of the store, in its order. */
const outbox = () =>
  service.services.db.query<{ kind: string; payload: { type: string; timestamp: string; data: object } }>(
    'SELECT kind, payload FROM outbox WHERE pid = $1 ORDER BY seq',
    [store.pid],
  );
/** The largest statement of what `work` does, by its parameters and by its rows. */
async function largest(work: () => Promise<unknown>): Promise<Omit<Seen, 'text'>> {
  const most = { paramBytes: 0, rows: 0 };
  const end = watchTransactions(service.services.db.pool, ({ paramBytes, rows }) => {
    most.paramBytes = Math.max(most.paramBytes, paramBytes);
    most.rows = Math.max(most.rows, rows);
  });
  await work();
  end();
  return most;
}

describe('with a webhook on items', () => {
  const COUNT = 1_200;
  const SMALL = { paramBytes: 2_000, rows: 20 };

  test('a login with many items tells of each in its order, and none of them passes through the process', async () => {
    const [guest, account] = [await newGuest(service, store), await newAccount(service, store, EMAIL)];
    await listen();
    const joining = (await guest.create('Wishes')).lid;
    const moving = (await guest.create('Garden')).lid;
    const target = (await account.create('Wishes')).lid;
    await fill(guest, joining, COUNT);
    await fill(guest, moving, 3);
    await service.services.db.query('DELETE FROM outbox');

    const most = await largest(() => login(guest));
    expect(most.paramBytes).toBeLessThan(SMALL.paramBytes);
    expect(most.rows).toBeLessThan(SMALL.rows);
    const events = await outbox();
    const of = (kind: string, lid: string) =>
      events
        .filter(({ payload }) => payload.type === kind && (payload.data as { lid: string }).lid === lid)
        .map(({ payload }) => (payload.data as { epi: string }).epi);
    const all = Array.from({ length: COUNT }, (_, index) => String(index + 1));
    expect(of('list.item.removed', joining)).toEqual(all);
    expect(of('list.item.added', target)).toEqual(all);
    expect(of('list.item.removed', moving)).toEqual(['1', '2', '3']);
    expect(of('list.item.added', moving)).toEqual(['1', '2', '3']);
    expect(events).toHaveLength(2 * COUNT + 6);
  });

  test('deleting a long list, copying it and finishing a copy at login read none of its items for the webhook', async () => {
    const [guest, account] = [await newGuest(service, store), await newAccount(service, store, EMAIL)];
    await listen();
    const long = (await guest.create('Long')).lid;
    await fill(guest, long, COUNT);
    await account.create('Copy');
    await service.services.db.query('DELETE FROM outbox');
    const most = await largest(async () => {
      expect((await guest.create('Copy', { fromlid: long }))._cp).toBe(true);
      await guest.ok('lists/delete-list', { lid: long, limit: 1 });
      await login(guest);
    });
    expect(most.paramBytes).toBeLessThan(SMALL.paramBytes);
    expect(most.rows).toBeLessThan(SMALL.rows);
    expect((await outbox()).map(({ kind }) => kind).sort()).toEqual([
      ...Array.from({ length: COUNT }, () => 'list.item.added'),
      ...Array.from({ length: COUNT }, () => 'list.item.removed'),
    ]);
  });

  test('an event of a whole list has the same content as one of a single item', async () => {
    const guest = await newGuest(service, store);
    await listen();
    const { lid } = await guest.create('Wishes');
    const {
      a: [added],
    } = await guest.add(lid, item('x"1', { qty: 3, du: 'https://shop.example/ä?a=1&b="2"' }));
    await guest.ok('lists/delete-list', { lid });
    const [single, whole] = await outbox();
    expect(single!.payload.data).toMatchObject({ lid, id: added.id, epi: 'x"1', qty: 3 });
    expect(whole!.payload).toEqual({ ...single!.payload, type: 'list.item.removed' });
    expect(whole!.payload.timestamp).toBe(START.toISOString());
  });
});

describe('properties that both sides have', () => {
  const MAX = 32_768;
  const map = (prefix: string, count: number, size: number) =>
    Object.fromEntries(Array.from({ length: count }, (_, index) => [`${prefix}${index}`, 'v'.repeat(size)]));
  const own = map('own', 20, 1_000);

  test("a list's maps stay within 32 kB at a login: the account's keys are all there, the guest's as far as they fit", async () => {
    const account = await newAccount(service, store, EMAIL);
    const { lid } = await account.create('Wishes', { lprops: own, cprops: own, ldesc: { a: 1 } });
    for (let round = 0; round < 3; round += 1) {
      const guest = await newGuest(service, store);
      const given = { ...map(`r${round}-`, 20, 1_000), own0: 'other' };
      await guest.create('Wishes', { lprops: given, cprops: given, ldesc: { b: round, a: 2 } });
      await login(guest);
    }
    const { list } = await account.contents(lid);
    for (const joined of [list.lprops, list.cprops]) {
      expect(Buffer.byteLength(JSON.stringify(joined))).toBeLessThanOrEqual(MAX);
      expect(joined).toMatchObject(own);
      expect(
        Object.keys(joined)
          .filter((key) => key.startsWith('r'))
          .sort(),
      ).toEqual(
        // By name: r0-10 comes before r0-2.
        Object.keys(map('r0-', 20, 0))
          .sort()
          .slice(0, 12),
      );
    }
    expect(list.ldesc).toEqual({ a: 1, b: 0 });
    await account.ok('lists/update', { lid, lprops: list.lprops });
  });

  test("a profile's maps stay within 32 kB at a login and can be saved again", async () => {
    const [guest, account] = [await newGuest(service, store), await newAccount(service, store, EMAIL)];
    const save = (client: Client, input: object) =>
      service.graphql(
        'mutation ($input: UpdateShopperInput!) { updateShopper(input: $input) { userinfo { prefs pd } } }',
        { input },
        { store, shopper: client.shopper },
      );
    const large = map('own', 30, 1_000);
    const mediums = (medium: string) => ({ Mediums: { [medium]: { acceptsource: 'x'.repeat(20_000) } } });
    await save(account, { pd: large, prefs: mediums('email') }).expect(200);
    await save(guest, { pd: { ...map('guest', 30, 1_000), own0: 'other' }, prefs: mediums('sms') }).expect(
      200,
    );
    await login(guest);
    const { body } = await account.graphql('{ shopper { userinfo { prefs pd } } }');
    const { pd, prefs } = body.data.shopper.userinfo;
    expect(Object.keys(pd).sort()).toEqual(
      [...Object.keys({ ...NO_PD, ...large }), 'guest0', 'guest1'].sort(),
    );
    expect(pd.own0).toBe(large['own0']);
    expect(Object.keys(prefs.Mediums)).toEqual(['email']);
    expect((await save(account, { pd, prefs })).body.errors).toBeUndefined();
  });
});
