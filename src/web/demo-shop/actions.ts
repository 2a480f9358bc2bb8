import type { Item, ProductAlert } from '../../../packages/client/src/wishgate.ts';
import { ShopError, backend, explain } from './api.ts';
import type { AlertTopic, Product } from './api.ts';
import { changeCart, notedClick } from './cart.ts';
import { client } from './client.ts';
import { dropItem, putItem, putList, together } from './patches.ts';
import { findProduct, nameOf, shop, show, update } from './state.ts';
import type { Undo } from './toasts.ts';
import { change, load, refreshAlerts, refreshProducts, reportLost } from './wishes.ts';
import type { OptimisticChange } from './wishes.ts';

/** Shows an error as a message on the page, with a button to retry. */
export async function attempt(
  action: () => Promise<unknown>,
  { done, undo, otherwise = "That didn't work" }: { done?: string; undo?: Undo; otherwise?: string },
): Promise<boolean> {
  try {
    await action();
    if (done) show(done, false, undo && { name: 'Undo', run: undo });
    return true;
  } catch (error) {
    if (reportLost(error, otherwise)) return false;
    const { status = 0 } = error as { status?: number };
    const again = (): Promise<boolean> => attempt(action, { done, undo, otherwise });
    const mayPass = status === 429 || status >= 500;
    show(explain(error), true, mayPass ? { name: 'Try again', run: again } : undefined);
    return false;
  }
}

export const make = (wanted: OptimisticChange, done?: string, undo?: OptimisticChange): Promise<boolean> =>
  attempt(() => change(wanted), {
    done,
    otherwise: wanted.otherwise,
    undo: undo && (() => make(undo, 'Restored')),
  });

export function setQuantity(product: Product, to: (before: number) => number, done?: string): void {
  const { epi, stk } = product;
  const wanted = to(Math.min(shop.cart[epi] ?? 0, stk));
  changeCart(epi, (before) => Math.max(0, Math.min(Math.trunc(to(Math.min(before, stk))) || 0, stk)));
  if (wanted > stk) show(`Only ${stk} left: ${nameOf(product)}`);
  else if (done) show(done);
}

export function saveForLater(product: Product): Promise<boolean> {
  const { epi, stk } = product;
  const name = nameOf(product);
  const item = { ...product, qty: Math.max(1, Math.min(shop.cart[epi] ?? 1, stk)) };
  return make(
    {
      otherwise: `${name} wasn't saved for later`,
      // The product is removed from the cart after it is saved, so that a visitor who closes the page does not lose it.
      call: async () => {
        const { later } = shop;
        const saved = later ? { list: later, items: later.listcontents } : await client.SaveForLater.init();
        const list = { ...saved.list, listcontents: saved.items };
        await client.SaveForLater.add(list.lid, item);
        changeCart(epi, () => 0);
        return together(putList(list), putItem(list.lid, item));
      },
    },
    `${name} saved for later`,
  );
}

export async function moveToCart(item: Item): Promise<void> {
  const isMoved = await make({
    otherwise: `${nameOf(item)} wasn't moved to your cart`,
    patch: dropItem(item.lid, item.epi),
    call: async () => {
      const [moved] = (await client.SaveForLater.moveToCart(item.lid, item)).itemsmoved;
      if (!moved) throw new ShopError(`${nameOf(item)} is no longer saved for later`);
      const product = findProduct(moved.epi);
      if (product) setQuantity(product, (before) => before + moved.qty, 'Moved to your cart');
    },
  });
  // Another device may have moved it in the meantime.
  if (!isMoved) void load();
}

export const placeOrder = (lines: { epi: number; quantity: number }[]): Promise<boolean> =>
  attempt(
    async () => {
      await backend.order(lines, notedClick());
      for (const { epi } of lines) changeCart(epi, () => 0);
    },
    {
      done: "Thanks for your order! This is a demo, so we won't ship or charge anything.",
      otherwise: "Your order wasn't placed",
    },
  );

export const declineTracking = (): Promise<boolean> =>
  attempt(() => client.setMeasured(false), { done: 'We no longer track your clicks and orders' });

export const waitsFor = (epi: number, topic: AlertTopic): boolean =>
  !!shop.alerts?.some((alert) => Number(alert.epi) === epi && alert.topic === topic);

/** The client subscribes a customer's own address; the shop's back end subscribes any other. */
export async function subscribe(product: Product, topic: AlertTopic, address: string): Promise<void> {
  const alert = { products: [product], topics: [topic], language: document.documentElement.lang };
  if (address === shop.email) await client.subscribeForProductAlert(alert);
  else await backend.notify(address, product, topic);
  await refreshAlerts();
}

export function stopWaiting({ id, product, topic, epi }: ProductAlert): Promise<boolean> {
  const { email } = shop;
  const title = nameOf(product) || 'this product';
  const known = findProduct(epi);
  const again = (): Promise<boolean> =>
    attempt(() => subscribe(known!, topic as AlertTopic, email!), {
      done: `You'll get alerts for ${title} again`,
    });
  update({ alerts: shop.alerts?.filter((other) => other.id !== id) ?? null });
  return attempt(() => client.unsubscribeFromProductAlert({ id }).finally(refreshAlerts), {
    done: `You won't get this alert for ${title} any more`,
    // The page never knows a guest's full address, so only an account can undo this.
    undo: email !== null && known ? again : undefined,
    otherwise: `Your alert for ${title} is still on`,
  });
}

export const changeProduct = (call: () => Promise<unknown>, done: string): Promise<boolean> =>
  attempt(() => call().then(refreshProducts), { done, otherwise: "The product wasn't changed" });

async function become(action: () => Promise<unknown>): Promise<void> {
  await action();
  await client.refreshIdentity();
  await load();
}

export async function login(address: string): Promise<void> {
  await become(() => backend.login(address));
  show(`Welcome, ${address}! Everything you saved as a guest is in your account.`);
}

export const logout = (): Promise<boolean> =>
  attempt(() => become(backend.logout), { done: "You're signed out" });
