import { requireStore } from '../../context.ts';
import type { Context } from '../../context.ts';
import type { QueryRevenueArgs, ReportOrderInput } from '../../generated/resolvers.ts';
import { streamCsv } from '../../platform/csv.ts';
import type { CsvColumn } from '../../platform/csv.ts';
import type { Tx } from '../../platform/database/database.ts';
import { amountOf, writeAmount } from '../../platform/money.ts';
import { dayIn } from '../../platform/time-zone.ts';
import { DAY_MS } from '../../platform/time.ts';
import { findAccount } from '../../shoppers/account.repo.ts';
import { hasDeclined, shopperKey } from '../../shoppers/contacts/consent.repo.ts';
import type { PersonKey } from '../../shoppers/contacts/consent.repo.ts';
import { contactsOf } from '../../shoppers/contacts/contact.rules.ts';
import { checkPeriod } from '../reports/period.rules.ts';
import type { StoreRow } from '../store.repo.ts';
import { attribute, sharesOf } from './attribution.rules.ts';
import { isOurs, readToken } from './click.rules.ts';
import { checkOrder } from './order.rules.ts';
import type { Order } from './order.rules.ts';
import * as revenue from './revenue.repo.ts';
import { revenueOf } from './revenue.rules.ts';
import type { RevenueReport } from './revenue.rules.ts';

export { forgetBuyers } from './click.repo.ts';

export async function reportOrder(ctx: Context, input: ReportOrderInput) {
  const store = requireStore(ctx);
  const now = ctx.now();
  const order = checkOrder(store.defaultRegion, input, now);
  return ctx.db.transaction((tx) => recordOrder(tx, store, order, now));
}

const NOBODY = { regid: null, email: null, phone: null };

/** Counts an order once: of concurrent reports the unique id lets one through, and the others get what that one counted. */
export async function recordOrder(tx: Tx, store: StoreRow, order: Order, now: Date) {
  const { pid } = store;
  const { orderId, orderedAt, currency, email, phone } = order;
  const known = await revenue.findOrder(tx, pid, orderId);
  if (known) return toReport(known, true);
  const buyer = await findBuyer(tx, store, order);
  const epis = order.lines.map(({ epi }) => epi);
  const catalogue = await revenue.productsOf(tx, pid, epis);
  const lines = order.lines.map((line) => ({ ...line, empi: line.empi ?? catalogue.get(line.epi) ?? null }));
  const { isTracked, clicked, listed } = await findHistory(tx, store, { ...order, lines }, buyer, now);
  const sources = attribute(lines, { clicks: clicked, listed }, orderedAt, store.attributionDays);
  const shares = sharesOf(lines, sources);
  const shareOf = (kind: string) => writeAmount(shares.find((share) => share.kind === kind)?.amount ?? 0n);
  const person = isTracked ? { regid: buyer.regid, email, phone } : NOBODY;
  const isNameless = Object.values(person).every((name) => name === null);
  // Lines are only kept for the person's own export.
  const named = lines.map((line, index) => ({
    ...line,
    amount: writeAmount(line.amount),
    source: sources[index],
  }));
  const row = {
    ...{ pid, orderId, orderedAt, reportedAt: now, currency, ...person, isNameless },
    ...{ total: shareOf('order'), fromAlerts: shareOf('alert'), fromLists: shareOf('list') },
    lines: isNameless ? [] : named,
  };
  const isNew = await revenue.addOrder(tx, row);
  if (isNew) await revenue.addShares(tx, row, dayIn(store.pacing.timeZone, orderedAt), shares);
  return toReport((await revenue.findOrder(tx, pid, orderId))!, !isNew);
}

const toReport = (order: NonNullable<Awaited<ReturnType<typeof revenue.findOrder>>>, isRepeat: boolean) => ({
  ...order,
  isRepeat,
  total: writeAmount(amountOf(order.total)),
  fromAlerts: writeAmount(amountOf(order.fromAlerts)),
  fromLists: writeAmount(amountOf(order.fromLists)),
});

type BuyerKeys = { regid: string | null; regids: string[]; contacts: PersonKey[] };

/** The customer's ids and contacts: those the store sent, and those of its shopper. */
async function findBuyer(tx: Tx, store: StoreRow, { regid, email, phone }: Order): Promise<BuyerKeys> {
  const account = email === null ? null : await findAccount(tx, store.pid, email);
  const named = [regid, account?.regid].filter((one) => one != null);
  const buyers = named.length === 0 ? [] : await revenue.findBuyers(tx, store.pid, named);
  const contacts = [{ em: email, m: phone }, ...buyers].flatMap((buyer) => contactsOf(store, buyer));
  return { regid: buyers[0]?.regid ?? null, regids: buyers.map((buyer) => buyer.regid), contacts };
}

/** The customer's clicks and list items before the order; empty where the customer declined tracking. */
async function findHistory(tx: Tx, store: StoreRow, order: Order, buyer: BuyerKeys, now: Date) {
  const { regids, contacts } = buyer;
  const { pid, attributionDays } = store;
  const { orderedAt, lines } = order;
  const link = order.click === null ? null : readToken(order.click);
  const alertId = link && link.kind !== 'short' && isOurs(store, link, now) ? link.alertId : null;
  const since = new Date(orderedAt.getTime() - attributionDays * DAY_MS);
  const clicked = await revenue.findClicks(tx, pid, { contacts, alertId }, { since, until: orderedAt });
  const clickers = clicked.map(({ medium, value }) => ({ medium, value }));
  if (await hasDeclined(tx, pid, [...regids.map(shopperKey), ...contacts, ...clickers]))
    return { isTracked: false, clicked: [], listed: [] };
  const bought = { epis: lines.map(({ epi }) => epi), empis: lines.flatMap(({ empi }) => empi ?? []) };
  return { isTracked: true, clicked, listed: await revenue.findListed(tx, pid, regids, bought, orderedAt) };
}

export async function getRevenue(ctx: Context, input: QueryRevenueArgs) {
  const store = requireStore(ctx);
  const { days, before, timeZone } = checkPeriod(store, input, ctx.now());
  const range = [before[0]!, days.at(-1)!] as const;
  const [sums, sent, clicked] = await Promise.all([
    revenue.loadSums(ctx.db, store.pid, range),
    revenue.loadCounts(ctx.db, store.pid, 'alert', range),
    revenue.loadCounts(ctx.db, store.pid, 'click', range),
  ]);
  const of = (some: readonly string[]) => revenueOf(some, sums, sent, clicked);
  return { ...of(days), timeZone, previous: of(before) };
}

type RevenueCsvRow = Omit<RevenueReport['days'][number], 'totals'> & Partial<RevenueReport['totals'][number]>;

const COLUMNS: CsvColumn<RevenueCsvRow>[] = [
  ['day', ({ day }) => day],
  ['alertssent', ({ sent }) => sent],
  ['alertsclicked', ({ clicked }) => clicked],
  ['currency', ({ currency }) => currency ?? null],
  ['orders', ({ orders }) => orders ?? null],
  ['amount', ({ amount }) => amount ?? null],
  ['alertorders', ({ alertOrders }) => alertOrders ?? null],
  ['fromalerts', ({ fromAlerts }) => fromAlerts ?? null],
  ['listorders', ({ listOrders }) => listOrders ?? null],
  ['fromlists', ({ fromLists }) => fromLists ?? null],
];

/** The same as CSV: a line for each day and currency, and one for a day without orders. */
export async function streamRevenue(ctx: Context, input: QueryRevenueArgs): Promise<AsyncGenerator<string>> {
  const { days } = await getRevenue(ctx, input);
  const rows = days.flatMap<RevenueCsvRow>(({ totals, ...day }) =>
    totals.length === 0 ? [day] : totals.map((total) => ({ ...day, ...total })),
  );
  return streamCsv(COLUMNS, (last) => Promise.resolve(last === null ? rows : []));
}
