import { randomUUID } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import type { Item, List, ListContents } from '../../packages/client/src/wishgate.ts';
import { useService, useStore } from '../harness.ts';
import { answerOf, failureOf, openPage } from './compat-kit.ts';
import type { Page, PageFunction, Swat } from './compat-kit.ts';
import { product } from './kit.ts';

const service = useService();
const store = useStore(service, { shareUrl: 'https://shop.example/lists/{lid}' });

const accountPage = async (): Promise<Page> => openPage(service, await service.account(store));
const guestPage = async (): Promise<Page> => openPage(service, await service.guest(store));
const newList = (swat: Swat, lname = `List ${randomUUID()}`): Promise<List> =>
  answerOf((ok, err) => swat['createList']!({ lname }, ok, err));

const MAX_GZIP_BYTES = 6_000;

test('compat.js is served to every origin like the library, and has less than 6 kB packed', async () => {
  const { text, headers } = await service.http
    .get('/client/compat.js')
    .set('Origin', 'https://shop.example')
    .expect(200);
  expect(gzipSync(text, { level: 9 }).length).toBeLessThan(MAX_GZIP_BYTES);
  expect(headers).toMatchObject({
    'content-type': 'text/javascript; charset=utf-8',
    'content-encoding': 'gzip',
    'cache-control': expect.stringContaining('max-age'),
    'access-control-allow-origin': 'https://shop.example',
    'cross-origin-resource-policy': 'cross-origin',
  });
  await service.http.get('/client/compat.js').set('If-None-Match', headers['etag']!).expect(304);
});

describe('the object', () => {
  test('callbacks pushed before it is there run once with it, in order, and later ones at once', async () => {
    const heard: unknown[] = [];
    const thrower = (): void => {
      heard.push('thrower');
      throw new Error('of the page');
    };
    const callbacks: unknown[] = [
      (given: unknown) => heard.push(['first', given]),
      thrower,
      () => callbacks.push(() => heard.push('from within')),
      () => heard.push('last'),
    ];
    const { swat, window, thrown } = await openPage(service, await service.guest(store), { callbacks });
    expect(window['_swat']).toBe(swat);
    expect(heard).toEqual([['first', swat], 'thrower', 'from within', 'last']);
    expect(thrown).toEqual([new Error('of the page')]);
    window.SwymCallbacks.push((given: unknown) => heard.push(given === swat));
    expect(heard[4]).toBe(true);
    window['SwymCallbacks'] = [() => heard.push('of another queue')];
    window.SwymCallbacks.push(() => heard.push('and after it'));
    expect(heard.slice(5)).toEqual(['of another queue', 'and after it']);
  });

  test('it can be extended, and has every function again below api', async () => {
    const { swat } = await guestPage();
    expect(Object.isExtensible(swat)).toBe(true);
    const names = Object.entries(swat)
      .filter(([, value]) => typeof value === 'function')
      .map(([name]) => name);
    expect(names).toEqual(
      expect.arrayContaining(['fetchLists', 'addToWishList', 'sendWatchlist', 'isCollectionsEnabled']),
    );
    for (const name of names) expect(swat.api[name]).toBe(swat[name]);
    expect(await answerOf((ok, err) => swat.api['fetchLists']!({ callbackFn: ok, errorFn: err }))).toEqual(
      [],
    );
  });

  test('who is logged in is known at once: from the back end where it tells, else from the service', async () => {
    const [account, guest] = [await service.account(store), await service.guest(store)];
    const told = await openPage(service, { ...account, email: 'ada@example.com' });
    expect([told.swat.platform.isLoggedIn(), told.requests]).toEqual([true, []]);
    const untold = await openPage(service, account);
    expect([untold.swat.platform.isLoggedIn(), untold.requests]).toEqual([true, [`${service.url}/graphql`]]);
    expect((await openPage(service, guest)).swat.platform.isLoggedIn()).toBe(false);
    expect((await openPage(service, { ...guest, email: null })).swat.platform.isLoggedIn()).toBe(false);
  });

  test('a login is seen, and told to those who listen', async () => {
    const guest = await service.guest(store);
    const page = await openPage(service, { ...guest, email: null });
    const heard: string[] = [];
    page.swat.evtLayer.addEventListener(page.swat.JSEvents['regidRefreshed']!, ({ type }) =>
      heard.push(type),
    );
    await page.swat['fetchLists']!({});
    page.become({ ...(await service.account(store)), email: 'ada@example.com' });
    await page.swat['refreshIdentity']!();
    expect(page.swat.platform.isLoggedIn()).toBe(true);
    expect(heard).toEqual(['sw:regidrefreshed']);
  });

  test('a page may pass options that a tag cannot say', async () => {
    const shopper = await service.account(store);
    const identify = (): object => ({ regid: shopper.regid, sessionid: shopper.sessionid });
    const { swat } = await openPage(service, { ...shopper, regid: 'of nobody' }, { options: { identify } });
    expect(swat.platform.isLoggedIn()).toBe(true);
  });

  test('it has the settings, event names and helpers that pages read', async () => {
    const { swat } = await openPage(service, await service.guest(store), { dataset: { currency: 'EUR' } });
    expect(swat['isCollectionsEnabled']!()).toBe(true);
    expect(swat.retailerSettings).toMatchObject({
      Wishlist: { EnableCollections: true, SharingModes: expect.any(Array) },
      UI: { Title: 'My Wishlist' },
    });
    expect(swat.EventTypes['addToWishList']).toBe(swat.EventTypes['addToWishlist']);
    expect(swat.platform.isInDeviceCart(1)).toBe(false);
    expect(swat.utils['formatProductPrice']!({ pr: 5 })).toEqual({ pr: '5.00', cu: '€' });
    expect(
      swat.utils['renderTemplateString']!('{{#all}}<b>{{dt}}</b>{{/all}}{{^all}}none{{/all}}{{{raw}}}', {
        all: [{ dt: '<1>' }, { dt: '2' }],
        raw: '<i>',
      }),
    ).toBe('<b>&lt;1&gt;</b><b>2</b><i>');
    expect(swat.utils['getEncodedAsObject']!('https://shop.example/?lid=a&hkey=b')).toMatchObject({
      lid: 'a',
      hkey: 'b',
    });
  });
});

describe('lists', () => {
  test('are made, changed, read and deleted by id or by an object that has it', async () => {
    const { swat } = await accountPage();
    const { lid } = await newList(swat, 'Garden');
    expect(
      await answerOf((ok, err) => swat['updateList']!({ lid, lname: 'Balcony' }, ok, err)),
    ).toMatchObject({ lname: 'Balcony' });
    expect(await answerOf((ok, err) => swat['addToList']!(lid, product(1), ok, err))).toMatchObject({
      epi: 1,
      lid,
    });
    expect(
      await answerOf((ok, err) => swat['updateListItem']!(lid, { epi: 1, qty: 2 }, ok, err)),
    ).toMatchObject({ qty: 2 });
    for (const name of [lid, { lid }]) {
      expect(await answerOf((ok, err) => swat['fetchListDetails']!(name, ok, err))).toMatchObject({
        list: { lid },
        items: [{ epi: 1 }],
      });
      expect(await answerOf((ok, err) => swat['fetchListCtx']!(name, ok, err))).toMatchObject([{ epi: 1 }]);
    }
    expect(await answerOf((ok, err) => swat['deleteFromList']!(lid, product(1), ok, err))).toMatchObject({
      epi: 1,
    });
    expect(await answerOf((ok, err) => swat['deleteList']!(lid, ok, err))).toMatchObject({ lid });
    expect(await answerOf((ok, err) => swat['fetchLists']!({ callbackFn: ok, errorFn: err }))).toEqual([]);
  });

  test('several products go into a list and out of it, and one product into several lists and out of them', async () => {
    const { swat } = await accountPage();
    const [one, two] = [await newList(swat), await newList(swat)];
    const all = [product(1), product(2), product(3)];
    expect(await answerOf((ok, err) => swat['addProductsToList']!(one.lid, all, ok, err))).toHaveLength(3);
    expect(
      await answerOf((ok, err) =>
        swat['removeProductsFromList']!(one.lid, [product(1), product(2)], ok, err),
      ),
    ).toMatchObject([{ epi: 1 }, { epi: 2 }]);
    for (const lists of [
      [one.lid, two.lid],
      [one, two],
    ]) {
      expect(
        await answerOf((ok, err) => swat['addProductToLists']!(product(7), lists, ok, err)),
      ).toMatchObject([
        { epi: 7, lid: one.lid },
        { epi: 7, lid: two.lid },
      ]);
      expect(
        await answerOf((ok, err) => swat['removeProductFromLists']!(product(7), lists, ok, err)),
      ).toMatchObject([{ epi: 7 }, { epi: 7 }]);
    }
    expect(await answerOf((ok, err) => swat['fetchListCtx']!(one.lid, ok, err))).toMatchObject([{ epi: 3 }]);
  });

  test('are listed with the save-for-later list last, since pages take the first one', async () => {
    const { swat } = await guestPage();
    const { lid } = await newList(swat);
    const { listid } = await answerOf<{ listid: string }>(swat.SaveForLater['init']!);
    const lists = await answerOf<List[]>((ok, err) => swat['fetchLists']!({ callbackFn: ok, errorFn: err }));
    expect(lists.map((list) => list.lid)).toEqual([lid, listid]);
    expect(lists[0]!.userinfo).toBeNull();
    expect(
      await answerOf((ok, err) => swat['fetchLists']!({ callbackFn: ok, errorFn: err, lty: 'sfl' })),
    ).toMatchObject([{ lid: listid }]);
  });

  test('are read whole, whatever their length', async () => {
    const shopper = await service.account(store);
    const { swat, requests } = await openPage(service, shopper);
    const { lid } = await newList(swat);
    for (let from = 0; from < 700; from += 350) {
      const some = Array.from({ length: 350 }, (_none, index) => product(from + index + 1));
      await service.post('/api/v3/lists/update-ctx', { lid, a: some }, { shopper }).expect(200);
    }
    requests.length = 0;
    const items = await answerOf<Item[]>((ok, err) => swat['fetchListCtx']!({ lid }, ok, err));
    expect(new Set(items.map(({ epi }) => epi)).size).toBe(700);
    expect(requests).toHaveLength(2);
  });

  test('prices that are texts are understood, and a missing address is that of the page', async () => {
    const { swat } = await guestPage();
    const { lid } = await newList(swat);
    const sent = {
      epi: 5,
      dt: 'Lamp',
      pr: '49.50',
      qty: '2',
      iu: '//shop.example/lamp.jpg',
      stk: 3,
      variants: [{ Red: 5 }],
    };
    expect(await answerOf((ok, err) => swat['addToList']!(lid, sent, ok, err))).toMatchObject({
      epi: 5,
      empi: 5,
      pr: 49.5,
      qty: 2,
      du: 'https://shop.example/products/7?variant=1',
    });
  });

  test('what is added and removed is dispatched as events', async () => {
    const { swat } = await guestPage();
    const heard: unknown[] = [];
    for (const name of ['addedToWishlist', 'removedFromWishlist'])
      swat.evtLayer.addEventListener(
        swat.JSEvents[name]!,
        ({ type, detail }: CustomEventInit & { type?: string }) =>
          heard.push([
            type,
            (detail as { d: { epi: number; du: string } }).d.epi,
            (detail as { d: { du: string } }).d.du,
          ]),
      );
    const { lid } = await newList(swat);
    await answerOf((ok, err) => swat['addToList']!(lid, product(1), ok, err));
    await answerOf((ok, err) => swat['deleteFromList']!(lid, product(1), ok, err));
    await answerOf((ok, err) => swat['addToWishList']!(product(2), ok, err));
    expect(heard).toEqual([
      ['sw:addedtowishlist', 1, product(1).du],
      ['sw:removedfromwishlist', 1, product(1).du],
      ['sw:addedtowishlist', 2, product(2).du],
    ]);
  });

  test('how many have a product is told of one and of several', async () => {
    const { swat } = await accountPage();
    await answerOf((ok, err) => swat['addToWishList']!(product(4243), ok, err));
    expect(
      await answerOf((ok, err) => swat.wishlist['getSocialCount']!({ empi: 42430 }, ok, err)),
    ).toMatchObject({
      count: 1,
      empi: 42430,
      data: { count: 1 },
    });
    const asked = [{ empi: 42430 }, { empi: 999999 }];
    expect(await answerOf((ok, err) => swat.wishlist['getSocialCountBatch']!(asked, ok, err))).toMatchObject([
      { count: 1, empi: 42430 },
      { count: 0 },
    ]);
  });
});

describe('save for later', () => {
  test('takes the list as the first argument, as pages give it', async () => {
    const { swat } = await guestPage();
    const { SaveForLater } = swat;
    const { list, listid } = await answerOf<ListContents & { listid: string }>(SaveForLater['init']!);
    expect(list).toMatchObject({ lid: listid, lty: 'sfl' });
    expect(
      await answerOf((ok, err) => SaveForLater['add']!(list.lid, [product(1), product(2)], ok, err)),
    ).toMatchObject({
      itemsadded: [{ epi: 1, dt: 'Product 1' }, { epi: 2 }],
      itemsfailed: [],
    });
    const mixed = [product(2), { ...product(3), qty: -1 }];
    expect(await answerOf((ok, err) => SaveForLater['add']!(list.lid, mixed, ok, err))).toMatchObject({
      itemsadded: [{ epi: 2 }],
      itemsfailed: [{ epi: 3, hasError: true, msg: expect.stringContaining('qty') }],
    });
    expect(
      await answerOf((ok, err) => SaveForLater['remove']!(list.lid, [product(1)], ok, err)),
    ).toMatchObject({
      itemsdeleted: [{ epi: 1 }],
      itemsfailed: [],
    });
    for (const call of [
      (ok: unknown, err: unknown) => SaveForLater['fetch']!(list.lid, ok, err),
      (ok: unknown, err: unknown) => SaveForLater['fetch']!(ok, err),
      (ok: unknown, err: unknown) => SaveForLater['fetch']!(undefined, ok, err),
    ])
      expect(await answerOf(call)).toMatchObject({
        list: { lid: list.lid },
        items: [{ epi: 2 }],
        pagination: { totalcount: 1 },
        userinfo: null,
      });
  });

  test('takes the arguments of the library, too, and finds the list where the page names none', async () => {
    const { SaveForLater } = (await accountPage()).swat;
    expect(await answerOf((ok, err) => SaveForLater['add']!(product(1), ok, err))).toMatchObject({
      itemsadded: [{ epi: 1 }],
    });
    expect(await answerOf((ok, err) => SaveForLater['add']!(null, [product(2)], ok, err))).toMatchObject({
      itemsadded: [{ epi: 2 }],
    });
    expect(await answerOf((ok, err) => SaveForLater['add']!('undefined', product(3), ok, err))).toMatchObject(
      { itemsadded: [{ epi: 3 }] },
    );
    expect(await answerOf((ok, err) => SaveForLater['update']!([{ epi: 1, qty: 4 }], ok, err))).toMatchObject(
      { itemsupdated: [{ qty: 4 }] },
    );
    expect(await answerOf((ok, err) => SaveForLater['moveToCart']!([{ epi: 1 }], ok, err))).toMatchObject({
      itemsmoved: [{ epi: 1 }],
    });
    expect((await answerOf<ListContents>(SaveForLater['fetch']!)).items).toHaveLength(2);
  });
});

describe('the older interface', () => {
  test('puts everything into one list, also when two hearts are clicked at once', async () => {
    const { swat } = await guestPage();
    expect(await answerOf(swat['fetch']!)).toEqual([]);
    await Promise.all(
      [1, 2].map((epi) => answerOf((ok, err) => swat['addToWishList']!(product(epi), ok, err))),
    );
    const lists = await answerOf<List[]>((ok, err) => swat['fetchLists']!({ callbackFn: ok, errorFn: err }));
    expect(lists).toMatchObject([{ lname: 'My Wishlist', cnt: 2 }]);
    const { addToWishlist, addToWatchlist } = swat.EventTypes;
    const items = await answerOf<Item[]>((ok, err) => swat['fetchWrtEventTypeET']!(ok, addToWishlist, err));
    expect(items).toMatchObject([{ et: 4 }, { et: 4 }]);
    expect(await answerOf((ok, err) => swat['fetchWrtEventTypeET']!(ok, addToWatchlist, err))).toEqual([]);
    expect(await answerOf((ok, err) => swat['removeFromWishList']!(items[0], ok, err))).toMatchObject({
      epi: items[0]!.epi,
    });
    expect(await answerOf(swat['fetch']!)).toMatchObject([{ epi: items[1]!.epi }]);
  });

  test("takes Shopify's ids, also of a variant whose product the page does not name", async () => {
    const { swat } = await guestPage();
    const epi = 'gid://shopify/ProductVariant/51';
    const added = await answerOf((ok, err) => swat['addToWishList']!({ epi }, ok, err));
    expect(added).toMatchObject({ epi: 51, empi: 51 });
    const empi = 'gid://shopify/Product/51';
    const [counted] = await answerOf<[object]>((ok, err) =>
      swat.wishlist['getSocialCountBatch']!([{ empi }], ok, err),
    );
    expect(counted).toMatchObject({ count: 1, empi });
    await answerOf((ok, err) => swat['removeFromWishList']!({ epi }, ok, err));
    expect(await answerOf(swat['fetch']!)).toEqual([]);
  });

  test('takes the oldest wishlist where none has its name, and makes one of the name that the tag gives', async () => {
    const [first, second] = [await service.guest(store), await service.guest(store)];
    const { swat } = await openPage(service, first);
    const oldest = await newList(swat);
    await newList(swat);
    expect(await answerOf((ok, err) => swat['addToWishList']!(product(1), ok, err))).toMatchObject({
      lid: oldest.lid,
    });
    const named = (await openPage(service, second, { dataset: { listName: 'Merkzettel' } })).swat;
    const { lid } = await answerOf<Item>((ok, err) => named['addToWishList']!(product(1), ok, err));
    expect(await answerOf((ok, err) => named['fetchListDetails']!(lid, ok, err))).toMatchObject({
      list: { lname: 'Merkzettel' },
    });
  });

  test('shows all of a list that is longer than its preview', async () => {
    const shopper = await service.guest(store);
    const { lid } = await newList((await openPage(service, shopper)).swat, 'My Wishlist');
    for (const from of [1, 301]) {
      const some = Array.from({ length: 300 }, (_none, index) => product(from + index));
      await service.post('/api/v3/lists/update-ctx', { lid, a: some }, { shopper }).expect(200);
    }
    const { swat } = await openPage(service, shopper);
    expect(await answerOf(swat['fetch']!)).toHaveLength(600);
  });

  test('an account is told of a product at its own address, with the click first or without it', async () => {
    const shopper = await service.account(store);
    const { swat } = await openPage(service, shopper);
    const answer = { message: expect.any(String), topics: ['backinstock'] };
    expect(
      await answerOf((ok, err) => swat['addToWatchList']!({ type: 'click' }, product(1), ok, err)),
    ).toMatchObject(answer);
    expect(await answerOf((ok, err) => swat['addToWatchList']!(product(2), ok, err))).toMatchObject(answer);
    const { body } = await service.post('/api/v3/subscriptions/fetch-subs', {}, { shopper }).expect(200);
    expect(body.total).toBe(2);
  });
});

describe('alerts', () => {
  test('are asked for by position, and in the library’s form', async () => {
    const email = `${randomUUID()}@example.com`;
    const shopper = await service.account(store, email);
    const { swat } = await openPage(service, shopper);
    const { epi, empi } = product(1);
    expect(
      await answerOf((ok, err) =>
        swat['subscribeForProductAlert']!(email, 'email', { epi, empi }, ok, err, 1, 'comingsoon'),
      ),
    ).toMatchObject({ topics: ['comingsoon'], products: [{ epi: 1 }] });
    expect(
      await answerOf((ok, err) => swat['sendWatchlist']!(email, 'email', product(2), ok, err, true)),
    ).toMatchObject({ topics: ['backinstock'] });
    expect(
      await answerOf((ok, err) => swat['subscribeForProductAlert']!({ products: [product(3)] }, ok, err)),
    ).toMatchObject({ products: [{ epi: 3 }] });
    const { body } = await service.post('/api/v3/subscriptions/fetch-subs', {}, { shopper }).expect(200);
    expect(body.subscriptions.map(({ topic }: { topic: string }) => topic).sort()).toEqual([
      'backinstock',
      'backinstock',
      'comingsoon',
    ]);
  });
});

test('a guest is told of a product once the link in the message was opened', async () => {
  const shopper = await service.guest(store);
  const { swat } = await openPage(service, shopper);
  const { epi, empi } = product(8);
  const address = `${randomUUID()}@example.com`;
  const answer = await answerOf<{ message: string }>((ok, err) =>
    swat['sendWatchlist']!(address, 'email', { epi, empi }, ok, err),
  );
  expect(answer.message).toContain('confirm');
  const { body } = await service.post('/api/v3/subscriptions/fetch-subs', {}, { shopper }).expect(200);
  expect(body.subscriptions).toMatchObject([
    { epi: 8, confirmed: false, du: 'https://shop.example/products/7?variant=1' },
  ]);
});

test('a guest shares a list by a link', async () => {
  const { swat } = await guestPage();
  await answerOf((ok, err) => swat['addToWishList']!(product(1), ok, err));
  const url = await answerOf<string>((ok, err) => swat['generateSharedListURL']!(null, ok, err));
  await service.http.get(url.replace(service.url, '')).expect(200);
});

describe('sharing', () => {
  test('by mail takes the names that pages use, and means the one list where none is named', async () => {
    const { swat } = await accountPage();
    const { lid } = await answerOf<Item>((ok, err) => swat['addToWishList']!(product(1), ok, err));
    const mail = { toEmailId: 'grace@example.com', fromName: 'Ada', note: 'Look' };
    for (const given of [{ ...mail, lid }, mail])
      expect(await answerOf((ok, err) => swat['sendListViaEmail']!(given, ok, err))).toMatchObject({
        listinfo: { lid },
      });
  });

  test('gives a link that works, and the list id beside it', async () => {
    const shopper = await service.account(store);
    const { swat } = await openPage(service, shopper);
    const { lid } = await answerOf<Item>((ok, err) => swat['addToWishList']!(product(1), ok, err));
    const heard: unknown[][] = [];
    const url = (await swat['generateSharedListURL']!(null, (...given: unknown[]) =>
      heard.push(given),
    )) as string;
    expect(heard).toEqual([[url, lid]]);
    const { text } = await service.http.get(url.replace(service.url, '')).expect(200);
    expect(text).toContain('Product 1');
    const own = await openPage(service, shopper, { dataset: { shareUrl: '/pages/shared?lid={lid}' } });
    expect(await answerOf((ok, err) => own.swat['generateSharedListURL']!(lid, ok, err))).toBe(
      `https://shop.example/pages/shared?lid=${lid}`,
    );
  });

  test('on a platform opens its page with the link, and is counted', async () => {
    const { swat, opened, requests } = await accountPage();
    const { lid } = await newList(swat);
    const template = 'https://social.example/share?u={{shareurl}}&t={{note}}';
    const share = (ok: unknown, err: unknown) =>
      swat['shareListSocial']!(lid, 'Ada', template, 'social', 'a & b', ok, err);
    expect(await answerOf(share)).toMatchObject({ url: expect.stringContaining(lid) });
    expect(opened).toEqual([
      expect.stringMatching(/^https:\/\/social\.example\/share\?u=http%3A.*&t=a%20%26%20b$/),
    ]);
    expect(requests.filter((url) => url.includes('reportShare'))).toHaveLength(1);
    const failed = failureOf((_ok, err) =>
      swat['shareListSocial']!('no-such-list', 'Ada', template, 'social', err),
    );
    expect(await failed).toMatchObject({ status: 404 });
    expect(opened[1]).toBe('closed');
  });
});

/** Every call with arguments of no use. */
const NONSENSE: [string, (swat: Swat, ok: unknown, err: unknown) => unknown][] = [
  ...(
    [
      ['createList', [{ lname: 'x' }]],
      ['updateList', [undefined]],
      ['deleteList', ['no-such-list']],
      ['fetchListDetails', [undefined]],
      ['fetchListCtx', [{ lid: 'no-such-list' }]],
      ['addToList', ['no-such-list', undefined]],
      ['addProductsToList', ['no-such-list', [product(1)]]],
      ['addProductToLists', [product(1), ['no-such-list']]],
      ['deleteFromList', ['no-such-list', product(1)]],
      ['removeProductsFromList', ['no-such-list', undefined]],
      ['removeProductFromLists', [product(1), [{ lid: 'no-such-list' }]]],
      ['updateListItem', ['no-such-list', product(1)]],
      ['markListPublic', ['no-such-list']],
      ['generateSharedListURL', ['no-such-list']],
      ['shareListSocial', ['no-such-list', '', 'https://social.example', 'social']],
      ['sendListViaEmail', [{ lid: 'no-such-list' }]],
      ['subscribeForProductAlert', ['nobody', 'email', product(1)]],
      ['subscribeForProductAlert', [undefined, undefined, undefined]],
      ['sendWatchlist', ['ada@example.com', 'pigeon', product(1)]],
      ['addToWishList', [{}]],
      ['removeFromWishList', [undefined]],
      ['addToWatchList', [null, undefined]],
    ] as [string, unknown[]][]
  ).map(([name, args]): (typeof NONSENSE)[number] => [
    name,
    (swat, ok, err) => swat[name]!(...args, ok, err),
  ]),
  ['SaveForLater.fetch', (swat, ok, err) => swat.SaveForLater['fetch']!('no-such-list', ok, err)],
  ['SaveForLater.add', (swat, ok, err) => swat.SaveForLater['add']!('no-such-list', [product(1)], ok, err)],
  ['SaveForLater.add', (swat, ok, err) => swat.SaveForLater['add']!(undefined, undefined, ok, err)],
  [
    'SaveForLater.remove',
    (swat, ok, err) => swat.SaveForLater['remove']!('no-such-list', [product(1)], ok, err),
  ],
  ['getSocialCount', (swat, ok, err) => swat.wishlist['getSocialCount']!(undefined, ok, err)],
  ['getSocialCountBatch', (swat, ok, err) => swat.wishlist['getSocialCountBatch']!(undefined, ok, err)],
];

describe('a failure', () => {
  test.each(NONSENSE)('of %s reaches err once, as an XHR, and never ok', async (_name, call) => {
    const { swat } = await accountPage();
    const error = await failureOf((ok, err) => call(swat, ok, err));
    expect(error).toMatchObject({
      name: 'WishgateError',
      readyState: 4,
      status: expect.any(Number),
      statusText: expect.any(String),
      responseText: expect.any(String),
      description: error.message,
    });
    expect(error.getAllResponseHeaders()).toEqual(expect.any(String));
  });

  test.each([
    [
      'fetchLists',
      (swat: Swat, ok: unknown, err: unknown) => swat['fetchLists']!({ callbackFn: ok, errorFn: err }),
    ],
    ['fetch', (swat: Swat, ok: unknown, err: unknown) => swat['fetch']!(ok, err)],
    ['SaveForLater.init', (swat: Swat, ok: unknown, err: unknown) => swat.SaveForLater['init']!(ok, err)],
    [
      'fetchWrtEventTypeET',
      (swat: Swat, ok: unknown, err: unknown) => swat['fetchWrtEventTypeET']!(ok, 4, err),
    ],
  ])('of the network reaches err of %s with status 0', async (_name, call) => {
    const shopper = { ...(await service.guest(store)), email: null };
    const { swat } = await openPage(service, shopper, { isOffline: true });
    expect(await failureOf((ok, err) => call(swat, ok, err))).toMatchObject({
      status: 0,
      readyState: 4,
      responseText: '',
    });
  });

  test('reaches err only, also where err throws, which the page sees', async () => {
    const { swat, thrown } = await accountPage();
    const heard: string[] = [];
    const fail = (name: string) => () => {
      heard.push(name);
      throw new Error(`in ${name}`);
    };
    const failing = swat['createList']!({ lname: 'x' }, fail('ok'), fail('err'));
    await expect(failing).rejects.toMatchObject({ status: 400 });
    expect([heard, thrown]).toEqual([['err'], [new Error('in err')]]);
  });

  test('that nobody waits for disturbs nothing', async () => {
    const { swat } = await accountPage();
    const quiet: PageFunction = swat['deleteList']!;
    await expect(quiet('no-such-list')).rejects.toMatchObject({ status: 404 });
    void quiet('no-such-list', undefined, {});
    void swat['addToWishList']!({}, () => undefined, true);
    expect(await answerOf((ok, err) => swat['fetchLists']!(ok, err))).toEqual([]);
  });
});
