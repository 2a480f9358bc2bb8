import type { Item, List, ListContents, NewList } from '../../../packages/client/src/wishgate.ts';
import { lidOf } from './call.ts';
import type { ListName } from './call.ts';
import { clean } from './clean.ts';
import type { Tools } from './more.ts';
import type { PageProduct } from './page.ts';

const MOST_ITEMS = 1_000;

export function createLists({ client, emit }: Tools) {
  const fetchListDetails = async (list: ListName): Promise<ListContents> => {
    const lid = lidOf(list);
    const contents = await client.fetchListDetails({ lid });
    const { items, pagination } = contents;
    while (items.length < pagination.totalcount) {
      const next = await client.fetchListDetails({ lid, limit: MOST_ITEMS, offset: items.length });
      if (next.items.length === 0) break;
      items.push(...next.items);
    }
    return contents;
  };
  return {
    fetchListDetails,
    fetchListCtx: async (list: ListName): Promise<Item[]> => (await fetchListDetails(list)).items,
    createList: async (list: string | NewList): Promise<List> =>
      client.createList(typeof list === 'string' ? { lname: list } : list),
    updateList: async (list: { lid: string }): Promise<List> => client.updateList(list),
    deleteList: async (list: ListName): Promise<List> => {
      const deleted = await client.deleteList(lidOf(list));
      emit('removeWishlistCollection', deleted);
      return deleted;
    },
    markListPublic: async (list: ListName): Promise<List> => client.markListPublic(lidOf(list)),
    updateListItem: async (list: ListName, product: PageProduct) =>
      client.updateListItem(lidOf(list), clean(product)),
  };
}

export type Lists = ReturnType<typeof createLists>;
