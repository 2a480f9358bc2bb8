const SHARING_MODES = [
  { type: 'facebook', key: 'facebook', url: 'https://www.facebook.com/sharer.php?u={{shareurl}}' },
  { type: 'twitter', key: 'twitter', url: 'https://twitter.com/intent/tweet?url={{shareurl}}&text={{note}}' },
];

/** What pages read of the public product's settings; they may change them. */
export const createSettings = (title: string) => ({
  Wishlist: { Enabled: true, EnableCollections: true, SharingModes: SHARING_MODES },
  Watchlist: { Enabled: true },
  SFL: { SFLFeatureEnabled: true },
  UI: { Title: title },
  General: { HostedPages: {} },
  Strings: {
    WishlistAddCTA: 'Add to Wishlist',
    WishlistAddedCTA: 'Added to Wishlist',
    WishlistTooltipBefore: 'Add to Wishlist',
    CollectionsRemoveItemCTA: 'Remove from List',
    AddToCartCTA: 'Add to Cart',
    AddToCartCTAUnavailable: 'Sold Out',
    AddToCartCTACannotAdd: 'Unavailable',
  },
});

/** Event names, by the names of pages; other names are lower case. */
const EVENTS = [
  ...['addedToWishlist', 'removedFromWishlist', 'addedToWatchlist', 'removeWishlistCollection'],
  ...['wishlist-updated', 'regidRefreshed', 'customerInfoRefreshed', 'configLoaded'],
  ...['variantChanged', 'addedToCart', 'removedFromCart'],
];

export const EVENT_NAMES: Record<string, string> = {
  ...Object.fromEntries(EVENTS.map((name) => [name, `sw:${name.toLowerCase()}`])),
  movedToCartfromSFL: 'sw:movedToCartfromSFL',
};

/** The storage may be full or disabled. */
function attempt(run: () => string | null | void): string | null {
  try {
    return run() ?? null;
  } catch {
    return null;
  }
}

const get = (name: string) => attempt(() => localStorage.getItem(name));
const set = (name: string, value: unknown) => attempt(() => localStorage.setItem(name, String(value)));
const remove = (name: string) => attempt(() => localStorage.removeItem(name));

/** What pages keep in the browser; the session is never in it. */
export const storage = {
  ...{ get, getLocal: get, getRaw: get, set, setLocal: set, setRaw: set },
  ...{ remove, removeLocal: remove, primaryDomain: '' },
};

/** Names under which the public product stores the session; here, nothing is stored. */
export const STORAGE_KEYS = { REGID: 'swym-swymRegid', SESSIONID: 'swym-session-id' };
