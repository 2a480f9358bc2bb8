import { isStoreAlone, requireShopper, requireStore } from '../../context.ts';
import type { Context } from '../../context.ts';
import type { SubscribeInput } from '../../generated/resolvers.ts';
import { fail } from '../../platform/errors.ts';
import { storeSignUp } from './signup.writes.ts';
import { checkSignUp } from './subscription.rules.ts';
import { describeProducts } from './subscription.service.ts';

/** Subscribes a contact to topics of products, immediately or after double opt-in. Existing subscriptions are renewed. */
export async function subscribe(ctx: Context, input: SubscribeInput) {
  const store = isStoreAlone(ctx) ? requireStore(ctx) : requireShopper(ctx).store;
  if (!store.inventoryManaged)
    fail(
      'inventory-not-managed',
      "Alerts are not available, because the store's platform does not manage its inventory",
    );
  const checked = checkSignUp(store, input);
  const isPending = await storeSignUp({ ctx, store, checked, now: ctx.now() });
  return {
    message: isPending
      ? 'Please confirm: the contact receives a message with a link, and alerts start after the link is opened'
      : 'Subscribed to alerts',
    confirmed: !isPending,
    products: await describeProducts(ctx, store.pid, checked.products),
    topics: checked.topics,
  };
}
