import { randomUUID } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import type { Item, List, ListContents } from '../../packages/client/src/wishgate.ts';
import { sentColumns } from '../../src/lists/item.rules.ts';
import { useService, useStore } from '../harness.ts';
import { until } from '../until.ts';
import { answerOf, failureOf, heardOf, openPage } from './compat-kit.ts';
import type { Page, Swat } from './compat-kit.ts';
import { product } from './kit.ts';

const service = useService();
const store = useStore(service);

type Given = Parameters<typeof openPage>[2];

const guestPage = async (options?: Given): Promise<Page> =>
  openPage(service, await service.guest(store), options);
const newList = (swat: Swat, lname = `List ${randomUUID()}`): Promise<List> =>
  answerOf((ok, err) => swat['createList']!({ lname }, ok, err));
const listenTo = (swat: Swat, type: string): unknown[] => {
  const heard: unknown[] = [];
  swat.evtLayer.addEventListener(type, (event) =>
    heard.push((event as CustomEvent<{ d: unknown }>).detail.d),
  );
  return heard;
};

/** A product as the platform's own JSON has it: prices in cents, pictures without a protocol. */
const CHAIR = {
  id: 70,
  title: 'Oak chair',
  handle: 'oak-chair',
  vendor: 'Woods',
  available: true,
  featured_image: '//cdn.example/chair.jpg',
  images: ['//cdn.example/chair.jpg'],
  tags: ['new'],
  price: 12_900,
  variants: [
    { id: 7, title: 'Natural', price: 12_900, available: false, sku: 'C-N', featured_image: null },
    {
      id: 8,
      title: 'Black',
      price: 13_500,
      available: true,
      sku: 'C-B',
      featured_image: { src: '//cdn.example/black.jpg' },
    },
  ],
};
const SHOP = { '/products/oak-chair.js': CHAIR };
const DU = 'https://shop.example/products/oak-chair';

const NAMED = `replayAddToCart getProductDetails fetchProductForItems mapShopifyProducts triggerSwymVariantEvent
  renderWishlistCount wishlistCount getAllCollections fetchWishlistWRTHashtag addProductsToCollection addCollectionsToProduct
  removeProductsFromCollection removeCollectionsFromProduct removeWishlistCollection updateWishlistEvent setCurrency
  sendEmailWishList deleteEvent isAlreadyAuth trackPageview addToCart dropFromCart reportPurchase authCheck
  remoteAuthRequest generateSharedWishlistURL shareWishlistSocial removeFromWishlist removeFromWishList`;

describe('the second file', () => {
  test('has less than 7 kB packed, and every origin may load it', async () => {
    const { text, headers } = await service.http
      .get('/client/compat-more.js')
      .set('Origin', 'https://shop.example')
      .expect(200);
    expect(gzipSync(text, { level: 9 }).length).toBeLessThan(7_000);
    expect(headers).toMatchObject({
      'content-type': 'text/javascript; charset=utf-8',
      'access-control-allow-origin': 'https://shop.example',
      'cross-origin-resource-policy': 'cross-origin',
    });
  });

  test('is loaded once and only by a function that is in it; all names are there from the start, and no others', async () => {
    const { swat, loaded } = await guestPage();
    for (const name of NAMED.split(/\s+/)) {
      expect([name, typeof swat[name]]).toEqual([name, 'function']);
      expect(swat.api[name]).toBe(swat[name]);
    }
    for (const name of ['open', 'renderWishlistInContainer', 'showSuccessNotification'])
      expect(typeof swat.ui[name]).toBe('function');
    expect(swat['noSuchFunction']).toBeUndefined();
    expect(loaded).toEqual(['/client/wishgate.js']);
    await Promise.all([1, 2].map(() => answerOf((ok) => swat['wishlistCount']!(ok))));
    await answerOf((ok) => swat['authCheck']!(ok));
    expect(loaded).toEqual(['/client/wishgate.js', '/client/compat-more.js']);
  });

  test('is loaded again where it fails, while calls wait in their order', async () => {
    const { swat, loaded } = await guestPage({ misses: 2 });
    const heard: string[] = [];
    const say = (name: string) => () => heard.push(name);
    void swat['authCheck']!(say('first'));
    void swat['addToCart']!(product(1), say('second'));
    await answerOf((ok) => swat['authCheck']!(ok));
    expect(heard).toEqual(['first', 'second']);
    expect(loaded.filter((path) => path.includes('more'))).toHaveLength(3);
  });

  test('that never loads makes its calls fail; the next call tries again', async () => {
    const { swat } = await guestPage({ misses: 3 });
    const failed = await failureOf((ok, err) => swat['getProductDetails']!({ du: DU }, ok, err));
    expect(failed.message).toContain('cannot be loaded');
    expect(await answerOf((ok) => swat['wishlistCount']!(ok))).toBe(0);
  });
});

describe('a shop without a back end', () => {
  const open = useStore(service, { allowedOrigins: ['https://shop.example'] });

  test.each([
    ['says so', { dataset: { identify: '' } }],
    ['has nothing at the usual address', { hasBackEnd: false }],
  ])('that %s has hearts for guests, whom the service identifies', async (_name, options) => {
    const { swat, requests } = await openPage(service, await service.guest(open), options);
    expect(await answerOf((ok, err) => swat['addToWishList']!(product(1), ok, err))).toMatchObject({
      epi: 1,
    });
    expect(swat.platform.isLoggedIn()).toBe(false);
    expect(requests[0]).toContain('/api/v3/shopper/identify');
  });

  test('but promises one by the attribute fails as before', async () => {
    const { swat } = await openPage(service, await service.guest(open), {
      ...{ hasBackEnd: false, dataset: { identify: '/api/who' } },
    });
    expect(await failureOf((ok, err) => swat['fetchLists']!(ok, err))).toMatchObject({
      response: { type: 'unauthorised' },
    });
  });
});

describe('the cart', () => {
  test("is the platform's own: the product goes into it, and its response comes back as text", async () => {
    const { swat, orders } = await guestPage({ shop: { '/cart/add.js': { id: 8, quantity: 2 } } });
    const added = listenTo(swat, swat.JSEvents['addedToCart']!);
    const text = await answerOf<string>((ok, err) =>
      swat['replayAddToCart']!({ empi: 70, du: DU, qty: 2 }, '8', ok, err),
    );
    expect(JSON.parse(text)).toEqual({ id: 8, quantity: 2 });
    expect(orders).toEqual([{ path: '/cart/add.js', body: '{"id":"8","quantity":2}' }]);
    expect(added).toMatchObject([{ empi: 70, epi: '8' }]);
  });

  test('that refuses is a failure with its answer', async () => {
    const { swat } = await guestPage({ shop: { '/cart/add.js': 422 } });
    const added = listenTo(swat, 'sw:addedtocart');
    const failed = await failureOf((ok, err) => swat['replayAddToCart']!({ empi: 70, du: DU }, 8, ok, err));
    expect(failed).toMatchObject({ status: 422, responseText: '{"description":"No"}' });
    expect(added).toEqual([]);
    expect(await failureOf((ok, err) => swat['replayAddToCart']!(null, undefined, ok, err))).toMatchObject({
      response: { type: 'invalid-request' },
    });
  });

  test('events of a page reach its listeners, and so do items that leave the save-for-later list', async () => {
    const { swat } = await guestPage();
    const [added, moved] = [listenTo(swat, 'sw:addedtocart'), listenTo(swat, 'sw:movedToCartfromSFL')];
    await answerOf((ok, err) => swat['addToCart']!(product(3), ok, err));
    await answerOf((ok, err) => swat['dropFromCart']!(product(3), ok, err));
    await answerOf((ok, err) => swat.SaveForLater['add']!([product(4)], ok, err));
    await answerOf((ok, err) => swat.SaveForLater['moveToCart']!([product(4)], ok, err));
    expect([added, moved]).toMatchObject([[{ epi: 3 }], [{ productData: { epi: 4 } }]]);
    expect(swat.JSEvents['movedToCartfromSFL']).toBe('sw:movedToCartfromSFL');
  });
});

describe("the platform's products", () => {
  test('are read by the address of their page', async () => {
    const { swat } = await guestPage({ shop: SHOP });
    for (const du of [
      DU,
      '/collections/all/products/oak-chair?variant=8#top',
      'https://x.myshopify.com/products/oak-chair',
    ])
      expect(await answerOf((ok, err) => swat['getProductDetails']!({ du }, ok, err))).toEqual(CHAIR);
    await failureOf((ok, err) => swat['getProductDetails']!({ du: '/products/none' }, ok, err));
    await failureOf((ok, err) => swat['getProductDetails']!({ du: '/pages/about' }, ok, err));
  });

  test('of items come one by one, with their item, and then all', async () => {
    const { swat } = await guestPage({ shop: SHOP });
    const items = [
      { epi: 8, du: DU },
      { epi: 1, du: '/products/none' },
    ];
    const heard: unknown[] = [];
    const all = await new Promise((resolve) =>
      swat['fetchProductForItems']!(
        items,
        (details: unknown, item: unknown) => heard.push([details, item]),
        (error: Error, item: unknown) => heard.push([error.message, item]),
        resolve,
      ),
    );
    const variantDetail = { epi: 8, pr: 135, featured_image: '//cdn.example/black.jpg' };
    expect(heard).toMatchObject([
      [{ productDetail: CHAIR, variantDetail }, items[0]],
      [expect.any(String), items[1]],
    ]);
    expect(all).toMatchObject([{ productDetail: { id: 70 } }]);
  });

  test('that a page maps are found by buttons, by id and handle, and by variant', async () => {
    const { swat, window } = await guestPage();
    await answerOf((ok, err) => swat['mapShopifyProducts']!([CHAIR], ok, err));
    const chair = { empi: 70, epi: 8, dt: 'Oak chair', pr: 135, du: DU };
    expect(window['SwymViewProducts']).toMatchObject({ 70: chair, 'oak-chair': chair });
    expect(window['SwymProductVariants']).toMatchObject({ 7: { epi: 7, pr: 129 }, 8: chair });
  });

  test('the chosen variant is told to listeners and becomes that of the page', async () => {
    const SwymPageData = {
      empi: 70,
      epi: 7,
      du: DU,
      dt: 'Oak chair',
      iu: '//cdn.example/chair.jpg',
      pr: 129,
    };
    const globals = { SwymPageData, SwymProductInfo: { product: CHAIR } };
    const { swat, window } = await guestPage({ globals, shop: SHOP });
    const heard = listenTo(swat, swat.JSEvents['variantChanged']!);
    (window['triggerSwymVariantEvent'] as (id: unknown) => void)('8');
    expect(heard).toMatchObject([{ variant: { id: 8 }, product: { id: 70 } }]);
    const item = await answerOf((ok, err) => swat['addToWishList']!(window['SwymPageData'], ok, err));
    expect(item).toMatchObject({ epi: 8, dt: 'Oak chair', pr: 135, iu: '//cdn.example/black.jpg' });
  });
});

describe('collections', () => {
  test('are lists by name: products go into them and out of them', async () => {
    const { swat } = await guestPage({
      globals: { SwymProductVariants: { 2: { ...product(2), iu: '/2.jpg' } } },
    });
    await answerOf((ok, err) =>
      swat['addToWishList']!({ ...product(1), hashtags: ['Summer', 'Party'] }, ok, err),
    );
    await answerOf((ok, err) => swat['addProductsToCollection']!('Summer', [2], ok, err));
    const names = async (): Promise<unknown> =>
      Object.keys(await answerOf<object>((ok) => swat['getAllCollections']!(ok))).sort();
    expect(await names()).toEqual(['Party', 'Summer']);
    const inside = (name: string) =>
      answerOf<(Item & { hashtags: string[] })[]>((ok) => swat['fetchWishlistWRTHashtag']!(ok, name));
    expect(await inside('Summer')).toMatchObject([
      { epi: 2, dt: 'Product 2', hashtags: ['Summer'] },
      { epi: 1, dt: 'Product 1' },
    ]);
    await answerOf((ok, err) => swat['addCollectionsToProduct']!(2, ['Party', 'Winter'], ok, err));
    expect(await inside('Winter')).toMatchObject([{ epi: 2, dt: 'Product 2', iu: '/2.jpg' }]);
    await answerOf((ok, err) => swat['removeCollectionsFromProduct']!(1, ['Summer', 'Party'], ok, err));
    await answerOf((ok, err) => swat['removeProductsFromCollection']!('Summer', [2], ok, err));
    expect([await inside('Summer'), await inside('Party')]).toMatchObject([[], [{ epi: 2 }]]);
    await answerOf((ok, err) => swat['removeWishlistCollection']!('Summer', ok, err));
    expect(await names()).toEqual(['Party', 'Winter']);
    await failureOf((ok, err) => swat['removeWishlistCollection']!('Summer', ok, err));
  });

  test('are counted, and the number is written where the page wants it', async () => {
    const { swat } = await guestPage();
    for (const lname of ['First', 'Second'])
      await answerOf((ok, err) => swat['addToWishList']!({ ...product(1), hashtags: [lname] }, ok, err));
    await answerOf((ok, err) => swat.SaveForLater['add']!([product(4)], ok, err));
    expect(await answerOf((ok) => swat['wishlistCount']!(ok))).toBe(2);
    const badge = { textContent: '' };
    const heard = await new Promise((resolve) =>
      swat['renderWishlistCount']!(badge, (...given: unknown[]) => resolve(given)),
    );
    expect([heard, badge.textContent]).toEqual([[2, badge], '2']);
  });

  test('are shared by name, by mail, by link and on a platform; without a name the one list', async () => {
    const account = await openPage(service, await service.account(store));
    const { swat, opened } = account;
    const item = await answerOf<Item>((ok, err) =>
      swat['addToWishList']!({ ...product(1), hashtags: 'Party' }, ok, err),
    );
    const mail = await answerOf<{ listinfo: List }>((ok) =>
      swat['sendEmailWishList']!(ok, 'grace@example.com', 'Ada', 'Look', 'Party'),
    );
    expect(mail.listinfo.lid).toBe(item.lid);
    for (const name of ['Party', null])
      expect(await answerOf((ok, err) => swat['generateSharedWishlistURL']!(name, ok, err))).toContain(
        item.lid,
      );
    const template = 'https://social.example/?u={{shareurl}}&t={{note}}';
    await swat['shareWishlistSocial']!(null, template, 'social', 'Hello');
    expect(opened).toEqual([expect.stringMatching(/^https:\/\/social\.example\/\?u=http.*&t=Hello$/)]);
  });

  test('an event is deleted by its id, and its properties are changed', async () => {
    const { swat } = await guestPage();
    await answerOf((ok, err) => swat['addToWishList']!(product(1), ok, err));
    await answerOf((ok, err) => swat['updateWishlistEvent']!([{ epi: 1, cprops: { size: 'M' } }], ok, err));
    const [event] = await answerOf<(Item & { _id: string })[]>(swat['fetch']!);
    expect(event!.cprops).toEqual({ size: 'M' });
    expect(await answerOf((ok) => swat['deleteEvent']!(ok, event!._id))).toMatchObject({
      message: expect.stringContaining('Successfully'),
    });
    expect(await answerOf(swat['fetch']!)).toEqual([]);
    await expect(swat['deleteEvent']!(undefined, 'no-such-id')).rejects.toMatchObject({ status: 404 });
  });
});

describe('the page reads', () => {
  test('who is logged in, and what its settings, storage and helpers are', async () => {
    const shopper = { ...(await service.account(store)), email: 'ada@example.com' };
    const { swat, window } = await openPage(service, shopper, { dataset: { currency: 'EUR' } });
    expect(swat['isAlreadyAuth']!()).toBe(true);
    expect(await answerOf((ok) => swat['authCheck']!(ok))).toEqual({ authn: true, email: 'ada@example.com' });
    expect((await guestPage()).swat['isAlreadyAuth']!()).toBe(false);
    expect(swat['pid']).toBe(store.pid);
    expect(swat.retailerSettings).toMatchObject({
      SFL: { SFLFeatureEnabled: true },
      Strings: { WishlistAddCTA: 'Add to Wishlist', WishlistAddedCTA: 'Added to Wishlist' },
    });
    swat.ui.uiRef.settings['UI']!['WishlistShowNotification'] = false;
    expect(swat.retailerSettings['UI']).toMatchObject({ WishlistShowNotification: false });
    swat.storage['setLocal']!('undo', '3');
    expect([swat.storage['getLocal']!('undo'), swat.storage['get']!(swat.key['REGID'])]).toEqual(['3', null]);
    void swat['setCurrency']!('USD');
    expect(swat['currency']).toBe('USD');
    expect(swat.utils['formatProductPrice']!({ pr: 5 })).toMatchObject({ cu: expect.stringContaining('$') });
    expect(window['SwymUtils']).toBe(swat.utils);
    expect(window['SwymTracker']).toBe(swat);
    let isReady = false;
    swat.utils['onDOMReady']!(() => (isReady = true));
    expect(isReady).toBe(true);
  });

  test('that the settings are there: after the callbacks that listen for it', async () => {
    const heard: string[] = [];
    const listen = ({ evtLayer, JSEvents }: Swat): void =>
      evtLayer.addEventListener(JSEvents['configLoaded']!, ({ type }) => heard.push(type));
    const { swat } = await guestPage({ callbacks: [listen] });
    await swat['fetchLists']!({});
    expect(heard).toEqual(['sw:configloaded']);
  });

  test.each(['trackPageview', 'reportPurchase'])(
    'that %s cannot be done: once in the console, each time by err',
    async (name) => {
      const { swat, warnings } = await guestPage();
      for (let count = 0; count < 2; count += 1)
        expect(await failureOf((ok, err) => swat[name]!(product(1), ok, err))).toMatchObject({
          response: { type: 'not-supported' },
        });
      await swat[name]!(product(1)).catch(() => undefined);
      expect(warnings).toEqual([expect.stringContaining(name)]);
      expect(
        await failureOf((ok, err) => swat['remoteAuthRequest']!(ok, err, 'a@example.com')),
      ).toMatchObject({
        status: 0,
      });
    },
  );
});

describe('an item that a page adds by ids', () => {
  const WHOLE = {
    epi: 8,
    empi: 70,
    dt: 'Oak chair',
    iu: '//cdn.example/black.jpg',
    pr: 135,
    bt: 'Woods',
    vi: 'Black',
  };

  test.each([
    [
      'addToWishList',
      (swat: Swat, given: object, ok: unknown, err: unknown) => swat['addToWishList']!(given, ok, err),
    ],
    [
      'addProductsToList',
      async (swat: Swat, given: object, ok: unknown, err: unknown) =>
        swat['addProductsToList']!((await newList(swat)).lid, [given], ok, err),
    ],
    [
      'SaveForLater.add',
      (swat: Swat, given: object, ok: unknown, err: unknown) => swat.SaveForLater['add']!([given], ok, err),
    ],
  ])('by %s gets title, picture and price of its variant', async (_name, add) => {
    const { swat, orders } = await guestPage({ shop: SHOP });
    const added = await answerOf((ok, err) => add(swat, { epi: 8, empi: 70, du: DU }, ok, err));
    const { itemsadded } = added as { itemsadded?: object[] };
    expect((itemsadded ?? [added].flat())[0]).toMatchObject(WHOLE);
    expect(orders).toEqual([{ path: '/products/oak-chair.js', body: undefined }]);
  });

  test('keeps what the page says, gets the rest, and is not read where nothing is missing', async () => {
    const { swat, orders } = await guestPage({ shop: SHOP });
    const own = { epi: 8, du: DU, dt: 'My chair' };
    expect(await answerOf((ok, err) => swat['addToWishList']!(own, ok, err))).toMatchObject({
      ...WHOLE,
      dt: 'My chair',
    });
    const whole = { ...product(3), du: '/products/other', iu: '/3.jpg' };
    expect(await answerOf((ok, err) => swat['addToWishList']!(whole, ok, err))).toMatchObject({
      iu: '/3.jpg',
    });
    expect(orders).toHaveLength(1);
  });

  test('gets what the page has of it, without a request', async () => {
    const views = { 10: { ...product(1), iu: '/1.jpg' } };
    const { swat, orders } = await guestPage({ globals: { SwymViewProducts: views } });
    expect(await answerOf((ok, err) => swat['addToWishList']!({ epi: 1, empi: 10 }, ok, err))).toMatchObject({
      ...{ dt: 'Product 1', iu: '/1.jpg', pr: 10, du: product(1).du },
    });
    expect(orders).toEqual([]);
  });

  test.each([
    ['is of another product', { ...CHAIR, id: 1, variants: [{ id: 2 }] }],
    ['is an error', 500],
    ['never comes', 'never' as const],
  ])('is added as it is where the answer %s', async (_name, answer) => {
    const { swat } = await guestPage({ shop: { '/products/oak-chair.js': answer } });
    const given = { epi: 8, empi: 70, du: DU };
    expect(await answerOf((ok, err) => swat['addToWishList']!(given, ok, err))).toMatchObject({
      epi: 8,
      dt: null,
    });
  });

  test("does not become the product of the page's address where its own id is another", async () => {
    const { swat } = await guestPage({ shop: SHOP });
    await failureOf((ok, err) => swat['addToWishList']!({ empi: 71, du: DU }, ok, err));
  });

  test('without a variant is the first that can be bought', async () => {
    const { swat } = await guestPage({ shop: SHOP });
    expect(await answerOf((ok, err) => swat['addToWishlistUsingDu']!({ du: DU }, ok, err))).toMatchObject(
      WHOLE,
    );
  });
});

describe('what a page shows', () => {
  test('are notes for four seconds, as a status or an alert', async () => {
    const { swat, window } = await guestPage();
    // The second file is there: it comes by an element, too.
    await answerOf((ok) => swat['wishlistCount']!(ok));
    const notes = new Set<object>();
    const timers: { end: () => void; ms: number }[] = [];
    const createElement = (): object => {
      const note: Record<string, unknown> = { style: {}, remove: () => notes.delete(note) };
      return Object.assign(note, { setAttribute: (name: string, value: string) => (note[name] = value) });
    };
    const parseFromString = (textContent: string) => ({ querySelectorAll: () => [], body: { textContent } });
    const body = { append: (note: object) => notes.add(note) };
    Object.assign(window['document'] as object, { createElement, body });
    Object.assign(window, {
      DOMParser: function parser() {
        return { parseFromString };
      },
      setTimeout: (end: () => void, ms: number) => timers.push({ end, ms }),
    });
    void swat.ui['showSuccessNotification']!({ message: ' Saved\n it ' });
    void swat.ui['showErrorNotification']!('Gone');
    await until(() => timers.length === 2);
    const texts = [
      { role: 'status', textContent: 'Saved it' },
      { role: 'alert', textContent: 'Gone' },
    ];
    expect([[...notes], timers]).toMatchObject([texts, [{ ms: 4_000 }, { ms: 4_000 }]]);
    timers.forEach(({ end }) => end());
    expect(notes.size).toBe(0);
  });

  test('is the newest state of a button, also where a read from before its click ends later', async () => {
    const { swat, window } = await guestPage();
    const { lid } = await newList(swat, 'My Wishlist');
    const classes = new Set<string>();
    const classList = {
      add: (name: string) => classes.add(name),
      toggle: (name: string, isOn: boolean) => classes[isOn ? 'add' : 'delete'](name),
    };
    const { fetch: send } = window as unknown as { fetch: typeof fetch };
    const held: (() => void)[] = [];
    window['fetch'] = async (...call: Parameters<typeof fetch>) => {
      const response = await send(...call);
      if ((call[0] as string).includes('fetch-lists')) await new Promise<void>((done) => held.push(done));
      return response;
    };
    const button = { dataset: { variantId: '1', productId: '10' }, classList };
    Object.assign(window['document'] as object, { querySelectorAll: () => [button] });
    void swat['initializeActionButtons']!();
    await until(() => held.length === 1);
    await answerOf((ok, err) => swat['addToList']!(lid, product(1), ok, err));
    await until(() => held.length === 2);
    held[1]!();
    await until(() => classes.has('swym-added'));
    held[0]!();
    await swat['isInLists']!([1]);
    expect(classes.has('swym-added')).toBe(true);
  });
});

/** Values that the service refuses, by the check of the column. */
const BAD: Record<string, (max: number) => unknown[]> = {
  id: () => ['x'.repeat(256)],
  url: () => [
    'data:image/png;base64,AAAA',
    `https://shop.example/${'x'.repeat(2_048)}`,
    'javascript:alert(1)',
  ],
  line: (max) => ['x'.repeat(max + 100), '\ud800', { title: 1 }, true],
  text: (max) => ['x'.repeat(max + 1), 'x\u0000y'],
  price: () => [-5, 'a lot', 1e16, {}],
  flag: () => ['maybe'],
  labels: () => [['one', 'two'], ['x'.repeat(101)]],
  properties: () => ['text', { much: 'x'.repeat(40_000) }, { zero: '\u0000' }],
  bundle: () => ['text'],
};
/** A page must be told of a wrong quantity; ids of products are needed. */
const REFUSED = new Set(['qty', 'empi']);
const FIELDS = sentColumns.flatMap(({ names, check, max = 500 }) =>
  names.filter((name) => !REFUSED.has(name)).map((name) => [name, check, max] as const),
);

describe('one bad field', () => {
  test.each(FIELDS)(
    '%s (%s, %s) is dropped or cut before it is sent, and refused by the service',
    async (name, check, max) => {
      const shopper = await service.guest(store);
      const { swat } = await openPage(service, shopper);
      const { lid } = await newList(swat);
      for (const bad of BAD[check]!(max)) {
        const { dt, pr, ...ids } = product(9);
        const sent = name === 'title' || name === 'price' ? ids : { ...ids, dt, pr };
        const a = [{ ...sent, [name]: bad }];
        await service.post('/api/v3/lists/update-ctx', { lid, a }, { shopper }).expect(400);
        const given = { iu: '/9.jpg', ...a[0]! };
        const heard = await heardOf((ok, err) => swat['addToList']!(lid, given, ok, err));
        expect(heard).toMatchObject([{ name: 'ok', value: { epi: 9 } }]);
      }
    },
  );

  test('is cut where the service cuts, neither before nor after', async () => {
    const { swat } = await guestPage();
    const dt = '🪑'.repeat(500);
    for (const title of [dt, `${dt}x`, ` ${dt} `])
      expect(
        await answerOf((ok, err) => swat['addToWishList']!({ ...product(1), dt: title }, ok, err)),
      ).toMatchObject({ dt });
    const contents = await answerOf<ListContents>((ok, err) =>
      swat.SaveForLater['add']!([{ ...product(2), note: 'n'.repeat(2_001) }], ok, err),
    );
    expect(contents).toMatchObject({ itemsadded: [{ note: 'n'.repeat(2_000) }] });
  });
});
