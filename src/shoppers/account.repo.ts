import { arraysOf, unnestKeys } from '../platform/database/columns.ts';
import type { Db, Tx } from '../platform/database/database.ts';
import { isUniqueViolation } from '../platform/database/errors.ts';
import { COLUMNS } from './shopper.repo.ts';
import type { IdentityKey, NewShopper, ShopperRow } from './shopper.repo.ts';

/** A null names nobody. */
export type AccountKey = { pid: string; email: string | null; externalId: string | null };

/** The accounts that a key names; one and the same, unless the address is another account's. */
export type FoundAccounts = { byId: ShopperRow | null; byAddress: ShopperRow | null };

const one = (column: string): string =>
  `(SELECT * FROM shopper WHERE pid = k.pid AND ${column} = k.${column} LIMIT 1)`;

/** SQL: every identification of an account runs it, and one statement serves many. LIMIT 1 keeps the planner from scanning a table that is small when it plans. */
const FIND = {
  name: 'find_accounts',
  text: `
    SELECT ${COLUMNS}
    FROM ${unnestKeys('k', { pid: 'text', em: 'text', external_id: 'text' })}
    CROSS JOIN LATERAL (${one('em')} UNION ALL ${one('external_id')}) sh`,
};

/** For each key, in order. */
export async function findAccounts(db: Db, keys: readonly AccountKey[]): Promise<FoundAccounts[]> {
  const rows = await db.query<ShopperRow>(FIND, arraysOf(keys, 'pid', 'email', 'externalId'));
  const find = (field: 'em' | 'externalId', key: AccountKey, value: string | null) =>
    (value !== null && rows.find((row) => row.pid === key.pid && row[field] === value)) || null;
  return keys.map((key) => ({
    byId: find('externalId', key, key.externalId),
    byAddress: find('em', key, key.email),
  }));
}

export async function findAccount(db: Db, pid: string, email: string): Promise<ShopperRow | null> {
  return (await findAccounts(db, [{ pid, email, externalId: null }]))[0]!.byAddress;
}

/** Null if another account has the address or external id; the transaction continues. */
async function unlessTaken(tx: Tx, text: string, params: unknown[]): Promise<ShopperRow | null> {
  try {
    return (await tx.attempt(() => tx.query<ShopperRow>(text, params)))[0] ?? null;
  } catch (error) {
    if (!isUniqueViolation(error)) throw error;
    return null;
  }
}

/** SQL: returns the row. One without address and external id is an erased account's, whose sessions have ended. */
const REVIVE = `
  UPDATE shopper sh SET em = $3, external_id = $4, language = coalesce($6, sh.language), lastlogin = $5, cts = $5, uts = $5
  WHERE pid = $1 AND regid = $2 AND NOT is_guest AND em IS NULL AND external_id IS NULL RETURNING ${COLUMNS}`;

/** Gives an erased account its address and external id again; null if the row or one of them is in use. */
export function reviveAccount(tx: Tx, account: NewShopper, now: Date, language: string | null) {
  const { pid, regid, em, externalId } = account;
  return unlessTaken(tx, REVIVE, [pid, regid, em, externalId, now, language]);
}

/** SQL: returns the row. */
const RENAME = `
  UPDATE shopper sh SET em = $3, external_id = $4, uts = $5 WHERE pid = $1 AND regid = $2 RETURNING ${COLUMNS}`;

export type AccountNames = Pick<ShopperRow, 'em' | 'externalId'>;

/** Null if another account has the address or external id. */
export function renameAccount(
  tx: Tx,
  { pid, regid }: IdentityKey,
  { em, externalId }: AccountNames,
  now: Date,
) {
  return unlessTaken(tx, RENAME, [pid, regid, em, externalId, now]);
}

const IS_FREE = `NOT EXISTS (SELECT FROM shopper o WHERE o.pid = f.pid AND o.em = f.em)`;

/** SQL: an anti-join. */
const LIST_FORMER = `SELECT f.em FROM former_address f WHERE f.pid = $1 AND f.regid = $2 AND ${IS_FREE}`;

/** The addresses that an account has given up and no account has. */
export async function listFormerAddresses(db: Db, { pid, regid }: IdentityKey): Promise<string[]> {
  return (await db.query<{ em: string }>(LIST_FORMER, [pid, regid])).map(({ em }) => em);
}

/** SQL: the same. */
const LIST_MOVED = `
  SELECT s.em FROM former_address f JOIN shopper s ON s.pid = f.pid AND s.regid = f.regid
  WHERE f.pid = $1 AND f.em = $2 AND s.em IS NOT NULL AND ${IS_FREE}`;

/** The new addresses of the accounts that have given up this one; none once another account has it. */
export async function listMovedAddresses(db: Db, pid: string, email: string): Promise<string[]> {
  return (await db.query<{ em: string }>(LIST_MOVED, [pid, email])).map(({ em }) => em);
}
