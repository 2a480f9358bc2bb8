import type { Item, ItemChange, List, WishgateOptions } from './types.ts';

/** What happened to items of a list: `a` added, `d` removed, `c` moved to the cart. */
export type ItemEvent = 'a' | 'd' | 'c';

type Trackers = {
  analytics?: { track?: (name: string, properties: object) => void };
  gtag?: (command: 'event', name: string, parameters: object) => void;
};

/** As in Segment's ecommerce specification. */
const SEGMENT = {
  a: 'Product Added to Wishlist',
  d: 'Product Removed from Wishlist',
  c: 'Wishlist Product Added to Cart',
};
/** Google has no event for the last one: shops send `add_to_cart` themselves. */
const GA4 = { a: 'add_to_wishlist', d: 'remove_from_wishlist', c: '' };

const present = (fields: object): Record<string, unknown> =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value != null));

/** Reports changes, once the service has confirmed them, to the page's analytics. */
export function createEvents({ events, currency }: WishgateOptions) {
  const names = new Map<string, string>();
  const page = globalThis as Trackers;
  const trackSegment = (name: string, properties: object): void => page.analytics?.track?.(name, properties);
  const track = typeof events === 'function' ? events : trackSegment;

  const reportGa4 = (name: string, items: ItemChange[]): void => {
    const value = items.reduce((sum, { pr, qty }) => sum + (pr ?? 0) * (qty ?? 1), 0);
    const rows = items.map(({ empi, dt, bt, vi, pr, qty }) =>
      present({
        item_id: String(empi),
        item_name: dt,
        item_brand: bt,
        item_variant: vi,
        price: pr,
        quantity: qty,
      }),
    );
    page.gtag?.('event', name, { ...(currency && { currency, value }), items: rows });
  };
  const reportOne = (name: string, lid: string, item: ItemChange): void =>
    track(
      name,
      present({
        wishlist_id: lid,
        wishlist_name: names.get(lid),
        product_id: String(item.empi),
        sku: item.sku,
        brand: item.bt,
        name: item.dt,
        variant: item.vi,
        price: item.pr,
        quantity: item.qty,
        currency,
        url: item.uri ?? item.du,
        image_url: item.iu,
      }),
    );

  return {
    /** Events name the lists that the page has read. */
    learn(lists: List[]): void {
      for (const { lid, lname } of lists) names.set(lid, lname);
    },
    report(kind: ItemEvent, lid: string, changed: (Item | ItemChange)[]): void {
      const items = changed.filter((item): item is ItemChange => !(item as ItemChange).hasError);
      if (events !== 'ga4') items.forEach((item) => reportOne(SEGMENT[kind], lid, item));
      else if (GA4[kind] && items.length > 0) reportGa4(GA4[kind], items);
    },
  };
}

type Reporter = ReturnType<typeof createEvents>;

export type Events = Pick<Reporter, 'report'> & { learn: <Lists extends List[]>(lists: Lists) => Lists };
