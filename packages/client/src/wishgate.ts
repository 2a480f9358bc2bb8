import { browserLanguage, createAlerts } from './alerts.ts';
import { createCache } from './cache.ts';
import { createCaller } from './caller.ts';
import type { Fields } from './caller.ts';
import { IS_IN_LISTS } from '../../../src/sdk/documents.ts';
import { callable, clientError, settle } from './error.ts';
import { createIdentity, hasApiKey } from './identity.ts';
import { asSent, formOf, isSameId } from './ids.ts';
import { startWatching } from './load-watch.ts';
import { createSaveForLater } from './save-for-later.ts';
import type { Write } from './save-for-later.ts';
import type {
  FetchLike,
  Item,
  ItemChange,
  List,
  Membership,
  NewList,
  SocialCount,
  Wishgate,
  WishgateError,
  WishgateOptions,
} from './types.ts';
import type { WatchTools } from './watch.ts';

export type * from './types.ts';

type ContentsUpdate = { a: Item[]; u: ItemChange[]; d: ItemChange[] };

function checkOptions(options: WishgateOptions): void {
  const { baseUrl, pid, identify } = options;
  const requires = (isValid: boolean, message: string): void => {
    if (!isValid) throw clientError('invalid-request', message);
  };
  const keyMessage = 'An API key must never reach a browser: keep it on your back end and pass `identify`';
  if (hasApiKey(options)) throw clientError('forbidden', keyMessage);
  requires(typeof baseUrl === 'string' && /^https?:\/\//.test(baseUrl), 'baseUrl must be an http(s) address');
  requires(typeof pid === 'string' && pid !== '', 'pid is required');
  requires(typeof identify === 'function', 'identify must be a function that returns { regid, sessionid }');
}

/** An empty form field counts as omitted; a blank one removes a note, and is invalid as a name. */
const blankIfEmpty = (text: string | null | undefined): string | null | undefined =>
  text === '' ? ' ' : text;

/** Creates the client of a store. It sends no request until it is used. */
export function init(options: WishgateOptions): Wishgate {
  checkOptions(options);
  const { pid, identify, storage, now = Date.now } = options;
  // Called through a closure, because browsers reject a `fetch` that is detached from its window.
  const fetchLike: FetchLike = options.fetch ?? ((url, request) => fetch(url, request));
  let lastRegid = '';
  /** The save-for-later list, once known: lists that were cached before its creation do not include it. */
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
    // Neither a read in flight nor one that starts during the write may be cached.
    cache.invalidate();
    try {
      return await run();
    } finally {
      cache.invalidate();
      cache.announce('lists');
    }
  };
  const post = <Result>(path: string, fields: object): Promise<Result> =>
    write(() => caller.rest<Result>(path, fields as Fields));
  /** Adds, updates or removes items. */
  const contents = async <Kind extends 'a' | 'u' | 'd'>(lid: string, kind: Kind, items: object[]) =>
    (await post<ContentsUpdate>('lists/update-ctx', { lid, [kind]: items }))[kind];
  const addOne = async (lid: string, product: object): Promise<Item> =>
    (await contents(lid, 'a', [product]))[0]!;

  /** Returns text, so that each caller parses its own records. */
  const listsText = async (lty: string): Promise<string> => {
    const { regid } = await identity.get();
    const mustHold = lty === '' || lty === 'sfl' ? savedLid : '';
    const cached = cache.read(regid, lty);
    if (cached?.includes(mustHold)) return cached;
    const generation = cache.generation();
    const key = `${regid} ${generation} ${mustHold} ${lty}`;
    const reading =
      underway.get(key) ??
      caller.restResponse('lists/fetch-lists', lty === '' ? {} : { lty }).then(({ who, text }) => {
        cache.write(who.regid, lty, text, generation);
        return text;
      });
    underway.set(key, reading);
    return reading.finally(() => underway.delete(key));
  };
  const readLists = async (lty = ''): Promise<List[]> => JSON.parse(await listsText(lty)) as List[];
  const findList = async (lname: string): Promise<List | undefined> =>
    (await readLists()).find((list) => list.lname === lname);
  const findOrCreate = async (list: NewList): Promise<List> => {
    const lname = list.lname.trim();
    const known = await findList(lname);
    if (known) return known;
    try {
      return await post<List>('lists/create', list);
    } catch (error) {
      // Another tab or device was faster, or the cached lists are older; for an archived list the error remains.
      const made =
        (error as WishgateError).response?.type === 'duplicate-lname' ? await findList(lname) : undefined;
      if (made) return made;
      throw error;
    }
  };
  /** Concurrent callers share one list, because a shopper may tap several hearts while it is being created. */
  const ensureList = (list: NewList): Promise<List> => {
    const found = ensuring.get(list.lname) ?? findOrCreate(list).finally(() => ensuring.delete(list.lname));
    ensuring.set(list.lname, found);
    return found;
  };
  const updateItem = async (lid: string, product: object): Promise<ItemChange> => {
    const changed = (await contents(lid, 'u', [product]))[0]!;
    if (!changed.hasError) return changed;
    throw clientError('item-not-found', changed.msg ?? 'The list does not contain this item', {
      status: 404,
    });
  };

  const watchTools: WatchTools = {
    baseUrl: caller.baseUrl,
    pid,
    fetch: fetchLike,
    rest: caller.rest,
    identity,
    timeoutMs: caller.timeoutMs,
    onIdentity: (listener) => cache.listen((change) => change === 'identity' && listener()),
    read: () => {
      cache.invalidate();
      return readLists();
    },
  };

  return Object.freeze<Wishgate>({
    SaveForLater: createSaveForLater(caller, write, (lid) => void (savedLid = lid)),
    fetchLists: ({ callbackFn, errorFn, lty } = {}) => settle(() => readLists(lty), callbackFn, errorFn),
    createList: callable((list) => post('lists/create', list)),
    ensureList: callable(ensureList),
    updateList: callable(({ lname, lnote, ...others }) =>
      post('lists/update', { ...others, lname: blankIfEmpty(lname), lnote: blankIfEmpty(lnote) }),
    ),
    deleteList: callable((lid) => post('lists/delete-list', { lid })),
    restoreList: callable((lid) => post('lists/restore', { lid })),
    restoreItems: callable((lid, epis) => post('lists/restore-items', { lid, epis })),
    deletedLists: callable((page) => caller.rest('lists/fetch-deleted', { ...page })),
    deletedItems: callable((list) => caller.rest('lists/fetch-deleted-items', list)),
    addToList: callable(addOne),
    addProductsToList: callable((lid, products) => contents(lid, 'a', products)),
    addProductToLists: callable((product, lids) => Promise.all(lids.map((lid) => addOne(lid, product)))),
    deleteFromList: callable(async (lid, product) => (await contents(lid, 'd', [product]))[0]!),
    removeProductsFromList: callable((lid, products) => contents(lid, 'd', products)),
    moveItems: callable((fromlid, tolid, epis) => post('lists/move-items', { fromlid, tolid, epis })),
    updateListItem: callable(updateItem),
    addCustomProductToList: callable(addOne),
    fetchListDetails: callable((list) => caller.rest('lists/fetch-list-with-contents', list)),
    markListPublic: callable((lid) => post('lists/markPublic', { lid })),
    markListPrivate: callable((lid) => post('lists/markPrivate', { lid })),
    sendListViaEmail: callable((mail) => post('lists/emailList', { language: browserLanguage(), ...mail })),
    reportShare: callable((share) => caller.rest('lists/reportShare', share)),
    setMeasured: callable((measured) => caller.rest('shopper/set-measured', { measured })),
    subscribeForProductAlert: callable(alerts.subscribe),
    fetchProductAlerts: callable(alerts.fetch),
    unsubscribeFromProductAlert: callable(alerts.end),
    getSocialCount: callable(async ({ empi }) => {
      const { data } = await caller.rest<SocialCount>('product/wishlist/social-count', { empi });
      return { data: { ...data, empi: formOf(empi, data.empi) } };
    }),
    isInLists: callable(async (epis) => {
      const found = await caller.graphql<{ isInLists: Membership[] }>(IS_IN_LISTS, { epis });
      return asSent(epis, found.isInLists);
    }),
    isSameId,
    graphql: callable(caller.graphql) as Wishgate['graphql'],
    isLoggedIn: callable(async () => (await alerts.ownAddress()) !== null),
    refreshIdentity: (onSuccess, onError) => {
      identity.forget();
      cache.invalidate();
      return settle(async () => void (await identity.get()), onSuccess, onError);
    },
    onChange: (listener) => cache.listen(listener),
    watch: (onLists, onError) => startWatching(watchTools, onLists, onError),
  });
}
