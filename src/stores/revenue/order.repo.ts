import type { Db, Tx } from '../../platform/database/database.ts';
import type { OrderReportModel } from '../../generated/prisma/models.ts';
import { writeAmount } from './amount.rules.ts';
import type { Amount } from './amount.rules.ts';
import type { Click, Listed, Share } from './attribution.rules.ts';
import type { PersonKey } from './click-tracking.repo.ts';

/** A shopper as far as an order needs it. */
export type Buyer = { regid: string; em: string | null; m: string | null };

/** The shoppers with these regids; a guest that has logged in since is its account. */
export async function findBuyers(db: Db, pid: string, regids: readonly string[]): Promise<Buyer[]> {
  const select = { regid: true, em: true, m: true, mergedInto: true };
  const find = (wanted: readonly string[]) =>
    db.prisma.shopper.findMany({ where: { pid, regid: { in: [...wanted] } }, select });
  const found = await find(regids);
  const merged = found.flatMap(({ mergedInto }) => mergedInto ?? []);
  const accounts = merged.length === 0 ? [] : await find(merged);
  return [...found.filter(({ mergedInto }) => mergedInto === null), ...accounts];
}

/** The products of variants that the catalogue knows. */
export async function productsOf(db: Db, pid: string, epis: readonly string[]): Promise<Map<string, string>> {
  const where = { pid, epi: { in: [...epis] } };
  const rows = await db.prisma.product.findMany({ where, select: { epi: true, empi: true } });
  return new Map(rows.map(({ epi, empi }) => [epi, empi]));
}

/** Clicks that are looked at for one order; the newest count. */
const MAX_CLICKS = 1_000;

/** A click and whose it was. */
export type OwnedClick = Click & PersonKey;

/** The clicks of a person, or on this alert, that can be within the days before an order. */
export function findClicks(
  db: Db,
  pid: string,
  { contacts, alertId }: { contacts: readonly PersonKey[]; alertId: string | null },
  { since, until }: { since: Date; until: Date },
): Promise<OwnedClick[]> {
  const OR = [...contacts, ...(alertId === null ? [] : [{ alertId }])];
  return db.prisma.alertClick.findMany({
    where: { pid, OR, lastAt: { gt: since }, firstAt: { lte: until } },
    omit: { pid: true },
    orderBy: [{ lastAt: 'desc' }, { alertId: 'asc' }],
    take: MAX_CLICKS,
  });
}

/** Which of these variants and products shoppers had in a list by then. */
export async function findListed(
  db: Db,
  pid: string,
  regids: readonly string[],
  { epis, empis }: { epis: readonly string[]; empis: readonly string[] },
  until: Date,
): Promise<Listed[]> {
  if (regids.length === 0) return [];
  const lists = await db.prisma.list.findMany({
    where: { pid, regid: { in: [...regids] } },
    select: { lid: true },
  });
  if (lists.length === 0) return [];
  return db.prisma.item.findMany({
    where: {
      pid,
      lid: { in: lists.map(({ lid }) => lid) },
      OR: [{ epi: { in: [...epis] } }, { empi: { in: [...empis] } }],
      cts: { lte: until },
    },
    select: { epi: true, empi: true },
  });
}

/** An order as it is kept. */
export type NewOrder = Pick<
  OrderReportModel,
  'pid' | 'orderId' | 'orderedAt' | 'reportedAt' | 'currency' | 'regid' | 'email' | 'phone' | 'isNameless'
> & { total: Amount; fromAlerts: Amount; fromLists: Amount; lines: object[] };

/** Keeps an order; false when its id is there already, also when another report of it commits in this moment. */
export async function addOrder(tx: Tx, { lines, ...order }: NewOrder): Promise<boolean> {
  const { count } = await tx.prisma.orderReport.createMany({
    data: {
      ...order,
      total: writeAmount(order.total),
      fromAlerts: writeAmount(order.fromAlerts),
      fromLists: writeAmount(order.fromLists),
      lines: lines,
    },
    skipDuplicates: true,
  });
  return count === 1;
}

/** One order, or null. */
export function findOrder(db: Db, pid: string, orderId: string): Promise<OrderReportModel | null> {
  return db.prisma.orderReport.findFirst({ where: { pid, orderId } });
}

/** SQL: adds to many figures at once, in one order, so that two reports never wait for each other in a circle. */
const ADD_SHARES = `
  INSERT INTO revenue_sum AS r (pid, day, kind, topic, currency, orders, amount)
  SELECT $1, $2, kind, topic, $3, 1, amount FROM unnest($4::text[], $5::text[], $6::numeric[]) AS s(kind, topic, amount) ORDER BY kind, topic
  ON CONFLICT (pid, day, kind, topic, currency) DO UPDATE SET orders = r.orders + 1, amount = r.amount + excluded.amount`;

/** Adds an order to the figures of its day. */
export async function addShares(
  tx: Tx,
  { pid, orderedAt, currency }: NewOrder,
  shares: readonly Share[],
): Promise<void> {
  await tx.query(ADD_SHARES, [
    pid,
    orderedAt.toISOString().slice(0, 10),
    currency,
    shares.map(({ kind }) => kind),
    shares.map(({ topic }) => topic),
    shares.map(({ amount }) => writeAmount(amount)),
  ]);
}
