import type { List, WishgateOptions } from '../../packages/client/src/wishgate.ts';
import { useService, useStore } from '../harness.ts';
import { until } from '../until.ts';
import { openTab, product } from './kit.ts';
import type { Tab } from './kit.ts';

const service = useService();
const store = useStore(service);

type Reported = [name: string, properties: Record<string, unknown>];
type Page = { analytics?: unknown; gtag?: unknown };
const page = globalThis as Page;

afterEach(() => {
  delete page.analytics;
  delete page.gtag;
});

/** A tab and a list in it. */
async function open(options: Pick<WishgateOptions, 'events'>): Promise<Tab & { list: List }> {
  const tab = openTab(service.url, await service.account(store), { currency: 'EUR', ...options });
  return { ...tab, list: await tab.client.createList({ lname: 'Birthday' }) };
}

const VASE = { ...product(7), bt: 'Kiln', sku: 'V-7', vi: 'White', iu: 'https://shop.example/7.jpg', qty: 2 };

const vaseIn = ({ lid, lname }: List) => ({
  wishlist_id: lid,
  wishlist_name: lname,
  product_id: '70',
  sku: 'V-7',
  brand: 'Kiln',
  name: 'Product 7',
  variant: 'White',
  price: 10,
  quantity: 2,
  currency: 'EUR',
  url: 'https://shop.example/p/7?variant=7',
  image_url: 'https://shop.example/7.jpg',
});

test("Segment gets its specification's names and properties, once the service has confirmed", async () => {
  const reported: Reported[] = [];
  page.analytics = { track: (...event: Reported) => void reported.push(event) };
  const { client, list, hold } = await open({ events: 'segment' });
  const release = hold();
  const saving = client.addToList(list.lid, VASE);
  expect(reported).toEqual([]);
  release();
  await saving;
  await client.deleteFromList(list.lid, VASE);
  await client.restoreItems(list.lid, [7]);
  await until(() => reported.length > 2);
  expect(reported).toEqual([
    ['Product Added to Wishlist', vaseIn(list)],
    ['Product Removed from Wishlist', vaseIn(list)],
    ['Product Added to Wishlist', vaseIn(list)],
  ]);
});

test('a function gets the same, also of the list that is saved for later', async () => {
  const reported: Reported[] = [];
  const { client } = await open({ events: (...event) => void reported.push(event) });
  const { list } = await client.SaveForLater.init();
  await client.SaveForLater.add([VASE, product(8)]);
  await client.SaveForLater.moveToCart(VASE);
  await client.SaveForLater.remove(list.lid, product(8));
  await until(() => reported.length > 3);
  expect(reported.map(([name, { product_id }]) => [name, product_id])).toEqual([
    ['Product Added to Wishlist', '70'],
    ['Product Added to Wishlist', '80'],
    ['Wishlist Product Added to Cart', '70'],
    ['Product Removed from Wishlist', '80'],
  ]);
  expect(reported[2]![1]).toEqual(vaseIn(list));
});

test('Google gets one event for all items, with value and currency', async () => {
  const reported: unknown[][] = [];
  page.gtag = (...command: unknown[]) => void reported.push(command);
  const { client, list } = await open({ events: 'ga4' });
  await client.addProductsToList(list.lid, [VASE, product(8)]);
  await client.removeProductsFromList(list.lid, [product(8)]);
  await client.SaveForLater.init();
  await client.SaveForLater.moveToCart(VASE);
  await until(() => reported.length > 1);
  const vase = { item_id: '70', item_name: 'Product 7', item_brand: 'Kiln', item_variant: 'White' };
  expect(reported).toEqual([
    [
      'event',
      'add_to_wishlist',
      {
        currency: 'EUR',
        value: 30,
        items: [
          { ...vase, price: 10, quantity: 2 },
          { item_id: '80', item_name: 'Product 8', price: 10, quantity: 1 },
        ],
      },
    ],
    ['event', 'remove_from_wishlist', expect.objectContaining({ value: 10 })],
  ]);
});

test('what fails, or finds nothing to remove, is no event; without the option nothing is', async () => {
  const reported: Reported[] = [];
  page.analytics = { track: (...event: Reported) => void reported.push(event) };
  const { client, list } = await open({ events: 'segment' });
  await client.addToList('no-such-list', VASE).catch(() => null);
  await client.deleteFromList(list.lid, VASE);
  await (await open({})).client.addToList(list.lid, VASE).catch(() => null);
  await client.addToList(list.lid, VASE);
  await until(() => reported.length > 0);
  expect(reported.map(([name]) => name)).toEqual(['Product Added to Wishlist']);
});
