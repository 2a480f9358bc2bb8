import { dependOnItems } from '../context.ts';
import type { Context } from '../context.ts';
import { createBatchLoader, oncePerDatabase, oncePerRequest, shareUnderWay } from '../platform/batch.ts';
import { failTooMuch, readWithin } from '../platform/budget.ts';
import type { Db } from '../platform/database/database.ts';
import { findByLid, findByLids } from './list.repo.ts';
import { readNodes } from './node.repo.ts';
import type { NodePageRow, NodesKey } from './node.repo.ts';
import { readLists, readPages } from './page.repo.ts';
import type { ListsKey, ListsRow, PageKey, PageRow, Sized } from './page.repo.ts';
import { nameRead } from './page.rules.ts';
import type { PageOrder } from './page.rules.ts';

/** Concurrent requests share statements; every key carries the store and the shopper. */
type Reader = Pick<Context, 'db' | 'budget' | 'dependencies'>;

type Read<Key, Row> = (db: Db, reads: readonly Sized<Key>[]) => Promise<{ row: Row | null; bytes: number }[]>;
type SizedLoader<Key, Row> = (ctx: Reader, key: Key, expectedBytes: number) => Promise<Row>;

/** Results that are larger than expected are read again, one in a statement. */
const SHARED = { maxInFlight: 4, maxBatch: 50 };
const ALONE = { maxInFlight: 4, maxBatch: 1 };
/** A list can grow between two attempts. */
const MAX_ATTEMPTS = 3;

/** Reserves the usual size first and, if the result is larger, its actual size. */
export function createSizedLoader<Key, Row>(read: Read<Key, Row>): SizedLoader<Key, Row> {
  const loadersOf = oncePerDatabase(({ db }: Pick<Reader, 'db'>) => {
    const load = (reads: readonly Sized<Key>[]) => read(db, reads);
    return { shared: createBatchLoader(load, SHARED), alone: createBatchLoader(load, ALONE) };
  });
  return async (ctx, key, expectedBytes) => {
    const { shared, alone } = loadersOf(ctx);
    let reserved = expectedBytes;
    for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt += 1) {
      const load = attempt === 0 ? shared : alone;
      const found = await readWithin(ctx.budget, reserved, async (maxBytes) => {
        const value = { maxBytes, ...(await load({ key, maxBytes })) };
        return { value, bytes: value.row === null ? 0 : value.bytes };
      });
      if (found.row !== null) return found.row;
      if (found.maxBytes < reserved) break;
      reserved = found.bytes;
    }
    return failTooMuch();
  };
}

/** A thousand usual items, or fifty lists with ten items each. */
export const SHARED_BYTES = 1_000_000;
export const USUAL_ITEM_BYTES = 1_500;

const namePage = (order: PageOrder, { lid, limit, offset, after, isWithoutList }: PageKey): string =>
  `${nameRead(order)} ${lid} ${limit} ${offset} ${isWithoutList} ${after?.seq} ${after?.key}`;

const loadForward = createSizedLoader<ListsKey, ListsRow>((db, reads) => readLists(db, reads, false));
const loadBackward = createSizedLoader<ListsKey, ListsRow>((db, reads) => readLists(db, reads, true));
const loadNodes = createSizedLoader(readNodes);

const pageLoaders = new Map<string, SizedLoader<PageKey, PageRow>>();

function pageLoader(order: PageOrder): SizedLoader<PageKey, PageRow> {
  const name = nameRead(order);
  const load = pageLoaders.get(name) ?? createSizedLoader((db, reads) => readPages(db, order, reads));
  pageLoaders.set(name, load);
  return load;
}

/** The items of a response that resolve `list` share one read. */
const pagesInFlight = oncePerRequest((_reader: Pick<Reader, 'budget'>) => shareUnderWay<PageRow>());

export async function readListRows(ctx: Reader, key: ListsKey): Promise<ListsRow> {
  const { pid, lids, limit, isBackward } = key;
  const load = isBackward ? loadBackward : loadForward;
  const read = (some: readonly string[] | null): Promise<ListsRow> =>
    load(ctx, { ...key, lids: some }, SHARED_BYTES);
  const hasAll = (row: ListsRow): boolean => (limit === null ? row.lists.length : row.total) >= lids!.length;
  const row = lids === null ? await read(null) : await findByLids(ctx.db, pid, lids, read, hasAll);
  for (const { preview } of row.lists) dependOnItems(ctx.dependencies, preview ?? []);
  return row;
}

export async function readPage(ctx: Reader, order: PageOrder, key: PageKey): Promise<PageRow> {
  const expectedBytes = Math.min((key.limit + 1) * USUAL_ITEM_BYTES, SHARED_BYTES);
  const read = (lid: string): Promise<PageRow> => {
    const pageKey = lid === key.lid ? key : { ...key, lid };
    return pagesInFlight(ctx)(namePage(order, pageKey), () => pageLoader(order)(ctx, pageKey, expectedBytes));
  };
  // A read without the list follows one that has found it.
  const isFound = ({ list }: PageRow): boolean => list !== null || key.isWithoutList === true;
  const row = await findByLid(ctx.db, key.pid, key.lid, read, isFound);
  dependOnItems(ctx.dependencies, row.items);
  // The caller's revision does not cover lists of other shoppers.
  if (row.owner !== null) ctx.dependencies.isCacheable = false;
  return row;
}

export function readNodeRows(ctx: Reader, key: NodesKey): Promise<NodePageRow[]> {
  return loadNodes(ctx, key, Math.min(key.ids.length * USUAL_ITEM_BYTES, SHARED_BYTES));
}
