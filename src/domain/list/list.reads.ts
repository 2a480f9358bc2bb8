import type { Db } from '../../database/database.ts';
import { createBatchLoader } from '../../shared/batch.ts';
import { countShoppers } from '../item/item.repo.ts';
import type { ProductKey } from '../item/item.repo.ts';
import { nameOrder, readPages } from './contents.repo.ts';
import type { PageKey, PageOrder, PageRow } from './contents.repo.ts';
import { listsOf } from './list.repo.ts';
import type { ListsKey, ListsRow } from './list.repo.ts';

/**
 * The hot reads. They live as long as the process: what one request asks for many lists, and what many requests ask at
 * the same time, goes to the database as one statement. Every key carries the store and the shopper.
 */
export type ListReads = {
  /** Lists of a shopper. */
  lists: (key: ListsKey) => Promise<ListsRow>;
  /** Items of a list in some order, with the list itself where asked for. */
  page: (order: PageOrder, key: PageKey) => Promise<PageRow>;
  /** Number of shoppers who have a product in an active list. */
  socialCount: (key: ProductKey) => Promise<number>;
};

export function createListReads(db: Db): ListReads {
  const pages = new Map<string, (key: PageKey) => Promise<PageRow>>();
  return {
    lists: createBatchLoader<ListsKey, ListsRow>((keys) => listsOf(db, keys)),
    page(order, key) {
      const name = nameOrder(order);
      const load =
        pages.get(name) ?? createBatchLoader<PageKey, PageRow>((keys) => readPages(db, order, keys));
      pages.set(name, load);
      return load(key);
    },
    // Counting 50,000 shoppers took 110 ms on a busy two-core machine, and every visitor of the product asks: two at a time.
    socialCount: createBatchLoader<ProductKey, number>((keys) => countShoppers(db, keys), { maxInFlight: 2 }),
  };
}
