import { browserLanguage, createAlerts } from './alerts.ts';
import { browserStorage, createCache, fingerprint } from './cache.ts';
import { createCaller, createTransport } from './caller.ts';
import type { Fields } from './caller.ts';
import { IS_IN_LISTS } from '../../../src/sdk/documents.ts';
import { callable, clientError, settle } from './error.ts';
import { createIdentity, hasApiKey } from './identity.ts';
import { asSent, formOf, isSameId } from './ids.ts';
import type { Events } from './events.ts';
import { createKept } from './kept.ts';
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
  const keyMessage = 'An API key must never reach a browser: keep it on your back end';
  if (hasApiKey(options)) throw clientError('forbidden', keyMessage);
  requires(typeof baseUrl === 'string' && /^https?:\/\//.test(baseUrl), 'baseUrl must be an http(s) address');
  requires(typeof pid === 'string' && pid !== '', 'pid is required');
  requires(
    !identify || typeof identify === 'function',
    'identify must be a function that returns { regid, sessionid }',
  );
}

/** An empty form field counts as omitted; a blank one removes a note, and is invalid as a name. */
const blankIfEmpty = (text: string | null | undefined): string | null | undefined =>
  text === '' ? ' ' : text;

/** Creates the client of a store. It sends no request until it is used. */
export function init(options: WishgateOptions): Wishgate {
  checkOptions(options);
  const { pid, identify, storage = browserStorage(), now = Date.now } = options;
  // Called through a closure, because browsers reject a `fetch` that is detached from its window.
  const fetchLike: FetchLike = options.fetch ?? ((url, request) => fetch(url, request));
  let lastRegid = '';
  /** The save-for-later list, once known: lists that were cached before its creation do not include it. */
  let savedLid = '';
  const key = `wishgate:${fingerprint(pid)}`;
  const transport = createTransport(options, fetchLike);
  const kept = identify ? null : createKept(`${key}:who`, storage, transport);
  // A part of its own, as few pages report events.
  const loading = options.events
    ? import('./events.ts').then(
        ({ createEvents }) => createEvents(options),
        () => null,
      )
    : null;
  const events: Events = {
    learn: (lists) => {
      void loading?.then((reporter) => reporter?.learn(lists));
      return lists;
    },
    report: (...change) => void loading?.then((reporter) => reporter?.report(...change)),
  };
  const cache = createCache(key, storage, now, (change) => {
    if (change === 'lists') return;
    lastRegid = '';
    identity.forget();
  });
  const identity = createIdentity(kept?.identify ?? (() => identify!()), ({ regid }) => {
    const isOther = cache.own(regid) || (lastRegid !== '' && lastRegid !== regid);
    if (regid !== lastRegid) savedLid = '';
    lastRegid = regid;
    if (isOther) cache.announce('identity');
  });
  const caller = createCaller(pid, transport, identity);
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
  const contents = async <Kind extends 'a' | 'u' | 'd'>(lid: string, kind: Kind, items: object[]) => {
    const changed = (await post<ContentsUpdate>('lists/update-ctx', { lid, [kind]: items }))[kind];
    if (kind !== 'u') events.report(kind, lid, changed);
    return changed;
  };
  const addOne = async (lid: string, product: object): Promise<Item> =>
    (await contents(lid, 'a', [product]))[0]!;

  const create = async (list: NewList): Promise<List> =>
    events.learn([await post<List>('lists/create', list)])[0]!;

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
      return await create(list);
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

  /** Shows the change to other tabs, too, if the shopper is another one. */
  const refresh = async (): Promise<void> => {
    identity.forget();
    cache.invalidate();
    await identity.get();
  };
  const own = (): NonNullable<typeof kept> => {
    if (kept) return kept;
    throw clientError('invalid-request', 'With `identify`, log in on your back end and call refreshIdentity');
  };

  const watchTools: WatchTools = {
    baseUrl: transport.baseUrl,
    pid,
    fetch: fetchLike,
    rest: caller.rest,
    identity,
    timeoutMs: transport.timeoutMs,
    onIdentity: (listener) => cache.listen((change) => change === 'identity' && listener()),
    read: () => {
      cache.invalidate();
      return readLists();
    },
  };

  return Object.freeze<Wishgate>({
    SaveForLater: createSaveForLater(caller, write, events, (lid) => void (savedLid = lid)),
    fetchLists: ({ callbackFn, errorFn, lty } = {}) => settle(() => readLists(lty), callbackFn, errorFn),
    createList: callable(create),
    ensureList: callable(ensureList),
    updateList: callable(({ lname, lnote, ...others }) =>
      post('lists/update', { ...others, lname: blankIfEmpty(lname), lnote: blankIfEmpty(lnote) }),
    ),
    deleteList: callable((lid) => post('lists/delete-list', { lid })),
    restoreList: callable((lid) => post('lists/restore', { lid })),
    restoreItems: callable(async (lid, epis) => {
      const list = await post<List>('lists/restore-items', { lid, epis });
      const isRestored = (item: Item): boolean => epis.some((epi) => isSameId(epi, item.epi));
      events.report('a', lid, events.learn([list])[0]!.listcontents.filter(isRestored));
      return list;
    }),
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
    isLoggedIn: callable(alerts.isLoggedIn),
    refreshIdentity: callable(refresh),
    login: callable(async (proof) => {
      await own().login(proof);
      await refresh();
    }),
    logout: callable(async () => {
      if (!(await own().logout())) return;
      identity.forget();
      lastRegid = '';
      cache.disown();
      cache.announce('identity');
    }),
    onChange: (listener) => cache.listen(listener),
    watch: (onLists, onError) => startWatching(watchTools, onLists, onError),
  });
}
