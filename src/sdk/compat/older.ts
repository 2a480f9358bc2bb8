import type {
  Item,
  ItemChange,
  List,
  ProductInput,
  Wishgate,
} from '../../../packages/client/src/wishgate.ts';
import { isWishlist } from '../../../packages/client/src/ids.ts';
import { createButtons } from './buttons.ts';
import { callAt, done, refOf } from './call.ts';
import type { Callback } from './call.ts';
import type { Later } from './later.ts';
import type { PageProduct } from './page.ts';

/** Event types by number; of those that pages request, only the wishlist is stored. */
export const EVENT_TYPES = {
  pageView: 1,
  addToCart: 3,
  addToWishList: 4,
  addToWishlist: 4,
  purchase: 6,
  removeFromCart: 7,
  addToWatchList: 8,
  addToWatchlist: 8,
};

type Shared = {
  client: Wishgate;
  /** The list name for pages that support only one list. */
  listName: string;
  emit: (name: string, detail: unknown) => void;
  complete: (product: PageProduct) => Promise<ProductInput>;
  later: Later;
};

/** Finds the list of this name, or else the oldest wishlist. */
async function findDefault({ client, listName }: Shared): Promise<List | undefined> {
  const lists = (await client.fetchLists()).filter(isWishlist);
  return lists.find(({ lname }) => lname === listName) ?? lists[lists.length - 1];
}

/** An item as the older interface calls it, with the names of its lists. */
export const asEvent = (item: Item, { lname }: List) => ({
  ...item,
  ...{ _id: item.id, et: EVENT_TYPES.addToWishList, ts: item.cts, hashtags: [lname] },
});

/** The interface for a single list, which is created when the first item is added. */
export function createOlder(page: Shared) {
  const { client, listName, emit } = page;

  const defaultList = async (): Promise<List> =>
    (await findDefault(page)) ?? client.ensureList({ lname: listName });

  const fetchItems = async (type: unknown): Promise<object[]> => {
    if (type != null && type !== EVENT_TYPES.addToWishList) return [];
    const list = await findDefault(page);
    if (!list) return [];
    const { lid, cnt, listcontents } = list;
    const items = listcontents.length < cnt ? await page.later('fetchListCtx', lid) : listcontents;
    return (items as Item[]).map((item) => asEvent(item, list));
  };
  const fetchOfType = (ok?: Callback, type?: unknown, err?: Callback): Promise<object[]> =>
    done(() => fetchItems(type), ok, err);
  /** The second file adds to the lists that the product's `hashtags` name. */
  const add = async (product: PageProduct): Promise<Item> => {
    const whole = await page.complete(product);
    if (!whole.epi && !('title' in whole)) throw new Error('The product has no epi');
    const item = (product['hashtags'] as string | string[] | undefined)?.length
      ? ((await page.later('addToHashtags', whole)) as Item)
      : await client.addToList((await defaultList()).lid, whole);
    emit('addedToWishlist', item);
    return item;
  };
  const remove = async (product: PageProduct): Promise<ItemChange> => {
    const list = await findDefault(page);
    const item = list ? await client.deleteFromList(list.lid, refOf(product)) : refOf(product);
    emit('removedFromWishlist', { ...product, ...item });
    return item;
  };
  const buttons = createButtons({
    add,
    remove,
    watch: (product) => page.later('watch', product),
    savedItems: () => fetchItems(null),
  });

  return {
    defaultList,
    buttons,
    functions: {
      addToWishList: callAt(1, add),
      addToWishlist: callAt(1, add),
      addToWishlistUsingDu: callAt(1, add),
      removeFromWishList: callAt(1, remove),
      removeFromWishlist: callAt(1, remove),
      fetch: callAt(0, () => fetchItems(null)),
      fetchWrtEventTypeET: fetchOfType,
      fetchWrtEventType: fetchOfType,
      initializeActionButtons: buttons.initialize,
      /**
       * The click event is the first argument; pages without one start with the product. The form's parent element is among the
       * rest.
       */
      addToWatchList: (...given: unknown[]) => {
        const at = (given[0] as PageProduct | null)?.epi === undefined ? 1 : 0;
        const [product, ok, ...rest] = given.slice(at);
        const err = rest.find((value) => typeof value === 'function');
        return done(() => page.later('watch', product, ...rest), ok, err);
      },
    },
  };
}

export type Older = ReturnType<typeof createOlder>;
