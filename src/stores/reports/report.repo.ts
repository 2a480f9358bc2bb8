import type { ItemModel, ProductModel, RestockModel, TallyModel } from '../../generated/prisma/models.ts';
import { arraysOf, unnestKeys } from '../../platform/database/columns.ts';
import type { Db, Raw, Tx } from '../../platform/database/database.ts';
import { inService } from '../../platform/database/in-service.ts';
import { dayIn } from '../../platform/time-zone.ts';

/** SQL: every write that adds an item and every subscription runs it. */
const COUNT = {
  name: 'tally_count',
  text: `
    INSERT INTO tally_delta (pid, kind, key, n)
    SELECT e.pid, $1, e.key, sum(e.n) FROM ${unnestKeys('e', { pid: 'text', key: 'text', n: 'int' }, 2)}
    WHERE e.n > 0 GROUP BY e.pid, e.key`,
};

/** What the counted day depends on. */
export type ZonedStore = { pid: string; pacing: { timeZone?: string } };

/** Counts events of today in the caller's transaction. It only inserts, so that concurrent writers never wait for each other. */
export async function countEvents(
  tx: Tx,
  kind: 'add' | 'subscribe' | 'alert',
  events: readonly { store: ZonedStore; n: number; now: Date }[],
): Promise<void> {
  if (!events.some(({ n }) => n > 0)) return;
  const days = events.map(({ store: { pid, pacing }, n, now }) => ({
    pid,
    n,
    day: dayIn(pacing.timeZone, now),
  }));
  await tx.query(COUNT, [kind, ...arraysOf(days, 'pid', 'day', 'n')]);
}

/** SQL: takes, sums and adds thousands of rows in one statement, also concurrently. */
const FOLD = {
  name: 'tally_fold',
  text: `
    WITH taken AS (
      DELETE FROM tally_delta WHERE (pid, seq) IN (
        SELECT pid, seq FROM tally_delta WHERE ${inService('pid')} ORDER BY pid, seq LIMIT 5000 FOR UPDATE SKIP LOCKED)
      RETURNING pid, kind, key, n),
    summed AS (
      INSERT INTO tally (pid, kind, key, n)
      SELECT pid, kind, key, sum(n)::int FROM taken GROUP BY pid, kind, key ORDER BY pid, kind, key
      ON CONFLICT (pid, kind, key) DO UPDATE SET n = tally.n + excluded.n)
    SELECT count(*)::int AS folded FROM taken`,
};

/** Adds a batch of counted events to the figures; returns how many rows it added. */
export async function foldTallies(db: Db): Promise<number> {
  return (await db.query<{ folded: number }>(FOLD))[0]!.folded;
}

/** The figures of these days (YYYY-MM-DD, without gaps), oldest first. */
export async function activity(db: Db, pid: string, days: readonly string[]) {
  const kind = { in: ['add', 'subscribe', 'alert'] };
  const key = { gte: days[0]!, lte: days.at(-1)! };
  const rows = await db.prisma.tally.findMany({ where: { pid, kind, key } });
  const figures = new Map(rows.map(({ kind, key, n }) => [`${kind} ${key}`, n]));
  return days.map((day) => ({
    day,
    adds: figures.get(`add ${day}`) ?? 0,
    subscriptions: figures.get(`subscribe ${day}`) ?? 0,
    alerts: figures.get(`alert ${day}`) ?? 0,
  }));
}

type ProductDemandRow = Pick<ProductModel, 'empi' | 'dt' | 'iu'> & {
  count: TallyModel['n'];
  du: ItemModel['du'] | null;
};

/** SQL: the first variant of each product, or an item where the catalogue has none; Prisma would read all of them. */
const MOST_WISHLISTED = `
  SELECT top.key AS empi, top.n AS count, coalesce(p.dt, i.dt) AS dt, coalesce(p.iu, i.iu) AS iu, coalesce(p.du, i.du) AS du
  FROM (SELECT key, n FROM tally WHERE pid = $1 AND kind = 'wish' AND n > 0 ORDER BY n DESC, key LIMIT $2) top
  LEFT JOIN LATERAL (SELECT dt, iu, du FROM product WHERE pid = $1 AND empi = top.key ORDER BY epi LIMIT 1) p ON true
  LEFT JOIN LATERAL (SELECT dt, iu, du FROM item WHERE pid = $1 AND empi = top.key LIMIT 1) i ON p.du IS NULL
  ORDER BY top.n DESC, top.key`;

export function mostWishlisted(db: Db, pid: string, first: number): Promise<ProductDemandRow[]> {
  return db.query<ProductDemandRow>(MOST_WISHLISTED, [pid, first]);
}

export type ProductKey = Pick<ProductModel, 'pid' | 'empi'>;

/** One statement reads several stores; pairs of a store and an id that nobody asked for are ignored. */
const oneOf = (values: readonly string[]) => ({ in: [...new Set(values)] });

export async function countSubscribers(db: Db, keys: readonly Pick<ProductModel, 'pid' | 'epi'>[]) {
  const variants = { pid: oneOf(keys.map(({ pid }) => pid)), epi: oneOf(keys.map(({ epi }) => epi)) };
  const where = { ...variants, confirmedAt: { not: null } };
  const rows = await db.prisma.subscription.groupBy({ by: ['pid', 'epi'], where, _count: true });
  const counts = new Map(rows.map(({ pid, epi, _count }) => [`${pid} ${epi}`, _count]));
  return keys.map(({ pid, epi }) => counts.get(`${pid} ${epi}`) ?? 0);
}

/** In how many lists each product is, according to the figures. */
export async function countInLists(db: Db, keys: readonly ProductKey[]): Promise<number[]> {
  const products = { pid: oneOf(keys.map(({ pid }) => pid)), key: oneOf(keys.map(({ empi }) => empi)) };
  const rows = await db.prisma.tally.findMany({ where: { ...products, kind: 'wish' } });
  const counts = new Map(rows.map(({ pid, key, n }) => [`${pid} ${key}`, n]));
  return keys.map(({ pid, empi }) => Math.max(0, counts.get(`${pid} ${empi}`) ?? 0));
}

/** Which of these a store has already. */
export async function setup(db: Db, pid: string) {
  const any = { where: { pid }, select: { pid: true } };
  const [product, shopper, list, alert] = await Promise.all([
    db.prisma.product.findFirst(any),
    db.prisma.shopper.findFirst(any),
    db.prisma.list.findFirst(any),
    db.prisma.tally.findFirst({ where: { pid, kind: 'alert', n: { gt: 0 } }, select: { pid: true } }),
  ]);
  return { products: !!product, shoppers: !!shopper, lists: !!list, alerts: !!alert };
}

const ALERT_EVENT = { id: true, topic: true, cause: true, state: true, units: true, openedAt: true } as const;

export type AlertEventRow = Pick<RestockModel, keyof typeof ALERT_EVENT>;

/** The newest events that alerted the subscribers of a variant. */
export function alertEvents(db: Db, pid: string, epi: string, first: number) {
  const newest = { orderBy: { seq: 'desc' }, take: first } as const;
  return db.prisma.restock.findMany({ where: { pid, epi }, select: ALERT_EVENT, ...newest });
}

type VariantDemandRow = Raw<Pick<ProductModel, 'epi' | 'stk' | 'dt' | 'vi' | 'iu'>> & {
  empi: ProductModel['empi'] | null;
  waiting: TallyModel['n'];
};

/** SQL: figures name products without a relation, and variants in stock must not use up the limit. */
const WAITING = `
  SELECT t.key AS epi, p.empi, t.n AS waiting, p.stk, p.dt, p.vi, p.iu
  FROM tally t LEFT JOIN product p ON p.pid = t.pid AND p.epi = t.key
  WHERE t.pid = $1 AND t.kind = 'wait' AND t.n > 0 AND coalesce(p.stk, 0) <= 0
  ORDER BY t.n DESC, t.key LIMIT $2`;

/** The sold-out variants with most subscriptions; one that the catalogue does not have counts as sold out. */
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

/** How many shoppers have each product in an active list. What many ask at once about one product is counted once. */
export async function countShoppers(db: Db, keys: readonly ProductKey[]): Promise<number[]> {
  const nameOf = ({ pid, empi }: ProductKey): string => JSON.stringify([pid, empi]);
  const wanted = [...new Map(keys.map((key) => [nameOf(key), key])).values()];
  const rows = await db.query<{ count: number }>(SOCIAL_COUNT, arraysOf(wanted, 'pid', 'empi'));
  const counts = new Map(wanted.map((key, index) => [nameOf(key), rows[index]!.count]));
  return keys.map((key) => counts.get(nameOf(key))!);
}
