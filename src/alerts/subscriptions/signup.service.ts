import { isStoreAlone, requireShopper, requireStore } from '../../context.ts';
import type { Context } from '../../context.ts';
import { fail } from '../../platform/errors.ts';
import { unknownProduct } from '../../stores/products/product.columns.ts';
import type { ProductRow } from '../../stores/products/product.columns.ts';
import { readProduct } from '../../stores/products/product.reads.ts';
import { storeSignUp } from './signup.writes.ts';
import { checkWish } from './subscription.rules.ts';
import type { SubscribeInput, WantedProduct } from './subscription.rules.ts';

export type Subscribed = { message: string; confirmed: boolean; products: ProductRow[]; topics: string[] };

/** Subscribes a contact to topics of products, immediately or after double opt-in. Existing subscriptions are renewed. */
export async function subscribe(ctx: Context, input: SubscribeInput): Promise<Subscribed> {
  const store = isStoreAlone(ctx) ? requireStore(ctx) : requireShopper(ctx).store;
  if (!store.inventoryManaged)
    fail('inventory-not-managed', 'Alerts need a store whose inventory is managed by its platform');
  const wish = checkWish(store, input);
  const { isPending } = await storeSignUp({ ctx, store, wish, now: ctx.now() });
  return {
    message: isPending
      ? 'Please confirm: a message with a link is sent to this contact, and alerts follow once the link is opened'
      : 'Subscribed to alerts',
    confirmed: !isPending,
    products: await Promise.all(wish.products.map((product) => describe(ctx, store.pid, product))),
    topics: wish.topics,
  };
}

async function describe(ctx: Context, pid: string, product: WantedProduct): Promise<ProductRow> {
  return (await readProduct(ctx, { pid, epi: product.epi })) ?? unknownProduct({ pid, ...product });
}
