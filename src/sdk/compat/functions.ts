import type * as library from '../../../packages/client/src/wishgate.ts';
import { callable, done, fieldsOf, lidOf, productOf, refOf } from './call.ts';
import type { Callback, ListName, PageProduct } from './call.ts';
import { EVENT_TYPES, createOlder } from './older.ts';
import { createSaved } from './saved.ts';
import { createSharing } from './sharing.ts';
import { ui } from './ui.ts';
import { createUtils } from './utils.ts';

export type Tag = { listName: string; currency: string; linkTo: (lid: string) => string };

const MOST_ITEMS = 1_000;

const EVENT_NAMES: Record<string, string> = new Proxy(
  {},
  { get: (_names, name) => `sw:${String(name).toLowerCase()}` },
);

const SHARING_MODES = [
  { type: 'facebook', key: 'facebook', url: 'https://www.facebook.com/sharer.php?u={{shareurl}}' },
  { type: 'twitter', key: 'twitter', url: 'https://twitter.com/intent/tweet?url={{shareurl}}&text={{note}}' },
];

const flagOf = (value: unknown): 0 | 1 | undefined =>
  value == null || value === '' ? undefined : Number(value) === 0 ? 0 : 1;

/** Creates the object whose functions are called by pages written for the public product. */
export function createSwat(client: library.Wishgate, tag: Tag, isLoggedIn: () => boolean) {
  const events = new EventTarget();
  const emit = (name: string, detail: unknown): void =>
    void events.dispatchEvent(new CustomEvent(EVENT_NAMES[name]!, { detail: { d: detail } }));

  const details = async (list: ListName): Promise<library.ListContents> => {
    const lid = lidOf(list);
    const contents = await client.fetchListDetails({ lid });
    const { items, pagination } = contents;
    while (items.length < pagination.totalcount) {
      const more = await client.fetchListDetails({ lid, limit: MOST_ITEMS, offset: items.length });
      if (more.items.length === 0) break;
      items.push(...more.items);
    }
    return contents;
  };
  const allItems = async (list: ListName): Promise<library.Item[]> => (await details(list)).items;

  const subscribe = async (product: PageProduct | PageProduct[], alert: Partial<library.AlertRequest>) => {
    const products = [product].flat().map(refOf);
    const answer = await client.subscribeForProductAlert({ ...alert, products });
    emit('addedToWatchlist', product);
    return answer;
  };
  const subscribeWith = (...given: unknown[]) => {
    const [first, second, product, ok, err, mailingList, topic] = given;
    if (typeof first === 'object' && first)
      return done(() => client.subscribeForProductAlert(first as library.AlertRequest), second, product);
    const alert = {
      mediumvalue: (first as string) || undefined,
      medium: (second as string) || undefined,
      topics: topic ? ([topic].flat() as string[]) : undefined,
      addtomailinglist: flagOf(mailingList),
    };
    return done(() => subscribe(product as PageProduct, alert), ok, err);
  };

  const addAll = async (list: ListName, products: PageProduct[]) => {
    const items = await client.addProductsToList(lidOf(list), products.map(productOf));
    items.forEach((item) => emit('addedToWishlist', item));
    return items;
  };
  const removeAll = async (list: ListName, products: PageProduct[]) => {
    const items = await client.removeProductsFromList(lidOf(list), products.map(refOf));
    items.forEach((item, index) => emit('removedFromWishlist', { ...products[index], ...item }));
    return items;
  };
  type ForItems<Result> = (list: ListName, products: PageProduct[]) => Promise<Result[]>;
  const forOne = <Result>(run: ForItems<Result>) =>
    callable(async (list: ListName, product: PageProduct) => (await run(list, [product]))[0]!);
  const inEach = <Result>(run: ForItems<Result>) =>
    callable(async (product: PageProduct, lists: ListName | ListName[]) =>
      (await Promise.all([lists].flat().map((list) => run(list, [product])))).flat(),
    );
  const remove = async (list: ListName): Promise<library.List> => {
    const deleted = await client.deleteList(lidOf(list));
    emit('removeWishlistCollection', deleted);
    return deleted;
  };
  /** Pages use the first list as the wishlist, so the save-for-later list comes last. */
  const fetchLists = async (lty?: string): Promise<library.List[]> =>
    (await client.fetchLists({ lty })).sort((a, b) => Number(a.lty === 'sfl') - Number(b.lty === 'sfl'));
  const countOf = async ({ empi }: { empi: library.ProductId }) => {
    const { data } = await client.getSocialCount({ empi });
    return { ...data, data };
  };

  const older = createOlder({ client, listName: tag.listName, isLoggedIn, emit, allItems, subscribe });

  const functions = {
    ...client,
    ...older.functions,
    ...createSharing(client, tag.linkTo, async () => (await older.defaultList()).lid),
    fetchLists: (given?: unknown, err?: Callback) => {
      const { callbackFn, errorFn, lty } = (
        typeof given === 'function' ? { callbackFn: given, errorFn: err } : (given ?? {})
      ) as { callbackFn?: Callback; errorFn?: Callback; lty?: string };
      return done(() => fetchLists(lty), callbackFn, errorFn);
    },
    fetchListDetails: callable(details),
    fetchListCtx: callable(allItems),
    createList: callable((list: string | library.NewList) =>
      client.createList(typeof list === 'string' ? { lname: list } : list),
    ),
    updateList: callable((list: { lid: string }) => client.updateList(list)),
    deleteList: callable(remove),
    addToList: forOne(addAll),
    addProductsToList: callable(addAll),
    addProductToLists: inEach(addAll),
    deleteFromList: forOne(removeAll),
    removeProductsFromList: callable(removeAll),
    removeProductFromLists: inEach(removeAll),
    updateListItem: callable((list: ListName, product: PageProduct) =>
      client.updateListItem(lidOf(list), fieldsOf(product)),
    ),
    markListPublic: callable((list: ListName) => client.markListPublic(lidOf(list))),
    subscribeForProductAlert: subscribeWith,
    sendWatchlist: (...given: unknown[]) => subscribeWith(...given.slice(0, 6)),
    SaveForLater: createSaved(client, details),
    wishlist: {
      getSocialCount: callable(countOf),
      getSocialCountBatch: callable((products: { empi: library.ProductId }[]) =>
        Promise.all(products.map(countOf)),
      ),
    },
    isCollectionsEnabled: () => true,
  };

  older.buttons.listen();
  older.buttons.draw();
  client.onChange((change) => {
    older.buttons.draw();
    if (change === 'lists') return emit('wishlist-updated', null);
    emit('regidRefreshed', null);
    emit('customerInfoRefreshed', null);
  });

  return {
    ...functions,
    api: functions,
    platform: { isLoggedIn, isInDeviceCart: () => false, getProductUrl: (du: string) => du },
    utils: createUtils(tag.currency),
    currency: tag.currency,
    evtLayer: events,
    JSEvents: EVENT_NAMES,
    EventTypes: EVENT_TYPES,
    ui,
    retailerSettings: {
      Wishlist: { Enabled: true, EnableCollections: true, SharingModes: SHARING_MODES },
      Watchlist: { Enabled: true },
      UI: { Title: tag.listName },
      Strings: {},
    },
  };
}
