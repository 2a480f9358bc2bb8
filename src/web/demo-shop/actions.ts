import type { Item, List, ProductAlert, ProductInput } from '../../sdk/client/wishgate.ts';
import { ShopError, backend, explain } from './api.ts';
import type { AlertTopic, Product } from './api.ts';
import { notedClick } from './cart.ts';
import type { Cart, ChangeCart } from './cart.ts';
import { client } from './client.ts';
import { draftList, dropItem, putItem, putList, together } from './patches.ts';
import type { Show, Undo } from './toasts.ts';
import type { Change, Wishes } from './wishes.ts';

const FIRST_LIST = 'Favourites';

/** The product as the wishlist service wants it named. */
export const toInput = ({ epi, empi, du, dt, bt, pr, iu }: Product): ProductInput => ({
  epi,
  empi,
  du,
  dt,
  bt,
  pr,
  iu,
});

/** Whether the same may work at the next try. */
const isPassing = (error: unknown): boolean => {
  const { status = 0 } = error as { status?: number };
  return status === 429 || status >= 500;
};

/** What visitors can do, and what of the lists the views need for it. */
export function createActions(wishes: Wishes, show: Show, cart: Cart, changeCart: ChangeCart) {
  const { products, lists, later, alerts, email, load, change, tellLost, refreshAlerts, setAlerts } = wishes;

  /** Runs an action; a failure becomes a line on the page, with a button to try again. */
  const attempt = async (
    action: () => Promise<unknown>,
    { done, undo, otherwise = 'That was not done' }: { done?: string; undo?: Undo; otherwise?: string },
  ): Promise<boolean> => {
    try {
      await action();
      if (done) show(done, false, undo && { name: 'Undo', run: undo });
      return true;
    } catch (error) {
      if (tellLost(error, otherwise)) return false;
      const again = (): Promise<boolean> => attempt(action, { done, undo, otherwise });
      show(explain(error), true, isPassing(error) ? { name: 'Try again', run: again } : undefined);
      return false;
    }
  };
  /** Makes a change of the lists that shows at once. */
  const make = (wanted: Change, done?: string, undo?: Change): Promise<boolean> =>
    attempt(() => change(wanted), {
      done,
      otherwise: wanted.otherwise,
      undo: undo && (() => make(undo, 'It is back')),
    });

  const byEpi = new Map((products ?? []).map((product) => [product.epi, product]));
  const lidsOf = (epi: number): string[] =>
    lists
      .filter(({ listcontents }) => listcontents.some((item) => Number(item.epi) === epi))
      .map(({ lid }) => lid);

  const saveTo = (product: Product, lid: string): Change => ({
    otherwise: `${product.dt} was not saved`,
    patch: putItem(lid, toInput(product)),
    call: () => client.addToList(lid, toInput(product)),
  });
  const removeFrom = (lids: string[], { epi, dt }: Pick<Item, 'epi' | 'dt'>): Change => ({
    otherwise: `${dt ?? 'It'} was not removed`,
    patch: together(...lids.map((lid) => dropItem(lid, epi))),
    call: () => Promise.all(lids.map((lid) => client.deleteFromList(lid, { epi }))),
  });
  const bringBack = (lids: string[], item: Item | ProductInput): Change => ({
    otherwise: 'It is not back',
    patch: together(...lids.map((lid) => putItem(lid, item))),
    call: () => Promise.all(lids.map((lid) => client.restoreItems(lid, [item.epi]))),
  });
  const saveToFirst = (product: Product): Change => {
    const first = lists.find(({ lname }) => lname === FIRST_LIST);
    if (first && first.lid !== '') return saveTo(product, first.lid);
    const into = (list: List) => together(putList(list), putItem(list.lid, toInput(product)));
    return {
      ...saveTo(product, ''),
      patch: into(draftList(FIRST_LIST)),
      call: async () => {
        const list = await client.ensureList({ lname: FIRST_LIST });
        await client.addToList(list.lid, toInput(product));
        return into(list);
      },
    };
  };
  /** A heart that is tapped again before its list is there: taken out as soon as it is. */
  const takeBack = (product: Product): Change => ({
    otherwise: `${product.dt} was not removed`,
    patch: (all) =>
      together(
        ...all.filter(({ lname }) => lname === FIRST_LIST).map(({ lid }) => dropItem(lid, product.epi)),
      )(all),
    call: async () => {
      const { lid } = await client.ensureList({ lname: FIRST_LIST });
      await client.deleteFromList(lid, product);
      return dropItem(lid, product.epi);
    },
  });
  const toggleHeart = (product: Product): Promise<boolean> => {
    const { epi, dt } = product;
    const lids = lidsOf(epi);
    const isEmpty = lids.length === 0;
    const isDraft = lids.includes('');
    const wanted = isEmpty ? saveToFirst(product) : isDraft ? takeBack(product) : removeFrom(lids, product);
    const done = isEmpty
      ? `${dt} saved to ${FIRST_LIST}`
      : lids.length === 1
        ? `${dt} removed from your list`
        : `${dt} removed from ${lids.length} lists`;
    const undo = isEmpty ? undefined : isDraft ? saveToFirst(product) : bringBack(lids, toInput(product));
    return make(wanted, done, undo);
  };

  /** Puts as many into the cart as there are, at most. */
  const setQuantity = (product: Product, to: (before: number) => number, done?: string): void => {
    const { epi, dt, stk } = product;
    const wanted = to(Math.min(cart[epi] ?? 0, stk));
    changeCart(epi, (before) => Math.max(0, Math.min(Math.trunc(to(Math.min(before, stk))) || 0, stk)));
    if (wanted > stk) show(`There are only ${stk} of ${dt}`);
    else if (done) show(done);
  };
  const saveForLater = (product: Product): Promise<boolean> => {
    const { epi, dt } = product;
    const qty = Math.max(1, Math.min(cart[epi] ?? 1, product.stk));
    const item = { ...toInput(product), qty };
    const findLater = async (): Promise<List> => {
      if (later) return later;
      const { list, items } = await client.SaveForLater.init();
      return { ...list, listcontents: items };
    };
    return make(
      {
        otherwise: `${dt} was not saved for later`,
        // It leaves the cart once it is saved: who closes the page meanwhile must not lose it.
        patch: (all) => all,
        call: async () => {
          const list = await findLater();
          await client.SaveForLater.add(list.lid, item);
          changeCart(epi, () => 0);
          return together(putList(list), putItem(list.lid, item));
        },
      },
      `${dt} saved for later`,
    );
  };
  const moveToCart = (item: Item): Promise<boolean> =>
    make({
      otherwise: `${item.dt ?? 'It'} was not moved`,
      patch: dropItem(item.lid, item.epi),
      call: async () => {
        const [moved] = (await client.SaveForLater.moveToCart(item.lid, item)).itemsmoved;
        if (!moved) throw new ShopError(`${item.dt ?? 'This'} is no longer saved for later`);
        const product = byEpi.get(Number(moved.epi));
        if (product) setQuantity(product, (before) => before + moved.qty, 'Moved to your cart');
      },
    }).then((isDone) => {
      // It may have gone elsewhere meanwhile.
      if (!isDone) void load();
      return isDone;
    });
  const placeOrder = (lines: { epi: number; quantity: number }[]): Promise<boolean> =>
    attempt(
      async () => {
        await backend.order(lines, notedClick());
        for (const { epi } of lines) changeCart(epi, () => 0);
      },
      {
        done: 'Thank you for your order. Nothing is sent: this is a demo.',
        otherwise: 'Nothing was ordered',
      },
    );

  const waitsFor = (epi: number, topic: AlertTopic): boolean =>
    alerts.some((alert) => Number(alert.epi) === epi && alert.topic === topic);
  /** A customer waits at the own address, through the client; for any other one the shop's back end answers. */
  const subscribe = async (product: Product, topic: AlertTopic, address: string): Promise<void> => {
    if (address === email) await client.subscribeForProductAlert({ products: [product], topics: [topic] });
    else await backend.notify(address, product, topic);
    await refreshAlerts();
  };
  const stopWaiting = (alert: ProductAlert): Promise<boolean> => {
    const { id, product, topic } = alert;
    const title = product.dt ?? 'it';
    const known = byEpi.get(Number(alert.epi));
    // A guest's address is not shown to anybody, so that only an account can be put back.
    const undo =
      email !== null && known
        ? () =>
            attempt(() => subscribe(known, topic as AlertTopic, email), {
              done: `You wait for ${title} again`,
            })
        : undefined;
    setAlerts((all) => all?.filter((other) => other.id !== id) ?? null);
    return attempt(() => client.unsubscribeFromProductAlert({ id }).finally(refreshAlerts), {
      done: `You will not hear of ${title} any more`,
      undo,
      otherwise: `You still wait for ${title}`,
    });
  };

  const become = async (action: () => Promise<unknown>): Promise<void> => {
    await action();
    await client.refreshIdentity();
    await load();
  };
  return {
    attempt,
    make,
    byEpi,
    lidsOf,
    saveTo,
    removeFrom,
    bringBack,
    setQuantity,
    toggleHeart,
    saveForLater,
    moveToCart,
    placeOrder,
    waitsFor,
    subscribe,
    stopWaiting,
    decline: () =>
      attempt(() => client.setMeasured(false), { done: 'Your clicks and orders are not measured any more' }),
    login: async (address: string) => {
      await become(() => backend.login(address));
      show(`Welcome, ${address}. What you saved as a guest is in your account.`);
    },
    logout: () => attempt(() => become(backend.logout), { done: 'You are logged out' }),
  };
}
