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

/** What the library needs of the response to a `fetch`. */
export type FetchAnswer = {
  status: number;
  statusText?: string;
  headers?: {
    get(name: string): string | null;
    forEach(callback: (value: string, name: string) => void): void;
  };
  text(): Promise<string>;
};

export type StorageLike = { getItem(key: string): string | null; setItem(key: string, value: string): void };

export type WishgateOptions = {
  /** Address of the service, for example `https://wishes.shop.example`. */
  baseUrl: string;
  /** The store's identifier. It is public; the API key is not and never belongs here. */
  pid: string;
  /** Asks the store's own back end who the shopper is. Called once per page, and again when the session is not accepted. */
  identify: () => Identity | Promise<Identity>;
  /** Replaces the browser's `fetch`. */
  fetch?: FetchLike;
  /** Where lists are cached; `localStorage` when left out, nowhere but in this page when null. */
  storage?: StorageLike | null;
  /** The clock, in milliseconds. */
  now?: () => number;
  /** Milliseconds after which a call without a response fails; 30,000 when left out. */
  timeoutMs?: number;
};

export type NewList = Omit<CreateListInput, 'cfor'>;

export type ListUpdate = Omit<UpdateListInput, 'lnote'> & {
  lid: string;
  /** One line; an empty text removes the note. */
  lnote?: string | null;
};

/** The email that shares a list with a friend. */
export type ListMail = { lid: string; toemail: string; fromname: string; note?: string };

/** Alerts to subscribe to. */
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

export type AlertAnswer = {
  message: string;
  /** Whether alerts are sent from now on; false while the contact has still to open the link in a message. */
  confirmed: boolean;
  products: { epi: VariantId; empi: ProductId; dt: string | null }[];
  topics: string[];
};

export type AlertPage = { topic?: string; limit?: number; offset?: number };

/** A page of a shopper's alerts; `total` counts beyond the page. */
export type ProductAlerts = { limit: number; offset: number; total: number; subscriptions: ProductAlert[] };

/** Alerts to end: the one of this `id`, or all of a topic and variant. */
export type AlertRef = { id: string } | { topic?: string; epi: VariantId };

export type ShareAnswer = { msg: string; lid: string; lname: string; medium: string };

/** How many shoppers have a product in a list; the product as it was named. */
export type SocialCount = { data: { count: number; empi: ProductId } };

/** Which of the shopper's lists hold a variant. */
export type Membership = { epi: VariantId; isInList: boolean; lids: string[] };

/** An error, in the form of a finished XHR. `status` is 0 when there was no response at all. */
export type WishgateError = Error & {
  status: number;
  /** The reason phrase; empty where there is none, as over HTTP/2. */
  statusText: string;
  readyState: 4;
  responseText: string;
  /** The parsed body: `{error, type, msg, message}`; null when there was none. */
  response: { error: true; type: string; msg: string; message: string } | null;
  /** A response header that pages may read, for example `Retry-After`; null when it is not there. */
  getResponseHeader(name: string): string | null;
  getAllResponseHeaders(): string;
};

export type OnSuccess<Answer> = (answer: Answer) => void;

export type OnError = (error: WishgateError) => void;

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

/** Which lists changed, came or went; `rev` identifies the state of all lists. */
export type ListChange = { rev: string; lids: string[] };

export type Change = 'lists' | 'identity';

/** A call of the client: callbacks may follow its arguments, and it returns a promise, too. */
export type Call<Args extends unknown[], Result> = (
  ...given: [...args: Args, onSuccess?: OnSuccess<Result>, onError?: OnError]
) => Promise<Result>;

/** The client of one store. */
export type Wishgate = {
  readonly SaveForLater: SaveForLater;
  /** The shopper's lists with a preview of each, from the cache of 5 minutes where it is valid. */
  fetchLists: (options?: FetchListsOptions) => Promise<List[]>;
  createList: Call<[list: NewList], List>;
  /** The list of this name: the one that is there, else a new one. Safe to call on every page and again. */
  ensureList: Call<[list: NewList], List>;
  updateList: Call<[list: ListUpdate], List>;
  deleteList: Call<[lid: string], List>;
  /** Restores a deleted list as it was; a list that is there is returned as it is. */
  restoreList: Call<[lid: string], List>;
  /** Restores deleted items to their list, all of them or none. */
  restoreItems: Call<[lid: string, epis: VariantId[]], List>;
  /** Deleted lists that can be restored, the one deleted last first. */
  deletedLists: Call<[page?: { limit?: number; offset?: number }], List[]>;
  /** Items that can be restored to a list, the one deleted last first. */
  deletedItems: Call<[list: { lid: string; limit?: number; offset?: number }], Item[]>;
  addToList: Call<[lid: string, product: ProductInput], Item>;
  addProductsToList: Call<[lid: string, products: ProductInput[]], Item[]>;
  /** Makes one concurrent call for each list; rejects with the first error. */
  addProductToLists: Call<[product: ProductInput, lids: string[]], Item[]>;
  /** Removing what is not there is no error: the response then has `hasError`. */
  deleteFromList: Call<[lid: string, product: ItemRef], ItemChange>;
  /** Removes several products from a list in one call. */
  removeProductsFromList: Call<[lid: string, products: ItemRef[]], ItemChange[]>;
  /** Moves items to another list of the shopper's, with their notes and quantities: all of them or none. */
  moveItems: Call<[fromlid: string, tolid: string, epis: VariantId[]], ItemTransfer>;
  updateListItem: Call<[lid: string, product: ItemUpdate], ItemChange>;
  addCustomProductToList: Call<[lid: string, product: CustomProduct], Item>;
  /** A list of the shopper's, or a public one, with its items. */
  fetchListDetails: Call<[list: { lid: string; limit?: number; offset?: number }], ListContents>;
  /** Lets everybody who has the list id read the list. */
  markListPublic: Call<[lid: string], List>;
  markListPrivate: Call<[lid: string], List>;
  sendListViaEmail: Call<[mail: ListMail], { msg: string; listinfo: List }>;
  /** Records that a list was shared, and how; without a `lid` the shopper's newest one. */
  reportShare: Call<[share: { lid?: string; medium: string; fromname?: string }], ShareAnswer>;
  /** Says whether the shopper's clicks and orders may be tracked; false declines. */
  setMeasured: Call<[measured: boolean], { measured: boolean }>;
  /** Subscribes to alerts: an account's own address at once; any other once the link in the message sent there was opened. */
  subscribeForProductAlert: Call<[alert: AlertRequest], AlertAnswer>;
  /** The shopper's alerts, newest first: an account sees those to its address, a guest those it asked for. */
  fetchProductAlerts: Call<[page?: AlertPage], ProductAlerts>;
  /** Ends alerts of the shopper; `removed` says how many there were. */
  unsubscribeFromProductAlert: Call<[alert: AlertRef], { msg: string; removed: number }>;
  /** How many shoppers have a product in a list. */
  getSocialCount: Call<[product: { empi: ProductId }], SocialCount>;
  /**
   * Which of these variants are in which lists: what heart buttons need, in one call for a whole page. A variant that was named in
   * Shopify's form (`gid://shopify/ProductVariant/123`) is returned in that form.
   */
  isInLists: Call<[epis: VariantId[]], Membership[]>;
  /** Whether two variant ids, or two product ids, name the same: records carry 123 where `gid://shopify/ProductVariant/123` was sent. */
  isSameId: (one: VariantId | ProductId, other: VariantId | ProductId) => boolean;
  /** Whether the shopper has an account, and is no guest. */
  isLoggedIn: Call<[], boolean>;
  /** Call it when the shopper logged in or out: it calls `identify` again and empties the cache, in all tabs. */
  refreshIdentity: Call<[], void>;
  /** Calls back when lists or the identity changed, here or in another tab; returns a function that stops it. */
  onChange: (listener: (change: Change) => void) => () => void;
  /**
   * Calls back with the shopper's lists: at once, and within a second or so after each change on any device. Rests while the page is hidden.
   * Returns a function that stops it. `onError` gets errors that last; it goes on trying.
   */
  watch: (onLists: (lists: List[], change: ListChange) => void, onError?: OnError) => () => void;
};
