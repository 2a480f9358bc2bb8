/** Variant and product ids: numbers where they are whole numbers, else texts. */
export type VariantId = number | string;

/** A product as a storefront names it. */
export type ProductRef = { epi: VariantId; empi: VariantId; du: string };

/** What can be said of an item when it is added or changed. */
export type ItemFields = {
  qty?: number;
  note?: string | null;
  cprops?: Record<string, unknown>;
  lbls?: string[];
  _av?: boolean;
  /** Title, brand, price and image, for a product that the service's catalogue does not know. */
  dt?: string;
  bt?: string;
  sku?: string;
  iu?: string;
  pr?: number;
  vi?: string;
};

/** A product to put in a list. */
export type ProductInput = ProductRef & ItemFields;

/** A change of an item that is in a list. */
export type ItemUpdate = { epi: VariantId; empi?: VariantId; du?: string } & ItemFields;

/** Names an item of a list. */
export type ItemRef = { epi: VariantId; empi?: VariantId; du?: string };

/** A part of a custom bundle. */
export type BundleItem = {
  title?: string | null;
  price?: number | null;
  empi?: VariantId | null;
  epi?: VariantId | null;
  iu?: string | null;
  uri?: string | null;
  vendor?: string | null;
};

/** An item that is not in the store's catalogue. */
export type CustomProduct = {
  title: string;
  du: string;
  price?: number;
  compareAtPrice?: number;
  iu?: string;
  sku?: string;
  qty?: number;
  note?: string;
  platformitemid?: VariantId;
  cprops?: Record<string, unknown>;
  bundle?: BundleItem[];
};

/** What is known of the owner of a list. */
export type UserInfo = {
  em: string | null;
  fname: string;
  lname: string;
  uid: string;
  pid: string;
  m: string | null;
  lastlogin: string | null;
  cts: number | null;
  uts: number | null;
  acc_mkt: boolean;
  extags: string[];
  prefs: Record<string, unknown>;
  pd: Record<string, unknown>;
};

/** An item of a list. */
export type Item = {
  id: string;
  lid: string;
  epi: VariantId;
  empi: VariantId;
  du: string;
  uri: string | null;
  qty: number;
  note: string | null;
  cprops: Record<string, unknown>;
  lbls: string[];
  _av: boolean;
  lity: string | null;
  dt: string | null;
  title: string | null;
  bt: string | null;
  sku: string | null;
  iu: string | null;
  pr: number | null;
  price: number | null;
  compareAtPrice: number | null;
  vi: string | null;
  stk: number | null;
  bundle: BundleItem[];
  cts: number;
  uts: number;
};

/** An item that was to be changed or removed; one that could not be found has `hasError` and `msg` and little else. */
export type ItemChange = Partial<Item> & { epi: VariantId; hasError?: boolean; msg?: string | null };

/** A list. */
export type List = {
  lid: string;
  lname: string;
  lty: string | null;
  lnote: string | null;
  lprops: Record<string, unknown>;
  cprops: Record<string, unknown>;
  ldesc: Record<string, unknown>;
  anonRead: boolean;
  cnt: number;
  itemcmnts: number;
  _cp: boolean;
  /** The ten newest items. */
  listcontents: Item[];
  cby: string | null;
  uby: string | null;
  cfor: string | null;
  cts: number;
  uts: number;
  st: number;
  lhash: string;
  userinfo: UserInfo | null;
};

/** Where a page of items is. */
export type Pagination = { totalcount: number; next: string | null; limit: number };

/** A list with its items. */
export type ListContents = { list: List; items: Item[]; userinfo: UserInfo | null; pagination: Pagination };
