import type { Db, Tx } from '../../platform/database/database.ts';

/** A contact, or under the medium `shopper` a regid. */
export type PersonKey = { medium: string; value: string };

const SHOPPER = 'shopper';

/** The key of a shopper. */
export const shopperKey = (regid: string): PersonKey => ({ medium: SHOPPER, value: regid });

/** Whether one of these declined. */
export async function hasDeclined(db: Db, pid: string, keys: readonly PersonKey[]): Promise<boolean> {
  if (keys.length === 0) return false;
  return (await db.prisma.unmeasured.count({ where: { pid, OR: [...keys] } })) > 0;
}

/** The contacts that confirmed what a shopper asked for. */
export function provenContacts(db: Db, pid: string, regid: string): Promise<PersonKey[]> {
  return db.prisma.contactProof.findMany({
    where: { pid, regid },
    select: { medium: true, value: true },
    take: 100,
  });
}

/** Notes that these declined, or forgets that they did. */
export async function saveChoice(
  tx: Tx,
  pid: string,
  keys: readonly PersonKey[],
  measured: boolean,
  now: Date,
): Promise<void> {
  if (measured) await tx.prisma.unmeasured.deleteMany({ where: { pid, OR: [...keys] } });
  else
    await tx.prisma.unmeasured.createMany({
      data: keys.map((key) => ({ pid, ...key, cts: now })),
      skipDuplicates: true,
    });
}

/** What an order is without its person: its sums stay. */
const NAMELESS = { regid: null, email: null, phone: null, lines: [], isNameless: true };

/** Forgets whose clicks and orders these were; every figure stays as it is. */
export async function forgetPerson(tx: Tx, pid: string, keys: readonly PersonKey[]): Promise<void> {
  const valuesOf = (isShopper: boolean): string[] =>
    keys.filter(({ medium }) => (medium === SHOPPER) === isShopper).map(({ value }) => value);
  await tx.prisma.alertClick.deleteMany({ where: { pid, OR: [...keys] } });
  const theirs = [
    { regid: { in: valuesOf(true) } },
    { email: { in: valuesOf(false) } },
    { phone: { in: valuesOf(false) } },
  ];
  await tx.prisma.orderReport.updateMany({ where: { pid, OR: theirs }, data: NAMELESS });
}

/** Hands a guest's orders and its choice to the account it was merged into: the device's next visitor is somebody else. */
export async function moveMeasuring(
  tx: Tx,
  pid: string,
  fromRegid: string,
  toRegid: string,
  now: Date,
): Promise<void> {
  await tx.prisma.orderReport.updateMany({ where: { pid, regid: fromRegid }, data: { regid: toRegid } });
  const { count } = await tx.prisma.unmeasured.deleteMany({ where: { pid, ...shopperKey(fromRegid) } });
  if (count > 0) await saveChoice(tx, pid, [shopperKey(toRegid)], false, now);
}

/** Rows changed by one statement. */
const FORGOTTEN_AT_ONCE = 1_000;

/** The windows that stores have. */
export async function windowsInUse(db: Db): Promise<number[]> {
  const groups = await db.prisma.store.groupBy({ by: ['attributionDays'] });
  return groups.map(({ attributionDays }) => attributionDays);
}

/** Forgets people of stores with this window: clicks and who ordered before the given moment; answers how many. */
export async function forgetPeople(db: Db, attributionDays: number, before: Date): Promise<number> {
  const store = { attributionDays };
  const limit = FORGOTTEN_AT_ONCE;
  const clicks = await db.prisma.alertClick.deleteMany({ where: { store, lastAt: { lt: before } }, limit });
  const orders = await db.prisma.orderReport.updateMany({
    where: { store, isNameless: false, reportedAt: { lt: before } },
    data: NAMELESS,
    limit,
  });
  return clicks.count + orders.count;
}

/** Forgets orders so old that nobody can report them again; answers how many. */
export async function forgetOrders(db: Db, before: Date): Promise<number> {
  return (
    await db.prisma.orderReport.deleteMany({
      where: { reportedAt: { lt: before } },
      limit: FORGOTTEN_AT_ONCE,
    })
  ).count;
}
