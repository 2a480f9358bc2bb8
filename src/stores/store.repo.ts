import { randomInt } from 'node:crypto';
import { Prisma } from '../generated/prisma/client.ts';
import type { ServiceStateModel, StoreKeyModel, StoreModel } from '../generated/prisma/models.ts';
import { columnOf } from '../platform/database/columns.ts';
import type { Database, Db, Tx } from '../platform/database/database.ts';
import { hasCode } from '../platform/database/embedded-system.ts';
import type { ScheduleName, SettingName } from './store.columns.ts';
import type { SendingSchedule, TokenKey } from './store.rules.ts';

/** Requests per minute by kind, and the cost limit of GraphQL documents; an omitted kind has the published default. */
export type RateLimits = { key?: number; shopper?: number; address?: number; cost?: number };

export type StoreRow = Omit<StoreModel, 'rateLimits' | 'pacing' | 'tokenKeys' | 'updatedAt'> & {
  rateLimits: RateLimits;
  pacing: SendingSchedule;
  tokenKeys: TokenKey[];
};

export type StoreKeyRow = Pick<StoreKeyModel, 'id' | 'hash'>;

export type NewKey = Pick<StoreKeyModel, 'id' | 'name' | 'hash' | 'hint'>;

/** The settings with their own columns; a row of STORE_SETTINGS without a column does not compile. */
export type StoreColumns = Partial<Pick<StoreRow, Exclude<SettingName, ScheduleName>>>;

export type StoreChanges = StoreColumns & Partial<Pick<StoreRow, 'maintenance' | 'pacing' | 'tokenKeys'>>;

const FIELDS = Object.keys(Prisma.StoreScalarFieldEnum).filter((field) => field !== 'updatedAt');

/** Selects a store `s` as JSON within a statement; `reviveStore` converts it back into a row. */
export const STORE_JSON = `json_build_object(${FIELDS.map((field) =>
  field === 'secret' ? `'secret', encode(s.secret, 'base64')` : `'${field}', s.${columnOf(field)}`,
).join(', ')})`;

type StoreJson = Omit<StoreRow, 'secret' | 'createdAt'> & { secret: string; createdAt: string };

/** Converts STORE_JSON into a row, and restores its bytes and dates. */
export function reviveStore(text: string): StoreRow {
  const json = JSON.parse(text) as StoreJson;
  return Object.freeze({
    ...json,
    // Copied, because a short buffer keeps 8 kB of Node's pool, and rows are cached.
    secret: new Uint8Array(Buffer.from(json.secret, 'base64')),
    createdAt: new Date(json.createdAt),
  });
}

/** Three characters in short links, because an SMS has no room for more; if another store has it, a longer number follows. */
const LINK_NUMBERS = [36 ** 3, 36 ** 4, 36 ** 5, 2 ** 31 - 1];

/** Its link number is random, so that stores of two servers hardly ever have the same one. */
export async function createStore(
  db: Database,
  store: Pick<StoreModel, 'pid' | 'name' | 'secret' | 'isDemo'> & StoreChanges,
  key: NewKey,
  attempt = 0,
): Promise<void> {
  const linkNo = randomInt(1, LINK_NUMBERS[attempt]!);
  try {
    await db.prisma.store.create({ data: { ...store, linkNo, keys: { create: key } } });
  } catch (error) {
    // Another store has the number.
    if (attempt + 1 === LINK_NUMBERS.length || !hasCode(error, 'P2002')) throw error;
    await createStore(db, store, key, attempt + 1);
  }
}

export async function updateStore(db: Db, pid: string, settings: StoreChanges): Promise<boolean> {
  return (await db.prisma.store.updateMany({ where: { pid }, data: settings })).count === 1;
}

export async function hasMailServer(db: Db, pid: string): Promise<boolean> {
  return (await db.prisma.mailServer.count({ where: { pid } })) === 1;
}

/** Also finds a store that this process does not serve. */
export async function findStore(db: Db, pid: string): Promise<StoreRow | null> {
  return (await db.prisma.store.findFirst({ where: { pid }, omit: { updatedAt: true } })) as StoreRow | null;
}

const API_KEY = { id: true, name: true, hint: true, createdAt: true, lastUsedAt: true } as const;
const VALID_KEYS = { where: { revokedAt: null }, select: API_KEY, orderBy: { createdAt: 'asc' } } as const;

/** Lists all stores, oldest first, without secrets and with their valid keys; the caller removes the token keys. */
export function listStores(db: Database) {
  return db.prisma.store.findMany({
    omit: { secret: true },
    include: { keys: VALID_KEYS },
    orderBy: { createdAt: 'asc' },
  });
}

/** SQL: the planner's statistics, because counting would read everything. They name the hundred largest stores of each table. */
const ESTIMATE_SIZES = `
  SELECT v.pid, sum(v.share * c.reltuples)::float8 AS rows, sum(v.share * pg_total_relation_size(c.oid))::float8 AS bytes
  FROM pg_stats s JOIN pg_class c ON c.relnamespace = s.schemaname::regnamespace AND c.relname = s.tablename
  CROSS JOIN LATERAL unnest(s.most_common_vals::text::text[], s.most_common_freqs) AS v (pid, share)
  WHERE s.schemaname = current_schema() AND s.attname = 'pid' AND c.reltuples > 0 GROUP BY v.pid`;

export type StoreSize = { rows: number; bytes: number };

/** About how large the larger stores are; none is known before the first ANALYZE. */
export async function estimateSizes(db: Db): Promise<Map<string, StoreSize>> {
  const rows = await db.query<StoreSize & { pid: string }>(ESTIMATE_SIZES);
  return new Map(rows.map((row) => [row.pid, { rows: Math.round(row.rows), bytes: Math.round(row.bytes) }]));
}

/** SQL: Prisma cannot lock. Other transactions can still write rows that reference the store. */
const LOCK = 'SELECT 1 FROM store WHERE pid = $1 FOR NO KEY UPDATE';

/** Locks a store in this transaction, so that its limits hold for concurrent calls; returns false if it does not exist. */
export async function lockStore(tx: Tx, pid: string): Promise<boolean> {
  return (await tx.query(LOCK, [pid])).length > 0;
}

export async function addKey(tx: Tx, pid: string, key: NewKey): Promise<void> {
  await tx.prisma.storeKey.create({ data: { pid, ...key } });
}

export async function keepNewestKeys(tx: Tx, pid: string, count: number, now: Date): Promise<void> {
  const where = { pid, revokedAt: null };
  const orderBy = [{ createdAt: 'desc' as const }, { id: 'asc' as const }];
  const older = await tx.prisma.storeKey.findMany({ where, orderBy, skip: count });
  const ids = older.map(({ id }) => id);
  await tx.prisma.storeKey.updateMany({ where: { pid, id: { in: ids } }, data: { revokedAt: now } });
}

type KeyChange = Partial<Pick<StoreKeyModel, 'name' | 'revokedAt'>>;

/** Changes a valid key; returns false if the store has no such key. */
export async function changeKey(db: Db, pid: string, id: string, data: KeyChange): Promise<boolean> {
  return (await db.prisma.storeKey.updateMany({ where: { pid, id, revokedAt: null }, data })).count === 1;
}

/** Ends the sessions of all shoppers. */
export async function moveStoreEpoch(db: Database, pid: string): Promise<void> {
  await db.prisma.store.updateMany({ where: { pid }, data: { sessionEpoch: { increment: 1 } } });
}

export async function setServiceMaintenance(db: Database, maintenance: boolean): Promise<void> {
  const create = { id: 1, maintenance };
  await db.prisma.serviceState.upsert({ where: { id: 1 }, create, update: { maintenance } });
}

/** SQL: monitors use their own connection, which Prisma does not have. */
export async function isServiceClosed({ monitor }: Database): Promise<boolean> {
  const { rows } = await monitor.query({ text: 'SELECT maintenance FROM service_state WHERE id = 1' });
  return (rows as Pick<ServiceStateModel, 'maintenance'>[])[0]?.maintenance ?? false;
}

/** Returns the key that pseudonymises callers in shared rate limits; the first process to call this creates it. */
export async function readServiceSecret(db: Database): Promise<Uint8Array> {
  const state = { where: { id: 1 }, create: { id: 1 }, update: { id: 1 }, select: { secret: true } };
  return (await db.prisma.serviceState.upsert(state)).secret;
}

/** `store -- move` reads there whether the services of the target can decrypt the store's password. */
export async function noteKeyIds({ prisma }: Db, keyIds: string[]): Promise<void> {
  await prisma.serviceState.upsert({ where: { id: 1 }, create: { id: 1, keyIds }, update: { keyIds } });
}

export type ApiKeyRow = Pick<StoreKeyModel, keyof typeof API_KEY>;

export function listKeys(db: Db, pid: string): Promise<ApiKeyRow[]> {
  return db.prisma.storeKey.findMany({ ...VALID_KEYS, where: { pid, revokedAt: null } });
}

const DEMO_LOCK = 815_002;

/** SQL: Prisma has no locks. Lets only one transaction at a time find or create the demo store. */
export async function lockDemo(tx: Tx): Promise<void> {
  await tx.query('SELECT pg_advisory_xact_lock($1)', [DEMO_LOCK]);
}

export async function pidOfDemo(db: Db): Promise<string | null> {
  const oldest = { orderBy: { createdAt: 'asc' } } as const;
  const row = await db.prisma.store.findFirst({ where: { isDemo: true }, select: { pid: true }, ...oldest });
  return row?.pid ?? null;
}
