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
import type { ShopperFilter, ShopperPosition } from './shopper-search.repo.ts';
import type { ShopperRow } from './shopper.repo.ts';

export type ShoppersInput = { search?: string | null; kind?: 'guest' | 'account' | null };
type ShopperPageInput = ShoppersInput & { first?: number | null; after?: string | null };

const ORDER = 'shopper';
/** A regid or a public id. */
const ID = /^[\w-]{22}$|^[\w-]{43}$/;

const filterOf = ({ search, kind }: ShoppersInput): ShopperFilter => ({
  isGuest: kind == null ? null : kind === 'guest',
  search: checkSearch(search),
});

function decodePosition(after: string | null | undefined): ShopperPosition | null {
  const position = decodeMoment('after', after, ORDER);
  if (position === null) return null;
  const [cts, uid] = position;
  return typeof uid === 'string' && isStorable(uid) ? { cts, uid } : failCursor('after');
}

/** Its total is counted only when a caller selects it. */
export type ShopperConnectionRow = Connection<ShopperRow> & { filter: ShopperFilter };

/** The calling store's shoppers, newest first; a regid or public id as search finds that shopper. */
export async function listShoppers(
  ctx: Context,
  { first, after, ...input }: ShopperPageInput,
): Promise<ShopperConnectionRow> {
  const { pid } = requireStore(ctx);
  const size = checkLimit('first', first, 20, 100);
  const before = decodePosition(after);
  const filter = filterOf(input);
  const named = ID.test(filter.search) ? await shoppers.findById(ctx.db, pid, filter.search) : null;
  const rows = named
    ? [named]
    : await shoppers.listShoppers(ctx.db, pid, filter, { before, limit: size + 1 });
  const cursorOf = ({ cts, uid }: ShopperRow): string => encodeCursor(ORDER, cts.getTime(), uid);
  return { ...toConnection(rows, size, cursorOf, after), filter };
}

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

/** All shoppers as CSV, newest first, without the regid, which opens a shopper's lists. */
export async function streamShoppers(ctx: Context, input: ShoppersInput): Promise<AsyncGenerator<string>> {
  const { pid } = requireStore(ctx);
  const filter = filterOf(input);
  return streamCsv(COLUMNS, (before: ShopperRow | null) =>
    shoppers.listShoppers(ctx.db, pid, filter, { before, limit: CSV_PORTION }),
  );
}
