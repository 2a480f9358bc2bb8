import { useNewStore, useService } from '../harness.ts';
import { statementsOf } from '../statements.ts';
import { createClient, item, newAccount, newGuest, stock, useNewAccount } from './list-kit.ts';
import type { Client } from './list-kit.ts';

// The price when an item was added, and how the price has changed since.

const service = useService();
const store = useNewStore(service, { currency: 'EUR', customItems: true });
const me = useNewAccount(service, store);

const PRICES = `{ allLists { lid lname listcontents {
  epi currentPrice { amount } wasPrice { amount } savedPrice { amount currencyCode }
  priceChange { direction amount { amount currencyCode } percent } } } }`;

type Prices = {
  epi: number;
  currentPrice: { amount: string } | null;
  wasPrice: { amount: string } | null;
  savedPrice: { amount: string } | null;
  priceChange: object | null;
};

async function itemsOf(lid: string, client: Client = me): Promise<Prices[]> {
  const { body } = await client.graphql(PRICES).expect(200);
  const lists = body.data.allLists as { lid: string; listcontents: Prices[] }[];
  return lists.find((list) => list.lid === lid)!.listcontents;
}

const savedIn = async (lid: string, client?: Client) =>
  Object.fromEntries(
    (await itemsOf(lid, client)).map(({ epi, savedPrice }) => [epi, savedPrice?.amount ?? null]),
  );

const price = (pr: number, more: object = {}) => stock(service, store, '1', { pr, ...more });
const newList = async (lname: string): Promise<string> => (await me.create(lname)).lid;
const transfer = async (name: 'moveItems' | 'copyItems', fromlid: string, tolid: string) => {
  const query = `mutation ($fromlid: ID!, $tolid: ID!) { ${name}(fromlid: $fromlid, tolid: $tolid, epis: [1]) { items { savedPrice { amount } } } }`;
  const { body } = await me.graphql(query, { fromlid, tolid }).expect(200);
  return body.data[name].items;
};

let lid: string;
beforeEach(async () => {
  await price(20);
  lid = await newList('Wishes');
});

test("an added item has the catalogue's price, whatever price the client sends", async () => {
  await me.add(lid, item(1, { pr: 1 }));
  expect(await itemsOf(lid)).toMatchObject([
    { savedPrice: { amount: '20.00', currencyCode: 'EUR' }, priceChange: null },
  ]);
});

test('what is not in the catalogue has the price that was sent, and an unknown one is null', async () => {
  await me.add(lid, item(2, { pr: 7.5 }), item(3), {
    title: 'Cup',
    du: '/cup',
    price: 3.99,
    compareAtPrice: 5,
  });
  const [cup, three, two] = await itemsOf(lid);
  expect([two!.savedPrice?.amount, three!.savedPrice, cup!.savedPrice?.amount]).toEqual([
    '7.50',
    null,
    '3.99',
  ]);
  expect(three).toMatchObject({ currentPrice: null, priceChange: null });
  expect(cup).toMatchObject({ currentPrice: { amount: '3.99' }, wasPrice: { amount: '5.00' } });
});

test.each([
  [20, 14.99, 'DOWN', '5.01', 25.05],
  [20, 20.01, 'UP', '0.01', 0.05],
  [0.3, 0.1, 'DOWN', '0.20', 66.67],
  [1.1, 3.3, 'UP', '2.20', 200],
  [10, 0, 'DOWN', '10.00', 100],
])('from %d to %d the price went %s by %s, %d percent', async (before, after, direction, amount, percent) => {
  await price(before);
  await me.add(lid, item(1));
  await price(after);
  const [one] = await itemsOf(lid);
  expect(one!.priceChange).toEqual({ direction, amount: { amount, currencyCode: 'EUR' }, percent });
});

test('from a price of zero there is no change in percent, and so no change', async () => {
  await price(0);
  await me.add(lid, item(1));
  await price(5);
  expect((await itemsOf(lid))[0]).toMatchObject({ savedPrice: { amount: '0.00' }, priceChange: null });
});

test('a price that is removed from the catalogue leaves the price of the last add', async () => {
  await me.add(lid, item(1));
  const query = 'mutation { upsertProducts(products: [{ epi: 1, pr: null }]) { pr } }';
  await service.graphql(query, {}, { store }).expect(200);
  expect((await itemsOf(lid))[0]).toMatchObject({ currentPrice: { amount: '20.00' }, priceChange: null });
});

test('adding again and changing an item keep the price of the first time', async () => {
  await me.add(lid, item(1));
  await price(30);
  await me.add(lid, item(1, { qty: 2 }));
  await me.ok('lists/update-ctx', { lid, u: [{ epi: 1, note: 'blue', pr: 1 }] });
  expect(await savedIn(lid)).toEqual({ 1: '20.00' });
});

test('a client cannot send it', async () => {
  const query = 'mutation ($lid: ID!, $a: [ItemInput!]) { updateListContents(lid: $lid, a: $a) { cnt } }';
  const { body } = await me.graphql(query, { lid, a: [item(1, { savedPrice: 1 })] });
  expect(body.errors[0].message).toContain('savedPrice');
  await me.add(lid, item(1, { savedPrice: 1 }));
  expect(await savedIn(lid)).toEqual({ 1: '20.00' });
});

test('a moved item keeps it, and a copy has the price of its own day', async () => {
  await me.add(lid, item(1));
  const [copies, moves] = [await newList('Copies'), await newList('Moves')];
  await price(30);
  expect(await transfer('copyItems', lid, copies)).toEqual([{ savedPrice: { amount: '30.00' } }]);
  expect(await transfer('moveItems', lid, moves)).toEqual([{ savedPrice: { amount: '20.00' } }]);
  expect([await savedIn(copies), await savedIn(moves)]).toEqual([{ 1: '30.00' }, { 1: '20.00' }]);
});

test('a move onto a variant that is there keeps the price of the target', async () => {
  await me.add(lid, item(1));
  const target = await newList('Target');
  await price(30);
  await me.add(target, item(1));
  await transfer('moveItems', lid, target);
  expect(await savedIn(target)).toEqual({ 1: '30.00' });
});

test('a list made of another one has the prices of its own day, also in the background', async () => {
  await me.add(lid, item(1), ...Array.from({ length: 400 }, (_, index) => item(1_000 + index, { pr: 5 })));
  await me.add(lid, ...Array.from({ length: 150 }, (_, index) => item(2_000 + index, { pr: 5 })));
  await price(30);
  const copy = (await me.create('Copy', { fromlid: lid })).lid;
  await service.runTasks();
  const rows = await service.services.db.prisma.item.findMany({ where: { pid: store.pid, lid: copy } });
  expect(rows).toHaveLength(551);
  expect(
    new Set(rows.map(({ epi, savedPrice }) => (epi === '1' ? [1, savedPrice] : savedPrice)).flat()),
  ).toEqual(new Set([1, 30, 5]));
});

test('deleting and restoring, alone or with the list, keep it', async () => {
  await me.add(lid, item(1), item(2, { pr: 4 }));
  await price(30);
  await me.ok('lists/update-ctx', { lid, d: [{ epi: 1 }] });
  const { body } = await me.graphql(
    'query ($lid: ID!) { deletedItems(lid: $lid) { savedPrice { amount } } }',
    { lid },
  );
  expect(body.data.deletedItems).toEqual([{ savedPrice: { amount: '20.00' } }]);
  await me.ok('lists/restore-items', { lid, epis: [1] });
  expect(await savedIn(lid)).toEqual({ 1: '20.00', 2: '4.00' });
  await me.ok('lists/delete-list', { lid });
  await me.ok('lists/restore', { lid });
  expect(await savedIn(lid)).toEqual({ 1: '20.00', 2: '4.00' });
});

test("a merge keeps the price of the account's item, and brings the guest's others", async () => {
  const email = `${store.pid.replace(/\W/g, '')}@example.com`;
  const account = await newAccount(service, store, email);
  const { lid: own } = await account.create('Mine');
  await account.add(own, item(1));
  await price(30);
  await stock(service, store, '5', { pr: 8 });
  const guest = await newGuest(service, store);
  const { lid: guests } = await guest.create('Mine');
  await guest.add(guests, item(1), item(5));
  await price(40);
  await stock(service, store, '5', { pr: 9 });
  const fields = { regid: guest.shopper.regid, useremail: email, useragenttype: 'test' };
  const { body } = await service
    .post('/storeadmin/v3/user/guest-validate-sync', fields, { store })
    .expect(200);
  const { regid, sessionid } = body;
  const after = createClient(service, { pid: store.pid, regid, sessionid });
  expect(await savedIn(own, after)).toEqual({ 1: '20.00', 5: '8.00' });
});

test("an item shows the catalogue's earlier price, and its own once the variant has left the catalogue", async () => {
  await price(20, { compareAtPrice: 25 });
  await me.add(lid, item(1, { compareAtPrice: 99 }));
  expect((await itemsOf(lid))[0]!.wasPrice).toEqual({ amount: '25.00' });
  expect((await me.contents(lid)).items[0].compareAtPrice).toBe(99);
  await service.graphql('mutation { removeProducts(epis: [1]) { removed } }', {}, { store }).expect(200);
  expect((await itemsOf(lid))[0]!.wasPrice).toEqual({ amount: '99.00' });
});

test('prices of items come with the statement that reads the lists, and show changes of the catalogue at once', async () => {
  await me.add(lid, item(1), item(2, { pr: 1 }));
  const seen = await statementsOf(service, () => itemsOf(lid));
  expect(seen).toEqual(['load_identities', 'lists_of']);
  for (let times = 0; times < 3; times += 1) await itemsOf(lid);
  expect(await statementsOf(service, () => itemsOf(lid))).toEqual(['load_identities']);
  await price(20, { compareAtPrice: 50 });
  expect((await itemsOf(lid))[1]!.wasPrice).toEqual({ amount: '50.00' });
  await service.graphql('mutation { updateStore(input: { currency: "CHF" }) { name } }', {}, { store });
  expect((await itemsOf(lid))[1]!.savedPrice).toEqual({ amount: '20.00', currencyCode: 'CHF' });
});

test('records over REST do not contain the new fields', async () => {
  await me.add(lid, item(1));
  const [record] = (await me.contents(lid)).items;
  for (const field of ['savedPrice', 'currentPrice', 'wasPrice', 'availability', 'fullPrice', 'isUntracked'])
    expect(record).not.toHaveProperty(field);
});
