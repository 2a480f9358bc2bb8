import { unnestKeys } from '../../platform/database/columns.ts';
import type { Db, Raw, Tx } from '../../platform/database/database.ts';
import type {
  ItemModel,
  ProductModel,
  RestockModel,
  SubscriptionModel,
  TallyModel,
} from '../../generated/prisma/models.ts';
import { DAY_MS } from '../../platform/time.ts';

/** What is counted: presence of a product in lists, contacts waiting for a variant, or events of a day. */
export type TallyKind = 'wish' | 'wait' | 'add' | 'subscribe' | 'alert';

/** SQL: every write that adds an item and every subscription runs it. */
const COUNT = {
  name: 'tally_count',
  text: `
    INSERT INTO tally_delta (pid, kind, key, n)
    SELECT e.pid, $1, e.key, sum(e.n) FROM ${unnestKeys('e', { pid: 'text', key: 'text', n: 'int' }, 2)}
    WHERE e.n > 0 GROUP BY e.pid, e.key`,
};

/** How often something happened in a store. */
export type Occurrence = { pid: string; n: number; now: Date };

/** Counts events of today in the caller's transaction. It only inserts, so that two writers never wait for each other. */
export async function countEvents(
  tx: Tx,
  kind: 'add' | 'subscribe' | 'alert',
  events: readonly Occurrence[],
): Promise<void> {
  if (!events.some(({ n }) => n > 0)) return;
  await tx.query(COUNT, [
    kind,
    events.map(({ pid }) => pid),
    events.map(({ now }) => now.toISOString().slice(0, 10)),
    events.map(({ n }) => n),
  ]);
}

/** SQL: takes, sums and adds thousands of rows in one statement, beside others that do the same. */
const FOLD = {
  name: 'tally_fold',
  text: `
    WITH taken AS (
      DELETE FROM tally_delta WHERE (pid, seq) IN (
        SELECT pid, seq FROM tally_delta ORDER BY pid, seq LIMIT 5000 FOR UPDATE SKIP LOCKED)
      RETURNING pid, kind, key, n),
    summed AS (
      INSERT INTO tally (pid, kind, key, n)
      SELECT pid, kind, key, sum(n)::int FROM taken GROUP BY pid, kind, key ORDER BY pid, kind, key
      ON CONFLICT (pid, kind, key) DO UPDATE SET n = tally.n + excluded.n)
    SELECT count(*)::int AS folded FROM taken`,
};

/** Folds a portion of what was counted into the figures; the number of portions' rows that were folded. */
export async function foldTallies(db: Db): Promise<number> {
  const [row] = await db.query<{ folded: number }>(FOLD);
  return row!.folded;
}

/** A day's figures. */
export type DayRow = { day: string; adds: number; subscriptions: number; alerts: number };

/** Figures of the last days up to `today` (YYYY-MM-DD), oldest first. */
export async function activity(db: Db, pid: string, today: string, days: number): Promise<DayRow[]> {
  const dates = Array.from({ length: days }, (_, index) =>
    new Date(Date.parse(today) - (days - 1 - index) * DAY_MS).toISOString().slice(0, 10),
  );
  const rows = await db.prisma.tally.findMany({
    where: { pid, kind: { in: ['add', 'subscribe', 'alert'] }, key: { gte: dates[0], lte: today } },
  });
  const figures = new Map(rows.map(({ kind, key, n }) => [`${kind} ${key}`, n]));
  return dates.map((day) => ({
    day,
    adds: figures.get(`add ${day}`) ?? 0,
    subscriptions: figures.get(`subscribe ${day}`) ?? 0,
    alerts: figures.get(`alert ${day}`) ?? 0,
  }));
}

/** A product and in how many lists it is. */
export type ProductDemandRow = Pick<ProductModel, 'empi' | 'dt' | 'iu'> & {
  count: TallyModel['n'];
  du: ItemModel['du'] | null;
};

/** SQL: the first variant of each product, or an item where the catalogue does not know it: Prisma would read all of them. */
const MOST_WISHLISTED = `
  SELECT top.key AS empi, top.n AS count, coalesce(p.dt, i.dt) AS dt, coalesce(p.iu, i.iu) AS iu, coalesce(p.du, i.du) AS du
  FROM (SELECT key, n FROM tally WHERE pid = $1 AND kind = 'wish' AND n > 0 ORDER BY n DESC, key LIMIT $2) top
  LEFT JOIN LATERAL (SELECT dt, iu, du FROM product WHERE pid = $1 AND empi = top.key ORDER BY epi LIMIT 1) p ON true
  LEFT JOIN LATERAL (SELECT dt, iu, du FROM item WHERE pid = $1 AND empi = top.key LIMIT 1) i ON p.du IS NULL
  ORDER BY top.n DESC, top.key`;

/** The products in most lists, from the index of the figures. */
export function mostWishlisted(db: Db, pid: string, first: number): Promise<ProductDemandRow[]> {
  return db.query<ProductDemandRow>(MOST_WISHLISTED, [pid, first]);
}

/** How many confirmed subscriptions wait for each variant; one statement a store. */
export async function countWaiting(
  db: Db,
  keys: readonly Pick<SubscriptionModel, 'pid' | 'epi'>[],
): Promise<number[]> {
  const stores = [...new Set(keys.map(({ pid }) => pid))];
  const found = await Promise.all(
    stores.map((pid) => {
      const epis = new Set(keys.flatMap((key) => (key.pid === pid ? [key.epi] : [])));
      const where = { pid, epi: { in: [...epis] }, confirmedAt: { not: null } };
      return db.prisma.subscription.groupBy({ by: ['pid', 'epi'], where, _count: true });
    }),
  );
  const counts = new Map(found.flat().map(({ pid, epi, _count }) => [JSON.stringify([pid, epi]), _count]));
  return keys.map(({ pid, epi }) => counts.get(JSON.stringify([pid, epi])) ?? 0);
}

/** How often each product is in lists, as the figures say; one statement a store. */
export async function countInLists(
  db: Db,
  keys: readonly Pick<ProductModel, 'pid' | 'empi'>[],
): Promise<number[]> {
  const stores = [...new Set(keys.map(({ pid }) => pid))];
  const found = await Promise.all(
    stores.map((pid) => {
      const products = new Set(keys.flatMap((key) => (key.pid === pid ? [key.empi] : [])));
      return db.prisma.tally.findMany({ where: { pid, kind: 'wish', key: { in: [...products] } } });
    }),
  );
  const counts = new Map(found.flat().map(({ pid, key, n }) => [JSON.stringify([pid, key]), n]));
  return keys.map(({ pid, empi }) => Math.max(0, counts.get(JSON.stringify([pid, empi])) ?? 0));
}

/** What of a store there is already. */
export type SetupRow = Record<'products' | 'shoppers' | 'lists' | 'alerts', boolean>;

/** Looks for one row of each kind. */
export async function setup(db: Db, pid: string): Promise<SetupRow> {
  const any = { where: { pid }, select: { pid: true } };
  const [product, shopper, list, alert] = await Promise.all([
    db.prisma.product.findFirst(any),
    db.prisma.shopper.findFirst(any),
    db.prisma.list.findFirst(any),
    db.prisma.tally.findFirst({ where: { pid, kind: 'alert', n: { gt: 0 } }, select: { pid: true } }),
  ]);
  return {
    products: product !== null,
    shoppers: shopper !== null,
    lists: list !== null,
    alerts: alert !== null,
  };
}

const OCCASION = { id: true, topic: true, cause: true, state: true, units: true, openedAt: true } as const;

/** A time when those who wait for a variant were alerted. */
export type OccasionRow = Pick<RestockModel, keyof typeof OCCASION>;

/** The last occasions of a variant, newest first. */
export function occasions(db: Db, pid: string, epi: string, first: number): Promise<OccasionRow[]> {
  return db.prisma.restock.findMany({
    where: { pid, epi },
    select: OCCASION,
    orderBy: { seq: 'desc' },
    take: first,
  });
}

/** A variant and how many subscriptions wait for it. */
export type VariantDemandRow = Raw<Pick<ProductModel, 'epi' | 'stk' | 'dt' | 'vi' | 'iu'>> & {
  empi: ProductModel['empi'] | null;
  waiting: TallyModel['n'];
};

/** SQL: figures name products without a relation, and those in stock are passed over before the limit counts. */
const WAITING = `
  SELECT t.key AS epi, p.empi, t.n AS waiting, p.stk, p.dt, p.vi, p.iu
  FROM tally t LEFT JOIN product p ON p.pid = t.pid AND p.epi = t.key
  WHERE t.pid = $1 AND t.kind = 'wait' AND t.n > 0 AND coalesce(p.stk, 0) <= 0
  ORDER BY t.n DESC, t.key LIMIT $2`;

/** The sold-out variants that most contacts wait for; a variant that the catalogue does not know counts as sold out. */
export function waitingDemand(db: Db, pid: string, first: number): Promise<VariantDemandRow[]> {
  return db.query<VariantDemandRow>(WAITING, [pid, first]);
}

/** SQL: every visitor of a product asks; one statement counts for many requests. */
const SOCIAL_COUNT = {
  name: 'social_count',
  text: `
    SELECT (
      SELECT count(DISTINCT l.regid) FROM item i JOIN list l ON l.pid = i.pid AND l.lid = i.lid AND l.st = 1
      WHERE i.pid = k.pid AND i.empi = k.empi)::int AS count
    FROM ${unnestKeys('k', { pid: 'text', empi: 'text' })} ORDER BY k.position`,
};

/** A product of a store. */
export type ProductKey = Pick<ItemModel, 'pid' | 'empi'>;

/** How many shoppers have each product in an active list. What many ask at once about one product is counted once. */
export async function countShoppers(db: Db, keys: readonly ProductKey[]): Promise<number[]> {
  const nameOf = ({ pid, empi }: ProductKey): string => JSON.stringify([pid, empi]);
  const wanted = [...new Map(keys.map((key) => [nameOf(key), key])).values()];
  const params = [wanted.map(({ pid }) => pid), wanted.map(({ empi }) => empi)];
  const rows = await db.query<{ count: number }>(SOCIAL_COUNT, params);
  const counts = new Map(wanted.map((key, index) => [nameOf(key), rows[index]!.count]));
  return keys.map((key) => counts.get(nameOf(key))!);
}
