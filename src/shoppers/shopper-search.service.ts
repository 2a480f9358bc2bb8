import { requireStore } from '../context.ts';
import type { Context } from '../context.ts';
import { CSV_PORTION, streamCsv } from '../platform/csv.ts';
import type { CsvColumn } from '../platform/csv.ts';
import {
  checkLimit,
  checkSearch,
  decodeMoment,
  encodeCursor,
  failCursor,
  toConnection,
} from '../platform/page.ts';
import type { Connection } from '../platform/page.ts';
import { isStorable } from '../platform/text.ts';
import * as shoppers from './shopper-search.repo.ts';
import type { ShopperFilter, ShopperPlace } from './shopper-search.repo.ts';
import type { ShopperRow } from './shopper.repo.ts';

/** Which shoppers a caller asks for, unchecked. */
export type ShoppersInput = { search?: string | null; kind?: 'guest' | 'account' | null };
type PageInput = ShoppersInput & { first?: number | null; after?: string | null };

const ORDER = 'shopper';
/** What regids and public ids look like. */
const ID = /^[\w-]{22}$|^[\w-]{43}$/;

const filterOf = ({ search, kind }: ShoppersInput): ShopperFilter => ({
  isGuest: kind == null ? null : kind === 'guest',
  search: checkSearch(search),
});

function placeIn(after: string | null | undefined): ShopperPlace | null {
  const place = decodeMoment('after', after, ORDER);
  if (place === null) return null;
  const [cts, uid] = place;
  return typeof uid === 'string' && isStorable(uid) ? { cts, uid } : failCursor('after');
}

/** A page of shoppers that remembers what it was asked for: its total is counted only for those who select it. */
export type ShopperConnectionRow = Connection<ShopperRow> & { filter: ShopperFilter };

/** The calling store's shoppers, newest first; an id as search finds the one who has it. */
export async function listShoppers(
  ctx: Context,
  { first, after, ...which }: PageInput,
): Promise<ShopperConnectionRow> {
  const { pid } = requireStore(ctx);
  const size = checkLimit('first', first, 20, 100);
  const before = placeIn(after);
  const filter = filterOf(which);
  const named = ID.test(filter.search) ? await shoppers.findById(ctx.db, pid, filter.search) : null;
  const rows = named
    ? [named]
    : await shoppers.listShoppers(ctx.db, pid, filter, { before, limit: size + 1 });
  const cursorOf = ({ cts, uid }: ShopperRow): string => encodeCursor(ORDER, cts.getTime(), uid);
  return { ...toConnection(rows, size, cursorOf, after), filter };
}

/** How many shoppers there are over all pages. */
export function countShoppers(ctx: Context, { filter }: ShopperConnectionRow): Promise<number> {
  return shoppers.countShoppers(ctx.db, requireStore(ctx).pid, filter);
}

const COLUMNS: CsvColumn<ShopperRow>[] = [
  ['uid', ({ uid }) => uid],
  ['kind', ({ isGuest }) => (isGuest ? 'guest' : 'account')],
  ['email', ({ em }) => em],
  ['firstname', ({ fname }) => fname],
  ['lastname', ({ lname }) => lname],
  ['mobile', ({ m }) => m],
  ['acceptsmarketing', ({ acc_mkt }) => acc_mkt],
  ['tags', ({ extags }) => extags.join(', ')],
  ['firstseen', ({ cts }) => cts],
  ['lastlogin', ({ lastlogin }) => lastlogin],
];

/** The shoppers of any number as CSV, newest first. The regid opens a shopper's lists and is not part of it. */
export async function streamShoppers(ctx: Context, which: ShoppersInput): Promise<AsyncGenerator<string>> {
  const { pid } = requireStore(ctx);
  const filter = filterOf(which);
  return streamCsv(COLUMNS, (before: ShopperRow | null) =>
    shoppers.listShoppers(ctx.db, pid, filter, { before, limit: CSV_PORTION }),
  );
}
