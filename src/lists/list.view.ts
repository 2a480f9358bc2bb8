import { hash } from 'node:crypto';
import type { Context } from '../context.ts';
import type { ItemRow, BundleItemRow } from './item.columns.ts';
import type { ShopperRow } from '../shoppers/shopper.repo.ts';
import type { PageRow } from './page.repo.ts';
import type { ListRow } from './list.columns.ts';
import { MAX_PREVIEW } from './list.rules.ts';
import { pauseFor } from '../platform/budget.ts';
import { maskEmail } from '../platform/mask.ts';
import { variantUrl } from '../platform/variant-url.ts';

/** A list as its reader may see it. */
export type ListView = ListRow & {
  owner: ShopperRow;
  /** Whether the reader is somebody else than the owner; items read for it must be masked too. */
  isMasked: boolean;
  /** The newest items, as many as were read along. */
  preview: ItemRow[] | null;
  /** How many items `listcontents` shows at most. */
  most: number;
  /** What `listcontents` answers whatever it is asked: a deleted list has no items to read any more. */
  contents: ItemRow[] | null;
};

/** The owner's own view. It is the row itself, which was read for this view alone: copying its thirty columns took 4 % of a read. */
export function ownView(
  owner: ShopperRow,
  list: ListRow,
  preview: ItemRow[] | null = null,
  most = MAX_PREVIEW,
): ListView {
  return Object.assign(list, { owner, isMasked: false, preview, most, contents: null });
}

/** Whether the caller is this shopper. */
export function isOwn({ viewer }: Context, { regid }: ShopperRow): boolean {
  return viewer.shopper?.regid === regid;
}

/** What a stranger may know of an owner. */
function maskOwner(pid: string, { fname, em }: { fname: string; em: string | null }): ShopperRow {
  const nothing = {
    regid: '',
    mergedInto: null,
    uid: '',
    di: '',
    lname: '',
    m: null,
    sw_mkt: null,
    ut: null,
    epoch: 0,
  };
  const never = null as unknown as Date;
  return {
    ...nothing,
    pid,
    fname,
    em: maskAddress(em),
    isGuest: em === null,
    acc_mkt: false,
    extags: [],
    prefs: {},
    pd: {},
    lastlogin: never,
    cts: never,
    uts: never,
  };
}

/** The owner as the list's record tells of it: nothing of a guest, by which clients know what is still to be merged at login. */
export function ownerInfo({ owner }: ListView): ShopperRow | null {
  return owner.isGuest ? null : owner;
}

/** What a page's reader may see of its list and items, nobody's being null; null when there is no list for this reader. */
export function viewPage(
  reader: ShopperRow | null,
  { list, owner, items }: PageRow,
): { list: ListView; items: ItemRow[] } | null {
  if (list === null) return null;
  if (owner === null) return reader && { list: ownView(reader, list), items };
  const masked = {
    ...list,
    cby: maskAddress(list.cby),
    uby: maskAddress(list.uby),
    cfor: maskAddress(list.cfor),
    di: '',
    uid: '',
  };
  return {
    list: {
      ...masked,
      owner: maskOwner(list.pid, owner),
      isMasked: true,
      preview: null,
      most: MAX_PREVIEW,
      contents: null,
    },
    items: items.map(maskItem),
  };
}

/** Base64 hash of a list's name and attributes; PostgreSQL keeps the keys of its objects in one order. */
export function hashList({ lname, lty, lnote, lprops, cprops, ldesc }: ListRow): string {
  const maps = [lprops, cprops, ldesc].map((text) => (text === '{}' ? {} : (JSON.parse(text) as unknown)));
  return hash('sha256', JSON.stringify([lname, lty, lnote, ...maps]), 'base64');
}

/** An address that only its owner recognises; null stays null. */
export const maskAddress = (email: string | null): string | null => email && maskEmail(email);

/** An item without what tells who wrote it. */
export function maskItem<Row extends ItemRow>(item: Row): Row {
  return { ...item, di: '', uby: maskAddress(item.uby) };
}

/**
 * Base64 hash of an item's product id in its store. In one call it takes 1.5 µs, with `createHash` 2.6 µs, and a page has one for each item;
 * remembering 20,000 of them takes 0.6 µs where the product was met before, which is not worth the memory.
 */
export function hashProduct({ pid, empi }: ItemRow): string {
  return hash('sha256', JSON.stringify([pid, empi]), 'base64');
}

/** The product's page with the variant; a custom item has no variant that a page could choose. */
export function itemUrl(item: ItemRow): string | null {
  return item.lity === null ? variantUrl(item) : item.uri;
}

/** The parts of a custom bundle. */
export function bundleOf({ bundle }: ItemRow): BundleItemRow[] {
  return bundle === '[]' ? [] : (JSON.parse(bundle) as BundleItemRow[]);
}

/** Shorter texts are parsed in no time. */
const SHORT_TEXT = 2_000;

/** Parses a stored text; a long one after other requests had a turn, because it may hold a value in every other character. */
export function parsePaced<Result>(length: number, parse: () => Result): Result | Promise<Result> {
  const turn = length > SHORT_TEXT ? pauseFor(length / 2) : null;
  return turn ? turn.then(parse) : parse();
}
