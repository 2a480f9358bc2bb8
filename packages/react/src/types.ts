import type { ReactNode } from 'react';
import type {
  AlertRequest,
  FetchLike,
  Identity,
  List,
  ProductInput,
  ProductRef,
  VariantId,
  Wishgate,
  WishgateError,
} from '@wishgate/client';

/** What the server knew: `lists` is null for a visitor it could not identify. It can be serialised as JSON. */
export type WishgateSnapshot = { lists: List[] | null };

export type LoadOptions = {
  /** Public URL of the service. */
  baseUrl: string;
  pid: string;
  /** The visitor's identity, from the cookie of your session; null makes no request. */
  identity: Identity | null;
  fetch?: FetchLike;
  /** The page is rendered without lists after this time; 3,000 if omitted. */
  timeoutMs?: number;
  /** Gets the error of a page that is rendered without lists; `console.error` if omitted. */
  onError?: (error: unknown) => void;
};

export type WishgateProviderProps = {
  /** Made once by `init` of @wishgate/client. */
  client: Wishgate;
  /** From `loadWishgate`: the page shows these lists at once, on the server and in the browser. */
  snapshot?: WishgateSnapshot;
  /** The list that `save` uses, created by the first save; `My Wishlist` if omitted. */
  listName?: string;
  /** Follows other devices by `client.watch`; true if omitted. Other tabs are followed always. */
  live?: boolean;
  /** Gets the error of an action, whose change was reverted; `console.error` if omitted. */
  onError?: (error: WishgateError) => void;
  children?: ReactNode;
};

/** What identifies a variant: a product or an item is enough. */
export type Variant = { epi: VariantId };

/**
 * Changes that are shown at once, and reverted if the service rejects them. Each resolves to whether it succeeded. Without a `lid`, `save`
 * uses the provider's list, and `remove` all wishlists that contain the variant.
 */
export type Actions = {
  save: (product: ProductInput, lid?: string) => Promise<boolean>;
  remove: (variant: Variant, lid?: string) => Promise<boolean>;
  /** Removes a saved variant, and saves any other. */
  toggle: (product: ProductInput, lid?: string) => Promise<boolean>;
  /** Takes an item out of a list, such as save for later, once your cart has it. */
  moveToCart: (item: Variant, lid: string) => Promise<boolean>;
  /** Reverts the last save or removal of this page; false if there is none. */
  undo: () => Promise<boolean>;
};

export type NotifyMe = {
  /** `unconfirmed` until the shopper opens the link in the confirmation message. */
  status: 'idle' | 'sending' | 'subscribed' | 'unconfirmed' | 'failed';
  error?: WishgateError;
  /** Subscribes to alerts about a product; `mediumvalue` is the address of a guest. */
  subscribe: (product: ProductRef, options?: Omit<AlertRequest, 'products'>) => Promise<void>;
};
