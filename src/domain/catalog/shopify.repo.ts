import type { Db } from '../../database/database.ts';

/** The secret that signs a store's webhooks; null when Shopify is not connected. */
export async function findSecret(db: Db, pid: string): Promise<string | null> {
  const [row] = await db.query<{ secret: string }>('SELECT secret FROM shopify_connection WHERE pid = $1', [
    pid,
  ]);
  return row?.secret ?? null;
}

/** Sets the secret, or removes the connection with all it knows. */
export async function saveSecret(db: Db, pid: string, secret: string | null, now: Date): Promise<void> {
  if (secret === null) return void (await db.query('DELETE FROM shopify_connection WHERE pid = $1', [pid]));
  await db.query(
    `INSERT INTO shopify_connection (pid, secret, created_at) VALUES ($1, $2, $3)
     ON CONFLICT (pid) DO UPDATE SET secret = excluded.secret`,
    [pid, secret, now],
  );
}

const TAKE = {
  name: 'take_shopify_event',
  text: 'INSERT INTO shopify_event (pid, id, digest, at) VALUES ($1, $2, $3, $4) ON CONFLICT DO NOTHING RETURNING id',
};

/** Notes a webhook as taken; false when its id or its very body was taken before. */
export async function takeEvent(
  tx: Db,
  pid: string,
  id: string,
  digest: Buffer,
  now: Date,
): Promise<boolean> {
  return (await tx.query(TAKE, [pid, id, digest, now])).length === 1;
}

/** A variant that a webhook is about, locked. */
export type HeldVariant = { epi: string; stk: number | null; sourceAt: Date | null };

/** Locks the variants of a product. */
export function holdProduct(tx: Db, pid: string, empi: string): Promise<HeldVariant[]> {
  return tx.query<HeldVariant>(
    `SELECT epi, stk, source_at AS "sourceAt" FROM product WHERE pid = $1 AND empi = $2 ORDER BY epi COLLATE "C" FOR UPDATE`,
    [pid, empi],
  );
}

/** Locks the variants of an inventory item; there is one as a rule. */
export function holdItem(tx: Db, pid: string, item: string): Promise<HeldVariant[]> {
  return tx.query<HeldVariant>(
    `SELECT epi, stk, source_at AS "sourceAt" FROM product WHERE pid = $1 AND inventory_item = $2 ORDER BY epi COLLATE "C" FOR UPDATE`,
    [pid, item],
  );
}

/** What locations have of an item, and whether the store has other locations than this one. */
export type Levels = { previous: { available: number; at: Date } | null; hasOthers: boolean };

/** Reads what is known of an item at a location; the item's variant must be locked. */
export async function findLevel(tx: Db, pid: string, item: string, location: string): Promise<Levels> {
  const [previous] = await tx.query<{ available: number; at: Date }>(
    'SELECT available, at FROM inventory_level WHERE pid = $1 AND item = $2 AND location = $3',
    [pid, item, location],
  );
  const others = await tx.query('SELECT 1 FROM inventory_level WHERE pid = $1 AND location <> $2 LIMIT 1', [
    pid,
    location,
  ]);
  return { previous: previous ?? null, hasOthers: others.length > 0 };
}

/** What a location has of an item. */
export type Level = { item: string; location: string; available: number; at: Date };

/** Keeps what a location has. */
export async function saveLevel(
  tx: Db,
  pid: string,
  { item, location, available, at }: Level,
): Promise<void> {
  await tx.query(
    `INSERT INTO inventory_level (pid, item, location, available, at) VALUES ($1, $2, $3, $4, $5)
     ON CONFLICT (pid, item, location) DO UPDATE SET available = excluded.available, at = excluded.at`,
    [pid, item, location, available, at],
  );
}

/** Which of these items a location reported on after the given moment. */
export async function itemsChangedAfter(
  tx: Db,
  pid: string,
  items: readonly string[],
  at: Date,
): Promise<Set<string>> {
  const rows = await tx.query<{ item: string }>(
    'SELECT DISTINCT item FROM inventory_level WHERE pid = $1 AND item = ANY ($2::text[]) AND at > $3',
    [pid, items, at],
  );
  return new Set(rows.map(({ item }) => item));
}

/** Forgets webhooks that are too old to be played again; answers how many. */
export async function forgetEvents(db: Db, before: Date): Promise<number> {
  const rows = await db.query(
    `DELETE FROM shopify_event WHERE (pid, id) IN (SELECT pid, id FROM shopify_event WHERE at < $1 LIMIT 1000) RETURNING 1`,
    [before],
  );
  return rows.length;
}
