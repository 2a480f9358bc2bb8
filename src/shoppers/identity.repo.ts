import { columnOf, unnestKeys } from '../platform/database/columns.ts';
import type { Database } from '../platform/database/database.ts';
import { POSITION } from '../platform/database/replica.ts';
import { STORE_JSON, reviveStore } from '../stores/store.repo.ts';
import type { StoreKeyRow, StoreRow } from '../stores/store.repo.ts';
import { FIELDS } from './shopper.repo.ts';
import type { IdentityKey, ShopperRow } from './shopper.repo.ts';

/** A row as it was read, the same object until it changes: every change gives a row another version. */
export type Versioned<Row> = {
  row: Row;
  version: string;
  /** About what it takes in memory. */
  bytes: number;
};

/** What a request asks of the database before anything else. */
export type IdentityClaim = IdentityKey & {
  /** Whether it shows an API key, so that the store's keys are wanted. */
  hasKey: boolean;
  /** Slices of the catalogue whose revisions are wanted. */
  slices: readonly number[];
  /** What is known of the store and the shopper; they are told again only where they have changed. */
  knownStore: Versioned<StoreRow> | null;
  knownShopper: Versioned<ShopperRow> | null;
};

/** What an answer about a shopper's own records depends on, as it was when the request came in. */
export type IdentityState = {
  store: Versioned<StoreRow>;
  shopper: Versioned<ShopperRow>;
  /** How often the shopper's lists and items have changed; it only grows. */
  revision: number;
  /** How often the slices that the claim names have changed in all. */
  catalog: number;
  /** Revisions of one server say nothing about answers of another; this tells them apart. */
  era: number;
};

/** What the database knows of a claim, read in one statement. */
export type IdentityRow = {
  isServiceDown: boolean;
  store: Versioned<StoreRow> | null;
  keys: StoreKeyRow[];
  shopper: Versioned<ShopperRow> | null;
} & Pick<IdentityState, 'revision' | 'catalog' | 'era'>;

const CLAIM_COLUMNS = {
  pid: 'text',
  regid: 'text',
  has_key: 'boolean',
  slices: 'text',
  store_version: 'text',
  shopper_version: 'text',
} as const;

/**
 * SQL: every request runs it; one statement serves many of them. What is known already is not told again: making the JSON of a store and a
 * shopper took 29 of 119 µs (`xmin` is the transaction that wrote a row, so it tells versions apart). LIMIT 1 keeps the planner from reading all of a table
 * that is small when it plans.
 */
const LOAD_IDENTITIES = {
  name: 'load_identities',
  text: `
    SELECT coalesce((SELECT maintenance FROM service_state WHERE id = 1), false) AS "isServiceDown",
      s.xmin::text AS "storeVersion", CASE WHEN s.xmin::text <> claim.store_version THEN ${STORE_JSON}::text END AS store,
      CASE WHEN claim.has_key THEN (
        SELECT json_agg(json_build_object('id', k.id, 'hash', encode(k.hash, 'base64')))
        FROM store_key k WHERE k.pid = s.pid AND k.revoked_at IS NULL) END AS keys,
      sh.xmin::text AS "shopperVersion", CASE WHEN sh.xmin::text <> claim.shopper_version THEN
        json_build_object(${FIELDS.map((field) => `'${field}', sh.${columnOf(field)}`).join(', ')})::text END AS shopper,
      coalesce(r.rev, 0) AS revision,
      CASE WHEN claim.slices <> '{}' THEN (
        SELECT sum(rev)::bigint FROM catalog_revision WHERE pid = claim.pid AND slice = ANY (claim.slices::smallint[])) END AS catalog,
      CASE WHEN $7::boolean THEN ${POSITION} END AS position
    FROM ${unnestKeys('claim', CLAIM_COLUMNS)}
    LEFT JOIN LATERAL (SELECT *, xmin FROM store WHERE pid = claim.pid LIMIT 1) s ON true
    LEFT JOIN LATERAL (SELECT *, xmin FROM shopper WHERE pid = claim.pid AND regid = claim.regid LIMIT 1) sh ON true
    LEFT JOIN LATERAL (SELECT rev FROM shopper_revision WHERE pid = claim.pid AND regid = claim.regid LIMIT 1) r ON true
    ORDER BY claim.position`,
};

type IdentityJson = {
  isServiceDown: boolean;
  storeVersion: string | null;
  store: string | null;
  keys: { id: string; hash: string }[] | null;
  shopperVersion: string | null;
  shopper: string | null;
  revision: number;
  catalog: number | null;
  position: string | null;
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

/** What is told, or what was known where nothing is; null where there is no row. */
function newer<Row>(
  known: Versioned<Row> | null,
  version: string | null,
  text: string | null,
  revive: (text: string) => Row,
): Versioned<Row> | null {
  if (version === null) return null;
  return text === null ? known : { row: revive(text), version, bytes: text.length };
}

/** Reads many claims in one statement. */
export async function loadIdentities(db: Database, claims: readonly IdentityClaim[]): Promise<IdentityRow[]> {
  const era = db.era();
  const rows = await db.query<IdentityJson>(LOAD_IDENTITIES, [
    claims.map(({ pid }) => pid),
    claims.map(({ regid }) => regid),
    claims.map(({ hasKey }) => hasKey),
    claims.map(({ slices }) => `{${slices.join(',')}}`),
    claims.map(({ knownStore }) => knownStore?.version ?? ''),
    claims.map(({ knownShopper }) => knownShopper?.version ?? ''),
    db.follow !== null,
  ]);
  db.follow?.(rows[0]!.position!);
  return rows.map(({ isServiceDown, keys, revision, catalog, ...row }, index) => {
    const { knownStore, knownShopper } = claims[index]!;
    return {
      isServiceDown,
      store: newer(knownStore, row.storeVersion, row.store, reviveStore),
      keys: (keys ?? []).map(({ id, hash }) => ({ id, hash: Buffer.from(hash, 'base64') })),
      shopper: newer(knownShopper, row.shopperVersion, row.shopper, reviveShopper),
      revision,
      catalog: catalog ?? 0,
      era,
    };
  });
}
