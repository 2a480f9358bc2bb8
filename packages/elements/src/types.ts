import type {
  ProductId,
  ProductInput,
  VariantId,
  Wishgate,
  WishgateOptions,
} from '../../client/src/wishgate.ts';

/** Options of the client, or a client that the page has made. */
export type StartOptions = (WishgateOptions | ({ client: Wishgate } & Partial<WishgateOptions>)) & {
  /** Name of the list that hearts save to; `My Wishlist` if omitted. */
  listName?: string;
};

export type Money = { amount: string; currencyCode: string | null };

/** An item as the elements show it, and as their events have it. */
export type SavedItem = {
  epi: VariantId;
  empi: ProductId;
  du: string;
  uri: string | null;
  dt: string | null;
  vi: string | null;
  iu: string | null;
  qty: number;
  availability: 'IN_STOCK' | 'OUT_OF_STOCK' | 'UNTRACKED' | 'UNKNOWN';
  currentPrice: Money | null;
  /** The price when it was added. */
  savedPrice: Money | null;
  priceChange: { direction: 'UP' | 'DOWN' } | null;
};

export type SavedList = { lid: string; lname: string; anonRead: boolean; owner: { isMe: boolean } };

type Product = { epi?: VariantId; empi?: ProductId; du?: string; title?: string };
type Flag = boolean | '';

/** Attributes of the elements, by tag. */
export type ElementAttributes = {
  'wishgate-heart': Product & { price?: number | string; image?: string; list?: string };
  'wishgate-count': { 'hide-empty'?: Flag };
  'wishgate-list': {
    lid?: string;
    list?: string;
    'share-url'?: string;
    'page-size'?: number | string;
    'for-later'?: Flag;
    'no-share'?: Flag;
    'no-cart'?: Flag;
  };
  'wishgate-save-for-later': { 'page-size'?: number | string };
  'wishgate-notify': Product & { topic?: string; open?: Flag };
};

export type HeartElement = HTMLElement & { readonly saved: boolean; toggle: () => Promise<void> };
export type SaveForLaterElement = HTMLElement & { add: (item: ProductInput) => Promise<boolean> };

declare global {
  // Only an interface can be extended like this.
  // oxlint-disable-next-line typescript/consistent-type-definitions
  interface HTMLElementTagNameMap {
    'wishgate-heart': HeartElement;
    'wishgate-count': HTMLElement;
    'wishgate-list': HTMLElement;
    'wishgate-save-for-later': SaveForLaterElement;
    'wishgate-notify': HTMLElement;
  }
}
