import { requireShopper, requireStore } from '../../context.ts';
import type { Context } from '../../context.ts';
import { fail } from '../../shared/errors.ts';
import { isAccountContact } from '../contact/contact.rules.ts';
import type { Contact } from '../contact/contact.rules.ts';
import { unknownProduct } from '../product/product.columns.ts';
import type { ProductRow } from '../product/product.columns.ts';
import type { StoreRow } from '../store/store.repo.ts';
import { checkWish } from './subscription.rules.ts';
import type { SubscribeInput, WantedProduct } from './subscription.rules.ts';

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
  const wish = checkWish(store, input);
  admitSubscriber(ctx, wish.contact);
  await ctx.writes.signUps({ ctx, store, wish, now: ctx.now() });
  return {
    message: store.doubleOptIn
      ? 'Subscribed; alerts are sent once the contact confirms'
      : 'Subscribed to alerts',
    products: await Promise.all(wish.products.map((product) => describe(ctx, store.pid, product))),
    topics: wish.topics,
  };
}

/** The catalogue's record of a product, or what the sign-up itself tells of one that it does not know. */
async function describe(ctx: Context, pid: string, product: WantedProduct): Promise<ProductRow> {
  return (await ctx.reads.product({ pid, epi: product.epi })) ?? unknownProduct({ pid, ...product });
}
