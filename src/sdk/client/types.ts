import type {
  CreateListInput,
  CustomProduct,
  Item,
  ItemChange,
  ItemRef,
  ItemTransfer,
  ItemUpdate,
  List,
  ListContents,
  ProductAlert,
  ProductId,
  ProductInput,
  ProductRef,
  UpdateListInput,
  VariantId,
} from './records.ts';

export type * from './records.ts';

/** Who the shopper is, as the store's back end got it from `generate-regid`. */
export type Identity = { regid: string; sessionid: string };

/** What the library needs of `fetch`. */
export type FetchLike = (
  url: string,
  init: {
    method: 'POST';
    headers: Record<string, string>;
    body: string;
    credentials: 'omit';
    signal: AbortSignal;
  },
) => Promise<FetchAnswer>;

/** What the library needs of the answer to a `fetch`. */
export type FetchAnswer = {
  status: number;
  statusText?: string;
  headers?: {
    get(name: string): string | null;
    forEach(callback: (value: string, name: string) => void): void;
  };
  text(): Promise<string>;
};

/** What the library needs of `localStorage`. */
export type StorageLike = { getItem(key: string): string | null; setItem(key: string, value: string): void };

/** Options of `init`. */
export type WishgateOptions = {
  /** Address of the service, for example `https://wishes.shop.example`. */
  baseUrl: string;
  /** The store's identifier. It is public; the API key is not and never belongs here. */
  pid: string;
  /** Asks the store's own back end who the shopper is. Called once a page, and again when the session is not accepted. */
  identify: () => Identity | Promise<Identity>;
  /** Replaces the browser's `fetch`. */
  fetch?: FetchLike;
  /** Where lists are cached; `localStorage` when left out, nowhere but in this page when null. */
  storage?: StorageLike | null;
  /** The clock, in milliseconds. */
  now?: () => number;
  /** Milliseconds after which a call that got no answer fails; 30,000 when left out. */
  timeoutMs?: number;
};

/** A list to create. */
export type NewList = Omit<CreateListInput, 'cfor'>;

/** What to change of a list. */
export type ListUpdate = Omit<UpdateListInput, 'lnote'> & {
  lid: string;
  /** One line; an empty text removes the note. */
  lnote?: string | null;
};

/** The mail that tells a friend of a list. */
export type ListMail = { lid: string; toemail: string; fromname: string; note?: string };

/** Products to be told of, and how. */
export type AlertRequest = {
  products: ProductRef[];
  /** `backinstock` when left out. */
  topics?: string[];
  /** `email` when left out; else `sms` or another medium of the service. */
  medium?: string;
  /** Where to; an account's own address when left out. */
  mediumvalue?: string;
  addtomailinglist?: 0 | 1;
};

/** What was subscribed. */
export type AlertAnswer = {
  message: string;
  /** Whether alerts are sent from now on; false while the contact has still to open the link in a message. */
  confirmed: boolean;
  products: { epi: VariantId; empi: ProductId; dt: string | null }[];
  topics: string[];
};

/** Which alerts to answer. */
export type AlertPage = { topic?: string; limit?: number; offset?: number };

/** What a shopper waits for; `total` counts beyond the page. */
export type ProductAlerts = { limit: number; offset: number; total: number; subscriptions: ProductAlert[] };

/** Alerts to end: the one of this `id`, or all of a topic and variant. */
export type AlertRef = { id: string } | { topic?: string; epi: VariantId };

/** What was counted. */
export type ShareAnswer = { msg: string; lid: string; lname: string; medium: string };

/** How many shoppers have a product in a list; the product as it was named. */
export type SocialCount = { data: { count: number; empi: ProductId } };

/** Which of the shopper's lists hold a variant. */
export type Membership = { epi: VariantId; isInList: boolean; lids: string[] };

/** A failure, in the form of a finished XHR. `status` is 0 when there was no answer at all. */
export type WishgateError = Error & {
  status: number;
  /** The words beside the status; empty where there are none, as over HTTP/2. */
  statusText: string;
  readyState: 4;
  responseText: string;
  /** The parsed body: `{error, type, msg, message}`; null when there was none. */
  response: { error: true; type: string; msg: string; message: string } | null;
  /** A header of the answer that pages may read, for example `Retry-After`; null when it is not there. */
  getResponseHeader(name: string): string | null;
  getAllResponseHeaders(): string;
};

/** Called with the answer. */
export type OnSuccess<Answer> = (answer: Answer) => void;

/** Called with what went wrong. */
export type OnError = (error: WishgateError) => void;

/** Argument of `fetchLists`. */
export type FetchListsOptions = { callbackFn?: OnSuccess<List[]>; errorFn?: OnError; lty?: string };

/** Changes the save-for-later list of the shopper, or the one whose `lid` comes first. */
export type SaveForLaterChange<Items, Answer> = {
  (items: Items | Items[], onSuccess?: OnSuccess<Answer>, onError?: OnError): Promise<Answer>;
  (lid: string, items: Items | Items[], onSuccess?: OnSuccess<Answer>, onError?: OnError): Promise<Answer>;
};

/** The save-for-later list. Call `init` before the others, or name the list in each. */
export type SaveForLater = {
  init: (onSuccess?: OnSuccess<ListContents>, onError?: OnError) => Promise<ListContents>;
  add: SaveForLaterChange<ProductInput, { itemsadded: Item[]; itemsfailed: ItemChange[] }>;
  remove: SaveForLaterChange<ItemRef, { itemsdeleted: ItemChange[]; itemsfailed: ItemChange[] }>;
  update: SaveForLaterChange<ItemUpdate, { itemsupdated: ItemChange[] }>;
  moveToCart: SaveForLaterChange<ItemRef, { itemsmoved: Item[]; itemsfailed: ItemChange[] }>;
};

/** Which lists changed, came or went; `rev` tells one state of all lists from another. */
export type ListChange = { rev: string; lids: string[] };

/** What changed: the lists, or who the shopper is. */
export type Change = 'lists' | 'identity';

/** The client of one store. Every call takes callbacks and returns a promise, too. */
export type Wishgate = {
  readonly SaveForLater: SaveForLater;
  /** The shopper's lists with a preview of each, from the cache of 5 minutes where it is valid. */
  fetchLists: (options?: FetchListsOptions) => Promise<List[]>;
  createList: (list: NewList, onSuccess?: OnSuccess<List>, onError?: OnError) => Promise<List>;
  /** The list of this name: the one that is there, else a new one. Safe to call on every page and again. */
  ensureList: (list: NewList, onSuccess?: OnSuccess<List>, onError?: OnError) => Promise<List>;
  updateList: (list: ListUpdate, onSuccess?: OnSuccess<List>, onError?: OnError) => Promise<List>;
  deleteList: (lid: string, onSuccess?: OnSuccess<List>, onError?: OnError) => Promise<List>;
  /** Brings a deleted list back as it was; one that is there is answered as it is. */
  restoreList: (lid: string, onSuccess?: OnSuccess<List>, onError?: OnError) => Promise<List>;
  /** Brings deleted items back into their list, all of them or none. */
  restoreItems: (
    lid: string,
    epis: VariantId[],
    onSuccess?: OnSuccess<List>,
    onError?: OnError,
  ) => Promise<List>;
  /** Deleted lists that can be brought back, the one deleted last first. */
  deletedLists: (
    page?: { limit?: number; offset?: number },
    onSuccess?: OnSuccess<List[]>,
    onError?: OnError,
  ) => Promise<List[]>;
  /** Items that can be brought back into a list, the one deleted last first. */
  deletedItems: (
    list: { lid: string; limit?: number; offset?: number },
    onSuccess?: OnSuccess<Item[]>,
    onError?: OnError,
  ) => Promise<Item[]>;
  addToList: (
    lid: string,
    product: ProductInput,
    onSuccess?: OnSuccess<Item>,
    onError?: OnError,
  ) => Promise<Item>;
  addProductsToList: (
    lid: string,
    products: ProductInput[],
    onSuccess?: OnSuccess<Item[]>,
    onError?: OnError,
  ) => Promise<Item[]>;
  /** One call for each list, all at once; rejects with the first failure. */
  addProductToLists: (
    product: ProductInput,
    lids: string[],
    onSuccess?: OnSuccess<Item[]>,
    onError?: OnError,
  ) => Promise<Item[]>;
  /** Removing what is not there is no failure: the answer then has `hasError`. */
  deleteFromList: (
    lid: string,
    product: ItemRef,
    onSuccess?: OnSuccess<ItemChange>,
    onError?: OnError,
  ) => Promise<ItemChange>;
  /** Takes several products off a list in one call. */
  removeProductsFromList: (
    lid: string,
    products: ItemRef[],
    onSuccess?: OnSuccess<ItemChange[]>,
    onError?: OnError,
  ) => Promise<ItemChange[]>;
  /** Moves items to another list of the shopper's, with their notes and quantities: all of them or none. */
  moveItems: (
    fromlid: string,
    tolid: string,
    epis: VariantId[],
    onSuccess?: OnSuccess<ItemTransfer>,
    onError?: OnError,
  ) => Promise<ItemTransfer>;
  updateListItem: (
    lid: string,
    product: ItemUpdate,
    onSuccess?: OnSuccess<ItemChange>,
    onError?: OnError,
  ) => Promise<ItemChange>;
  addCustomProductToList: (
    lid: string,
    product: CustomProduct,
    onSuccess?: OnSuccess<Item>,
    onError?: OnError,
  ) => Promise<Item>;
  /** A list of the shopper's, or a public one, with its items. */
  fetchListDetails: (
    list: { lid: string; limit?: number; offset?: number },
    onSuccess?: OnSuccess<ListContents>,
    onError?: OnError,
  ) => Promise<ListContents>;
  /** Lets everybody who has the list id read the list. */
  markListPublic: (lid: string, onSuccess?: OnSuccess<List>, onError?: OnError) => Promise<List>;
  markListPrivate: (lid: string, onSuccess?: OnSuccess<List>, onError?: OnError) => Promise<List>;
  sendListViaEmail: (
    mail: ListMail,
    onSuccess?: OnSuccess<{ msg: string; listinfo: List }>,
    onError?: OnError,
  ) => Promise<{ msg: string; listinfo: List }>;
  /** Counts that a list was shared, and how; without a `lid` the shopper's newest one. */
  reportShare: (
    share: { lid?: string; medium: string; fromname?: string },
    onSuccess?: OnSuccess<ShareAnswer>,
    onError?: OnError,
  ) => Promise<ShareAnswer>;
  /** Says whether the shopper's clicks and orders may be measured; false declines. */
  setMeasured: (
    measured: boolean,
    onSuccess?: OnSuccess<{ measured: boolean }>,
    onError?: OnError,
  ) => Promise<{ measured: boolean }>;
  /**
   * Asks to be told of products: an account at its own address at once; a guest, or another address, once the link in the message
   * that is sent there was opened.
   */
  subscribeForProductAlert: (
    alert: AlertRequest,
    onSuccess?: OnSuccess<AlertAnswer>,
    onError?: OnError,
  ) => Promise<AlertAnswer>;
  /** What the shopper waits for, newest first: an account sees what goes to its address, a guest what it asked for. */
  fetchProductAlerts: (
    page?: AlertPage,
    onSuccess?: OnSuccess<ProductAlerts>,
    onError?: OnError,
  ) => Promise<ProductAlerts>;
  /** Ends alerts that the shopper waits for; `removed` says how many there were. */
  unsubscribeFromProductAlert: (
    alert: AlertRef,
    onSuccess?: OnSuccess<{ msg: string; removed: number }>,
    onError?: OnError,
  ) => Promise<{ msg: string; removed: number }>;
  /** How many shoppers have a product in a list. */
  getSocialCount: (
    product: { empi: ProductId },
    onSuccess?: OnSuccess<SocialCount>,
    onError?: OnError,
  ) => Promise<SocialCount>;
  /**
   * Which of these variants are in which lists: what heart buttons need, in one call for a whole page. A variant that was named in Shopify's
   * form (`gid://shopify/ProductVariant/123`) is answered in that form.
   */
  isInLists: (
    epis: VariantId[],
    onSuccess?: OnSuccess<Membership[]>,
    onError?: OnError,
  ) => Promise<Membership[]>;
  /** Whether two variant ids, or two product ids, name the same: records carry 123 where `gid://shopify/ProductVariant/123` was sent. */
  isSameId: (one: VariantId | ProductId, other: VariantId | ProductId) => boolean;
  /** Whether the shopper has an account, and is no guest. */
  isLoggedIn: (onSuccess?: OnSuccess<boolean>, onError?: OnError) => Promise<boolean>;
  /** Tells the client that the shopper logged in or out: asks `identify` again and empties the cache, in all tabs. */
  refreshIdentity: (onSuccess?: OnSuccess<void>, onError?: OnError) => Promise<void>;
  /** Calls back when lists or the identity changed, here or in another tab; returns how to stop it. */
  onChange: (listener: (change: Change) => void) => () => void;
  /**
   * Calls back with the shopper's lists: at once, and after each change on whichever device, within a second or so. Rests while the page is hidden.
   * Returns how to stop it. `onError` hears of failures that last; it goes on trying.
   */
  watch: (onLists: (lists: List[], change: ListChange) => void, onError?: OnError) => () => void;
};
