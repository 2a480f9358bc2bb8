import { requireStore } from '../../context.ts';
import type { Context } from '../../context.ts';
import type { QueryProductsArgs } from '../../generated/resolvers.ts';
import { CSV_PORTION, streamCsv } from '../../platform/csv.ts';
import type { CsvColumn } from '../../platform/csv.ts';
import { fail } from '../../platform/errors.ts';
import {
  checkLimit,
  checkSearch,
  decodeCursor,
  decodeSeq,
  encodeCursor,
  failCursor,
  isText,
  toConnection,
} from '../../platform/page.ts';
import type { CountedConnection } from '../../platform/page.ts';
import * as catalog from '../products/product-search.repo.ts';
import type { PlacedRow, ProductFilter, ProductSort } from '../products/product-search.repo.ts';
import type { ProductRow } from '../products/product.columns.ts';
import { findProducts } from '../products/product.repo.ts';
import { checkProductCount, isProductId, rowsInOrder, variantUrl } from '../products/product.rules.ts';
import { getInLists, getWaiting } from '../reports/report.service.ts';
import { getStore } from '../store.service.ts';

export type ProductPage = CountedConnection<ProductRow>;

const ORDER = 'product';

function filterOf({ filter, ...args }: QueryProductsArgs): ProductFilter {
  const { search, soldOut } = filter ?? args;
  return { search: checkSearch(search), isSoldOut: soldOut ?? false };
}

const MAX_PAGE = 100;

/** The variants of these ids, in their order, without those that the catalogue does not contain. */
async function pickProducts(
  ctx: Context,
  ids: readonly string[],
  args: QueryProductsArgs,
): Promise<ProductPage> {
  const { pid } = getStore(ctx);
  const { first, after, filter, search, soldOut, sort } = args;
  checkProductCount('epis', ids.length, MAX_PAGE);
  if (after || filter || search || soldOut || (sort ?? 'newest') !== 'newest')
    fail('invalid-request', 'epis cannot be combined with filter, search, soldOut, sort or after');
  const epis = [...new Set(ids.filter(isProductId))];
  const rows = rowsInOrder(epis, await findProducts(ctx.db, pid, epis));
  const size = checkLimit('first', first, MAX_PAGE, MAX_PAGE);
  const page = toConnection(rows, size, ({ epi }) => encodeCursor(`${ORDER} epis`, epi), null);
  return { ...page, count: () => Promise.resolve(rows.length) };
}

export async function listProducts(ctx: Context, { epis, ...args }: QueryProductsArgs): Promise<ProductPage> {
  if (epis) return pickProducts(ctx, epis, args);
  const { pid } = requireStore(ctx);
  const { first, after } = args;
  const sort = args.sort ?? 'newest';
  const size = checkLimit('first', first, 20, MAX_PAGE);
  const filter = filterOf(args);
  const count = () => catalog.countProducts(ctx.db, pid, filter);
  // For sold-out variants `rankProducts` scans only the newest 20,000, because few of many may be sold out.
  if (sort === 'newest' && !filter.isSoldOut) {
    const page = { before: decodeSeq('after', after, ORDER), limit: size + 1 };
    const rows = await catalog.listProducts(ctx.db, pid, filter, page);
    return { ...toConnection(rows, size, ({ seq }) => encodeCursor(ORDER, seq), after), count };
  }
  const order = `${ORDER} ${sort}`;
  const behind = after ? positionIn(after, order, sort) : null;
  const rows = await catalog.rankProducts(ctx.db, pid, filter, { sort, behind, limit: size + 1 });
  return { ...toConnection(rows, size, ({ rank, epi }) => encodeCursor(order, rank, epi), after), count };
}

function positionIn(cursor: string, order: string, sort: ProductSort): [string, string] {
  const [rank, epi] = decodeCursor('after', cursor, order);
  const isFine = isText(rank) && isText(epi) && (sort === 'title' || /^-?\d{1,18}$/.test(rank));
  return isFine ? [rank, epi] : failCursor('after');
}

type ProductCsvRow = PlacedRow & { waiting: number; inLists: number };

const COLUMNS: CsvColumn<ProductCsvRow>[] = [
  ['epi', ({ epi }) => epi],
  ['empi', ({ empi }) => empi],
  ['title', ({ dt }) => dt],
  ['variant', ({ vi }) => vi],
  ['brand', ({ bt }) => bt],
  ['sku', ({ sku }) => sku],
  ['price', ({ pr }) => pr],
  ['stock', ({ stk }) => stk],
  ['waiting', ({ waiting }) => waiting],
  ['inlists', ({ inLists }) => inLists],
  ['page', variantUrl],
  ['changed', ({ uts }) => uts],
];

/** Streams a catalogue of any size as CSV, newest variants first. */
export async function streamProducts(ctx: Context, which: QueryProductsArgs) {
  const { pid } = requireStore(ctx);
  const filter = filterOf(which);
  return streamCsv(COLUMNS, async (last: ProductCsvRow | null) => {
    const page = { before: last?.seq ?? null, limit: CSV_PORTION };
    const rows = await catalog.listProducts(ctx.db, pid, filter, page);
    return Promise.all(
      rows.map(async (row) => ({
        ...row,
        waiting: (await getWaiting(ctx, row)) ?? 0,
        inLists: (await getInLists(ctx, row)) ?? 0,
      })),
    );
  });
}
