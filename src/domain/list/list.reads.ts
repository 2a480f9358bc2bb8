import type { Db } from '../../database/database.ts';
import { createBatchLoader } from '../../shared/batch.ts';
import { fail } from '../../shared/errors.ts';
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

/** Answers up to this size share a statement. */
const SHARED_BYTES = 1_000_000;
/** Larger ones are read one at a time, and none beyond this: it would fill the memory and stop the process for seconds. */
const MAX_BYTES = 32_000_000;

type Load<Key, Row> = (keys: readonly Key[], maxBytes: number) => Promise<(Row | null)[]>;

function createSizedLoader<Key, Row>(load: Load<Key, Row>): (key: Key) => Promise<Row> {
  const loadSmall = createBatchLoader<Key, Row | null>((keys) => load(keys, SHARED_BYTES));
  const loadLarge = createBatchLoader<Key, Row | null>((keys) => load(keys, MAX_BYTES), {
    maxInFlight: 1,
    maxBatch: 1,
  });
  return async (key) =>
    (await loadSmall(key)) ??
    (await loadLarge(key)) ??
    fail('limit-reached', 'This is more than can be answered at once; read it page by page');
}

export function createListReads(db: Db): ListReads {
  const pages = new Map<string, (key: PageKey) => Promise<PageRow>>();
  return {
    lists: createSizedLoader((keys: readonly ListsKey[], maxBytes) => listsOf(db, keys, maxBytes)),
    page(order, key) {
      const name = nameOrder(order);
      const load =
        pages.get(name) ??
        createSizedLoader((keys: readonly PageKey[], maxBytes) => readPages(db, order, keys, maxBytes));
      pages.set(name, load);
      return load(key);
    },
    // Counting 50,000 shoppers took 110 ms on a busy two-core machine, and every visitor of the product asks: two at a time.
    socialCount: createBatchLoader<ProductKey, number>((keys) => countShoppers(db, keys), { maxInFlight: 2 }),
  };
}
