import { columnOf, unnestKeys } from '../../database/columns.ts';
import type { Db } from '../../database/database.ts';
import { STORE_JSON } from '../store/store.repo.ts';
import type { StoreKeyRow, StoreRow } from '../store/store.repo.ts';
import { FIELDS } from './shopper.repo.ts';
import type { IdentityKey, ShopperRow } from './shopper.repo.ts';

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

/**
 * SQL: every request runs it; one statement serves many of them. A store is told once, to the first of its callers. Slices are looked up one by
 * one: given as an array, all of a small table is read for each caller.
 */
const LOAD_IDENTITIES = {
  name: 'load_identities',
  text: `
    SELECT coalesce((SELECT maintenance FROM service_state WHERE id = 1), false) AS "isServiceDown", claim.pid,
      CASE WHEN claim.is_first AND s.pid IS NOT NULL THEN ${STORE_JSON}::text END AS store,
      CASE WHEN claim.has_key THEN (
        SELECT json_agg(json_build_object('id', k.id, 'hash', encode(k.hash, 'base64')))
        FROM store_key k WHERE k.pid = s.pid AND k.revoked_at IS NULL) END AS keys,
      CASE WHEN sh.pid IS NOT NULL THEN
        json_build_object(${FIELDS.map((field) => `'${field}', sh.${columnOf(field)}`).join(', ')})::text END AS shopper,
      coalesce(r.rev, 0) AS revision,
      CASE WHEN claim.slices <> '{}' THEN (
        SELECT sum(c.rev)::bigint FROM unnest(claim.slices::smallint[]) AS wanted (slice) CROSS JOIN LATERAL (
          SELECT rev FROM catalog_revision WHERE pid = claim.pid AND slice = wanted.slice LIMIT 1) c) END AS catalog
    FROM ${unnestKeys('claim', { pid: 'text', regid: 'text', is_first: 'boolean', has_key: 'boolean', slices: 'text' })}
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
  const pids = claims.map(({ pid }) => pid);
  const stores = new Map<string, StoreRow>();
  const rows = await db.query<IdentityJson>(LOAD_IDENTITIES, [
    pids,
    claims.map(({ regid }) => regid),
    pids.map((pid, index) => pids.indexOf(pid) === index),
    claims.map(({ hasKey }) => hasKey),
    claims.map(({ slices }) => `{${slices.join(',')}}`),
  ]);
  return rows.map(({ isServiceDown, pid, keys, shopper, revision, catalog, ...row }) => {
    if (row.store !== null) stores.set(pid, storeOf(pid, row.store));
    const store = stores.get(pid) ?? null;
    return {
      isServiceDown,
      store,
      keys: (keys ?? []).map(({ id, hash }) => ({ id, hash: Buffer.from(hash, 'base64') })),
      shopper: shopper === null ? null : reviveShopper(shopper),
      state: store && shopper !== null ? { store, shopper, revision, catalog: catalog ?? 0 } : null,
    };
  });
}
