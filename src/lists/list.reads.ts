import type { Db } from '../platform/database/database.ts';
import { failTooMuch } from '../platform/budget.ts';
import { noteItems } from '../platform/cache-dependencies.ts';
import type { Basis } from '../platform/cache-dependencies.ts';
import type { Budget } from '../platform/budget.ts';
import { createBatchLoader, shareUnderWay } from '../platform/batch.ts';
import { countShoppers } from './item.repo.ts';
import type { ProductKey } from './item.repo.ts';
import { findEachProduct } from '../stores/products/product.repo.ts';
import type { VariantKey } from '../stores/products/product.repo.ts';
import type { ProductRow } from '../stores/products/product.columns.ts';
import { countInLists, countSubscribers } from '../stores/reports/report.repo.ts';
import { findByLid, findByLids } from './list-alias.repo.ts';
import { listsOf } from './list-pages.repo.ts';
import type { ListsKey, ListsRow } from './list-pages.repo.ts';
import { nameOrder, readPages } from './page.repo.ts';
import type { PageKey, PageOrder, PageRow } from './page.repo.ts';

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
  /** The catalogue's record of a variant; null when it knows none. */
  product: (key: VariantKey) => Promise<ProductRow | null>;
  /** How often a product is in lists, as the figures say. */
  inLists: (key: ProductKey) => Promise<number>;
  /** Number of confirmed subscriptions that wait for a variant. */
  waiting: (key: VariantKey) => Promise<number>;
};

/** A key with what may be read for it. */
type Sized<Key> = { key: Key; maxBytes: number };

/** What was read, null where it is larger than allowed, and how large it is. */
type SizedRow<Row> = { row: Row | null; bytes: number };

type Load<Key, Row> = (reads: readonly Sized<Key>[]) => Promise<SizedRow<Row>[]>;
type SizedLoader<Key, Row> = (budget: Budget, key: Key, expectedBytes: number) => Promise<Row>;

/** Answers of several readers share a statement; what is larger than expected is read alone, a few at a time. */
const SHARED = { maxInFlight: 4, maxBatch: 50 };
const ALONE = { maxInFlight: 4, maxBatch: 1 };
/** A list that grows while it waits for its turn is measured again. */
const MAX_TRIES = 3;

/** Reads no more than the request has reserved: first what is usual, and where that is not enough, as much as it takes. */
function createSizedLoader<Key, Row>(read: Load<Key, Row>): SizedLoader<Key, Row> {
  const loadShared = createBatchLoader(read, SHARED);
  const loadAlone = createBatchLoader(read, ALONE);
  return async (budget, key, expectedBytes) => {
    let wanted = expectedBytes;
    for (let tries = 0; tries < MAX_TRIES; tries += 1) {
      const load = tries === 0 ? loadShared : loadAlone;
      const found = await budget.within(wanted, async (maxBytes) => {
        const value = { maxBytes, ...(await load({ key, maxBytes })) };
        return { value, bytes: value.row === null ? 0 : value.bytes };
      });
      if (found.row !== null) return found.row;
      if (found.maxBytes < wanted) break;
      wanted = found.bytes;
    }
    return failTooMuch();
  };
}

/** What a shared statement reads for one reader at most: a thousand usual items, fifty lists with ten of them each. */
const SHARED_BYTES = 1_000_000;
const USUAL_ITEM_BYTES = 1_500;

/** About what a product takes in memory. */
const bytesOf = ({ bt, dt, sku, du, uri, iu, vi, tags }: ProductRow): number =>
  [bt, dt, sku, du, uri, iu, vi, ...tags].reduce((sum, text) => sum + (text?.length ?? 0), 200);

const namePage = (order: PageOrder, { lid, limit, offset, after, hasList }: PageKey): string =>
  `${nameOrder(order)} ${lid} ${limit} ${offset} ${hasList} ${after?.seq} ${after?.key}`;

/** Opens the hot reads of a process; each request reads through them within its own budget. */
export function createListReads(db: Db): (budget: Budget, basis: Basis) => ListReads {
  const lists = createSizedLoader((reads: readonly Sized<ListsKey>[]) => listsOf(db, reads));
  const readLists = (budget: Budget, key: ListsKey): Promise<ListsRow> => {
    const { pid, lids, limit } = key;
    if (lids === null) return lists(budget, key, SHARED_BYTES);
    const read = (some: readonly string[]): Promise<ListsRow> =>
      lists(budget, { ...key, lids: some }, SHARED_BYTES);
    const hasAll = (row: ListsRow): boolean => (limit === null ? row.lists.length : row.total) >= lids.length;
    return findByLids(db, pid, lids, read, hasAll);
  };
  const pages = new Map<string, SizedLoader<PageKey, PageRow>>();
  const pageLoader = (order: PageOrder): SizedLoader<PageKey, PageRow> => {
    const name = nameOrder(order);
    const load =
      pages.get(name) ?? createSizedLoader((reads: readonly Sized<PageKey>[]) => readPages(db, order, reads));
    pages.set(name, load);
    return load;
  };
  // Counting 50,000 shoppers took 110 ms on a busy two-core machine, and every visitor of the product asks: two at a time.
  const socialCount = createBatchLoader<ProductKey, number>((keys) => countShoppers(db, keys), {
    maxInFlight: 2,
  });
  const product = createBatchLoader<VariantKey, ProductRow | null>((keys) => findEachProduct(db, keys));
  const waiting = createBatchLoader<VariantKey, number>((keys) => countSubscribers(db, keys));
  const inLists = createBatchLoader<ProductKey, number>((keys) => countInLists(db, keys));
  return (budget, basis) => {
    // Items of one list ask for it, and for its items, all at once.
    const [sharePage, shareProduct] = [shareUnderWay<PageRow>(), shareUnderWay<ProductRow | null>()];
    return {
      async lists(key) {
        const row = await readLists(budget, key);
        for (const { preview } of row.lists) noteItems(basis, preview ?? []);
        return row;
      },
      async page(order, key) {
        const expectedBytes = Math.min((key.limit + 1) * USUAL_ITEM_BYTES, SHARED_BYTES);
        const read = (lid: string): Promise<PageRow> => {
          const wanted = lid === key.lid ? key : { ...key, lid };
          return sharePage(namePage(order, wanted), () => pageLoader(order)(budget, wanted, expectedBytes));
        };
        // What is read without its list was found before.
        const isFound = ({ list }: PageRow): boolean => list !== null || !key.hasList;
        const row = await findByLid(db, key.pid, key.lid, read, isFound);
        noteItems(basis, row.items);
        if (row.owner !== null) basis.isOwn = false;
        return row;
      },
      socialCount,
      product: (key) =>
        shareProduct(key.epi, async () => {
          const row = await product(key);
          if (row) budget.charge(bytesOf(row));
          return row;
        }),
      waiting,
      inLists,
    };
  };
}
