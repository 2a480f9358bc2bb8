import { isStoreAlone, requireStore } from '../context.ts';
import type { Context, Services } from '../context.ts';
import type { QueryShoppersArgs } from '../generated/resolvers.ts';
import { CSV_PORTION, streamCsv } from '../platform/csv.ts';
import type { CsvColumn } from '../platform/csv.ts';
import type { Db, Tx } from '../platform/database/database.ts';
import { fail } from '../platform/errors.ts';
import {
  checkLimit,
  checkSearch,
  decodeMoment,
  encodeCursor,
  isText,
  toConnection,
} from '../platform/page.ts';
import type { CountedConnection } from '../platform/page.ts';
import { findStore, moveStoreEpoch } from '../stores/store.repo.ts';
import { failNoStore } from '../stores/store.service.ts';
import { makesGuests } from '../stores/store.rules.ts';
import { countUse } from '../stores/usage-window.service.ts';
import { findAccounts } from './account.repo.ts';
import { lookUpAccount } from './account.service.ts';
import { guestRegids } from './identity.rules.ts';
import { unseenGuest } from './new-shopper.rules.ts';
import type { KeyedStore } from './new-shopper.rules.ts';
import * as shoppers from './shopper.repo.ts';
import type { IdentityKey, ShopperFilter, ShopperRow } from './shopper.repo.ts';
import { checkEmail, checkUuid } from './shopper.rules.ts';

type Entering = { ctx: Context; shopper: ShopperRow };

/** Whether a guest saves something for the first time, and cost its caller nothing: elsewhere a back end with the store's key made it. */
const isCounted = ({ ctx: { config, viewer }, shopper }: Entering): boolean =>
  shopper.lastlogin === null && config.rateLimits && viewer.keyId === null && makesGuests(viewer.store!);

/**
 * Locks the rows of calling shoppers, which guests get with their first write; fails if sessions have ended meanwhile. Addresses first, and each in
 * one order, so that calls that share a transaction do not deadlock.
 */
export async function enterAll(tx: Tx, callers: readonly Entering[]): Promise<Map<string, ShopperRow>> {
  const counted = callers.filter(isCounted);
  counted.sort((one, two) => (one.ctx.address < two.ctx.address ? -1 : 1));
  for (const { ctx } of counted) await countUse(tx, ctx, 'guest address', ctx.address);
  const entered = new Map<string, ShopperRow>();
  for (const { ctx, shopper } of callers.toSorted((one, two) =>
    one.shopper.regid < two.shopper.regid ? -1 : 1,
  )) {
    const row = await shoppers.enterShopper(tx, shopper, ctx.now());
    if (row.epoch !== shopper.epoch) fail('sw-badregid');
    entered.set(shopper.regid, row);
  }
  return entered;
}

export async function enter(tx: Tx, ctx: Context, shopper: ShopperRow): Promise<ShopperRow> {
  return (await enterAll(tx, [{ ctx, shopper }])).get(shopper.regid)!;
}

/** The guest of a uuid; its row is null until it saves something. One with a row from before regids had a mark keeps its regid. */
export async function guestOf({ pid, secret }: KeyedStore, uuid: string, find: FindShopper) {
  const keys = guestRegids(secret, uuid).map((regid) => ({ pid, regid }));
  const row = await find(keys);
  return { pid, regid: row?.regid ?? keys[0]!.regid, row };
}

type FindShopper = (keys: IdentityKey[]) => Promise<ShopperRow | null>;

type SessionScope = { email: string } | { uuid: string } | { all: true };

/** Ends the sessions of one shopper or of all; their regids and lists stay. */
export async function revokeSessions(
  { db, now }: Pick<Services, 'db' | 'now'>,
  pid: string,
  scope: SessionScope,
) {
  const store = (await findStore(db, pid)) ?? failNoStore();
  if ('all' in scope) return moveStoreEpoch(db, pid);
  const who = 'email' in scope ? { email: checkEmail(scope.email), externalId: null } : null;
  const uuid = 'uuid' in scope ? checkUuid(scope.uuid) : '';
  await db.transaction(async (tx) => {
    const find: FindShopper = async (keys) => (await shoppers.findShoppers(tx, [keys]))[0]!;
    const guest = who ? null : await guestOf(store, uuid, find);
    const shopper = guest
      ? (guest.row ?? unseenGuest(store, guest.regid))
      : await lookUpAccount(tx, store, who!);
    if (shopper === null) return fail('not-found', 'Shopper not found');
    // A guest may have a session without a row.
    await shoppers.enterShopper(tx, shopper, now());
    return shoppers.moveShopperEpoch(tx, shopper);
  });
}

const ORDER = 'shopper';
/** A regid or a public id. */
const ID = /^[\w-]{22}$|^[\w-]{43}$/;

function filterOf({ filter, ...args }: QueryShoppersArgs): ShopperFilter {
  const { search, kind } = filter ?? args;
  return { isGuest: kind == null ? null : kind === 'guest', search: checkSearch(search) };
}

export type ShopperPage = CountedConnection<ShopperRow>;

/** The calling store's shoppers, newest first; a regid or public id as search finds that shopper. */
export async function pageShoppers(ctx: Context, args: QueryShoppersArgs): Promise<ShopperPage> {
  const { pid } = requireStore(ctx);
  const size = checkLimit('first', args.first, 20, 100);
  const place = decodeMoment(args.after, ORDER, isText);
  const page = { before: place && { cts: place[0], uid: place[1] }, limit: size + 1 };
  const filter = filterOf(args);
  const named = ID.test(filter.search) ? await shoppers.findByIds(ctx.db, pid, [filter.search]) : [];
  const listed = named.length > 0 ? named : await shoppers.listShoppers(ctx.db, pid, filter, page);
  const isNone = listed.length === 0 && place === null && filter.search !== '';
  const rows = isNone ? await findByExternalId(ctx.db, pid, filter.search) : listed;
  const cursorOf = ({ cts, uid }: ShopperRow): string => encodeCursor(ORDER, cts.getTime(), uid);
  const count = () => shoppers.countShoppers(ctx.db, pid, filter);
  return { ...toConnection(rows, size, cursorOf, args.after), count };
}

async function findByExternalId(db: Db, pid: string, externalId: string): Promise<ShopperRow[]> {
  const [found] = await findAccounts(db, [{ pid, email: null, externalId }]);
  return found!.byId ? [found!.byId] : [];
}

/** The caller itself or, for the store alone, those of its shoppers. */
export async function findShoppers(ctx: Context, uids: readonly string[]): Promise<ShopperRow[]> {
  const { shopper } = ctx.viewer;
  if (!isStoreAlone(ctx)) return shopper ? [shopper] : [];
  const ids = uids.filter((uid) => ID.test(uid));
  return shoppers.findByIds(ctx.db, requireStore(ctx).pid, ids);
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
  ['externalid', ({ externalId }) => externalId],
];

/** All shoppers as CSV, newest first, without the regid, which opens a shopper's lists. */
export async function streamShoppers(ctx: Context, input: QueryShoppersArgs) {
  const { pid } = requireStore(ctx);
  const filter = filterOf(input);
  return streamCsv(COLUMNS, (before: ShopperRow | null) =>
    shoppers.listShoppers(ctx.db, pid, filter, { before, limit: CSV_PORTION }),
  );
}
