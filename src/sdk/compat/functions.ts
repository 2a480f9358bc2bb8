import { plainId } from '../../../packages/client/src/ids.ts';
import type * as library from '../../../packages/client/src/wishgate.ts';
import { callAt, done, lidOf, productOf, refOf } from './call.ts';
import type { Callback, ListName } from './call.ts';
import { LATER, createLater } from './later.ts';
import type { LaterName, More } from './later.ts';
import type * as more from './more.ts';
import { EVENT_TYPES, createOlder } from './older.ts';
import { isWhole, pageData, withPageData } from './page.ts';
import type { PageProduct } from './page.ts';
import type { SavedName } from './saved.ts';
import { EVENT_NAMES, STORAGE_KEYS, createSettings, storage } from './settings.ts';
import { createUtils } from './utils.ts';

export type Tag = {
  pid: string;
  listName: string;
  currency: string;
  /** The address of a shared list, with `{lid}` and `{pid}`. */
  template: string;
  account: () => { authn: boolean; email?: string };
  loadMore: () => Promise<typeof more>;
};

/** The longest that adding waits for the second file, which waits for the shop's data for less. */
const COMPLETE_MS = 3_000;

type PageFunction = (...given: unknown[]) => Promise<unknown>;

/** Creates the object whose functions are called by pages written for the public product. */
export function createSwat(client: library.Wishgate, tag: Tag, isLoggedIn: () => boolean) {
  const events = new EventTarget();
  /** Becomes the object that pages call, so that they see a currency that was set. */
  const money = { currency: tag.currency };
  const emit = (name: string, detail: unknown): void =>
    void events.dispatchEvent(new CustomEvent(EVENT_NAMES[name]!, { detail: { d: detail } }));

  /** The second file mends what the service would refuse, and reads what is missing from the shop's own data. */
  const complete = async (product: PageProduct): Promise<library.ProductInput> => {
    const known = withPageData(product);
    if (isWhole(known)) return productOf(known);
    let timer: ReturnType<typeof setTimeout> | undefined;
    const late = new Promise((resolve) => (timer = setTimeout(resolve, COMPLETE_MS)));
    const found = await Promise.race([later('complete', known), late]).catch(() => undefined);
    clearTimeout(timer);
    return productOf((found as PageProduct | undefined) ?? known);
  };
  const addAll = async (list: ListName, products: PageProduct[]) => {
    const items = await client.addProductsToList(lidOf(list), await Promise.all(products.map(complete)));
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
    callAt(2, async (list: ListName, product: PageProduct) => (await run(list, [product]))[0]!);
  /** Pages use the first list as the wishlist, so the save-for-later list comes last. */
  const fetchLists = async (lty?: string): Promise<library.List[]> =>
    (await client.fetchLists({ lty })).sort((a, b) => Number(a.lty === 'sfl') - Number(b.lty === 'sfl'));
  const later = createLater(async () =>
    (await tag.loadMore()).createMore({ client, tag, emit, complete, older, addAll, removeAll, isLoggedIn }),
  );
  const older = createOlder({ client, listName: tag.listName, emit, complete, later });
  const settings = createSettings(tag.listName);

  const from = (name: keyof More, at: number): PageFunction =>
    callAt(at, (...given) => later(name, ...given));
  const inSecondFile = Object.fromEntries(
    LATER.flatMap((names, at) => names.map((name) => [name, from(name, at)])),
  ) as Record<LaterName, PageFunction>;
  /** The list may come first; the items follow. */
  const saved =
    (name: SavedName, items: 0 | 1): PageFunction =>
    (...given) => {
      const at = items + Number(typeof given[0] === 'string' || given[0] == null);
      return callAt(at, (...args) => later('saved', name, ...args))(...given);
    };
  const share: PageFunction = (list, ok, err) => done(() => later('shareByLink', list, ok), undefined, err);

  /** Opens the platform's page. A note and callbacks follow; a single callback is for errors. */
  const shareListSocial = (...given: unknown[]) => {
    const [err, ok] = given
      .slice(4)
      .filter((value) => typeof value === 'function')
      .reverse();
    const share = async () => {
      // The window opens at the click, because browsers block it later.
      const view = window.open('', '_blank');
      try {
        return await later('shareList', view, ...given);
      } catch (error) {
        view?.close();
        throw error;
      }
    };
    return done(share, ok, err);
  };

  /** Pages call it when the shopper chooses another variant. */
  const triggerSwymVariantEvent = (id: library.VariantId): void => {
    const { SwymPageData: own, SwymProductInfo: info, SwymProductVariants: variants } = pageData;
    const product = info?.product;
    const variant = product?.variants.find((one) => String(one.id) === plainId(id));
    const unknown = { iu: undefined, pr: undefined };
    if (own) Object.assign(own, unknown, variants?.[plainId(id)], { epi: Number(id) || id });
    emit('variantChanged', { variant: variant ?? { id }, product: product ?? { id: own?.empi } });
    older.buttons.draw();
  };

  const functions = {
    ...client,
    ...older.functions,
    ...inSecondFile,
    // These call their callbacks themselves, with more arguments.
    fetchProductForItems: from('fetchProductForItems', -2),
    renderWishlistCount: from('renderWishlistCount', -2),
    shareListSocial,
    shareWishlistSocial: (hashtag: string | null, ...given: unknown[]) =>
      shareListSocial(hashtag, '', ...given),
    triggerSwymVariantEvent,
    setCurrency: (currency: string): void => void (money.currency = currency),
    isAlreadyAuth: isLoggedIn,
    fetchLists: (given?: unknown, err?: Callback) => {
      const { callbackFn, errorFn, lty } = (
        typeof given === 'function' ? { callbackFn: given, errorFn: err } : (given ?? {})
      ) as { callbackFn?: Callback; errorFn?: Callback; lty?: string };
      return done(() => fetchLists(lty), callbackFn, errorFn);
    },
    addToList: forOne(addAll),
    addProductsToList: callAt(2, addAll),
    deleteFromList: forOne(removeAll),
    removeProductsFromList: callAt(2, removeAll),
    /** `ok` receives the URL and the list id, from the second file. */
    generateSharedListURL: share,
    generateSharedWishlistURL: share,
    subscribeForProductAlert: (...given: unknown[]) =>
      from('subscribe', given[0] && typeof given[0] === 'object' ? 1 : 3)(...given),
    SaveForLater: {
      init: from('savedInit', 0),
      fetch: saved('fetch', 0),
      ...{ add: saved('add', 1), remove: saved('remove', 1) },
      ...{ update: saved('update', 1), moveToCart: saved('moveToCart', 1) },
    },
    wishlist: inSecondFile,
    isCollectionsEnabled: () => true,
  };

  older.buttons.listen();
  older.buttons.draw();
  document.addEventListener('DOMContentLoaded', older.buttons.draw);
  client.onChange((change) => {
    older.buttons.draw();
    if (change === 'lists') return emit('wishlist-updated', null);
    emit('regidRefreshed', null);
    emit('customerInfoRefreshed', null);
  });

  const onPage =
    (name: 'showSuccess' | 'showError' | 'openWishlist' | 'renderWishlist') =>
    (...given: unknown[]): void =>
      void done(() => later(name, ...given));
  const notifications = {
    showSuccessNotification: onPage('showSuccess'),
    showErrorNotification: onPage('showError'),
  };

  const swat = Object.assign(money, functions, {
    api: functions,
    pid: tag.pid,
    platform: { isLoggedIn, isInDeviceCart: () => false, getProductUrl: (du: string) => du },
    utils: createUtils(money),
    storage,
    key: STORAGE_KEYS,
    evtLayer: events,
    JSEvents: EVENT_NAMES,
    EventTypes: EVENT_TYPES,
    ui: {
      ...notifications,
      open: onPage('openWishlist'),
      renderWishlistInContainer: onPage('renderWishlist'),
      uiRef: { ...notifications, settings },
    },
    retailerSettings: settings,
  });
  return { swat, emit };
}
