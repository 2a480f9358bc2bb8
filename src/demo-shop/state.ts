import { createContext } from 'preact';
import { useCallback, useContext, useEffect, useMemo, useRef, useState } from 'preact/hooks';
import type { Item, List, ProductInput } from '../client/wishgate.ts';
import { ShopError, backend, explain } from './api.ts';
import type { AlertTopic, Product } from './api.ts';
import { loadCart, notedClick, saveCart, withQuantity } from './cart.ts';
import type { Cart } from './cart.ts';
import { client, customer } from './client.ts';

/** A line that appears for a few seconds. */
export type Toast = { text: string; isError: boolean; id: number; undo?: Undo };

/** Takes back what was just done. */
export type Undo = () => Promise<unknown>;

/** What a dialog is about. */
export type Dialog =
  | { kind: 'login'; reason: string }
  | { kind: 'pick'; product: Product }
  | { kind: 'notify'; product: Product; topic: AlertTopic }
  | { kind: 'share'; list: List };

const FIRST_LIST = 'Favourites';
const TOAST_MS = 4000;
/** Long enough to read it, find the button and press it. */
const UNDO_MS = 12_000;

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

function useToasts() {
  const [toasts, setToasts] = useState<Toast[]>([]);
  const dismiss = useCallback((id: number) => setToasts((all) => all.filter((toast) => toast.id !== id)), []);
  const show = useCallback(
    (text: string, isError = false, undo?: Undo) => {
      const id = Math.random();
      setToasts((all) => [...all.slice(-1), { text, isError, id, undo }]);
      setTimeout(() => dismiss(id), undo ? UNDO_MS : TOAST_MS);
    },
    [dismiss],
  );
  return { toasts, show, dismiss };
}

/** Everything that the shop's views share. */
export function useShopState() {
  const { toasts, show, dismiss } = useToasts();
  const [products, setProducts] = useState<Product[] | null>(null);
  const [lists, setLists] = useState<List[] | null>(null);
  const [lidsOf, setLidsOf] = useState<Map<number, string[]>>(new Map());
  const [saved, setSaved] = useState<Item[]>([]);
  const [email, setEmail] = useState<string | null>(null);
  const [cart, setCart] = useState<Cart>(loadCart);
  const [dialog, setDialog] = useState<Dialog | null>(null);
  const [problem, setProblem] = useState<string | null>(null);

  /** Runs an action; its failure becomes a line on the page. */
  const attempt = useCallback(
    async (action: () => Promise<unknown>, done?: string, undo?: Undo): Promise<boolean> => {
      try {
        await action();
        if (done) show(done, false, undo);
        return true;
      } catch (error) {
        show(explain(error), true);
        return false;
      }
    },
    [show],
  );

  const firstList = useRef<Promise<List> | null>(null);
  /** The list that hearts save to. Hearts that are tapped while it is being made wait for the same one. */
  const findFirstList = useCallback((): Promise<List> => {
    const find = async (): Promise<List> =>
      (await client.fetchLists()).find(({ lname }) => lname === FIRST_LIST) ??
      client.createList({ lname: FIRST_LIST });
    firstList.current ??= find().finally(() => (firstList.current = null));
    return firstList.current;
  }, []);

  const latest = useRef(0);
  const reload = useCallback(async () => {
    latest.current += 1;
    const mine = latest.current;
    try {
      const shelf = await backend.products();
      const [all, memberships, later] = await Promise.all([
        client.fetchLists(),
        client.isInLists(shelf.map(({ epi }) => epi)),
        client.SaveForLater.init(),
      ]);
      // A reload that began later knows more; what this one brings is out of date.
      if (mine !== latest.current) return;
      const wishlists = all.filter(({ lty }) => lty !== 'sfl');
      const known = new Set(wishlists.map(({ lid }) => lid));
      setProducts(shelf);
      setLists(wishlists);
      setLidsOf(
        new Map(memberships.map(({ epi, lids }) => [Number(epi), lids.filter((lid) => known.has(lid))])),
      );
      setSaved(later.items);
      setEmail(customer());
      setProblem(null);
    } catch (error) {
      if (mine === latest.current) setProblem(explain(error));
    }
  }, []);

  useEffect(() => {
    void reload();
    // Own writes and those of other tabs arrive here alike,
    const stopListening = client.onChange(() => void reload());
    // and here those of every device; the first call tells what the page has just read.
    let isFirst = true;
    const stopWatching = client.watch(() => {
      if (!isFirst) void reload();
      isFirst = false;
    });
    return () => {
      stopListening();
      stopWatching();
    };
  }, [reload]);

  const changeCart = useCallback((epi: number, qty: number) => {
    setCart((before) => {
      const after = withQuantity(before, epi, qty);
      saveCart(after);
      return after;
    });
  }, []);

  return useMemo(() => {
    const byEpi = new Map((products ?? []).map((product) => [product.epi, product]));
    const toggleHeart = async (product: Product): Promise<void> => {
      const lids = lidsOf.get(product.epi) ?? [];
      if (lids.length > 0) {
        await attempt(
          () => Promise.all(lids.map((lid) => client.deleteFromList(lid, product))),
          `${product.dt} removed from your lists`,
          () => Promise.all(lids.map((lid) => client.restoreItems(lid, [product.epi]))),
        );
        return;
      }
      await attempt(async () => {
        const { lid } = await findFirstList();
        await client.addToList(lid, toInput(product));
      }, `${product.dt} saved to ${FIRST_LIST}`);
    };
    const saveForLater = (product: Product): Promise<boolean> =>
      attempt(async () => {
        await client.SaveForLater.add({ ...toInput(product), qty: cart[product.epi] ?? 1 });
        changeCart(product.epi, 0);
      }, `${product.dt} saved for later`);
    const moveToCart = (item: Item): Promise<boolean> =>
      attempt(async () => {
        const [moved] = (await client.SaveForLater.moveToCart(item)).itemsmoved;
        if (!moved) throw new ShopError(`${item.dt ?? 'This'} is no longer saved for later`);
        changeCart(Number(moved.epi), (cart[moved.epi] ?? 0) + moved.qty);
      }, 'Moved to your cart');
    const placeOrder = (): Promise<boolean> =>
      attempt(async () => {
        const lines = Object.entries(cart).map(([epi, quantity]) => ({ epi: Number(epi), quantity }));
        await backend.order(lines, notedClick());
        for (const { epi } of lines) changeCart(epi, 0);
      }, 'Thank you for your order. Nothing is sent: this is a demo.');
    const become = (action: () => Promise<unknown>, done: string): Promise<boolean> =>
      attempt(async () => {
        await action();
        await client.refreshIdentity();
        await reload();
      }, done);
    return {
      toasts,
      show,
      dismiss,
      attempt,
      reload,
      problem,
      products,
      byEpi,
      lists,
      lidsOf,
      saved,
      email,
      cart,
      changeCart,
      dialog,
      open: setDialog,
      close: () => setDialog(null),
      toggleHeart,
      saveForLater,
      moveToCart,
      placeOrder,
      decline: () =>
        attempt(() => client.setMeasured(false), 'Your clicks and orders are not measured any more'),
      login: (address: string) =>
        become(
          () => backend.login(address),
          `Welcome, ${address}. What you saved as a guest is in your account.`,
        ),
      logout: () => become(backend.logout, 'You are logged out'),
    };
  }, [
    toasts,
    show,
    dismiss,
    attempt,
    reload,
    problem,
    products,
    lists,
    lidsOf,
    saved,
    email,
    cart,
    changeCart,
    findFirstList,
    dialog,
  ]);
}

/** The shop's shared state, for every view below the app. */
export const Shop = createContext<ReturnType<typeof useShopState> | null>(null);

export function useShop(): ReturnType<typeof useShopState> {
  return useContext(Shop)!;
}
