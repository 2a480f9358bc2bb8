import { hash } from 'node:crypto';
import type { Context } from '../context.ts';
import type { ItemRow } from './item.columns.ts';
import { maskAddress, maskItem } from './item.view.ts';
import type { ShopperRow } from '../shoppers/shopper.repo.ts';
import type { PageRow } from './page.repo.ts';
import type { ListRow } from './list.columns.ts';
import { MAX_PREVIEW } from './list.rules.ts';

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
