import { requireStore } from '../../context.ts';
import type { Context } from '../../context.ts';
import type { Tx } from '../../platform/database/database.ts';
import { DAY_MS } from '../../platform/time.ts';
import { contactsOf } from '../../shoppers/contacts/contact.rules.ts';
import { regidOf } from '../../shoppers/identity.rules.ts';
import type { StoreRow } from '../store.repo.ts';
import { amountOf, attribute, sharesOf, writeAmount } from './attribution.rules.ts';
import type { Click, Listed } from './attribution.rules.ts';
import { hasDeclined, shopperKey } from './click.repo.ts';
import type { PersonKey } from './click.repo.ts';
import { isOurs, readToken } from './click.rules.ts';
import { checkOrder } from './order.rules.ts';
import type { Order, OrderInput } from './order.rules.ts';
import * as orders from './revenue.repo.ts';

/** What was counted of an order. */
export type OrderReportRow = Pick<Order, 'orderId' | 'orderedAt' | 'currency'> & {
  total: string;
  fromAlerts: string;
  fromLists: string;
  isRepeat: boolean;
};

export async function reportOrder(ctx: Context, input: OrderInput): Promise<OrderReportRow> {
  const store = requireStore(ctx);
  const now = ctx.now();
  const order = checkOrder(store, input, now);
  return ctx.db.transaction((tx) => recordOrder(tx, store, order, now));
}

const NOBODY = { regid: null, email: null, phone: null };

/** Counts an order once: of concurrent reports the unique id lets one through, and the others get what that one counted. */
export async function recordOrder(tx: Tx, store: StoreRow, order: Order, now: Date): Promise<OrderReportRow> {
  const { pid } = store;
  const { orderId, orderedAt, currency, email, phone } = order;
  const known = await orders.findOrder(tx, pid, orderId);
  if (known) return toReport(known, true);
  const buyer = await findBuyer(tx, store, order);
  const epis = order.lines.map(({ epi }) => epi);
  const catalogue = await orders.productsOf(tx, pid, epis);
  const lines = order.lines.map((line) => ({ ...line, empi: line.empi ?? catalogue.get(line.epi) ?? null }));
  const { isTracked, clicks, listed } = await findHistory(tx, store, { ...order, lines }, buyer, now);
  const sources = attribute(lines, { clicks, listed }, orderedAt, store.attributionDays);
  const shares = sharesOf(lines, sources);
  const shareOf = (kind: string): bigint => shares.find((share) => share.kind === kind)?.amount ?? 0n;
  const person = isTracked ? { regid: buyer.regid, email, phone } : NOBODY;
  const isNameless = Object.values(person).every((name) => name === null);
  // Lines are only kept for the person's own export.
  const named = lines.map(({ amount, ...line }, index) => ({
    ...line,
    amount: writeAmount(amount),
    source: sources[index],
  }));
  const row = {
    ...{ pid, orderId, orderedAt, reportedAt: now, currency },
    total: shareOf('order'),
    fromAlerts: shareOf('alert'),
    fromLists: shareOf('list'),
    ...person,
    isNameless,
    lines: isNameless ? [] : named,
  };
  const isNew = await orders.addOrder(tx, row);
  if (isNew) await orders.addShares(tx, row, shares);
  return toReport((await orders.findOrder(tx, pid, orderId))!, !isNew);
}

type StoredOrder = NonNullable<Awaited<ReturnType<typeof orders.findOrder>>>;

function toReport(order: StoredOrder, isRepeat: boolean): OrderReportRow {
  const { orderId, orderedAt, currency } = order;
  return {
    ...{ orderId, orderedAt, currency, isRepeat },
    total: writeAmount(amountOf(order.total)),
    fromAlerts: writeAmount(amountOf(order.fromAlerts)),
    fromLists: writeAmount(amountOf(order.fromLists)),
  };
}

type BuyerKeys = { regid: string | null; regids: string[]; contacts: PersonKey[] };

/** The customer's ids and contacts: those the store sent, and those of its shopper. */
async function findBuyer(tx: Tx, store: StoreRow, { regid, email, phone }: Order): Promise<BuyerKeys> {
  const account = email === null ? null : regidOf(store.secret, 'account', email);
  const named = [regid, account].filter((one): one is string => one !== null);
  const buyers = named.length === 0 ? [] : await orders.findBuyers(tx, store.pid, named);
  const contacts = [{ em: email, m: phone }, ...buyers].flatMap((buyer) => contactsOf(store, buyer));
  return { regid: buyers[0]?.regid ?? null, regids: buyers.map((buyer) => buyer.regid), contacts };
}

type BuyerHistory = { isTracked: boolean; clicks: Click[]; listed: Listed[] };

/** The customer's clicks and list items before the order; empty where the customer declined tracking. */
async function findHistory(
  tx: Tx,
  store: StoreRow,
  order: Order,
  { regids, contacts }: BuyerKeys,
  now: Date,
): Promise<BuyerHistory> {
  const { pid, attributionDays } = store;
  const { orderedAt, lines } = order;
  const link = order.click === null ? null : readToken(order.click);
  const alertId = link && link.kind !== 'short' && isOurs(store, link, now) ? link.alertId : null;
  const since = new Date(orderedAt.getTime() - attributionDays * DAY_MS);
  const clicks = await orders.findClicks(tx, pid, { contacts, alertId }, { since, until: orderedAt });
  const clickers = clicks.map(({ medium, value }) => ({ medium, value }));
  if (await hasDeclined(tx, pid, [...regids.map(shopperKey), ...contacts, ...clickers]))
    return { isTracked: false, clicks: [], listed: [] };
  const bought = { epis: lines.map(({ epi }) => epi), empis: lines.flatMap(({ empi }) => empi ?? []) };
  return { isTracked: true, clicks, listed: await orders.findListed(tx, pid, regids, bought, orderedAt) };
}
