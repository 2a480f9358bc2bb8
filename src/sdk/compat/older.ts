import { clientError } from '../../../packages/client/src/error.ts';
import type { AlertAnswer, Item, ItemChange, List, Wishgate } from '../../../packages/client/src/wishgate.ts';
import { createButtons } from './buttons.ts';
import { callable, done, productOf, refOf } from './call.ts';
import type { Callback, PageProduct } from './call.ts';
import { askAddress } from './ui.ts';

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
  isLoggedIn: () => boolean;
  emit: (name: string, detail: unknown) => void;
  allItems: (lid: string) => Promise<Item[]>;
  subscribe: (product: PageProduct, alert: { mediumvalue?: string }) => Promise<AlertAnswer>;
};

/** Finds the list of this name, or else the oldest wishlist. */
async function findDefault({ client, listName }: Shared): Promise<List | undefined> {
  const lists = (await client.fetchLists()).filter(({ lty }) => lty === null || lty === 'wl');
  return lists.find(({ lname }) => lname === listName) ?? lists[lists.length - 1];
}

/** The interface for a single list, which is created when the first item is added. */
export function createOlder(page: Shared) {
  const { client, listName, emit } = page;

  const defaultList = async (): Promise<List> =>
    (await findDefault(page)) ?? client.ensureList({ lname: listName });

  const fetchItems = async (type: unknown): Promise<object[]> => {
    if (type != null && type !== EVENT_TYPES.addToWishList) return [];
    const list = await findDefault(page);
    if (!list) return [];
    const items = list.listcontents.length < list.cnt ? await page.allItems(list.lid) : list.listcontents;
    return items.map((item) => ({ ...item, et: EVENT_TYPES.addToWishList, ts: item.cts }));
  };
  const fetchOfType = (ok?: Callback, type?: unknown, err?: Callback): Promise<object[]> =>
    done(() => fetchItems(type), ok, err);
  const add = async (product: PageProduct): Promise<Item> => {
    const item = await client.addToList((await defaultList()).lid, productOf(product));
    emit('addedToWishlist', item);
    return item;
  };
  const remove = async (product: PageProduct): Promise<ItemChange> => {
    const list = await findDefault(page);
    const item = list ? await client.deleteFromList(list.lid, refOf(product)) : refOf(product);
    emit('removedFromWishlist', { ...product, ...item });
    return item;
  };
  /** Subscribes an account's own address, and asks a guest for one. */
  const watch = async (product: PageProduct, place: Element | null): Promise<AlertAnswer> => {
    const mediumvalue = page.isLoggedIn() ? undefined : await askAddress(place);
    if (mediumvalue === null) throw clientError('invalid-mediumvalue', 'The email address is missing');
    return page.subscribe(product, { mediumvalue });
  };

  const buttons = createButtons({
    add,
    remove,
    watch: (product) => watch(product, null),
    savedItems: () => fetchItems(null),
  });

  return {
    defaultList,
    buttons,
    functions: {
      addToWishList: callable(add),
      addToWishlist: callable(add),
      removeFromWishList: callable(remove),
      fetch: callable(() => fetchItems(null)),
      fetchWrtEventTypeET: fetchOfType,
      fetchWrtEventType: fetchOfType,
      initializeActionButtons: buttons.draw,
      /**
       * The click event is the first argument; pages without one start with the product. The form's parent element is among the
       * rest.
       */
      addToWatchList: (...given: unknown[]) => {
        const at = (given[0] as PageProduct | null)?.epi === undefined ? 1 : 0;
        const [product, ok, ...rest] = given.slice(at);
        const place = rest.find((value) => value instanceof Element) ?? null;
        return done(
          () => watch(product as PageProduct, place),
          ok,
          rest.find((value) => typeof value === 'function'),
        );
      },
    },
  };
}
