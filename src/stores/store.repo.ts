import { Prisma } from '../generated/prisma/client.ts';
import type { ServiceStateModel, StoreKeyModel, StoreModel } from '../generated/prisma/models.ts';
import { columnOf } from '../platform/database/columns.ts';
import type { Database, Db, Tx } from '../platform/database/database.ts';
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

type StoreChanges = StoreColumns & Partial<Pick<StoreRow, 'maintenance' | 'pacing' | 'tokenKeys'>>;

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
    secret: Buffer.from(json.secret, 'base64'),
    createdAt: new Date(json.createdAt),
  });
}

export async function createStore(
  db: Database,
  store: Pick<StoreModel, 'pid' | 'name' | 'secret' | 'isDemo'> & StoreChanges,
  key: NewKey,
): Promise<void> {
  await db.prisma.store.create({ data: { ...store, keys: { create: key } } });
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
  await db.prisma.serviceState.upsert({ where: { id: 1 }, create: { maintenance }, update: { maintenance } });
}

/** SQL: monitors use their own connection, which Prisma does not have. */
export async function isServiceClosed({ monitor }: Database): Promise<boolean> {
  const { rows } = await monitor.query({ text: 'SELECT maintenance FROM service_state WHERE id = 1' });
  return (rows as Pick<ServiceStateModel, 'maintenance'>[])[0]?.maintenance ?? false;
}

/** Returns the key that pseudonymises callers in shared rate limits; the first process to call this creates it. */
export async function readServiceSecret(db: Database): Promise<Uint8Array> {
  const state = { where: { id: 1 }, create: {}, update: {}, select: { secret: true } };
  return (await db.prisma.serviceState.upsert(state)).secret;
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
