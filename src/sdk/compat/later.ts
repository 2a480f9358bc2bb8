import type * as more from './more.ts';

export type More = ReturnType<typeof more.createMore>;

/** The functions of the second file by the position of `ok` among their arguments, which `err` follows. */
export const LATER = [
  [
    ...(['wishlistCount', 'getAllCollections', 'fetchWishlistWRTHashtag', 'sendEmailWishList'] as const),
    ...(['deleteEvent', 'authCheck', 'remoteAuthRequest'] as const),
  ],
  [
    ...(['createList', 'updateList', 'deleteList', 'markListPublic', 'fetchListDetails'] as const),
    ...(['fetchListCtx', 'getProductDetails', 'mapShopifyProducts', 'updateWishlistEvent'] as const),
    ...(['removeWishlistCollection', 'getSocialCount', 'getSocialCountBatch'] as const),
    ...(['sendListViaEmail', 'addToCart', 'dropFromCart', 'trackPageview', 'reportPurchase'] as const),
  ],
  [
    ...(['updateListItem', 'replayAddToCart', 'addProductsToCollection'] as const),
    ...(['removeProductsFromCollection', 'addCollectionsToProduct'] as const),
    ...(['removeCollectionsFromProduct', 'addProductToLists', 'removeProductFromLists'] as const),
  ],
  ['sendWatchlist'],
] as const satisfies (keyof More)[][];

export type LaterName = (typeof LATER)[number][number];

const PAUSES_MS = [250, 500];

/** Loads the second file at the first call. Calls wait for it in their order; if it does not load, they fail, and the next call tries again. */
export function createLater(load: () => Promise<More>) {
  let loading: Promise<More> | null = null;
  const attempt = async (failures = 0): Promise<More> => {
    try {
      return await load();
    } catch (error) {
      const pauseMs = PAUSES_MS[failures];
      if (pauseMs === undefined) throw error;
      await new Promise((resume) => setTimeout(resume, pauseMs));
      return attempt(failures + 1);
    }
  };
  return async <Name extends keyof More>(name: Name, ...given: unknown[]): Promise<unknown> => {
    loading ??= attempt();
    const functions = await loading.catch((error: unknown) => {
      loading = null;
      throw error;
    });
    return (functions[name] as (...given: unknown[]) => unknown)(...given);
  };
}

export type Later = ReturnType<typeof createLater>;
