import type { Database, Db, Tx } from '../../database/database.ts';

/** Requests a minute that a store allows, by kind; a kind left out has the published default. */
export type RateLimits = { key?: number; shopper?: number; address?: number };

/** A store as the service reads it. */
export type StoreRow = {
  pid: string;
  name: string;
  secret: Buffer;
  listTypes: string[];
  customItems: boolean;
  inventoryManaged: boolean;
  allowedOrigins: string[];
  shareUrl: string | null;
  doubleOptIn: boolean;
  mergedSessions: boolean;
  rateLimits: RateLimits;
  maintenance: boolean;
  isDemo: boolean;
  sessionEpoch: number;
  createdAt: Date;
};

/** An API key without its secret. */
export type StoreKeyRow = { id: string; hash: Buffer };

/** What operators may set on a store. */
export type StoreSettings = Partial<
  Pick<
    StoreRow,
    | 'name'
    | 'listTypes'
    | 'customItems'
    | 'inventoryManaged'
    | 'allowedOrigins'
    | 'shareUrl'
    | 'doubleOptIn'
    | 'mergedSessions'
    | 'rateLimits'
    | 'maintenance'
  >
>;

/** SQL expression that gives a store as JSON; `reviveStore` turns it back into a row. */
export const STORE_JSON = `json_build_object(
  'pid', s.pid, 'name', s.name, 'secret', encode(s.secret, 'base64'), 'listTypes', s.list_types, 'customItems', s.custom_items,
  'inventoryManaged', s.inventory_managed, 'allowedOrigins', s.allowed_origins, 'shareUrl', s.share_url,
  'doubleOptIn', s.double_opt_in, 'mergedSessions', s.merged_sessions, 'rateLimits', s.rate_limits,
  'maintenance', s.maintenance, 'isDemo', s.is_demo, 'sessionEpoch', s.session_epoch, 'createdAt', s.created_at)`;

/** A store as it comes out of STORE_JSON. */
export type StoreJson = Omit<StoreRow, 'secret' | 'createdAt'> & { secret: string; createdAt: string };

/** Undoes what JSON did to bytes and dates. */
export function reviveStore(json: StoreJson): StoreRow {
  return { ...json, secret: Buffer.from(json.secret, 'base64'), createdAt: new Date(json.createdAt) };
}

/** Adds a store with its first key. */
export async function createStore(
  db: Database,
  store: { pid: string; name: string; secret: Buffer; isDemo: boolean } & StoreSettings,
  key: { id: string; hash: Buffer; hint: string },
): Promise<void> {
  const { secret, rateLimits = {}, ...rest } = store;
  await db.prisma.store.create({
    data: {
      ...rest,
      rateLimits,
      secret: Uint8Array.from(secret),
      keys: { create: { id: key.id, hint: key.hint, hash: Uint8Array.from(key.hash) } },
    },
  });
}

/** Changes settings; false when there is no such store. */
export async function updateStore(db: Database, pid: string, settings: StoreSettings): Promise<boolean> {
  return (await db.prisma.store.updateMany({ where: { pid }, data: settings })).count === 1;
}

/** One store, or null. */
export async function findStore(db: Db, pid: string): Promise<StoreRow | null> {
  const [row] = await db.query<{ store: StoreJson }>(
    `SELECT ${STORE_JSON} AS store FROM store s WHERE s.pid = $1`,
    [pid],
  );
  return row ? reviveStore(row.store) : null;
}

/** All stores, oldest first, without their secrets, each with the keys that still work. */
export function listStores(db: Database) {
  return db.prisma.store.findMany({
    omit: { secret: true },
    include: {
      keys: {
        where: { revokedAt: null },
        select: { id: true, hint: true, createdAt: true },
        orderBy: { createdAt: 'asc' },
      },
    },
    orderBy: { createdAt: 'asc' },
  });
}

/** How many keys of a store work, with the store locked so that nobody adds one meanwhile; null when there is no such store. */
export async function lockKeys(tx: Tx, pid: string): Promise<number | null> {
  const stores = await tx.query('SELECT 1 FROM store WHERE pid = $1 FOR NO KEY UPDATE', [pid]);
  if (stores.length === 0) return null;
  const [row] = await tx.query<{ count: number }>(
    'SELECT count(*)::int AS count FROM store_key WHERE pid = $1 AND revoked_at IS NULL',
    [pid],
  );
  return row!.count;
}

/** Adds a key; the old ones stay valid. */
export async function addKey(
  tx: Tx,
  pid: string,
  key: { id: string; hash: Buffer; hint: string },
): Promise<void> {
  await tx.query('INSERT INTO store_key (pid, id, hash, hint) VALUES ($1, $2, $3, $4)', [
    pid,
    key.id,
    key.hash,
    key.hint,
  ]);
}

/** Ends all keys of a store but the newest ones. */
export async function keepNewestKeys(db: Db, pid: string, count: number, now: Date): Promise<void> {
  await db.query(
    `UPDATE store_key SET revoked_at = $3 WHERE pid = $1 AND id IN (
       SELECT id FROM store_key WHERE pid = $1 AND revoked_at IS NULL ORDER BY created_at DESC, id OFFSET $2)`,
    [pid, count, now],
  );
}

/** Revokes a key; false when the store has no such valid key. */
export async function revokeKey(db: Database, pid: string, id: string, now: Date): Promise<boolean> {
  return (
    (await db.prisma.storeKey.updateMany({ where: { pid, id, revokedAt: null }, data: { revokedAt: now } }))
      .count === 1
  );
}

/** Ends every session of a store's shoppers; false when there is no such store. */
export async function moveStoreEpoch(db: Database, pid: string): Promise<boolean> {
  return (
    (await db.prisma.store.updateMany({ where: { pid }, data: { sessionEpoch: { increment: 1 } } })).count ===
    1
  );
}

/** Opens or closes the whole service. */
export async function setServiceMaintenance(db: Database, maintenance: boolean): Promise<void> {
  await db.prisma.serviceState.upsert({ where: { id: 1 }, create: { maintenance }, update: { maintenance } });
}

/** Whether the whole service is closed. */
export async function isServiceClosed(db: Database): Promise<boolean> {
  return (await db.prisma.serviceState.findFirst({ where: { id: 1 } }))?.maintenance ?? false;
}

/** A valid API key, without the key. */
export type ApiKeyRow = { id: string; hint: string; createdAt: Date };

/** The keys of a store that work, oldest first. */
export function listKeys(db: Database, pid: string): Promise<ApiKeyRow[]> {
  return db.prisma.storeKey.findMany({
    where: { pid, revokedAt: null },
    select: { id: true, hint: true, createdAt: true },
    orderBy: { createdAt: 'asc' },
  });
}

/** Number of the lock under which processes make the demo store. */
const DEMO_LOCK = 815_002;

/** Lets one transaction at a time look for the demo store and make it. */
export async function lockDemo(tx: Tx): Promise<void> {
  await tx.query('SELECT pg_advisory_xact_lock($1)', [DEMO_LOCK]);
}

/** The demo store's pid, or null. */
export async function pidOfDemo(db: Db): Promise<string | null> {
  const [row] = await db.query<{ pid: string }>(
    'SELECT pid FROM store WHERE is_demo ORDER BY created_at LIMIT 1',
  );
  return row?.pid ?? null;
}
