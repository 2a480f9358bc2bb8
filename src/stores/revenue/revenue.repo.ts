import type { Prisma } from '../../generated/prisma/client.ts';
import type { OrderReportModel, RevenueSumModel } from '../../generated/prisma/models.ts';
import { arraysOf } from '../../platform/database/columns.ts';
import type { Db, Tx } from '../../platform/database/database.ts';
import { amountOf, writeAmount } from '../../platform/money.ts';
import type { Amount } from '../../platform/money.ts';
import type { PersonKey } from '../../shoppers/contacts/consent.repo.ts';
import type { Click, Listed, RevenueShare } from './attribution.rules.ts';

/** The shoppers with these regids; a merged guest is replaced by its account. */
export async function findBuyers(db: Db, pid: string, regids: string[]) {
  const select = { regid: true, em: true, m: true, mergedInto: true };
  const find = (wanted: string[]) =>
    db.prisma.shopper.findMany({ where: { pid, regid: { in: wanted } }, select });
  const found = await find(regids);
  const merged = found.flatMap(({ mergedInto }) => mergedInto ?? []);
  const accounts = merged.length === 0 ? [] : await find(merged);
  return [...found.filter(({ mergedInto }) => mergedInto === null), ...accounts];
}

export async function productsOf(db: Db, pid: string, epis: readonly string[]): Promise<Map<string, string>> {
  const where = { pid, epi: { in: [...epis] } };
  const rows = await db.prisma.product.findMany({ where, select: { epi: true, empi: true } });
  return new Map(rows.map(({ epi, empi }) => [epi, empi]));
}

/** Only the newest clicks of a person count. */
const MAX_CLICKS = 1_000;

/** The clicks of a person, or on this alert, that may lie within the attribution window. */
export function findClicks(
  db: Db,
  pid: string,
  { contacts, alertId }: { contacts: readonly PersonKey[]; alertId: string | null },
  { since, until }: { since: Date; until: Date },
): Promise<(Click & PersonKey)[]> {
  const OR = [...contacts, ...(alertId === null ? [] : [{ alertId }])];
  return db.prisma.alertClick.findMany({
    where: { pid, OR, lastAt: { gt: since }, firstAt: { lte: until } },
    omit: { pid: true },
    orderBy: [{ lastAt: 'desc' }, { alertId: 'asc' }],
    take: MAX_CLICKS,
  });
}

/** Which of these variants and products the shoppers had in a list by `until`. */
export async function findListed(
  db: Db,
  pid: string,
  regids: string[],
  { epis, empis }: { epis: string[]; empis: string[] },
  until: Date,
): Promise<Listed[]> {
  if (regids.length === 0) return [];
  const owned = { pid, regid: { in: regids } };
  const lists = await db.prisma.list.findMany({ where: owned, select: { lid: true } });
  if (lists.length === 0) return [];
  const lid = { in: lists.map((list) => list.lid) };
  const where = { pid, lid, OR: [{ epi: { in: epis } }, { empi: { in: empis } }], cts: { lte: until } };
  return db.prisma.item.findMany({ where, select: { epi: true, empi: true } });
}

type NewOrder = Omit<Prisma.OrderReportCreateManyInput, 'lines'> & { lines: object[] };

/** Returns false when the order id exists already, also when a concurrent report commits it. */
export async function addOrder(tx: Tx, data: NewOrder): Promise<boolean> {
  return (await tx.prisma.orderReport.createMany({ data, skipDuplicates: true })).count === 1;
}

export function findOrder(db: Db, pid: string, orderId: string): Promise<OrderReportModel | null> {
  return db.prisma.orderReport.findFirst({ where: { pid, orderId } });
}

/** SQL: adds to several sums in one order, so that concurrent reports cannot deadlock. */
const ADD_SHARES = `
  INSERT INTO revenue_sum AS r (pid, day, kind, topic, currency, orders, amount)
  SELECT $1, $2, kind, topic, $3, 1, amount FROM unnest($4::text[], $5::text[], $6::numeric[]) AS s(kind, topic, amount) ORDER BY kind, topic
  ON CONFLICT (pid, day, kind, topic, currency) DO UPDATE SET orders = r.orders + 1, amount = r.amount + excluded.amount`;

export async function addShares(tx: Tx, order: NewOrder, day: string, shares: readonly RevenueShare[]) {
  const { pid, currency } = order;
  const amounts = shares.map(({ amount }) => writeAmount(amount));
  await tx.query(ADD_SHARES, [pid, day, currency, ...arraysOf(shares, 'kind', 'topic'), amounts]);
}

export type RevenueSumRow = Omit<RevenueSumModel, 'pid' | 'amount'> & { amount: Amount };

/** The first and the last day (YYYY-MM-DD). */
type DayRange = readonly [from: string, to: string];

export async function loadSums(db: Db, pid: string, [from, to]: DayRange): Promise<RevenueSumRow[]> {
  const rows = await db.prisma.revenueSum.findMany({
    where: { pid, day: { gte: from, lte: to } },
    omit: { pid: true },
    orderBy: [{ day: 'asc' }, { currency: 'asc' }],
  });
  return rows.map((row) => ({ ...row, amount: amountOf(row.amount) }));
}

/** The alerts or clicks of a day; clicks have a topic. */
export type DayCountRow = { day: string; topic: string; count: number };

export async function loadCounts(db: Db, pid: string, kind: 'alert' | 'click', [from, to]: DayRange) {
  // A key is a day, or a day, a space and a topic; a colon sorts after the space.
  const where = { pid, kind, key: { gte: from, lt: `${to}:` } };
  const rows = await db.prisma.tally.findMany({ where, orderBy: { key: 'asc' } });
  return rows.map(({ key, n }) => ({ day: key.slice(0, 10), topic: key.slice(11), count: n }));
}
