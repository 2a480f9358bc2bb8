import type {
  InventoryLevelModel,
  ProductModel,
  ShopifySubjectModel,
} from '../../generated/prisma/models.ts';
import type { Db, Tx } from '../../platform/database/database.ts';
import { IN_SERVICE, inService } from '../../platform/database/in-service.ts';
import { DAY_MS } from '../../platform/time.ts';

export async function findSecret(db: Db, pid: string): Promise<string | null> {
  return (await db.prisma.shopifyConnection.findFirst({ where: { pid } }))?.secret ?? null;
}

/** Sets the secret; null deletes the connection with all its data. */
export async function saveSecret(db: Db, pid: string, secret: string | null, now: Date): Promise<void> {
  if (secret === null) return void (await db.prisma.shopifyConnection.deleteMany({ where: { pid } }));
  const create = { pid, secret, createdAt: now };
  await db.prisma.shopifyConnection.upsert({ where: { pid }, create, update: { secret } });
}

/** Records a webhook as received; returns false if its id was received before. */
export async function takeEvent(tx: Tx, pid: string, id: string, now: Date): Promise<boolean> {
  const data = { pid, id, at: now };
  return (await tx.prisma.shopifyEvent.createMany({ data, skipDuplicates: true })).count === 1;
}

type SubjectChange = Pick<ShopifySubjectModel, 'subject' | 'changedAt'> & {
  digest: Buffer<ArrayBuffer>;
};

/**
 * SQL: updates the row under a condition. The row is locked until the commit, so that webhooks about one subject are applied one
 * after the other, even if a product has no variants yet or any more.
 */
const ADVANCE = {
  name: 'advance_shopify_subject',
  text: `
    INSERT INTO shopify_subject AS s (pid, subject, changed_at, digest, at) VALUES ($1, $2, $3, $4, $5)
    ON CONFLICT (pid, subject) DO UPDATE SET changed_at = excluded.changed_at, digest = excluded.digest, at = excluded.at
    WHERE s.changed_at < excluded.changed_at OR (s.changed_at = excluded.changed_at AND s.digest <> excluded.digest)
    RETURNING s.subject`,
};

/** Records the latest change of a subject, unless the stored one is newer (`outdated`) or has the same body (`duplicate`). */
export async function advance(tx: Tx, pid: string, { subject, changedAt, digest }: SubjectChange, now: Date) {
  if ((await tx.query(ADVANCE, [pid, subject, changedAt, digest, now])).length === 1) return 'new';
  const same = await tx.prisma.shopifySubject.count({ where: { pid, subject, digest } });
  return same === 1 ? 'duplicate' : 'outdated';
}

export type HeldVariant = Pick<ProductModel, 'epi' | 'stk' | 'sourceAt'>;

/** SQL: locks rows in order. Returns the variants of a product, or of an inventory item, which usually has one. */
export function holdVariants(tx: Tx, pid: string, of: { empi: string } | { inventoryItem: string }) {
  const [column, id] = 'empi' in of ? ['empi', of.empi] : ['inventory_item', of.inventoryItem];
  return tx.query<HeldVariant>(
    `SELECT epi, stk, source_at AS "sourceAt" FROM product WHERE pid = $1 AND ${column} = $2 ORDER BY epi COLLATE "C" FOR UPDATE`,
    [pid, id],
  );
}

/** `previous` is null if the location never reported; `others` is the stock elsewhere, `hasOthers` whether the store has other locations. */
export type Levels = { previous: number | null; others: number; hasOthers: boolean };

/** The caller must have locked the item's variant. */
export async function findLevel(tx: Tx, pid: string, item: string, location: string): Promise<Levels> {
  const { inventoryLevel } = tx.prisma;
  const levels = await inventoryLevel.findMany({ where: { pid, item } });
  // The smallest and the largest location cost one index lookup each; searching for any other one reads all levels of a store
  // with one location.
  const least = await inventoryLevel.findFirst({ where: { pid }, orderBy: { location: 'asc' } });
  const greatest = await inventoryLevel.findFirst({ where: { pid }, orderBy: { location: 'desc' } });
  return {
    previous: levels.find((level) => level.location === location)?.available ?? null,
    others: levels.reduce((sum, level) => sum + (level.location === location ? 0 : level.available), 0),
    hasOthers: [least, greatest].some((level) => level !== null && level.location !== location),
  };
}

export async function saveLevel(tx: Tx, level: InventoryLevelModel): Promise<void> {
  const { available, at, ...key } = level;
  const update = { available, at };
  await tx.prisma.inventoryLevel.upsert({ where: { pid_item_location: key }, create: level, update });
}

/** Returns the items that a location reported on after `at`. */
export async function itemsChangedAfter(tx: Tx, pid: string, items: string[], at: Date) {
  const where = { pid, item: { in: items }, at: { gt: at } };
  const rows = await tx.prisma.inventoryLevel.findMany({ where, select: { item: true } });
  return new Set(rows.map(({ item }) => item));
}

const FORGOTTEN_AT_ONCE = 1_000;

/** SQL: checks the time again, because a subject can be updated meanwhile. */
const FORGET_SUBJECTS = `
  DELETE FROM shopify_subject WHERE at < $1 AND (pid, subject) IN (
    SELECT pid, subject FROM shopify_subject WHERE at < $1 AND ${inService('pid')} LIMIT ${FORGOTTEN_AT_ONCE}) RETURNING 1`;

/** Deletes a batch of webhooks of more than a week ago, which are too old to be replayed; returns how many. */
export async function forgetEvents({ db }: { db: Db }, now: Date): Promise<number> {
  const before = new Date(now.getTime() - 7 * DAY_MS);
  const where = { connection: IN_SERVICE, at: { lt: before } };
  const { count } = await db.prisma.shopifyEvent.deleteMany({ where, limit: FORGOTTEN_AT_ONCE });
  return count + (await db.query(FORGET_SUBJECTS, [before])).length;
}
