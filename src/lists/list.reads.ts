import { oncePerDatabase, createBatchLoader, shareUnderWay } from '../platform/batch.ts';
import type { Context } from '../context.ts';
import { failTooMuch, readWithin } from '../platform/budget.ts';
import { dependOnItems } from '../context.ts';
import type { Budget } from '../platform/budget.ts';
import type { Share } from '../platform/batch.ts';
import { findByLid, findByLids } from './list-alias.repo.ts';
import { listsOf } from './list-pages.repo.ts';
import type { ListsKey, ListsRow } from './list-pages.repo.ts';
import { nameOrder, readPages } from './page.repo.ts';
import type { PageKey, PageOrder, PageRow } from './page.repo.ts';

/** What a read needs of its request. Requests that read at the same time share statements; every key carries the store and the shopper. */
type Reader = Pick<Context, 'db' | 'budget' | 'dependencies'>;

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
const MAX_ATTEMPTS = 3;

/** Reads no more than the request has reserved: first what is usual, and where that is not enough, as much as it takes. */
function createSizedLoader<Key, Row>(read: Load<Key, Row>): SizedLoader<Key, Row> {
  const loadShared = createBatchLoader(read, SHARED);
  const loadAlone = createBatchLoader(read, ALONE);
  return async (budget, key, expectedBytes) => {
    let wanted = expectedBytes;
    for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt += 1) {
      const load = attempt === 0 ? loadShared : loadAlone;
      const found = await readWithin(budget, wanted, async (maxBytes) => {
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

const namePage = (order: PageOrder, { lid, limit, offset, after, hasList }: PageKey): string =>
  `${nameOrder(order)} ${lid} ${limit} ${offset} ${hasList} ${after?.seq} ${after?.key}`;

const listsLoader = oncePerDatabase(({ db }: Pick<Reader, 'db'>) =>
  createSizedLoader((reads: readonly Sized<ListsKey>[]) => listsOf(db, reads)),
);
const pageLoaders = oncePerDatabase(
  (_reader: Pick<Reader, 'db'>) => new Map<string, SizedLoader<PageKey, PageRow>>(),
);
/** Items of one list all ask for its page at once. */
const underWay = new WeakMap<Budget, Share<PageRow>>();

function pagesUnderWay({ budget }: Reader): Share<PageRow> {
  const share = underWay.get(budget) ?? shareUnderWay<PageRow>();
  underWay.set(budget, share);
  return share;
}

function pageLoader({ db }: Reader, order: PageOrder): SizedLoader<PageKey, PageRow> {
  const [loaders, name] = [pageLoaders({ db }), nameOrder(order)];
  const load =
    loaders.get(name) ?? createSizedLoader((reads: readonly Sized<PageKey>[]) => readPages(db, order, reads));
  loaders.set(name, load);
  return load;
}

/** Lists of a shopper. */
export async function readListRows(ctx: Reader, key: ListsKey): Promise<ListsRow> {
  const { pid, lids, limit } = key;
  const read = (some: readonly string[] | null): Promise<ListsRow> =>
    listsLoader(ctx)(ctx.budget, { ...key, lids: some }, SHARED_BYTES);
  const hasAll = (row: ListsRow): boolean => (limit === null ? row.lists.length : row.total) >= lids!.length;
  const row = lids === null ? await read(null) : await findByLids(ctx.db, pid, lids, read, hasAll);
  for (const { preview } of row.lists) dependOnItems(ctx.dependencies, preview ?? []);
  return row;
}

/** Items of a list in some order, with the list itself where asked for. */
export async function readPage(ctx: Reader, order: PageOrder, key: PageKey): Promise<PageRow> {
  const expectedBytes = Math.min((key.limit + 1) * USUAL_ITEM_BYTES, SHARED_BYTES);
  const read = (lid: string): Promise<PageRow> => {
    const wanted = lid === key.lid ? key : { ...key, lid };
    return pagesUnderWay(ctx)(namePage(order, wanted), () =>
      pageLoader(ctx, order)(ctx.budget, wanted, expectedBytes),
    );
  };
  // What is read without its list was found before.
  const isFound = ({ list }: PageRow): boolean => list !== null || !key.hasList;
  const row = await findByLid(ctx.db, key.pid, key.lid, read, isFound);
  dependOnItems(ctx.dependencies, row.items);
  // A list of somebody else: the caller's revisions say nothing about it.
  if (row.owner !== null) ctx.dependencies.isCacheable = false;
  return row;
}
