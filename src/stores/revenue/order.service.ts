import { requireStore } from '../../context.ts';
import type { Context } from '../../context.ts';
import type { Tx } from '../../platform/database/database.ts';
import { contactsOf } from '../../shoppers/contacts/contact.rules.ts';
import { regidOf } from '../../shoppers/identity.rules.ts';
import type { StoreRow } from '../store.repo.ts';
import { amountOf, sumOf, writeAmount } from './amount.rules.ts';
import { attribute, sharesOf } from './attribution.rules.ts';
import type { Click, Listed } from './attribution.rules.ts';
import { isOurs, readToken } from './click.rules.ts';
import { hasDeclined, shopperKey } from './click-tracking.repo.ts';
import type { PersonKey } from './click-tracking.repo.ts';
import * as orders from './order.repo.ts';
import { checkOrder } from './order.rules.ts';
import type { Order, OrderInput } from './order.rules.ts';
import { DAY_MS } from '../../platform/time.ts';

/** What was counted of an order. */
export type OrderReportRow = {
  orderId: string;
  orderedAt: Date;
  currency: string;
  total: string;
  fromAlerts: string;
  fromLists: string;
  isRepeat: boolean;
};

/** Takes the calling store's report of an order. */
export async function reportOrder(ctx: Context, input: OrderInput): Promise<OrderReportRow> {
  const store = requireStore(ctx);
  const now = ctx.now();
  const order = checkOrder(store, input, now);
  return ctx.db.transaction((tx) => recordOrder(tx, store, order, now));
}

const NOBODY = { regid: null, email: null, phone: null };

/** Counts an order once. The unique id settles reports of one moment: those that come later are told what the first one counted. */
export async function recordOrder(tx: Tx, store: StoreRow, order: Order, now: Date): Promise<OrderReportRow> {
  const { pid } = store;
  const known = await orders.findOrder(tx, pid, order.orderId);
  if (known) return { ...toReport(known), isRepeat: true };
  const buyer = await findBuyer(tx, store, order);
  const catalogue = await orders.productsOf(
    tx,
    pid,
    order.lines.map(({ epi }) => epi),
  );
  const lines = order.lines.map((line) => ({ ...line, empi: line.empi ?? catalogue.get(line.epi) ?? null }));
  const { isMeasured, clicks, listed } = await findHistory(tx, store, { ...order, lines }, buyer, now);
  const sources = attribute(lines, { clicks, listed }, order.orderedAt, store.attributionDays);
  const shares = sharesOf(lines, sources);
  const amountOfKind = (kind: string): bigint =>
    sumOf(shares.filter((share) => share.kind === kind).map(({ amount }) => amount));
  const person = isMeasured ? { regid: buyer.regid, email: order.email, phone: order.phone } : NOBODY;
  const isNameless = Object.values(person).every((name) => name === null);
  const kept = {
    pid,
    orderId: order.orderId,
    orderedAt: order.orderedAt,
    reportedAt: now,
    currency: order.currency,
    total: amountOfKind('order'),
    fromAlerts: amountOfKind('alert'),
    fromLists: amountOfKind('list'),
    ...person,
    isNameless,
    // Kept for the person's own export, and for nothing else.
    lines: isNameless
      ? []
      : lines.map(({ amount, ...line }, index) => ({
          ...line,
          amount: writeAmount(amount),
          source: sources[index],
        })),
  };
  if (!(await orders.addOrder(tx, kept))) {
    const first = (await orders.findOrder(tx, pid, order.orderId))!;
    return { ...toReport(first), isRepeat: true };
  }
  await orders.addShares(tx, kept, shares);
  const { orderId, orderedAt, currency } = order;
  return {
    ...{ orderId, orderedAt, currency, isRepeat: false },
    total: writeAmount(kept.total),
    fromAlerts: writeAmount(kept.fromAlerts),
    fromLists: writeAmount(kept.fromLists),
  };
}

type Stored = NonNullable<Awaited<ReturnType<typeof orders.findOrder>>>;

function toReport({ orderId, orderedAt, currency, total, fromAlerts, fromLists }: Stored) {
  return {
    ...{ orderId, orderedAt, currency },
    total: writeAmount(amountOf(total)),
    fromAlerts: writeAmount(amountOf(fromAlerts)),
    fromLists: writeAmount(amountOf(fromLists)),
  };
}

type BuyerKeys = { regid: string | null; regids: string[]; contacts: PersonKey[] };

/** By what the customer is known: as the store said, and by what its record here adds. */
async function findBuyer(tx: Tx, store: StoreRow, { regid, email, phone }: Order): Promise<BuyerKeys> {
  const account = email === null ? null : regidOf(store.secret, 'account', email);
  const named = [regid, account].filter((one): one is string => one !== null);
  const buyers = named.length === 0 ? [] : await orders.findBuyers(tx, store.pid, named);
  const contacts: PersonKey[] = [
    ...contactsOf(store, { em: email, m: phone }),
    ...buyers.flatMap((buyer) => contactsOf(store, buyer)),
  ];
  return { regid: buyers[0]?.regid ?? null, regids: buyers.map((buyer) => buyer.regid), contacts };
}

type History = { isMeasured: boolean; clicks: Click[]; listed: Listed[] };

/** What the customer clicked and had in lists before; nothing of who declined. */
async function findHistory(
  tx: Tx,
  store: StoreRow,
  order: Order,
  { regids, contacts }: BuyerKeys,
  now: Date,
): Promise<History> {
  const { pid, attributionDays } = store;
  const { orderedAt, lines } = order;
  const link = order.click === null ? null : readToken(order.click);
  const alertId = link && link.kind !== 'brief' && isOurs(store, link, now) ? link.alertId : null;
  const since = new Date(orderedAt.getTime() - attributionDays * DAY_MS);
  const clicks = await orders.findClicks(tx, pid, { contacts, alertId }, { since, until: orderedAt });
  const keys = [
    ...regids.map(shopperKey),
    ...contacts,
    ...clicks.map(({ medium, value }) => ({ medium, value })),
  ];
  if (await hasDeclined(tx, pid, keys)) return { isMeasured: false, clicks: [], listed: [] };
  const epis = lines.map(({ epi }) => epi);
  const empis = lines.flatMap(({ empi }) => empi ?? []);
  return {
    isMeasured: true,
    clicks,
    listed: await orders.findListed(tx, pid, regids, { epis, empis }, orderedAt),
  };
}
