import { arraysOf, columnOf, unnestKeys } from '../platform/database/columns.ts';
import type { Database } from '../platform/database/database.ts';
import { POSITION } from '../platform/database/replica.ts';
import { STORE_JSON, reviveStore } from '../stores/store.repo.ts';
import type { StoreKeyRow, StoreRow } from '../stores/store.repo.ts';
import { SHOPPER_FIELDS } from './shopper.repo.ts';
import type { IdentityKey, ShopperRow } from './shopper.repo.ts';

/** A row as it was read, the same object until its version changes; `bytes` is about its size in memory. */
export type Versioned<Row> = { row: Row; version: string; bytes: number };

export type IdentityClaim = IdentityKey & {
  hasKey: boolean;
  shards: readonly number[];
  /** Rows that are cached; only a newer version is read. */
  knownStore: Versioned<StoreRow> | null;
  knownShopper: Versioned<ShopperRow> | null;
};

/** What a cached response about a shopper's own records depends on. */
export type IdentityState = {
  store: Versioned<StoreRow>;
  shopper: Versioned<ShopperRow>;
  /** Grows with each change of the shopper's lists and items. */
  revision: number;
  /** Sum of the revisions of the claim's catalogue shards. */
  catalog: number;
  /** Connection generation: revisions of another server are not comparable. */
  generation: number;
};

export type IdentityRow = Pick<IdentityState, 'revision' | 'catalog' | 'generation'> & {
  isServiceDown: boolean;
  store: Versioned<StoreRow> | null;
  keys: StoreKeyRow[];
  shopper: Versioned<ShopperRow> | null;
};

const CLAIM_COLUMNS = {
  pid: 'text',
  regid: 'text',
  has_key: 'boolean',
  shards: 'text',
  store_version: 'text',
  shopper_version: 'text',
} as const;

/**
 * SQL: every request runs it; one statement serves many. It sends only rows that changed: their JSON took 29 of 119 µs (`xmin` is the
 * transaction that wrote a row). LIMIT 1 keeps the planner from scanning a table that is small when it plans.
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
        json_build_object(${SHOPPER_FIELDS.map((field) => `'${field}', sh.${columnOf(field)}`).join(', ')})::text END AS shopper,
      coalesce(r.rev, 0) AS revision,
      CASE WHEN claim.shards <> '{}' THEN (
        SELECT sum(rev)::bigint FROM catalog_revision WHERE pid = claim.pid AND slice = ANY (claim.shards::smallint[])) END AS catalog,
      CASE WHEN $7::boolean THEN ${POSITION} END AS position
    FROM ${unnestKeys('claim', CLAIM_COLUMNS)}
    LEFT JOIN LATERAL (SELECT *, xmin FROM store WHERE pid = claim.pid LIMIT 1) s ON true
    LEFT JOIN LATERAL (SELECT *, xmin FROM shopper WHERE pid = claim.pid AND regid = claim.regid LIMIT 1) sh ON true
    LEFT JOIN LATERAL (SELECT rev FROM shopper_revision WHERE pid = claim.pid AND regid = claim.regid LIMIT 1) r ON true
    ORDER BY claim.position`,
};

type IdentityJson = Pick<IdentityRow, 'isServiceDown' | 'revision'> &
  Record<'storeVersion' | 'store' | 'shopperVersion' | 'shopper' | 'position', string | null> & {
    keys: { id: string; hash: string }[] | null;
    catalog: number | null;
  };

function reviveShopper(text: string): ShopperRow {
  const row = JSON.parse(text) as ShopperRow;
  row.lastlogin &&= new Date(row.lastlogin);
  for (const field of ['cts', 'uts'] as const) row[field] = new Date(row[field]);
  return row;
}

function newest<Row>(
  known: Versioned<Row> | null,
  version: string | null,
  text: string | null,
  revive: (text: string) => Row,
): Versioned<Row> | null {
  if (version === null) return null;
  return text === null ? known : { row: revive(text), version, bytes: text.length };
}

async function readIdentities(db: Database, claims: readonly IdentityClaim[]): Promise<IdentityRow[]> {
  const generation = db.generation();
  const values = [
    ...arraysOf(claims, 'pid', 'regid', 'hasKey'),
    claims.map(({ shards }) => `{${shards.join(',')}}`),
    claims.map(({ knownStore }) => knownStore?.version ?? ''),
    claims.map(({ knownShopper }) => knownShopper?.version ?? ''),
  ];
  const load = async (): Promise<IdentityJson[]> => {
    const found = await db.query<IdentityJson>(LOAD_IDENTITIES, [...values, db.follow !== null]);
    db.follow?.(found[0]!.position!);
    return found;
  };
  const onReplica = { ...LOAD_IDENTITIES, values: [...values, false] };
  const rows = await (db.readEither?.(
    load,
    async (query) => (await query(onReplica)).rows as IdentityJson[],
  ) ?? load());
  return rows.map(({ isServiceDown, keys, revision, catalog, ...row }, index) => ({
    isServiceDown,
    store: newest(claims[index]!.knownStore, row.storeVersion, row.store, reviveStore),
    keys: (keys ?? []).map(({ id, hash }) => ({ id, hash: Buffer.from(hash, 'base64') })),
    shopper: newest(claims[index]!.knownShopper, row.shopperVersion, row.shopper, reviveShopper),
    revision,
    catalog: catalog ?? 0,
    generation,
  }));
}

/** Claims of a store alone are equal: a back end that identifies many visitors at once is looked up once. */
const nameOf = ({ pid, regid, hasKey, shards }: IdentityClaim, index: number): string =>
  regid === '' && shards.length === 0 ? `${pid} ${hasKey}` : String(index);

/** A row for each claim, in order. */
export async function loadIdentities(db: Database, claims: readonly IdentityClaim[]): Promise<IdentityRow[]> {
  const names = claims.map(nameOf);
  const unique = new Map(names.map((name, index) => [name, claims[index]!]));
  const rows = await readIdentities(db, [...unique.values()]);
  const byName = new Map([...unique.keys()].map((name, index) => [name, rows[index]!]));
  return names.map((name) => byName.get(name)!);
}
