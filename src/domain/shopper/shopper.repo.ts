import { columnOf, selectColumns, unnestKeys } from '../../database/columns.ts';
import type { Database, Db, Tx } from '../../database/database.ts';
import { Prisma } from '../../generated/prisma/client.ts';
import type { GuestLinkModel, ShopperModel } from '../../generated/prisma/models.ts';
import { STORE_JSON } from '../store/store.repo.ts';
import type { StoreKeyRow, StoreRow } from '../store/store.repo.ts';

/** A shopper as stored; the columns carry the record's own names. */
export type ShopperRow = Omit<ShopperModel, 'prefs' | 'pd'> & {
  prefs: Record<string, unknown>;
  pd: Record<string, unknown>;
};

/** What is known of a shopper beyond its identity. */
export type Profile = Pick<
  ShopperRow,
  'fname' | 'lname' | 'm' | 'sw_mkt' | 'ut' | 'acc_mkt' | 'extags' | 'prefs' | 'pd'
>;

/** What a store may change on a shopper. */
export type ShopperChanges = Partial<Profile>;

/** What is known of nobody. */
export const BLANK_PROFILE = {
  fname: '',
  lname: '',
  m: null,
  sw_mkt: null,
  ut: null,
  acc_mkt: false,
  extags: [],
  prefs: {},
  pd: {},
} satisfies Profile;

const FIELDS = Object.keys(Prisma.ShopperScalarFieldEnum);
const COLUMNS = selectColumns('sh', FIELDS);

/** Who a request claims to be; an empty text is no claim. */
export type IdentityKey = Pick<ShopperModel, 'pid' | 'regid'>;

/** What a request asks of the database before anything else. */
export type IdentityClaim = IdentityKey & {
  /** Whether it shows an API key, so that the store's keys are wanted. */
  hasKey: boolean;
  /** Slices of the catalogue whose revisions are wanted. */
  slices: readonly number[];
};

/**
 * What an answer about a shopper's own records depends on, as it was when the request came in. Revisions only grow, and texts are
 * compared as they are, so equal ones mean that nothing has changed.
 */
export type IdentityState = {
  /** The same object as long as nothing of the store has changed. */
  store: StoreRow;
  /** The shopper's record as JSON. */
  shopper: string;
  /** How often the shopper's lists and items have changed. */
  revision: number;
  /** How often the slices that the claim names have changed in all. */
  catalog: number;
};

/** What the database knows of a claim, read in one statement. */
export type IdentityRow = {
  isServiceDown: boolean;
  store: StoreRow | null;
  keys: StoreKeyRow[];
  shopper: ShopperRow | null;
  /** Null where there is no such shopper. */
  state: IdentityState | null;
};

/** SQL: every request runs it; one statement serves many of them. */
const LOAD_IDENTITIES = {
  name: 'load_identities',
  text: `
    SELECT coalesce((SELECT maintenance FROM service_state WHERE id = 1), false) AS "isServiceDown", claim.pid,
      CASE WHEN s.pid IS NOT NULL THEN ${STORE_JSON}::text END AS store,
      CASE WHEN claim.has_key THEN (
        SELECT json_agg(json_build_object('id', k.id, 'hash', encode(k.hash, 'base64')))
        FROM store_key k WHERE k.pid = s.pid AND k.revoked_at IS NULL) END AS keys,
      CASE WHEN sh.pid IS NOT NULL THEN
        json_build_object(${FIELDS.map((field) => `'${field}', sh.${columnOf(field)}`).join(', ')})::text END AS shopper,
      coalesce(r.rev, 0) AS revision,
      CASE WHEN claim.slices <> '{}' THEN (
        SELECT sum(c.rev)::bigint FROM catalog_revision c WHERE c.pid = claim.pid AND c.slice = ANY (claim.slices::smallint[])) END AS catalog
    FROM ${unnestKeys('claim', { pid: 'text', regid: 'text', has_key: 'boolean', slices: 'text' })}
    LEFT JOIN store s ON s.pid = claim.pid
    LEFT JOIN shopper sh ON sh.pid = claim.pid AND sh.regid = claim.regid
    LEFT JOIN shopper_revision r ON r.pid = claim.pid AND r.regid = claim.regid
    ORDER BY claim.position`,
};

type IdentityJson = {
  isServiceDown: boolean;
  pid: string;
  store: string | null;
  keys: { id: string; hash: string }[] | null;
  shopper: string | null;
  revision: number;
  catalog: number | null;
};

type ShopperJson = Omit<ShopperRow, 'lastlogin' | 'cts' | 'uts'> & {
  lastlogin: string;
  cts: string;
  uts: string;
};

function reviveShopper(text: string): ShopperRow {
  const json = JSON.parse(text) as ShopperJson;
  return {
    ...json,
    lastlogin: new Date(json.lastlogin),
    cts: new Date(json.cts),
    uts: new Date(json.uts),
  };
}

/** Reads many claims in one statement; `storeOf` turns the text of a store into its row. */
export async function loadIdentities(
  db: Db,
  claims: readonly IdentityClaim[],
  storeOf: (pid: string, text: string) => StoreRow,
): Promise<IdentityRow[]> {
  const rows = await db.query<IdentityJson>(LOAD_IDENTITIES, [
    claims.map(({ pid }) => pid),
    claims.map(({ regid }) => regid),
    claims.map(({ hasKey }) => hasKey),
    claims.map(({ slices }) => `{${slices.join(',')}}`),
  ]);
  return rows.map(({ isServiceDown, pid, keys, shopper, revision, catalog, ...row }) => {
    const store = row.store === null ? null : storeOf(pid, row.store);
    return {
      isServiceDown,
      store,
      keys: (keys ?? []).map(({ id, hash }) => ({ id, hash: Buffer.from(hash, 'base64') })),
      shopper: shopper === null ? null : reviveShopper(shopper),
      state: store && shopper !== null ? { store, shopper, revision, catalog: catalog ?? 0 } : null,
    };
  });
}

/** A shopper that may not exist yet. */
export type NewShopper = Pick<ShopperRow, 'pid' | 'regid' | 'isGuest' | 'uid' | 'di' | 'em'>;

/** SQL: every identification runs it, and it costs a third of the typed upsert. */
const TOUCH = {
  name: 'touch_shopper',
  text: `
    INSERT INTO shopper AS sh (pid, regid, is_guest, uid, di, em, lastlogin, cts, uts) VALUES ($1, $2, $3, $4, $5, $6, $7, $7, $7)
    ON CONFLICT (pid, regid) DO UPDATE SET lastlogin = excluded.lastlogin, em = excluded.em, merged_into = NULL
    RETURNING ${COLUMNS}`,
};

/** Creates the shopper or records that it was seen; many first calls at once leave one row. */
export async function touchShopper(db: Db, shopper: NewShopper, now: Date): Promise<ShopperRow> {
  const { pid, regid, isGuest, uid, di, em } = shopper;
  const [row] = await db.query<ShopperRow>(TOUCH, [pid, regid, isGuest, uid, di, em, now]);
  return row!;
}

/**
 * SQL: Prisma cannot lock. FOR UPDATE would also shut out foreign key checks: a second update of a list in one transaction makes
 * one, and its writer would deadlock with a merge that holds the shopper and waits for that list.
 */
const LOCK = {
  name: 'lock_shopper',
  text: `SELECT ${COLUMNS} FROM shopper sh WHERE pid = $1 AND regid = $2 FOR NO KEY UPDATE`,
};

/** Locks a shopper's row for this transaction; null when there is none. */
export async function lockShopper(tx: Tx, { pid, regid }: IdentityKey): Promise<ShopperRow | null> {
  const [row] = await tx.query<ShopperRow>(LOCK, [pid, regid]);
  return row ?? null;
}

/** Gives an account what is known of a guest, and leaves the guest without it. */
export async function moveProfile(
  tx: Tx,
  guest: IdentityKey,
  account: IdentityKey,
  profile: Profile,
  now: Date,
): Promise<void> {
  await updateShopper(tx, account, profile, now);
  await updateShopper(tx, guest, BLANK_PROFILE, now);
}

/** A guest's session at its merge, and the account session counter that keeps it valid. */
export type NewLink = Omit<GuestLinkModel, 'createdAt'>;

/** Retires the guest's sessions and lets the last of them open the account. */
export async function linkGuest(tx: Tx, link: NewLink, now: Date): Promise<void> {
  await tx.prisma.guestLink.createMany({ data: { ...link, createdAt: now }, skipDuplicates: true });
  await tx.prisma.shopper.updateMany({
    where: { pid: link.pid, regid: link.guestRegid },
    data: { epoch: { increment: 1 }, mergedInto: link.accountRegid, uts: now },
  });
}

/** A guest session that was alive when the guest was merged. */
export type LinkRow = Pick<GuestLinkModel, 'guestRegid' | 'guestEpoch' | 'accountEpoch'>;

/** SQL: every request in the session of a merged guest runs it. */
const LINKS = {
  name: 'links_of',
  text: `
    SELECT guest_regid AS "guestRegid", guest_epoch AS "guestEpoch", account_epoch AS "accountEpoch"
    FROM guest_link WHERE pid = $1 AND mark = $3 AND (account_regid = $2 OR guest_regid = $2)`,
};

/** The merges of the guest that a session's mark stands for, with the regid on either side; asked only when a sessionid did not fit. */
export function linksOf(db: Db, { pid, regid }: IdentityKey, mark: string): Promise<LinkRow[]> {
  return db.query<LinkRow>(LINKS, [pid, regid, mark]);
}

/** Changes what the store knows of a shopper. */
export async function updateShopper(
  db: Db,
  { pid, regid }: IdentityKey,
  changes: ShopperChanges,
  now: Date,
): Promise<void> {
  const { prefs, pd, ...rest } = changes;
  await db.prisma.shopper.updateMany({
    where: { pid, regid },
    data: { ...rest, prefs: prefs as Prisma.InputJsonObject, pd: pd as Prisma.InputJsonObject, uts: now },
  });
}

/** One shopper, or null. */
export async function findShopper(db: Db, { pid, regid }: IdentityKey): Promise<ShopperRow | null> {
  return (await db.prisma.shopper.findFirst({ where: { pid, regid } })) as ShopperRow | null;
}

/** Ends a shopper's sessions; false when there is no such shopper. */
export async function moveShopperEpoch(db: Database, { pid, regid }: IdentityKey): Promise<boolean> {
  return (
    (await db.prisma.shopper.updateMany({ where: { pid, regid }, data: { epoch: { increment: 1 } } }))
      .count === 1
  );
}
