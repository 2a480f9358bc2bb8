import { createHash } from 'node:crypto';
import { requireStore } from '../../context.ts';
import type { Context, Services } from '../../context.ts';
import type { Tx } from '../../platform/database/database.ts';
import { fail } from '../../platform/errors.ts';
import { isStorable } from '../../platform/text.ts';
import { checkProduct, clampStock } from '../products/product.rules.ts';
import { recordOrder } from '../revenue/revenue.service.ts';
import type { StoreRow } from '../store.repo.ts';
import { findServedStore } from '../store.service.ts';
import { dropProducts, writeProducts, writeStock } from './catalog.service.ts';
import { readOrder } from './shopify-order.rules.ts';
import * as shopify from './shopify.repo.ts';
import { STALE_AFTER_MS, checkSecret, isSigned, readEvent } from './shopify.rules.ts';
import type { ShopifyEvent } from './shopify.rules.ts';

export { forgetEvents } from './shopify.repo.ts';

type Deps = Pick<Services, 'db' | 'now' | 'config'>;

type ShopifyDelivery = {
  pid: string;
  topic: string;
  webhookId: string;
  signature: string;
  shopDomain: string;
  triggeredAt: string;
  body: Buffer;
};

/** All of these are responses with status 200, because Shopify retries rejected webhooks. */
type Receipt = { status: 'applied' | 'duplicate' | 'outdated' | 'ignored' };

/** Used if the store has no secret, so that both kinds of rejection take the same time. */
const NO_SECRET = 'no store has this secret';

function connectionOf({ config }: Context, pid: string, secret: string | null) {
  const url = `${config.publicUrl}/webhooks/shopify/${encodeURIComponent(pid)}`;
  return { connected: secret !== null, url };
}

export async function getShopifyConnection(ctx: Context) {
  const { pid } = requireStore(ctx);
  return connectionOf(ctx, pid, await shopify.findSecret(ctx.db, pid));
}

export async function setShopifySecret(ctx: Context, secret: string | null) {
  const { pid } = requireStore(ctx);
  await shopify.saveSecret(ctx.db, pid, secret === null ? null : checkSecret(secret), ctx.now());
  return connectionOf(ctx, pid, secret);
}

/** Verifies a webhook's signature and applies it once, in the order of Shopify's clock. */
export async function receiveWebhook(deps: Deps, delivery: ShopifyDelivery): Promise<Receipt> {
  const { pid, topic, body } = delivery;
  const store = isStorable(pid) ? await findServedStore(deps, pid) : null;
  const secret = store && (await shopify.findSecret(deps.db, pid));
  if (!isSigned(secret ?? NO_SECRET, body, delivery.signature) || store === null || secret === null)
    fail('unauthorised', 'The signature is invalid');
  const event = readEvent(topic, body, delivery.shopDomain);
  if (event === null) return { status: 'ignored' };
  const now = deps.now();
  // An invalid time is ignored, because the signed body of a deletion has none.
  const changedAt = event.kind === 'deleted' ? new Date(delivery.triggeredAt) : event.changedAt;
  if (now.getTime() - changedAt.getTime() > STALE_AFTER_MS) fail('invalid-request', 'The webhook is too old');
  const digest = createHash('sha256').update(body).digest();
  // The id is not signed: it distinguishes deliveries of one body, and never makes another body a duplicate.
  const id = createHash('sha256').update(digest).update(delivery.webhookId).digest('hex');
  const status = await deps.db.transaction(async (tx) => {
    if (!(await shopify.takeEvent(tx, pid, id, now))) return 'duplicate';
    const order = await shopify.advance(tx, pid, { ...event, digest }, now);
    if (order !== 'new') return order;
    return event.kind === 'order' ? applyOrder(tx, store, event, now) : applyEvent(tx, pid, event, now);
  });
  return { status };
}

/** An order that the store has already reported itself counts only once. */
async function applyOrder(tx: Tx, store: StoreRow, event: OrderEvent, now: Date): Promise<Receipt['status']> {
  const order = readOrder(event.order, store.defaultRegion);
  if (order === null) return 'ignored';
  return (await recordOrder(tx, store, order, now)).isRepeat ? 'duplicate' : 'applied';
}

async function applyEvent(tx: Tx, pid: string, event: Exclude<ShopifyEvent, OrderEvent>, now: Date) {
  if (event.kind === 'level') return applyLevel(tx, pid, event, now);
  const held = await shopify.holdVariants(tx, pid, event);
  if (event.kind === 'product') return applyProduct(tx, pid, event, held, now);
  const epis = held.map(({ epi }) => epi);
  await dropProducts(tx, pid, epis, now);
  return 'applied';
}

type OrderEvent = Extract<ShopifyEvent, { kind: 'order' }>;
type LevelEvent = Extract<ShopifyEvent, { kind: 'level' }>;

async function applyProduct(
  tx: Tx,
  pid: string,
  { changedAt, products, keep }: Extract<ShopifyEvent, { kind: 'product' }>,
  held: readonly shopify.HeldVariant[],
  now: Date,
): Promise<Receipt['status']> {
  const items = products.flatMap(({ inventoryItem }) => inventoryItem ?? []);
  const newer = await shopify.itemsChangedAfter(tx, pid, items, changedAt);
  const checked = products.map((product, index) => {
    const one = checkProduct(product, `variants[${index}]`);
    return one.inventoryItem != null && newer.has(one.inventoryItem) ? { ...one, stk: null } : one;
  });
  if (checked.length > 0) await writeProducts(tx, pid, checked, now);
  const gone = keep === null ? [] : held.filter(({ epi }) => !keep.includes(epi)).map(({ epi }) => epi);
  if (gone.length > 0) await dropProducts(tx, pid, gone, now);
  return 'applied';
}

/** Shopify reports stock per location, and the product's webhook reports the sum. */
async function applyLevel(tx: Tx, pid: string, event: LevelEvent, now: Date): Promise<Receipt['status']> {
  const { item, location, available, changedAt: at } = event;
  const variants = await shopify.holdVariants(tx, pid, { inventoryItem: item });
  if (available === null || variants.length === 0) return 'ignored';
  const levels = await shopify.findLevel(tx, pid, item, location);
  await shopify.saveLevel(tx, { pid, item, location, available, at });
  const stocks = variants
    .filter(({ sourceAt }) => sourceAt === null || sourceAt < at)
    .map(({ epi, stk }) => ({ epi, stk: clampStock(nextStock(stk, available, levels)) }));
  if (stocks.length > 0) await writeStock(tx, pid, stocks, now);
  return 'applied';
}

/**
 * With one location its figure is the stock; with several, a location changes the stock by its difference. The first report of a
 * location may be part of the sum already, but the stock is at least the sum of all reports.
 */
function nextStock(stk: number | null, available: number, { previous, others, hasOthers }: shopify.Levels) {
  if (!hasOthers) return available;
  if (stk === null) return others + available;
  return previous === null ? Math.max(stk, others + available) : stk + available - previous;
}
