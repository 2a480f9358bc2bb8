import { requireShopper, requireStore } from '../../context.ts';
import type { Context } from '../../context.ts';
import type { Db } from '../../database/database.ts';
import { fail } from '../../shared/errors.ts';
import { newId } from '../../shared/ids.ts';
import { checkLimit, checkOffset, decodeSeq, encodeCursor, toConnection } from '../../shared/page.ts';
import type { Connection } from '../../shared/page.ts';
import { isStorable } from '../../shared/text.ts';
import { emitEvents } from '../alert/event.repo.ts';
import { findProducts } from '../catalog/catalog.repo.ts';
import type { ProductRow } from '../catalog/catalog.repo.ts';
import { isProductId } from '../catalog/catalog.rules.ts';
import { countEvent } from '../report/report.repo.ts';
import type { StoreRow } from '../store/store.repo.ts';
import { recordConsent, sendConfirmation } from './confirm.service.ts';
import { liftSuppression } from './consent.repo.ts';
import { consume } from './signup.repo.ts';
import { SIGNUP_LIMITS, failTooMany, signupKey } from './signup.rules.ts';
import * as subscriptions from './subscription.repo.ts';
import type { Owner, StoredSubscription, SubscriptionRow } from './subscription.repo.ts';
import { checkContact, checkMedium, checkWish, maskContact } from './subscription.rules.ts';
import type { Contact, SubscribeInput, WantedProduct, Wish } from './subscription.rules.ts';

/** What a subscriber is answered. */
export type Subscribed = { message: string; products: ProductRow[]; topics: string[] };

/** What the store's webhooks learn of a subscription. */
function eventOf(type: 'subscription.created' | 'subscription.removed', row: StoredSubscription) {
  const { id, medium, value, topic, epi, empi, du, cts, confirmedAt } = row;
  return {
    type,
    data: { id, medium, value, topic, epi, empi, du, confirmed: confirmedAt !== null, cts: cts.getTime() },
  };
}

/** The store for which the caller may subscribe this contact, or why not. */
function admitSubscriber(ctx: Context, contact: Contact): StoreRow {
  if (ctx.viewer.keyId !== null) return requireStore(ctx);
  const { store, isGuest, em } = requireShopper(ctx);
  if (isGuest && !store.doubleOptIn)
    fail('login-required', 'A guest can subscribe only where the store asks contacts to confirm');
  const isOwn = contact.medium === 'email' && contact.value === em;
  if (!isGuest && !isOwn) fail('forbidden', 'An account can subscribe its own e-mail address only');
  return store;
}

/** Subscribes a contact to topics about products. What is there already stays as it is, and then nothing else happens. */
export async function subscribe(ctx: Context, input: SubscribeInput): Promise<Subscribed> {
  const store = ctx.viewer.keyId === null ? requireShopper(ctx).store : requireStore(ctx);
  if (!store.inventoryManaged)
    fail('inventory-not-managed', 'Alerts need a store whose inventory is managed by its platform');
  const wish = checkWish(input);
  admitSubscriber(ctx, wish.contact);
  await ctx.db.transaction((tx) => storeWish(tx, ctx, store, wish));
  ctx.wake();
  return {
    message: store.doubleOptIn
      ? 'Subscribed; alerts are sent once the contact confirms'
      : 'Subscribed to alerts',
    products: await describe(ctx.db, store.pid, wish.products),
    topics: wish.topics,
  };
}

async function storeWish(tx: Db, ctx: Context, store: StoreRow, wish: Wish): Promise<void> {
  const { contact, products, topics, mailinglist, extras } = wish;
  const now = ctx.now();
  const regid = ctx.viewer.shopper?.regid ?? null;
  const confirmedAt = store.doubleOptIn ? null : now;
  const wanted = products.flatMap((product) => topics.map((topic) => ({ ...product, topic, id: newId() })));
  const created = await subscriptions.insertSubscriptions(
    tx,
    { pid: store.pid, ...contact, regid, extras, mailinglist, confirmedAt },
    wanted,
    now,
  );
  await countEvent(tx, store.pid, 'subscribe', created.length, now);
  if (created.length > 0 && !store.doubleOptIn) await liftSuppression(tx, store.pid, contact);
  if (mailinglist !== null && !store.doubleOptIn)
    await recordConsent(tx, store, contact, { accepts: mailinglist, regid }, now);
  if (mailinglist === false && store.doubleOptIn)
    await subscriptions.withdrawPendingConsent(tx, store.pid, contact);
  await emitEvents(
    tx,
    store.pid,
    created.map((row) => eventOf('subscription.created', row)),
    now,
  );
  // Late, because sign-ups of one contact wait for each other from here to the commit.
  if (created.length > 0) await countSignUp(tx, ctx, store, contact, created.length, now);
  if (store.doubleOptIn) await sendConfirmation(tx, ctx, store, contact, now);
}

/** A store calls for all its shoppers from one address, so only a shopper's own call counts against its address. */
async function countSignUp(
  tx: Db,
  ctx: Context,
  store: StoreRow,
  { medium, value }: Contact,
  created: number,
  now: Date,
): Promise<void> {
  const count = async (kind: 'contact' | 'address', subject: string): Promise<void> => {
    const until = await consume(
      tx,
      store.pid,
      signupKey(store.secret, kind, subject),
      SIGNUP_LIMITS[kind],
      now,
      created,
    );
    if (until !== null) failTooMany(kind, until, now);
  };
  await count('contact', `${medium} ${value}`);
  if (ctx.viewer.keyId === null) await count('address', ctx.address);
}

/** The catalogue's records of products, or what the subscription itself tells of those it does not know. */
async function describe(db: Db, pid: string, wanted: readonly WantedProduct[]): Promise<ProductRow[]> {
  const known = await findProducts(db, pid, [...new Set(wanted.map(({ epi }) => epi))]);
  const byEpi = new Map(known.map((row) => [row.epi, row]));
  return wanted.map(({ epi, empi, du }) => byEpi.get(epi) ?? { ...UNKNOWN, pid, epi, empi, du });
}

const UNKNOWN = {
  bt: null,
  dt: null,
  sku: null,
  uri: null,
  iu: null,
  stk: null,
  pr: null,
  vi: null,
  tags: [],
  cts: null,
  uts: null,
};

async function withProducts(
  db: Db,
  pid: string,
  rows: readonly StoredSubscription[],
): Promise<(SubscriptionRow & { seq: number })[]> {
  const products = await describe(db, pid, rows);
  return rows.map((row, index) => ({ ...row, product: products[index]! }));
}

/** Whose subscriptions the caller reads and ends. */
function ownerOf(ctx: Context): Owner {
  if (ctx.viewer.keyId !== null && !ctx.viewer.isShopperNamed)
    return { pid: requireStore(ctx).pid, all: true };
  const { pid, regid, isGuest, em } = requireShopper(ctx);
  return isGuest ? { pid, regid } : { pid, contact: { medium: 'email', value: em ?? '' } };
}

type Page = { topic?: string | null; medium?: string | null };
const ORDER = 'subscription';

/** A page of the caller's subscriptions by cursor. */
export async function listSubscriptions(
  ctx: Context,
  { topic, medium, first, after }: Page & { first?: number | null; after?: string | null },
): Promise<Connection<SubscriptionRow>> {
  const owner = ownerOf(ctx);
  const size = checkLimit('first', first, 20, 100);
  const before = decodeSeq('after', after, ORDER) ?? Number.MAX_SAFE_INTEGER;
  const stored = await subscriptions.listSubscriptions(
    ctx.db,
    owner,
    filterOf({ topic, medium }),
    before,
    size + 1,
  );
  const rows = await withProducts(ctx.db, owner.pid, stored);
  return toConnection(rows, size, ({ seq }) => encodeCursor(ORDER, seq));
}

function filterOf({ topic, medium }: Page): { topic: string | null; medium: string | null } {
  if (topic != null && !isStorable(topic)) fail('invalid-topics', 'topic must be printable text');
  return { topic: topic ?? null, medium: medium == null ? null : checkMedium(medium) };
}

/** A numbered page of the caller's subscriptions, with their total. */
export async function pageSubscriptions(
  ctx: Context,
  { topic, medium, ...page }: Page & { limit?: number | null; offset?: number | null },
): Promise<{ limit: number; offset: number; total: number; subscriptions: SubscriptionRow[] }> {
  const owner = ownerOf(ctx);
  const limit = checkLimit('limit', page.limit, 10, 100);
  const offset = checkOffset(page.offset);
  const { total, rows } = await subscriptions.pageSubscriptions(
    ctx.db,
    owner,
    filterOf({ topic, medium }),
    limit,
    offset,
  );
  return { limit, offset, total, subscriptions: await withProducts(ctx.db, owner.pid, rows) };
}

type Ending = Page & { epi?: string | null; mediumvalue?: string | null };

/** Ends subscriptions of the calling shopper, or with a store key those of a contact. */
export async function unsubscribe(
  ctx: Context,
  { topic, epi, medium, mediumvalue }: Ending,
): Promise<{ msg: string; removed: number }> {
  const caller = ownerOf(ctx);
  const owner: Owner =
    'all' in caller ? { pid: caller.pid, contact: checkContact(checkMedium(medium), mediumvalue) } : caller;
  if (epi != null && !isProductId(epi))
    fail('invalid-products', 'epi must have 1 to 255 printable characters');
  const filter = filterOf({ topic });
  const now = ctx.now();
  const removed = await ctx.db.transaction(async (tx) => {
    const rows = await subscriptions.deleteSubscriptions(tx, owner, { ...filter, epi: epi ?? null });
    await emitEvents(
      tx,
      owner.pid,
      rows.map((row) => eventOf('subscription.removed', row)),
      now,
    );
    return rows.length;
  });
  ctx.wake();
  return { msg: removed === 0 ? 'There was nothing to unsubscribe from' : 'Unsubscribed', removed };
}

/** A contact as the caller may see it: a guest proves a device, not that the address is its own. */
export function visibleContact(ctx: Context, { medium, value }: StoredSubscription): string {
  return ctx.viewer.shopper?.isGuest ? maskContact(medium, value) : value;
}
