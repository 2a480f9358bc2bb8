import { createAlerts } from './alerts.ts';
import { createCache } from './cache.ts';
import { createCaller } from './caller.ts';
import type { Fields } from './caller.ts';
import { IS_IN_LISTS } from './documents.ts';
import { ownFailure, settle, tell } from './failure.ts';
import { createIdentity, hasApiKey } from './identity.ts';
import { asSent, formOf, isSameId } from './ids.ts';
import { createSaveForLater } from './save-for-later.ts';
import type { Write } from './save-for-later.ts';
import type { WatchTools, watchLists as WatchLists } from './watch.ts';
import type {
  FetchLike,
  Item,
  ItemChange,
  ItemTransfer,
  List,
  ListContents,
  ListUpdate,
  Membership,
  NewList,
  ShareAnswer,
  SocialCount,
  Wishgate,
  WishgateError,
  WishgateOptions,
} from './types.ts';

export type * from './types.ts';

type ContentsUpdate = { a?: Item[]; u?: ItemChange[]; d?: ItemChange[] };

function checkOptions(options: WishgateOptions): void {
  const { baseUrl, pid, identify } = options;
  if (hasApiKey(options)) {
    throw ownFailure(
      'forbidden',
      'An API key must never reach a browser: keep it on your back end and pass `identify`',
    );
  }
  if (typeof baseUrl !== 'string' || !/^https?:\/\//.test(baseUrl))
    throw ownFailure('invalid-request', 'baseUrl must be an http(s) address');
  if (typeof pid !== 'string' || pid === '') throw ownFailure('invalid-request', 'pid is required');
  if (typeof identify !== 'function')
    throw ownFailure('invalid-request', 'identify must be a function that answers { regid, sessionid }');
}

/** In a form an empty text counts as left out; a blank one is seen: it removes a note, and is no name. */
const blankIfEmpty = (text: string | null | undefined): string | null | undefined =>
  text === '' ? ' ' : text;

/**
 * Comes from the service itself, also where this file was copied into a page's own bundle. Browsers remember a module that did not load,
 * so another try has another address.
 */
const loadWatch = (baseUrl: string, tries: number): Promise<{ watchLists: typeof WatchLists }> =>
  import(
    /* webpackIgnore: true */ /* @vite-ignore */ `${baseUrl}/client/watch.mjs${tries > 0 ? `?${tries}` : ''}`
  ) as never;

/** Makes the client of a store. It asks for nothing until it is used. */
export function init(options: WishgateOptions): Wishgate {
  checkOptions(options);
  const { pid, identify, storage, now = Date.now } = options;
  // Called through a closure: browsers refuse a fetch that is torn from its window.
  const fetchLike: FetchLike = options.fetch ?? ((url, request) => fetch(url, request));
  let lastRegid = '';
  /** The save-for-later list, once it is known: lists that were answered before it was made lack it. */
  let savedLid = '';
  const cache = createCache(pid, storage, now, (change) => {
    if (change === 'lists') return;
    lastRegid = '';
    identity.forget();
  });
  const identity = createIdentity(identify, ({ regid }) => {
    const isOther = cache.own(regid) || (lastRegid !== '' && lastRegid !== regid);
    if (regid !== lastRegid) savedLid = '';
    lastRegid = regid;
    if (isOther) cache.announce('identity');
  });
  const caller = createCaller(options, fetchLike, identity);
  const alerts = createAlerts(caller);
  const underway = new Map<string, Promise<string>>();
  const ensuring = new Map<string, Promise<List>>();

  const write: Write = async (run) => {
    // Before: a read under way must not be kept. After: neither must one that began while the write was on its way.
    cache.invalidate();
    try {
      return await run();
    } finally {
      cache.invalidate();
      cache.announce('lists');
    }
  };
  const post = <Answer>(path: string, fields: object): Promise<Answer> =>
    write(() => caller.rest<Answer>(path, fields as Fields));
  const contents = (
    lid: string,
    changes: { a?: object[]; u?: object[]; d?: object[] },
  ): Promise<ContentsUpdate> => post<ContentsUpdate>('lists/update-ctx', { lid, ...changes });
  const addOne = async (lid: string, product: object): Promise<Item> =>
    (await contents(lid, { a: [product] })).a![0]!;

  /** Lists as text, so that every caller gets records of its own. */
  const listsText = async (lty: string): Promise<string> => {
    const { regid } = await identity.get();
    const mustHold = lty === '' || lty === 'sfl' ? savedLid : '';
    const cached = cache.read(regid, lty);
    if (cached?.includes(mustHold)) return cached;
    const generation = cache.generation();
    const key = `${regid} ${generation} ${mustHold} ${lty}`;
    const asked =
      underway.get(key) ??
      caller.restAnswer('lists/fetch-lists', lty === '' ? {} : { lty }).then(({ who, text }) => {
        cache.write(who.regid, lty, text, generation);
        return text;
      });
    underway.set(key, asked);
    return asked.finally(() => underway.delete(key));
  };
  const findList = async (lname: string): Promise<List | undefined> =>
    (JSON.parse(await listsText('')) as List[]).find((list) => list.lname === lname);
  const findOrCreate = async (list: NewList): Promise<List> => {
    const lname = list.lname.trim();
    const known = await findList(lname);
    if (known) return known;
    try {
      return await post<List>('lists/create', list);
    } catch (error) {
      // Another tab or device was faster, or the cached lists are older; one that is archived stays a failure.
      const made =
        (error as WishgateError).response?.type === 'duplicate-lname' ? await findList(lname) : undefined;
      if (made) return made;
      throw error;
    }
  };
  /** Callers of one moment share one list: several hearts may be tapped while it is being made. */
  const ensureList = (list: NewList): Promise<List> => {
    const asked = ensuring.get(list.lname) ?? findOrCreate(list).finally(() => ensuring.delete(list.lname));
    ensuring.set(list.lname, asked);
    return asked;
  };
  const updateList = ({ lname, lnote, ...others }: ListUpdate): Promise<List> =>
    post<List>('lists/update', { ...others, lname: blankIfEmpty(lname), lnote: blankIfEmpty(lnote) });
  const updateItem = async (lid: string, product: object): Promise<ItemChange> => {
    const [changed] = (await contents(lid, { u: [product] })).u!;
    if (changed!.hasError)
      throw ownFailure('item-not-found', changed!.msg ?? 'There is no such item in this list', {
        status: 404,
      });
    return changed!;
  };

  const watchTools: WatchTools = {
    baseUrl: caller.baseUrl,
    pid,
    fetch: fetchLike,
    rest: caller.rest,
    identity,
    timeoutMs: caller.timeoutMs,
    onIdentity: (listener) => cache.listen((change) => change === 'identity' && listener()),
    read: async () => {
      cache.invalidate();
      return JSON.parse(await listsText('')) as List[];
    },
  };

  return Object.freeze<Wishgate>({
    SaveForLater: createSaveForLater(caller, write, (lid) => void (savedLid = lid)),
    fetchLists: ({ callbackFn, errorFn, lty } = {}) =>
      settle(async () => JSON.parse(await listsText(lty ?? '')) as List[], callbackFn, errorFn),
    createList: (list, ok, bad) => settle(() => post<List>('lists/create', list), ok, bad),
    ensureList: (list, ok, bad) => settle(() => ensureList(list), ok, bad),
    updateList: (list, ok, bad) => settle(() => updateList(list), ok, bad),
    deleteList: (lid, ok, bad) => settle(() => post<List>('lists/delete-list', { lid }), ok, bad),
    restoreList: (lid, ok, bad) => settle(() => post<List>('lists/restore', { lid }), ok, bad),
    restoreItems: (lid, epis, ok, bad) =>
      settle(() => post<List>('lists/restore-items', { lid, epis }), ok, bad),
    deletedLists: (page, ok, bad) =>
      settle(() => caller.rest<List[]>('lists/fetch-deleted', { ...page }), ok, bad),
    deletedItems: (list, ok, bad) =>
      settle(() => caller.rest<Item[]>('lists/fetch-deleted-items', { ...list }), ok, bad),
    addToList: (lid, product, ok, bad) => settle(() => addOne(lid, product), ok, bad),
    addProductsToList: (lid, products, ok, bad) =>
      settle(async () => (await contents(lid, { a: products })).a!, ok, bad),
    addProductToLists: (product, lids, ok, bad) =>
      settle(() => Promise.all(lids.map((lid) => addOne(lid, product))), ok, bad),
    deleteFromList: (lid, product, ok, bad) =>
      settle(async () => (await contents(lid, { d: [product] })).d![0]!, ok, bad),
    removeProductsFromList: (lid, products, ok, bad) =>
      settle(async () => (await contents(lid, { d: products })).d!, ok, bad),
    moveItems: (fromlid, tolid, epis, ok, bad) =>
      settle(() => post<ItemTransfer>('lists/move-items', { fromlid, tolid, epis }), ok, bad),
    updateListItem: (lid, product, ok, bad) => settle(() => updateItem(lid, product), ok, bad),
    addCustomProductToList: (lid, product, ok, bad) => settle(() => addOne(lid, product), ok, bad),
    fetchListDetails: (list, ok, bad) =>
      settle(() => caller.rest<ListContents>('lists/fetch-list-with-contents', { ...list }), ok, bad),
    markListPublic: (lid, ok, bad) => settle(() => post<List>('lists/markPublic', { lid }), ok, bad),
    markListPrivate: (lid, ok, bad) => settle(() => post<List>('lists/markPrivate', { lid }), ok, bad),
    sendListViaEmail: (mail, ok, bad) =>
      settle(() => post<{ msg: string; listinfo: List }>('lists/emailList', mail), ok, bad),
    reportShare: (share, ok, bad) =>
      settle(() => caller.rest<ShareAnswer>('lists/reportShare', { ...share }), ok, bad),
    setMeasured: (measured, ok, bad) =>
      settle(() => caller.rest<{ measured: boolean }>('shopper/set-measured', { measured }), ok, bad),
    subscribeForProductAlert: (alert, ok, bad) => settle(() => alerts.subscribe(alert), ok, bad),
    fetchProductAlerts: (page, ok, bad) => settle(() => alerts.fetch(page), ok, bad),
    unsubscribeFromProductAlert: (alert, ok, bad) => settle(() => alerts.end(alert), ok, bad),
    getSocialCount: (product, ok, bad) =>
      settle(
        async () => {
          const { empi } = product;
          const { data } = await caller.rest<SocialCount>('product/wishlist/social-count', { empi });
          return { data: { ...data, empi: formOf(empi, data.empi) } };
        },
        ok,
        bad,
      ),
    isInLists: (epis, ok, bad) =>
      settle(
        async () => {
          const found = await caller.graphql<{ isInLists: Membership[] }>(IS_IN_LISTS, { epis });
          return asSent(epis, found.isInLists);
        },
        ok,
        bad,
      ),
    isSameId,
    isLoggedIn: (ok, bad) => settle(async () => (await alerts.ownAddress()) !== null, ok, bad),
    refreshIdentity: (ok, bad) => {
      identity.forget();
      cache.invalidate();
      return settle(async () => void (await identity.get()), ok, bad);
    },
    onChange: (listener) => cache.listen(listener),
    watch(onLists, onError) {
      let stop = (): void => void (isStopped = true);
      let isStopped = false;
      const start = (tries: number): void =>
        void loadWatch(caller.baseUrl, tries).then(
          ({ watchLists }) => {
            if (!isStopped) stop = watchLists(watchTools, onLists, onError);
          },
          () => {
            if (isStopped) return;
            setTimeout(start, Math.min(30_000, 1_000 * 2 ** tries), tries + 1);
            tell(onError, ownFailure('unavailable', 'The part of the library that watches did not load'));
          },
        );
      start(0);
      return () => stop();
    },
  });
}
