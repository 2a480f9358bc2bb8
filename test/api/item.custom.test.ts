import { useService } from '../harness.ts';
import { item, newAccount, rowsOf } from './list-kit.ts';
import type { Client } from './list-kit.ts';

const service = useService();
let me: Client;
let lid: string;
beforeEach(async () => {
  me = await newAccount(service, await service.createStore({ customItems: true }));
  ({ lid } = await me.create('List'));
});

const PART = {
  title: 'Cup',
  price: 3.5,
  empi: 6,
  epi: '5',
  iu: 'https://cdn.example/c.jpg',
  uri: '/c',
  vendor: 'Acme',
};
const CUSTOM = {
  title: 'Engraved pen',
  du: '/custom/pen',
  price: 12.5,
  iu: 'https://cdn.example/p.jpg',
  sku: 'PEN',
  compareAtPrice: 15,
  platformitemid: 4711,
  cprops: { text: 'Ann' },
};

test('a custom item gets its ids and kind from the service', async () => {
  const [made] = (await me.add(lid, { ...CUSTOM, qty: 2 })).a;
  expect(made).toMatchObject({
    ...CUSTOM,
    dt: 'Engraved pen',
    pr: 12.5,
    qty: 2,
    lity: 'custom',
    bundle: [],
    stk: null,
  });
  expect(typeof made.epi).toBe('string');
  expect(typeof made.empi).toBe('string');
  expect((await me.contents(lid)).items).toEqual([made]);
});

test('a custom item with parts is a bundle', async () => {
  const [made] = (await me.add(lid, { ...CUSTOM, bundle: [PART, { title: 'Saucer' }] })).a;
  const nothing = { price: null, empi: null, epi: null, iu: null, uri: null, vendor: null };
  expect(made).toMatchObject({
    lity: 'customBundle',
    bundle: [
      { ...PART, epi: 5 },
      { title: 'Saucer', ...nothing },
    ],
  });
});

test('a custom item that is sent again is found instead of doubled; other content is another item', async () => {
  const [first] = (await me.add(lid, CUSTOM)).a;
  const [again] = (await me.add(lid, { ...CUSTOM, qty: 3, note: 'n' })).a;
  expect(again).toEqual({ ...first, qty: 3, note: 'n', uts: again.uts });
  await me.add(
    lid,
    { ...CUSTOM, cprops: { text: 'Bob' } },
    { ...CUSTOM, price: 13 },
    { ...CUSTOM, bundle: [PART] },
  );
  expect((await rowsOf(service, lid))!.cnt).toBe(4);
});

test('20 parallel retries make one custom item', async () => {
  await Promise.all(Array.from({ length: 20 }, () => me.add(lid, CUSTOM)));
  expect((await rowsOf(service, lid))!.cnt).toBe(1);
});

test('a custom item is changed and removed by its epi', async () => {
  const [{ epi }] = (await me.add(lid, CUSTOM)).a;
  const { u } = await me.ok('lists/update-ctx', {
    lid,
    u: [{ epi, title: 'Pen', price: 1, bundle: [PART] }],
  });
  expect(u).toMatchObject([{ epi, title: 'Pen', price: 1, lity: 'customBundle', cprops: { text: 'Ann' } }]);
  expect((await me.ok('lists/update-ctx', { lid, u: [{ epi, bundle: [] }] })).u).toMatchObject([
    { lity: 'custom', bundle: [] },
  ]);
  expect((await me.ok('lists/update-ctx', { lid, d: [{ epi }] })).cnt).toBe(0);
});

test('an ordinary item never gets parts', async () => {
  await me.add(lid, item(1));
  const { u } = await me.ok('lists/update-ctx', { lid, u: [{ epi: 1, bundle: [PART] }] });
  expect(u).toMatchObject([{ lity: null, bundle: [] }]);
});

test('a store that has not enabled custom items refuses them and adds nothing', async () => {
  const other = await newAccount(service, await service.createStore());
  const list = await other.create('List');
  expect(await other.failure(403, 'lists/update-ctx', { lid: list.lid, a: [item(1), CUSTOM] })).toBe(
    'custom-items-disabled',
  );
  expect((await rowsOf(service, list.lid))!.cnt).toBe(0);
});

test.each([
  ['no du', { title: 'Pen', price: 1 }, 'a[0].du'],
  ['an empty title', { title: '', du: '/p' }, 'a[0].epi'],
  ['a title of spaces', { title: '   ', du: '/p' }, 'a[0].epi'],
  ['a title of 501 characters', { ...CUSTOM, title: 'x'.repeat(501) }, 'a[0].title'],
  ['a negative price', { ...CUSTOM, price: -1 }, 'a[0].price'],
  ['a compareAtPrice of text', { ...CUSTOM, compareAtPrice: 'much' }, 'a[0].compareAtPrice'],
  ['a bundle that is no array', { ...CUSTOM, bundle: {} }, 'a[0].bundle'],
  ['a part that is no object', { ...CUSTOM, bundle: ['x'] }, 'a[0].bundle[0]'],
  [
    'a part with a javascript: address',
    { ...CUSTOM, bundle: [PART, { uri: 'javascript:1' }] },
    'a[0].bundle[1].uri',
  ],
  ['a part with a data: image', { ...CUSTOM, bundle: [{ iu: 'data:x' }] }, 'a[0].bundle[0].iu'],
  [
    'a bundle of more than 32 kB',
    { ...CUSTOM, bundle: Array.from({ length: 20 }, () => ({ ...PART, uri: `/${'x'.repeat(2_000)}` })) },
    'a[0].bundle',
  ],
  ['101 parts', { ...CUSTOM, bundle: Array.from({ length: 101 }, () => PART) }, 'a[0].bundle'],
])('%s is refused by name', async (_what, element, place) => {
  const { body } = await me.call('lists/update-ctx', { lid, a: [element] }).expect(400);
  expect(body.type).toBe('invalid-items');
  expect(body.msg).toContain(place);
  expect((await rowsOf(service, lid))!.cnt).toBe(0);
});
