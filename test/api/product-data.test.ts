import { createHmac, randomUUID } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readCsv } from '../../src/cli/import-file.ts';
import { importProducts } from '../../src/stores/catalogue/import.service.ts';
import { useNewStore, useService } from '../harness.ts';
import { statementsOf } from '../statements.ts';
import { item, newAccount, stock } from './list-kit.ts';

// What a page needs to sell a variant, whichever way the store sends it.

const service = useService();
const store = useNewStore(service, { currency: 'EUR' });

const UPSERT = 'mutation ($products: [ProductInput!]!) { upsertProducts(products: $products) { epi } }';
const PRODUCT = `query ($epi: VariantId!) { product(epi: $epi) {
  currentPrice { amount currencyCode } wasPrice { amount currencyCode } availability images iu stk } }`;
const IMAGES = ['https://cdn.example/1.jpg', '/2.jpg'];
const NEW = { epi: 1, empi: 9, du: '/p/9' };
const FULL = { ...NEW, pr: 19.9, compareAtPrice: 24.95, iu: IMAGES[0]!, images: IMAGES, stk: 3 };

const upsert = async (...products: object[]) =>
  (await service.graphql(UPSERT, { products }, { store }).expect(200)).body;
const anyone = () => ({ headers: { 'x-pid': store.pid } });
const read = async (epi: number | string = 1) =>
  (await service.graphql(PRODUCT, { epi }, anyone()).expect(200)).body.data.product;

async function importCsv(text: string): Promise<string[]> {
  const folder = await mkdtemp(join(tmpdir(), 'wishgate-csv-'));
  const path = join(folder, 'products.csv');
  const faults: string[] = [];
  await writeFile(path, text);
  await importProducts(service.services, readCsv({ path, offset: 0, line: 0, delimiter: ',' }), {
    pid: store.pid,
    source: randomUUID(),
    from: { offset: 0, line: 0, written: 0, skipped: 0, finishedAt: null },
    maxFaults: 10,
    onFault: (_line, fault) => faults.push(fault),
    onProgress: () => undefined,
    isStopping: () => false,
  });
  await rm(folder, { recursive: true });
  return faults;
}

let seconds = 0;

/** Sends a product with one variant as Shopify does; every webhook is later than the one before. */
async function sendShopify(variant: object, product: object = {}): Promise<void> {
  const secret = 'shpss_0123456789abcdef';
  await service.graphql(`mutation { setShopifySecret(secret: "${secret}") { url } }`, {}, { store });
  const updated_at = new Date(Date.now() + (seconds += 1_000)).toISOString();
  const images = IMAGES.map((src, index) => ({ id: index, src: src.replace(/^\//, 'https://cdn.example/') }));
  const full = { id: 9, title: 'Shirt', handle: 'shirt', updated_at, images, ...product };
  const body = JSON.stringify({ ...full, variants: [{ id: 1, price: '19.90', image_id: 0, ...variant }] });
  const answer = await service.http
    .post(`/webhooks/shopify/${encodeURIComponent(store.pid)}`)
    .set({
      'content-type': 'application/json',
      'x-shopify-topic': 'products/update',
      'x-shopify-webhook-id': randomUUID(),
      'x-shopify-hmac-sha256': createHmac('sha256', secret).update(body).digest('base64'),
    })
    .send(body);
  expect([answer.status, answer.body]).toEqual([200, { status: 'applied' }]);
}

const REST = '/storeadmin/v3/products/upsert';
const rest = (...products: object[]) => service.post(REST, { products }, { store }).expect(200);

test.each<[string, () => Promise<unknown>]>([
  ['GraphQL', () => upsert(FULL)],
  ['REST', () => rest(FULL)],
  [
    'a CSV file',
    () =>
      importCsv(
        `epi,empi,du,pr,compareatprice,iu,images,stk,tracked\n1,9,/p/9,19.90,24.95,${IMAGES[0]},${IMAGES.join('|')},3,\n`,
      ),
  ],
  [
    'a CSV file with images between spaces',
    () =>
      importCsv(
        `EPI,EMPI,DU,PR,compareAtPrice,IU,Images,STK\n1,9,/p/9,19.9,24.95,${IMAGES[0]},${IMAGES.join(' ')},3\n`,
      ),
  ],
])('%s fills price, earlier price, images and availability', async (_source, send) => {
  await send();
  expect(await read()).toEqual({
    currentPrice: { amount: '19.90', currencyCode: 'EUR' },
    wasPrice: { amount: '24.95', currencyCode: 'EUR' },
    availability: 'IN_STOCK',
    images: IMAGES,
    iu: IMAGES[0],
    stk: 3,
  });
});

test('Shopify fills them, too, and ends a sale with null', async () => {
  const tracked = { inventory_management: 'shopify', inventory_quantity: 0 };
  await sendShopify({ ...tracked, compare_at_price: '24.95' });
  expect(await read()).toMatchObject({
    currentPrice: { amount: '19.90' },
    wasPrice: { amount: '24.95' },
    availability: 'OUT_OF_STOCK',
    images: ['https://cdn.example/1.jpg', 'https://cdn.example/2.jpg'],
  });
  await sendShopify({ inventory_management: null });
  expect(await read()).toMatchObject({ wasPrice: { amount: '24.95' }, availability: 'UNTRACKED' });
  await sendShopify({ ...tracked, compare_at_price: null }, { images: [] });
  expect(await read()).toMatchObject({ wasPrice: null, images: ['https://cdn.example/1.jpg'] });
});

test('Shopify may send more images than a variant keeps', async () => {
  const images = Array.from({ length: 60 }, (_, id) => ({ id, src: `https://cdn.example/${id}.jpg` }));
  await sendShopify({}, { images });
  expect((await read()).images).toHaveLength(50);
});

test.each([
  [{ pr: 19.9, compareAtPrice: 19.9 }, '19.90'],
  [{ pr: 30, compareAtPrice: 24 }, '30.00'],
  [{ compareAtPrice: 24 }, null],
  [{ pr: 0.1 + 0.2 }, '0.30'],
  [{ pr: 1234567.891 }, '1234567.891'],
  [{ pr: 1e300 }, null],
])('with %o there is no earlier price, and the amount is exact', async (prices, amount) => {
  await upsert({ ...NEW, ...prices });
  const { currentPrice, wasPrice } = await read();
  expect([currentPrice?.amount ?? null, wasPrice]).toEqual([amount, null]);
});

test('a store without a currency has amounts without one', async () => {
  await service.graphql('mutation { updateStore(input: { currency: null }) { name } }', {}, { store });
  await upsert(FULL);
  expect((await read()).currentPrice).toEqual({ amount: '19.90', currencyCode: null });
});

test('a main image counts as an image, alone and in front of the others', async () => {
  await upsert({ ...NEW, iu: '/main.jpg' });
  expect((await read()).images).toEqual(['/main.jpg']);
  await upsert({ epi: 1, images: ['/a.jpg', '/main.jpg', '/a.jpg'] });
  expect((await read()).images).toEqual(['/main.jpg', '/a.jpg']);
  await upsert({ epi: 1, iu: null });
  expect((await read()).images).toEqual(['/a.jpg', '/main.jpg']);
});

test.each<[object, string]>([
  [{ stk: 1 }, 'IN_STOCK'],
  [{ stk: 0 }, 'OUT_OF_STOCK'],
  [{ stk: -2 }, 'OUT_OF_STOCK'],
  [{}, 'UNKNOWN'],
  [{ stk: 5, tracked: false }, 'UNTRACKED'],
])('a variant with %o is %s, in the catalogue and in a list', async (fields, availability) => {
  await upsert({ ...NEW, ...fields });
  const me = await newAccount(service, store);
  const { lid } = await me.create('Wishes');
  await me.add(lid, item(1));
  const { body } = await me.graphql('{ allLists { listcontents { availability } } }');
  expect(body.data.allLists[0].listcontents).toEqual([{ availability }]);
  expect((await read()).availability).toBe(availability);
});

test('stock that is no longer counted is unknown; a number, true and null each count it again', async () => {
  await upsert(FULL);
  for (const [again, stk, availability] of [
    [{ tracked: true }, null, 'UNKNOWN'],
    [{ tracked: null }, null, 'UNKNOWN'],
    [{ stk: 4 }, 4, 'IN_STOCK'],
    [{ tracked: true, stk: 0 }, 0, 'OUT_OF_STOCK'],
  ] as const) {
    await upsert({ epi: 1, tracked: false });
    expect(await read()).toMatchObject({ stk: null, availability: 'UNTRACKED' });
    await upsert({ epi: 1, pr: 5 });
    expect((await read()).availability).toBe('UNTRACKED');
    await upsert({ epi: 1, ...again });
    expect(await read()).toMatchObject({ stk, availability });
  }
  await importCsv('epi,tracked\n1,false\n');
  expect((await read()).availability).toBe('UNTRACKED');
  await importCsv('epi,tracked\n1,1\n');
  expect((await read()).availability).toBe('UNKNOWN');
});

const FIELDS = 'bt dt sku stk pr vi tags iu images uri wasPrice { amount }';
const DESCRIBED = { ...FULL, bt: 'B', dt: 'T', sku: 'S', vi: 'V', tags: ['a'], uri: '/p/9?v=1' };
const CLEARABLE = ['bt', 'dt', 'sku', 'stk', 'pr', 'vi', 'tags', 'iu', 'images', 'uri', 'compareAtPrice'];
const recordOf = async () =>
  (await service.graphql(`{ product(epi: 1) { ${FIELDS} } }`, {}, { store }).expect(200)).body.data.product;

test.each(CLEARABLE)('over GraphQL null removes %s and leaves the others', async (field) => {
  const bare = { vi: '', tags: [], images: [IMAGES[0]], uri: '/p/9?variant=1' };
  await upsert(DESCRIBED, { ...DESCRIBED, epi: 2 });
  const before = await recordOf();
  await upsert({ epi: 1, [field]: null }, { epi: 2, dt: 'Other' });
  const cleared = field === 'compareAtPrice' ? 'wasPrice' : field;
  const also = field === 'pr' ? { wasPrice: null } : field === 'iu' ? { images: IMAGES } : {};
  const value = cleared in bare ? bare[cleared as keyof typeof bare] : null;
  expect(await recordOf()).toEqual({ ...before, [cleared]: value, ...also });
});

test.each(['empi', 'du'])('a variant cannot be without %s', async (field) => {
  await upsert(FULL);
  const { errors } = await upsert({ ...NEW, epi: 2 }, { epi: 1, pr: 5, [field]: null });
  expect(errors[0].extensions.type).toBe('invalid-products');
  expect(errors[0].message).toContain(`products[1].${field}`);
  expect((await read()).currentPrice.amount).toBe('19.90');
});

test('over REST null leaves a field as it is, as it always did', async () => {
  await rest(DESCRIBED);
  const before = await recordOf();
  await rest({
    epi: 1,
    ...Object.fromEntries(CLEARABLE.map((field) => [field, null])),
    du: null,
    empi: null,
  });
  expect(await recordOf()).toEqual(before);
});

test('stock that is removed ends as a change to unknown', async () => {
  await upsert(FULL);
  await upsert({ epi: 1, stk: null });
  const { body } = await service.graphql('{ stockChanges(epi: 1) { before after } }', {}, { store });
  expect(body.data.stockChanges).toEqual([{ before: 3, after: null }]);
});

test.each([
  ['a price below zero', { compareAtPrice: -1 }, 'compareAtPrice'],
  ['a script', { images: ['javascript:alert(1)'] }, 'images'],
  ['51 images', { images: Array.from({ length: 51 }, (_, index) => `/${index}.jpg`) }, 'images'],
])('%s is refused by name', async (_what, fields, name) => {
  const { errors } = await upsert({ ...NEW, ...fields });
  expect(errors[0].extensions.type).toBe('invalid-products');
  expect(errors[0].message).toContain(`products[0].${name}`);
});

test('a line of a file with a wrong value is skipped and named', async () => {
  const faults = await importCsv(
    'epi,empi,du,tracked,images\n1,9,/p,maybe,\n2,9,/p,,data:x\n3,9,/p,true,/a.jpg\n',
  );
  expect(faults).toEqual([expect.stringMatching(/^tracked /), expect.stringMatching(/^images /)]);
  expect(await read(3)).toMatchObject({ images: ['/a.jpg'], availability: 'UNKNOWN' });
});

describe('products(epis:)', () => {
  const QUERY = `query ($epis: [VariantId!], $first: Int) {
    products(epis: $epis, first: $first) { totalCount pageInfo { hasNextPage hasPreviousPage } edges { cursor node { epi currentPrice { amount } images } } } }`;
  const pick = async (variables: object, caller: object = anyone()) =>
    (await service.graphql(QUERY, variables, caller)).body;
  const episOf = ({ data }: { data: { products: { edges: { node: { epi: number } }[] } } }) =>
    data.products.edges.map(({ node }) => node.epi);

  beforeEach(async () => {
    for (const epi of [1, 2, 3]) await stock(service, store, String(epi));
  });

  test('answers in the order asked, each variant once and unknown ones left out, in one statement', async () => {
    const shopper = (await newAccount(service, store)).shopper;
    for (const caller of [anyone(), { shopper }, { store }]) {
      const variables = { epis: [3, 'x', 1, 3, '2'] };
      const seen = await statementsOf(service, () => pick(variables, caller));
      const body = await pick(variables, caller);
      expect(episOf(body)).toEqual([3, 1, 2]);
      expect(body.data.products).toMatchObject({
        totalCount: 3,
        pageInfo: { hasNextPage: false, hasPreviousPage: false },
      });
      expect(seen).toEqual(['load_identities', 'find_products']);
    }
  });

  test('first takes the beginning, and by default all of them', async () => {
    const epis = Array.from({ length: 40 }, (_, index) => 100 + index);
    await upsert(...epis.map((epi) => ({ ...NEW, epi })));
    expect(episOf(await pick({ epis }))).toEqual(epis);
    const body = await pick({ epis, first: 2 });
    expect(episOf(body)).toEqual([100, 101]);
    expect(body.data.products).toMatchObject({ totalCount: 40, pageInfo: { hasNextPage: true } });
  });

  test.each([
    ['none', { epis: [] }],
    ['101', { epis: Array.from({ length: 101 }, (_, index) => index) }],
  ])('%s of them are refused', async (_count, variables) => {
    const { errors } = await pick(variables);
    expect(errors[0].extensions.type).toBe('invalid-products');
  });

  test('another store and a caller that names no store see nothing', async () => {
    const other = await service.createStore();
    expect(episOf(await pick({ epis: [1] }, { headers: { 'x-pid': other.pid } }))).toEqual([]);
    expect((await pick({ epis: [1] }, {})).errors[0].extensions.status).toBe(401);
    const wrong = { headers: { 'x-pid': store.pid, 'x-regid': 'wrong', 'x-sessionid': 'wrong' } };
    expect((await pick({ epis: [1] }, wrong)).errors[0].extensions.status).toBe(401);
  });

  test('the whole catalogue, its search and its order are for the store', async () => {
    const shopper = (await newAccount(service, store)).shopper;
    for (const args of ['', '(first: 5)', '(epis: [1], search: "x")', '(epis: [1], sort: title)']) {
      const { body } = await service.graphql(`{ products${args} { totalCount } }`, {}, { shopper });
      expect(body.data?.products ?? null).toBeNull();
      expect(body.errors).toHaveLength(1);
    }
    const { body } = await service.graphql(
      '{ products(epis: [1], search: "x") { totalCount } }',
      {},
      { store },
    );
    expect(body.errors[0].message).toContain('epis cannot be combined with filter');
  });
});
