import type {
  BundleItemInput,
  CreateListInput,
  Item,
  ItemInput,
  ItemRefInput,
  ItemTransfer,
  List,
  ListContents,
  ProductAlert,
  ProductId,
  UpdateListInput,
  VariantId,
} from '../../../src/generated/client-records.ts';

export type * from '../../../src/generated/client-records.ts';

export type ProductRef = { epi: VariantId; empi: ProductId; du: string };

/** Fields that the service's catalogue overrides if it has the product. */
type CatalogueField = 'dt' | 'bt' | 'pr' | 'vi';

type CustomField = 'title' | 'price' | 'compareAtPrice' | 'bundle';

export type ItemFields = Omit<ItemInput, keyof ProductRef | CustomField>;

export type ProductInput = ProductRef & ItemFields;

export type ItemRef = ItemRefInput & { epi: VariantId };

export type ItemUpdate = ItemRef & ItemFields;

export type BundleItem = BundleItemInput;

/** An item that is not in the store's catalogue. */
export type CustomProduct = Omit<ItemInput, 'epi' | 'empi' | CatalogueField> & { title: string; du: string };

/** A changed or removed item; one that was not found has `hasError`, `msg` and few other fields. */
export type ItemChange = Partial<Item> & { epi: VariantId; hasError?: boolean; msg?: string | null };

/** The shopper's identity, as the store's back end got it from `generate-regid`. */
export type Identity = { regid: string; sessionid: string };

/** The part of `fetch` that the library uses. */
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

/** The part of a `fetch` response that the library uses. */
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
  /** Public URL of the service, for example `https://wishes.shop.example`. */
  baseUrl: string;
  /** The store's identifier. It is public; the API key is secret and never belongs here. */
  pid: string;
  /**
   * Gets the shopper's identity from the store's back end. Called once per page, and again when the session is rejected. Without it,
   * the service identifies a guest, kept in `storage` for all tabs, and `login` makes the guest an account.
   */
  identify?: () => Identity | Promise<Identity>;
  /** Replaces the browser's `fetch`. */
  fetch?: FetchLike;
  /** Storage of cached lists and guests: `localStorage` if omitted. Null on servers: only memory, shared with no other client. */
  storage?: StorageLike | null;
  /** The clock, in milliseconds. */
  now?: () => number;
  /** Timeout of a call in milliseconds; 30,000 if omitted. */
  timeoutMs?: number;
  /**
   * Reports confirmed changes: to `analytics.track` with the names and properties of Segment's ecommerce specification, to
   * Google's `gtag`, or to a function, as to Segment.
   */
  events?: 'segment' | 'ga4' | ((name: string, properties: Record<string, unknown>) => void);
  /** ISO 4217 code of the prices in events, such as `EUR`. */
  currency?: string;
};

/** An id token, or a function that gets the account's identity, such as from a signed Shopify app proxy; null if nothing is to be merged. */
export type LoginProof = string | ((guest: Identity | null) => Promise<Identity>);

export type NewList = Omit<CreateListInput, 'cfor'>;

export type ListUpdate = Omit<UpdateListInput, 'lnote'> & {
  lid: string;
  /** One line; an empty string removes the note. */
  lnote?: string | null;
};

/** The email that shares a list with a friend. */
export type ListMail = {
  lid: string;
  toemail: string;
  fromname: string;
  note?: string;
  /** BCP 47; the browser's language if omitted. */
  language?: string;
};

/** Alerts to subscribe to. */
export type AlertRequest = {
  products: ProductRef[];
  /** `backinstock` if omitted. */
  topics?: string[];
  /** `email` if omitted; otherwise `sms` or another medium of the service. */
  medium?: string;
  /** The recipient; the account's own address if omitted. */
  mediumvalue?: string;
  addtomailinglist?: 0 | 1;
  /** Of the messages, BCP 47; the browser's language if omitted. */
  language?: string;
};

export type AlertAnswer = {
  message: string;
  /** Whether alerts are active; false until the contact opens the link in the confirmation message. */
  confirmed: boolean;
  products: { epi: VariantId; empi: ProductId; dt: string | null }[];
  topics: string[];
};

export type AlertPage = { topic?: string; limit?: number; offset?: number };

/** A page of a shopper's alerts; `total` counts all pages. */
export type ProductAlerts = { limit: number; offset: number; total: number; subscriptions: ProductAlert[] };

/** Alerts to end: the one with this `id`, or all of a topic and variant. */
export type AlertRef = { id: string } | { topic?: string; epi: VariantId };

export type ShareAnswer = { msg: string; lid: string; lname: string; medium: string };

/** How many shoppers have a product in a list, with the product id as the caller sent it. */
export type SocialCount = { data: { count: number; empi: ProductId } };

/** The shopper's lists that contain a variant. */
export type Membership = { epi: VariantId; isInList: boolean; lids: string[] };

/** An error, in the format of a finished XHR. `status` is 0 if there was no response. */
export type WishgateError = Error & {
  status: number;
  /** The reason phrase; empty if there is none, as over HTTP/2. */
  statusText: string;
  readyState: 4;
  responseText: string;
  /** The parsed body: `{error, type, msg, message}`; null if there was none. */
  response: { error: true; type: string; msg: string; message: string } | null;
  /** A response header that pages may read, for example `Retry-After`; null if it is missing. */
  getResponseHeader(name: string): string | null;
  getAllResponseHeaders(): string;
};

export type OnSuccess<Answer> = (answer: Answer) => void;

export type OnError = (error: WishgateError) => void;

export type FetchListsOptions = { callbackFn?: OnSuccess<List[]>; errorFn?: OnError; lty?: string };

/** Changes the shopper's save-for-later list, or the list whose `lid` is the first argument. */
export type SaveForLaterChange<Items, Answer> = {
  (items: Items | Items[], onSuccess?: OnSuccess<Answer>, onError?: OnError): Promise<Answer>;
  (lid: string, items: Items | Items[], onSuccess?: OnSuccess<Answer>, onError?: OnError): Promise<Answer>;
};

/** The save-for-later list. Call `init` before the others, or pass the list to each. */
export type SaveForLater = {
  init: (onSuccess?: OnSuccess<ListContents>, onError?: OnError) => Promise<ListContents>;
  add: SaveForLaterChange<ProductInput, { itemsadded: Item[]; itemsfailed: ItemChange[] }>;
  remove: SaveForLaterChange<ItemRef, { itemsdeleted: ItemChange[]; itemsfailed: ItemChange[] }>;
  update: SaveForLaterChange<ItemUpdate, { itemsupdated: ItemChange[] }>;
  moveToCart: SaveForLaterChange<ItemRef, { itemsmoved: Item[]; itemsfailed: ItemChange[] }>;
};

/** The ids of lists that were changed, added or removed; `rev` identifies the state of all lists. */
export type ListChange = { rev: string; lids: string[] };

export type Change = 'lists' | 'identity';

/** A call of the client: callbacks may follow its arguments, and it also returns a promise. */
export type Call<Args extends unknown[], Result> = (
  ...given: [...args: Args, onSuccess?: OnSuccess<Result>, onError?: OnError]
) => Promise<Result>;

/** The client of one store. */
export type Wishgate = {
  readonly SaveForLater: SaveForLater;
  /** Gets the shopper's lists with a preview of each, from the 5-minute cache if it is valid. */
  fetchLists: (options?: FetchListsOptions) => Promise<List[]>;
  createList: Call<[list: NewList], List>;
  /** Gets the list of this name or creates it. Safe to call repeatedly and on every page. */
  ensureList: Call<[list: NewList], List>;
  updateList: Call<[list: ListUpdate], List>;
  deleteList: Call<[lid: string], List>;
  /** Restores a deleted list; returns an existing list unchanged. */
  restoreList: Call<[lid: string], List>;
  /** Restores deleted items to their list, all of them or none. */
  restoreItems: Call<[lid: string, epis: VariantId[]], List>;
  /** Gets the deleted lists that can be restored, most recently deleted first. */
  deletedLists: Call<[page?: { limit?: number; offset?: number }], List[]>;
  /** Gets the items that can be restored to a list, most recently deleted first. */
  deletedItems: Call<[list: { lid: string; limit?: number; offset?: number }], Item[]>;
  addToList: Call<[lid: string, product: ProductInput], Item>;
  addProductsToList: Call<[lid: string, products: ProductInput[]], Item[]>;
  /** Makes one concurrent call per list; rejects with the first error. */
  addProductToLists: Call<[product: ProductInput, lids: string[]], Item[]>;
  /** Removing a missing item is not an error: the response then has `hasError`. */
  deleteFromList: Call<[lid: string, product: ItemRef], ItemChange>;
  /** Removes several products from a list in one call. */
  removeProductsFromList: Call<[lid: string, products: ItemRef[]], ItemChange[]>;
  /** Moves items to another list of the shopper, with their notes and quantities: all of them or none. */
  moveItems: Call<[fromlid: string, tolid: string, epis: VariantId[]], ItemTransfer>;
  updateListItem: Call<[lid: string, product: ItemUpdate], ItemChange>;
  addCustomProductToList: Call<[lid: string, product: CustomProduct], Item>;
  /** Gets a list of the shopper, or a public list, with its items. */
  fetchListDetails: Call<[list: { lid: string; limit?: number; offset?: number }], ListContents>;
  /** Lets everyone who has the list id read the list. */
  markListPublic: Call<[lid: string], List>;
  markListPrivate: Call<[lid: string], List>;
  sendListViaEmail: Call<[mail: ListMail], { msg: string; listinfo: List }>;
  /** Records that a list was shared, and how; without a `lid`, the shopper's newest list. */
  reportShare: Call<[share: { lid?: string; medium: string; fromname?: string }], ShareAnswer>;
  /** Sets whether the shopper's clicks and orders may be tracked; false opts out. */
  setMeasured: Call<[measured: boolean], { measured: boolean }>;
  /** Subscribes to alerts: an account's own address at once, any other once the contact opens the confirmation link. */
  subscribeForProductAlert: Call<[alert: AlertRequest], AlertAnswer>;
  /** Gets the shopper's alerts, newest first: an account sees those to its address, a guest those it requested. */
  fetchProductAlerts: Call<[page?: AlertPage], ProductAlerts>;
  /** Ends alerts of the shopper; `removed` is their number. */
  unsubscribeFromProductAlert: Call<[alert: AlertRef], { msg: string; removed: number }>;
  /** Counts the shoppers who have a product in a list. */
  getSocialCount: Call<[product: { empi: ProductId }], SocialCount>;
  /**
   * Gets the lists that contain each variant, in one call for all heart buttons of a page. A variant in Shopify's form
   * (`gid://shopify/ProductVariant/123`) is returned in that form.
   */
  isInLists: Call<[epis: VariantId[]], Membership[]>;
  /** Whether two variant ids, or two product ids, are the same: records contain 123 for `gid://shopify/ProductVariant/123`. */
  isSameId: (one: VariantId | ProductId, other: VariantId | ProductId) => boolean;
  /** Runs a GraphQL operation as the shopper and returns its `data`. */
  graphql: <Data>(
    query: string,
    variables?: object,
    onSuccess?: OnSuccess<Data>,
    onError?: OnError,
  ) => Promise<Data>;
  /** Whether the shopper has an account, rather than being a guest. */
  isLoggedIn: Call<[], boolean>;
  /**
   * Logs in with the id token of the store's login, or with a function that logs the guest in elsewhere, and merges the guest's lists into the account. Only for clients without
   * `identify`. Safe to call repeatedly.
   */
  login: Call<[proof: LoginProof], void>;
  /** Forgets the account in all tabs; the next visitor is a new guest. Nothing happens if the shopper is a guest. */
  logout: Call<[], void>;
  /** With `identify`: call it after the shopper logs in or out: it calls `identify` again and clears the cache, in all tabs. */
  refreshIdentity: Call<[], void>;
  /** Calls back when lists or the identity changed, in this or another tab; returns a function that stops it. */
  onChange: (listener: (change: Change) => void) => () => void;
  /**
   * Calls back with the shopper's lists: at once, and about a second after each change on any device; pauses while the page is
   * hidden. Returns a function that stops it. `onError` gets persistent errors; retries continue.
   */
  watch: (onLists: (lists: List[], change: ListChange) => void, onError?: OnError) => () => void;
};
