import { setMaintenance, updateStore } from '../../src/stores/store.service.ts';
import type { StoreSettings } from '../../src/stores/store.service.ts';
import type { SaveForLater, Wishgate, WishgateError } from '../../packages/client/src/wishgate.ts';
import { useService, useStore } from '../harness.ts';
import { openTab, product, watchErrors } from './kit.ts';

const service = useService({ rateLimits: true });
const store = useStore(service, { customItems: true, shareUrl: 'https://shop.example/lists/{lid}' });

const accountTab = async () => openTab(service.url, await service.account(store));

/** The outcome of a call that was made with callbacks. */
function outcome<Answer>(
  call: (ok: (answer: Answer) => void, bad: (error: WishgateError) => void) => unknown,
): Promise<Answer> {
  return new Promise((resolve, reject) => call(resolve, reject));
}

test('the client and its save-for-later part cannot be changed', async () => {
  const { client } = await accountTab();
  expect(Object.isFrozen(client) && Object.isFrozen(client.SaveForLater)).toBe(true);
});

test('SaveForLater.init answers the list, its items, the owner and the paging, by callback', async () => {
  const { client } = await accountTab();
  const answer = await outcome(client.SaveForLater.init);
  expect(answer).toMatchObject({
    list: { lty: 'sfl' },
    items: [],
    pagination: { totalcount: 0, next: null },
  });
  expect(answer.userinfo?.em).toContain('@example.com');
});

test.each(['add', 'remove', 'update', 'moveToCart'] as const)(
  'SaveForLater.%s before init fails with a clear message',
  async (name) => {
    const tab = await accountTab();
    const call = tab.client.SaveForLater[name] as SaveForLater['add'];
    const failed = outcome((ok: (answer: unknown) => void, bad) => call(product(1), ok, bad));
    await expect(failed).rejects.toMatchObject({
      status: 0,
      message: expect.stringContaining('SaveForLater.init'),
    });
    expect(tab.requests).toEqual([]);
  },
);

test('what is saved for later can be changed, moved to the cart and removed', async () => {
  const { SaveForLater } = (await accountTab()).client;
  await SaveForLater.init();
  expect(await SaveForLater.add([product(1), product(2)])).toMatchObject({
    itemsadded: [{ epi: 1 }, { epi: 2 }],
  });
  expect(await SaveForLater.update({ epi: 1, qty: 3 })).toMatchObject({ itemsupdated: [{ epi: 1, qty: 3 }] });
  expect(await SaveForLater.moveToCart([{ epi: 1 }, { epi: 9 }])).toMatchObject({
    itemsmoved: [{ epi: 1 }],
    itemsfailed: [{ epi: 9, hasError: true }],
  });
  expect(await SaveForLater.remove({ epi: 2 })).toMatchObject({ itemsdeleted: [{ epi: 2 }] });
  expect((await SaveForLater.init()).items).toEqual([]);
});

test('with its lid first, the save-for-later list needs no init, and another list is refused', async () => {
  const shopper = await service.account(store);
  const { lid } = (await openTab(service.url, shopper).client.SaveForLater.init()).list;
  const { SaveForLater } = openTab(service.url, shopper).client;
  const calls: unknown[] = [];
  const added = await outcome<{ itemsadded: object[] }>((ok, bad) =>
    SaveForLater.add(lid, [product(1), product(2)], ok, bad),
  );
  expect(added).toMatchObject({ itemsadded: [{ epi: 1, lid }, { epi: 2 }] });
  expect(await SaveForLater.update(lid, { epi: 1, qty: 3 })).toMatchObject({ itemsupdated: [{ qty: 3 }] });
  expect(await SaveForLater.remove(lid, { epi: 1 })).toMatchObject({ itemsdeleted: [{ epi: 1 }] });
  const failed = SaveForLater.add('no-such-list', product(3), (answer) => calls.push(answer));
  await expect(failed).rejects.toMatchObject({ status: 404, response: { type: 'list-not-found' } });
  expect(calls).toEqual([]);
});

test('lists are created, renamed, filled, emptied and deleted', async () => {
  const { client } = await accountTab();
  const { lid } = await client.createList({ lname: 'Garden', lprops: { colour: 'green' } });
  expect(await client.updateList({ lid, lname: 'Balcony' })).toMatchObject({
    lname: 'Balcony',
    lprops: { colour: 'green' },
  });
  expect(await client.addToList(lid, product(1))).toMatchObject({ epi: 1, lid, dt: 'Product 1' });
  expect(await client.addProductsToList(lid, [product(2), product(3)])).toMatchObject([
    { epi: 2 },
    { epi: 3 },
  ]);
  expect(await client.updateListItem(lid, { epi: 2, note: 'the blue one' })).toMatchObject({
    note: 'the blue one',
  });
  expect(await client.deleteFromList(lid, { epi: 3 })).toMatchObject({ epi: 3 });
  expect(await client.fetchListDetails({ lid })).toMatchObject({
    list: { cnt: 2 },
    items: [{ epi: 2 }, { epi: 1 }],
  });
  expect(await client.deletedItems({ lid })).toMatchObject([{ epi: 3 }]);
  expect(await client.restoreItems(lid, [3])).toMatchObject({ cnt: 3 });
  expect(await client.deletedItems({ lid })).toEqual([]);
  expect(await client.deleteList(lid)).toMatchObject({ lid, cnt: 3 });
  expect(await client.fetchLists()).toEqual([]);
  expect(await client.deletedLists()).toMatchObject([{ lid, cnt: 3 }]);
  expect(await client.restoreList(lid)).toMatchObject({ lid, cnt: 3 });
  expect(await client.fetchLists()).toMatchObject([{ lid, cnt: 3 }]);
  expect(await client.deletedLists({ limit: 5 })).toEqual([]);
});

test('the list of a name is found or made: by several callers at once, by another tab that knew it not, and again', async () => {
  const shopper = await service.account(store);
  const [here, there] = [openTab(service.url, shopper), openTab(service.url, shopper)];
  await there.client.fetchLists();
  const [one, two] = await Promise.all([
    here.client.ensureList({ lname: 'Shared name' }),
    here.client.ensureList({ lname: 'Shared name' }),
  ]);
  // The other tab keeps lists of its own, from before.
  const late = await there.client.ensureList({ lname: 'Shared name' });
  const again = await there.client.ensureList({ lname: ' Shared name ' });
  expect(new Set([one.lid, two.lid, late.lid, again.lid]).size).toBe(1);
  expect(here.requests.filter((path) => path.endsWith('/create'))).toHaveLength(1);
});

test('an item moves to another list with its note', async () => {
  const { client } = await accountTab();
  const [from, to] = [
    await client.createList({ lname: 'From' }),
    await client.createList({ lname: 'Towards' }),
  ];
  await client.addToList(from.lid, { ...product(1), note: 'in blue' });
  const moved = await client.moveItems(from.lid, to.lid, [1]);
  expect(moved).toMatchObject({ from: { cnt: 0 }, to: { cnt: 1 }, items: [{ epi: 1, note: 'in blue' }] });
});

test('an empty note removes the note, and an empty name is refused', async () => {
  const { client } = await accountTab();
  const { lid } = await client.createList({ lname: 'Noted', lnote: 'for the spring' });
  expect(await client.updateList({ lid, lname: 'Renamed' })).toMatchObject({ lnote: 'for the spring' });
  expect(await client.updateList({ lid, lnote: '' })).toMatchObject({ lname: 'Renamed', lnote: null });
  await expect(client.updateList({ lid, lname: '' })).rejects.toMatchObject({
    status: 400,
    response: { type: 'invalid-lname' },
  });
});

test('one product goes into several lists, and membership is known in one call', async () => {
  const { client, requests } = await accountTab();
  const lids = await Promise.all(
    ['One', 'Two'].map(async (lname) => (await client.createList({ lname })).lid),
  );
  expect(await client.addProductToLists(product(7), lids)).toMatchObject(
    lids.map((lid) => ({ lid, epi: 7 })),
  );
  requests.length = 0;
  const [seven, eight] = await client.isInLists([7, 8]);
  expect(seven).toMatchObject({ epi: 7, isInList: true });
  expect([...seven!.lids].sort()).toEqual([...lids].sort());
  expect(eight).toEqual({ epi: 8, isInList: false, lids: [] });
  expect(requests).toEqual(['/graphql']);
});

test("what is asked with Shopify's ids is answered under them, and records compare with either form", async () => {
  const { client } = await accountTab();
  const [held, other] = ['gid://shopify/ProductVariant/71', 'gid://shopify/ProductVariant/72'];
  const { lid } = await client.createList({ lname: 'Gids' });
  const added = await client.addToList(lid, { epi: held, empi: 'gid://shopify/Product/710', du: '/p/71' });
  expect(added).toMatchObject({ epi: 71, empi: 710 });
  const hearts = await client.isInLists([held, other, 71, '71', held, 'text']);
  expect(hearts.map(({ epi, isInList }) => [epi, isInList])).toEqual([
    [held, true],
    [other, false],
    [71, true],
    ['text', false],
  ]);
  const { data } = await client.getSocialCount({ empi: 'gid://shopify/Product/710' });
  expect(data).toEqual({ count: 1, empi: 'gid://shopify/Product/710' });
  const [list] = await client.fetchLists();
  expect(list!.listcontents.filter(({ epi }) => client.isSameId(epi, held))).toMatchObject([{ epi: 71 }]);
  expect([client.isSameId(held, '71'), client.isSameId(held, other)]).toEqual([true, false]);
  expect(await client.deleteFromList(lid, { epi: held })).toMatchObject({ epi: 71, lid });
});

test('a custom product is added with ids of the service', async () => {
  const { client } = await accountTab();
  const { lid } = await client.createList({ lname: 'Custom' });
  const item = await client.addCustomProductToList(lid, {
    title: 'Engraved bowl',
    du: 'https://shop.example/engrave',
    price: 80,
  });
  expect(item).toMatchObject({ title: 'Engraved bowl', price: 80, lity: 'custom' });
});

test('several products leave a list in one call, and a share is counted', async () => {
  const { client, requests } = await accountTab();
  const { lid } = await client.createList({ lname: 'Emptied' });
  await client.addProductsToList(lid, [product(1), product(2), product(3)]);
  requests.length = 0;
  expect(await client.removeProductsFromList(lid, [{ epi: 1 }, { epi: 3 }, { epi: 9 }])).toMatchObject([
    { epi: 1 },
    { epi: 3 },
    { epi: 9, hasError: true },
  ]);
  expect(requests).toEqual(['/api/v3/lists/update-ctx']);
  expect((await client.fetchListDetails({ lid })).items).toMatchObject([{ epi: 2 }]);
  expect(await client.reportShare({ lid, medium: 'facebook', fromname: 'Ada' })).toMatchObject({
    msg: expect.any(String),
  });
});

test('an account is known from a guest', async () => {
  expect(await (await accountTab()).client.isLoggedIn()).toBe(true);
  expect(await openTab(service.url, await service.guest(store)).client.isLoggedIn()).toBe(false);
});

test('changing an item that is not there is a failure, removing it is not', async () => {
  const { client } = await accountTab();
  const { lid } = await client.createList({ lname: 'Empty' });
  await expect(client.updateListItem(lid, { epi: 1, qty: 2 })).rejects.toMatchObject({
    status: 404,
    response: { type: 'item-not-found' },
  });
  expect(await client.deleteFromList(lid, { epi: 1 })).toMatchObject({ epi: 1, hasError: true });
});

test('a public list can be read by another shopper and not once it is private again', async () => {
  const { client } = await accountTab();
  const { lid } = await client.createList({ lname: 'To share' });
  await client.addToList(lid, product(1));
  const other = openTab(service.url, await service.guest(store)).client;
  await expect(other.fetchListDetails({ lid })).rejects.toMatchObject({ status: 404 });
  expect(await client.markListPublic(lid)).toMatchObject({ anonRead: true });
  expect(await other.fetchListDetails({ lid })).toMatchObject({
    list: { lname: 'To share' },
    items: [{ epi: 1 }],
  });
  expect(await client.markListPrivate(lid)).toMatchObject({ anonRead: false });
  await expect(other.fetchListDetails({ lid })).rejects.toMatchObject({ status: 404 });
});

test('a list is sent by mail', async () => {
  const { client } = await accountTab();
  const { lid } = await client.createList({ lname: 'By mail' });
  const answer = await client.sendListViaEmail({ lid, toemail: 'grace@example.com', fromname: 'Ada' });
  expect(answer).toMatchObject({ listinfo: { lid } });
});

test('an account subscribes to an alert at its own address', async () => {
  const shopper = await service.account(store, 'waiting@example.com');
  const { client } = openTab(service.url, shopper);
  const answer = await client.subscribeForProductAlert({
    products: [product(5)],
    topics: undefined,
    medium: undefined,
  });
  expect(answer).toMatchObject({ confirmed: true, products: [{ epi: 5 }], topics: ['backinstock'] });
  const waiting = await client.fetchProductAlerts();
  expect(waiting).toMatchObject({
    total: 1,
    subscriptions: [{ epi: 5, mediumvalue: 'waiting@example.com', topic: 'backinstock', confirmed: true }],
  });
  const { id } = waiting.subscriptions[0]!;
  const other = await accountTab();
  expect(await other.client.unsubscribeFromProductAlert({ id })).toMatchObject({ removed: 0 });
  expect(await client.unsubscribeFromProductAlert({ id })).toMatchObject({ removed: 1 });
  expect(await client.fetchProductAlerts({ topic: 'backinstock' })).toMatchObject({ total: 0 });
});

test("an alert is in the browser's language, or in the one that the page names", async () => {
  const before = Object.getOwnPropertyDescriptor(globalThis, 'navigator');
  Object.defineProperty(globalThis, 'navigator', { value: { language: 'de-AT' }, configurable: true });
  try {
    const { client } = openTab(service.url, await service.account(store, 'reader@example.com'));
    await client.subscribeForProductAlert({ products: [product(7)] });
    await client.subscribeForProductAlert({ products: [product(8)], language: 'ja' });
    const { subscriptions } = await client.fetchProductAlerts();
    expect(subscriptions.map(({ epi, language }) => [epi, language])).toEqual([
      [8, 'ja'],
      [7, 'de-AT'],
    ]);
  } finally {
    if (before) Object.defineProperty(globalThis, 'navigator', before);
    else Reflect.deleteProperty(globalThis, 'navigator');
  }
});

test('a guest subscribes, and is told that the address has to confirm', async () => {
  const shopper = await service.guest(store);
  const { client } = openTab(service.url, shopper);
  const answer = await client.subscribeForProductAlert({
    products: [product(6)],
    mediumvalue: 'guest@example.com',
  });
  expect(answer).toMatchObject({
    message: expect.stringContaining('confirm'),
    confirmed: false,
    products: [{ epi: 6 }],
  });
  const { body } = await service.post('/api/v3/subscriptions/fetch-subs', {}, { shopper });
  expect(body.subscriptions).toMatchObject([{ epi: 6, confirmed: false }]);
});

test('a failure of GraphQL looks like one of REST', async () => {
  const { client } = openTab(service.url, await service.guest(store));
  const failed = outcome((ok, bad) =>
    client.subscribeForProductAlert({ products: [product(5)], mediumvalue: 'nobody' }, ok, bad),
  );
  await expect(failed).rejects.toMatchObject({
    status: 400,
    response: { error: true, type: 'invalid-mediumvalue', msg: expect.any(String) },
  });
});

test.each<[number, string, StoreSettings | 'closed']>([
  [503, 'maintenance', 'closed'],
  [403, 'forbidden', { allowedOrigins: ['https://elsewhere.example'] }],
  [429, 'too-many-requests', { rateLimits: { shopper: 1 } }],
])(
  'a GraphQL call that is refused with %i at the edge looks like one of REST',
  async (status, type, settings) => {
    const closing = await service.createStore();
    const { client } = openTab(service.url, await service.account(closing), {
      fetch: (url, request) =>
        fetch(url, { ...request, headers: { ...request.headers, origin: 'https://shop.example' } }),
    });
    if (settings === 'closed') await setMaintenance(service.services, closing.pid, true);
    else await updateStore(service.services, closing.pid, settings);
    // The one call that the last of them lets in.
    await Promise.allSettled([client.isInLists([1])]);
    const expected = { status, response: { error: true, type, msg: expect.any(String) } };
    await expect(client.isInLists([1])).rejects.toMatchObject(expected);
    await expect(client.subscribeForProductAlert({ products: [product(1)] })).rejects.toMatchObject(expected);
  },
);

test('the social count of a product is told', async () => {
  const { client } = await accountTab();
  const { lid } = await client.createList({ lname: 'Counted' });
  await client.addToList(lid, product(4242));
  expect(await client.setMeasured(false)).toEqual({ measured: false });
  expect(await client.getSocialCount({ empi: 42420 })).toEqual({ data: { count: 1, empi: 42420 } });
});

test('a failure reaches onError as a finished XHR would, and the promise rejects with the same', async () => {
  const { client } = await accountTab();
  let heard: WishgateError | undefined;
  const promise = client.createList({ lname: 'x' }, undefined, (error) => (heard = error));
  const thrown: unknown = await promise.catch((error: unknown) => error);
  expect(thrown).toBe(heard);
  expect(heard).toMatchObject({ status: 400, response: { error: true, type: 'invalid-lname' } });
  expect(JSON.parse(heard!.responseText)).toEqual(heard!.response);
});

test('a failure has the status text and the headers of the answer, by REST and by GraphQL', async () => {
  const limited = await service.createStore();
  const { client } = openTab(service.url, await service.account(limited));
  await updateStore(service.services, limited.pid, { rateLimits: { shopper: 1 } });
  await client.isInLists([1]);
  for (const call of [() => client.isInLists([1]), () => client.createList({ lname: 'Refused' })]) {
    const error = (await call().catch((thrown: unknown) => thrown)) as WishgateError;
    expect(error).toMatchObject({ status: 429, statusText: 'Too Many Requests', readyState: 4 });
    expect(error.getResponseHeader('Retry-After')).toMatch(/^\d+$/);
    expect(error.getResponseHeader('x-none')).toBeNull();
    expect(error.getAllResponseHeaders()).toMatch(/^retry-after: \d+\r$/m);
  }
});

test('without a network the failure is that of an XHR: status 0, done, and no texts or headers', async () => {
  const { client } = openTab('http://127.0.0.1:9', await service.guest(store));
  const error = await outcome((bad: (error: WishgateError) => void, ok) =>
    client.fetchLists({ callbackFn: ok as never, errorFn: bad }),
  );
  expect(error).toMatchObject({
    status: 0,
    statusText: '',
    readyState: 4,
    responseText: '',
    response: null,
    message: 'The service cannot be reached',
  });
  expect([error.getResponseHeader('date'), error.getAllResponseHeaders()]).toEqual([null, '']);
});

/** Every call with arguments of no use, in the order of its parameters. */
const NONSENSE: Record<
  Exclude<keyof Wishgate, 'SaveForLater' | 'isSameId' | 'onChange' | 'refreshIdentity' | 'watch'>,
  unknown[]
> = {
  graphql: ['{ nothing }', {}],
  fetchLists: [],
  createList: [{ lname: 'x' }],
  ensureList: [{ lname: 'x' }],
  updateList: [undefined],
  deleteList: [undefined],
  restoreList: ['no-such-list'],
  restoreItems: ['no-such-list', [1]],
  deletedLists: [{ limit: -1 }],
  deletedItems: [undefined],
  addToList: ['no-such-list', product(1)],
  addProductsToList: ['no-such-list', 'nonsense'],
  addProductToLists: [product(1), undefined],
  deleteFromList: ['no-such-list', product(1)],
  removeProductsFromList: ['no-such-list', [product(1)]],
  moveItems: ['no-such-list', 'none', [1]],
  updateListItem: ['no-such-list', product(1)],
  addCustomProductToList: ['no-such-list', {}],
  fetchListDetails: [undefined],
  markListPublic: ['no-such-list'],
  markListPrivate: ['no-such-list'],
  sendListViaEmail: [{}],
  reportShare: [{}],
  setMeasured: ['perhaps'],
  subscribeForProductAlert: ['ada@example.com'],
  fetchProductAlerts: [{ limit: -1 }],
  unsubscribeFromProductAlert: [{}],
  getSocialCount: [undefined],
  isInLists: [undefined],
  isLoggedIn: [],
  login: ['token'],
  logout: [],
};

test.each(Object.entries(NONSENSE))(
  '%s that fails calls onError once, with an XHR, and never onSuccess',
  async (name, args) => {
    // Calls that take no arguments fail without a network.
    const client = openTab(
      args.length === 0 ? 'http://127.0.0.1:9' : service.url,
      await service.account(store),
    ).client;
    const heard: unknown[] = [];
    const ok = (answer: unknown): void => void heard.push(['ok', answer]);
    const bad = (error: unknown): void => void heard.push(['bad', error]);
    const call = client[name as keyof typeof NONSENSE] as (...given: unknown[]) => Promise<unknown>;
    const promise =
      name === 'fetchLists' ? client.fetchLists({ callbackFn: ok, errorFn: bad }) : call(...args, ok, bad);
    const thrown: unknown = await promise.catch((error: unknown) => error);
    expect(heard).toEqual([['bad', thrown]]);
    expect(thrown).toMatchObject({ name: 'WishgateError', readyState: 4, status: expect.any(Number) });
  },
);

test('a callback that throws does not cause the other one to be called, and is seen', async () => {
  const page = watchErrors();
  const { client } = await accountTab();
  const calls: string[] = [];
  const fail = (name: string) => () => {
    calls.push(name);
    throw new Error(`thrown by ${name}`);
  };
  await client.createList({ lname: 'Thrown at' }, fail('ok'), fail('bad'));
  await client.createList({ lname: 'x' }, fail('ok'), fail('bad')).catch(() => undefined);
  expect(calls).toEqual(['ok', 'bad']);
  expect(page.end()).toEqual(['thrown by ok', 'thrown by bad']);
});

test('regid and sessionid travel in the form or in headers, never in an address', async () => {
  const shopper = await service.account(store);
  const urls: string[] = [];
  const { client } = openTab(service.url, shopper, {
    fetch: (url, request) => {
      urls.push(url);
      return fetch(url, request);
    },
  });
  const { lid } = await client.createList({ lname: 'In the form' });
  await client.fetchListDetails({ lid, limit: 1 });
  await client.isInLists([1]);
  expect(urls).toHaveLength(3);
  for (const url of urls) {
    expect(url).not.toContain(shopper.regid);
    expect(url).not.toContain(shopper.sessionid);
  }
});

test('a service that does not answer fails the call after the time limit', async () => {
  const { client } = openTab(service.url, await service.guest(store), {
    timeoutMs: 20,
    fetch: (_url, { signal }) =>
      new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(new Error('aborted')))),
  });
  await expect(client.fetchLists()).rejects.toMatchObject({
    status: 0,
    message: 'The service did not respond in time',
  });
});

test('callers that use callbacks only cause no unhandled rejection', async () => {
  const unhandled: unknown[] = [];
  const note = (reason: unknown): void => void unhandled.push(reason);
  process.on('unhandledRejection', note);
  const { client } = await accountTab();
  await outcome((ok: (error: WishgateError) => void) => client.createList({ lname: 'x' }, undefined, ok));
  await new Promise((resolve) => setImmediate(resolve));
  process.off('unhandledRejection', note);
  expect(unhandled).toEqual([]);
});
