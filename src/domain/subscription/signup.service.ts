import { requireShopper, requireStore } from '../../context.ts';
import type { Context } from '../../context.ts';
import type { Tx } from '../../database/database.ts';
import { fail } from '../../shared/errors.ts';
import { newId } from '../../shared/ids.ts';
import { reopenRestocks } from '../restock/restock.repo.ts';
import type { ProductRow } from '../product/product.columns.ts';
import type { StoreRow } from '../store/store.repo.ts';
import { sendConfirmation } from './confirm-message.service.ts';
import type { Asker } from './confirm-message.service.ts';
import { recordConsent } from './confirm.service.ts';
import { liftSuppression } from '../contact/consent.repo.ts';
import { useProof } from '../contact/proof.repo.ts';
import { saveRequests, withdrawPendingConsent } from './request.repo.ts';
import { consume } from '../pace/pace.repo.ts';
import { SIGNUP_LIMITS, failTooMany, signupKey } from './signup.rules.ts';
import { announceCreated } from './subscription-events.service.ts';
import * as subscriptions from './subscription.repo.ts';
import type { SignUp, StoredSubscription } from './subscription.repo.ts';
import { checkWish, keyOf } from './subscription.rules.ts';
import { isAccountContact } from '../contact/contact.rules.ts';
import type { Contact } from '../contact/contact.rules.ts';
import type { SubscribeInput, Wish } from './subscription.rules.ts';
import { describeProducts } from './subscription.service.ts';

/** What a subscriber is answered. */
export type Subscribed = { message: string; products: ProductRow[]; topics: string[] };

/** The store for which the caller may subscribe this contact, or why not. */
function admitSubscriber(ctx: Context, contact: Contact): StoreRow {
  if (ctx.viewer.keyId !== null) return requireStore(ctx);
  const { store, isGuest, em } = requireShopper(ctx);
  if (isGuest && !store.doubleOptIn)
    fail('login-required', 'A guest can subscribe only where the store asks contacts to confirm');
  const isOwn = isAccountContact(contact) && contact.value === em;
  if (!isGuest && !isOwn) fail('forbidden', 'An account can subscribe its own e-mail address only');
  return store;
}

/** Subscribes a contact to topics about products. What is there already is renewed. */
export async function subscribe(ctx: Context, input: SubscribeInput): Promise<Subscribed> {
  const store = ctx.viewer.keyId === null ? requireShopper(ctx).store : requireStore(ctx);
  if (!store.inventoryManaged)
    fail('inventory-not-managed', 'Alerts need a store whose inventory is managed by its platform');
  const wish = checkWish(input);
  admitSubscriber(ctx, wish.contact);
  await ctx.db.transaction((tx) => storeWish(tx, ctx, store, wish));
  return {
    message: store.doubleOptIn
      ? 'Subscribed; alerts are sent once the contact confirms'
      : 'Subscribed to alerts',
    products: await describeProducts(ctx.db, store.pid, wish.products),
    topics: wish.topics,
  };
}

/**
 * Whether the contact need not confirm. Once it has, it need not again: for the store and for the account with that address. Of
 * anybody else it is known only whether it confirmed what the very same shopper had asked for.
 */
async function isConfirmed(
  tx: Tx,
  ctx: Context,
  store: StoreRow,
  contact: Contact,
  now: Date,
): Promise<boolean> {
  if (!store.doubleOptIn) return true;
  const { shopper } = ctx.viewer;
  const isOwn = shopper === null || (isAccountContact(contact) && contact.value === shopper.em);
  return useProof(tx, store.pid, contact, isOwn ? null : shopper.regid, now);
}

async function storeWish(tx: Tx, ctx: Context, store: StoreRow, wish: Wish): Promise<void> {
  const { contact, mailinglist } = wish;
  const { pid } = store;
  const now = ctx.now();
  const asker = { regid: ctx.viewer.shopper?.regid ?? '', isGuest: ctx.viewer.shopper?.isGuest ?? false };
  const isDone = await isConfirmed(tx, ctx, store, contact, now);
  const signUp = { pid, ...contact, regid: asker.regid, confirmedAt: isDone ? now : null };
  const { asked, created } = await saveWish(tx, signUp, asker, wish, now);
  await announceCreated(tx, pid, created, now);
  if (asked > 0 && isDone) await liftSuppression(tx, pid, contact);
  if (mailinglist !== null && isDone)
    await recordConsent(tx, store, contact, { accepts: mailinglist, regid: asker.regid }, now);
  if (mailinglist === false && !isDone) await withdrawPendingConsent(tx, signUp);
  // Late, because sign-ups of one contact wait for each other from here to the commit.
  if (asked > 0) await countSignUp(tx, ctx, store, signUp, asker, asked, now);
  if (store.doubleOptIn) await sendConfirmation(tx, ctx, store, contact, asker, now);
}

/** Stores the subscriptions and who asked for them. Answers how much the asker had not asked for yet, and what is new at all. */
async function saveWish(
  tx: Tx,
  signUp: SignUp,
  { isGuest }: Asker,
  { products, topics, mailinglist, extras }: Wish,
  now: Date,
): Promise<{ asked: number; created: StoredSubscription[] }> {
  const wanted = products.flatMap((product) =>
    topics.map((topic) => ({ ...product, topic, extras, id: newId() })),
  );
  const saved = await subscriptions.saveSubscriptions(tx, signUp, wanted, now);
  const idByKey = new Map(saved.map((row) => [keyOf(row), row.id]));
  // What a guest has not confirmed shares nobody's fate, or it could see when others come and go.
  const isApart = isGuest && signUp.confirmedAt === null;
  const asked = await saveRequests(
    tx,
    signUp,
    wanted.map((one) => ({ ...one, mailinglist, subscriptionId: isApart ? null : idByKey.get(keyOf(one))! })),
    now,
  );
  const ids = new Set(wanted.map(({ id }) => id));
  const created = saved.filter(({ id }) => ids.has(id));
  // One that waited until now may have missed an occasion.
  if (signUp.confirmedAt !== null)
    await reopenRestocks(
      tx,
      signUp.pid,
      saved.filter(({ id, confirmedAt }) => !ids.has(id) && confirmedAt!.getTime() === now.getTime()),
      now,
    );
  return { asked, created };
}

/**
 * Counts what was not asked for yet. What a guest's contact has still to confirm counts for that guest and contact: how much others
 * asked for must not show. A store calls for all its shoppers from one address, so only a shopper's own call counts against it.
 */
async function countSignUp(
  tx: Tx,
  ctx: Context,
  { pid, secret }: StoreRow,
  { medium, value, confirmedAt }: SignUp,
  { regid, isGuest }: Asker,
  asked: number,
  now: Date,
): Promise<void> {
  const count = async (kind: 'contact' | 'address', subject: string): Promise<void> => {
    const until = await consume(tx, pid, signupKey(secret, kind, subject), SIGNUP_LIMITS[kind], now, asked);
    if (until !== null) failTooMany(kind, until, now);
  };
  const isApart = isGuest && confirmedAt === null;
  await count('contact', `${medium} ${value}${isApart ? ` ${regid}` : ''}`);
  if (ctx.viewer.keyId === null) await count('address', ctx.address);
}
