import type { Db, Tx } from '../../platform/database/database.ts';
import type {
  InventoryLevelModel,
  ProductModel,
  ShopifySubjectModel,
} from '../../generated/prisma/models.ts';

/** The secret that signs a store's webhooks; null when Shopify is not connected. */
export async function findSecret(db: Db, pid: string): Promise<string | null> {
  return (await db.prisma.shopifyConnection.findFirst({ where: { pid } }))?.secret ?? null;
}

/** Sets the secret, or removes the connection with all it knows. */
export async function saveSecret(db: Db, pid: string, secret: string | null, now: Date): Promise<void> {
  if (secret === null) return void (await db.prisma.shopifyConnection.deleteMany({ where: { pid } }));
  await db.prisma.shopifyConnection.upsert({
    where: { pid },
    create: { pid, secret, createdAt: now },
    update: { secret },
  });
}

/** Notes a webhook as taken; false when its id was taken before. */
export async function takeEvent(tx: Tx, pid: string, id: string, now: Date): Promise<boolean> {
  const { count } = await tx.prisma.shopifyEvent.createMany({
    data: { pid, id, at: now },
    skipDuplicates: true,
  });
  return count === 1;
}

/** What a webhook says about when: its subject, Shopify's time of the change, and a hash of the signed body. */
export type Change = Pick<ShopifySubjectModel, 'subject' | 'changedAt'> & { digest: Buffer<ArrayBuffer> };

/**
 * SQL: changes the row under a condition. It is locked until the commit, so that webhooks about one thing are applied one after the
 * other, also about a product that has no variants yet or no more.
 */
const ADVANCE = {
  name: 'advance_shopify_subject',
  text: `
    INSERT INTO shopify_subject AS s (pid, subject, changed_at, digest, at) VALUES ($1, $2, $3, $4, $5)
    ON CONFLICT (pid, subject) DO UPDATE SET changed_at = excluded.changed_at, digest = excluded.digest, at = excluded.at
    WHERE s.changed_at < excluded.changed_at OR (s.changed_at = excluded.changed_at AND s.digest <> excluded.digest)
    RETURNING s.subject`,
};

/** Notes a change as the last of its subject, unless that is younger (`outdated`) or this very body (`duplicate`). */
export async function advance(
  tx: Tx,
  pid: string,
  { subject, changedAt, digest }: Change,
  now: Date,
): Promise<'new' | 'duplicate' | 'outdated'> {
  if ((await tx.query(ADVANCE, [pid, subject, changedAt, digest, now])).length === 1) return 'new';
  const same = await tx.prisma.shopifySubject.count({ where: { pid, subject, digest } });
  return same === 1 ? 'duplicate' : 'outdated';
}

/** A variant that a webhook is about, locked. */
export type HeldVariant = Pick<ProductModel, 'epi' | 'stk' | 'sourceAt'>;

/** SQL: locks rows in an order. The variants of a product, or of an inventory item, which has one as a rule. */
export function holdVariants(
  tx: Tx,
  pid: string,
  of: { empi: string } | { inventoryItem: string },
): Promise<HeldVariant[]> {
  const [column, id] = 'empi' in of ? ['empi', of.empi] : ['inventory_item', of.inventoryItem];
  return tx.query<HeldVariant>(
    `SELECT epi, stk, source_at AS "sourceAt" FROM product WHERE pid = $1 AND ${column} = $2 ORDER BY epi COLLATE "C" FOR UPDATE`,
    [pid, id],
  );
}

/** What a location had of an item, null when it never told, what the others have, and whether the store has others at all. */
export type Levels = { previous: number | null; others: number; hasOthers: boolean };

/** Reads what is known of an item at a location; the item's variant must be locked. */
export async function findLevel(tx: Tx, pid: string, item: string, location: string): Promise<Levels> {
  const { inventoryLevel } = tx.prisma;
  const levels = await inventoryLevel.findMany({ where: { pid, item } });
  // The least and the greatest location are one look at the index each: looking for any other one reads all levels of a store with one.
  const least = await inventoryLevel.findFirst({ where: { pid }, orderBy: { location: 'asc' } });
  const greatest = await inventoryLevel.findFirst({ where: { pid }, orderBy: { location: 'desc' } });
  return {
    previous: levels.find((level) => level.location === location)?.available ?? null,
    others: levels.reduce((sum, level) => sum + (level.location === location ? 0 : level.available), 0),
    hasOthers: [least, greatest].some((level) => level !== null && level.location !== location),
  };
}

/** What a location has of an item. */
export type Level = Omit<InventoryLevelModel, 'pid'>;

/** Keeps what a location has. */
export async function saveLevel(
  tx: Tx,
  pid: string,
  { item, location, available, at }: Level,
): Promise<void> {
  const key = { pid, item, location };
  await tx.prisma.inventoryLevel.upsert({
    where: { pid_item_location: key },
    create: { ...key, available, at },
    update: { available, at },
  });
}

/** Which of these items a location reported on after the given moment. */
export async function itemsChangedAfter(
  tx: Tx,
  pid: string,
  items: readonly string[],
  at: Date,
): Promise<Set<string>> {
  const rows = await tx.prisma.inventoryLevel.findMany({
    where: { pid, item: { in: [...items] }, at: { gt: at } },
    select: { item: true },
  });
  return new Set(rows.map(({ item }) => item));
}

const FORGOTTEN_AT_ONCE = 1_000;

/** SQL: looks at the time again, because a subject can be renewed meanwhile. */
const FORGET_SUBJECTS = `
  DELETE FROM shopify_subject WHERE at < $1 AND (pid, subject) IN (
    SELECT pid, subject FROM shopify_subject WHERE at < $1 LIMIT ${FORGOTTEN_AT_ONCE}) RETURNING 1`;

/** Forgets webhooks that are too old to be played again; answers how many. */
export async function forgetEvents(db: Db, before: Date): Promise<number> {
  const { count } = await db.prisma.shopifyEvent.deleteMany({
    where: { at: { lt: before } },
    limit: FORGOTTEN_AT_ONCE,
  });
  return count + (await db.query(FORGET_SUBJECTS, [before])).length;
}
