import { useCallback, useEffect, useState } from 'preact/hooks';

/** What is in the cart: quantities by variant. It belongs to the shop, so it stays in the shop's own storage. */
export type Cart = Record<string, number>;

const KEY = 'demo-cart';

/** Only what is a quantity counts: others can write there, too. */
function parse(text: string | null): Cart {
  try {
    const kept = JSON.parse(text ?? '{}') as Cart | null;
    return Object.fromEntries(
      Object.entries(kept ?? {}).filter(([, qty]) => Number.isFinite(qty) && qty > 0),
    );
  } catch {
    return {};
  }
}

/** The cart of all tabs. */
function loadCart(): Cart {
  try {
    return parse(localStorage.getItem(KEY));
  } catch {
    return {};
  }
}

/** Whether all tabs have it now; where storage is full or switched off, the cart lasts as long as the page. */
function saveCart(cart: Cart): boolean {
  try {
    localStorage.setItem(KEY, JSON.stringify(cart));
    return true;
  } catch {
    return false;
  }
}

/** Calls back with the cart that another tab has left; returns how to stop it. */
function followCart(onCart: (cart: Cart) => void): () => void {
  const hear = ({ key, newValue }: StorageEvent): void => {
    if (key === KEY || key === null) onCart(parse(newValue));
  };
  addEventListener('storage', hear);
  return () => removeEventListener('storage', hear);
}

const CLICK_KEY = 'demo-click';

/** Remembers for this visit by which alert the visitor came, and takes it out of the address; it is said with an order. */
export function noteClick(): void {
  const query = new URLSearchParams(location.search);
  const click = query.get('wg');
  if (click === null) return;
  query.delete('wg');
  const rest = query.toString();
  history.replaceState(null, '', `${location.pathname}${rest && `?${rest}`}${location.hash}`);
  try {
    sessionStorage.setItem(CLICK_KEY, click);
  } catch {
    // Switched off: the order is one without a click.
  }
}

/** The click that brought the visitor, or null. */
export function notedClick(): string | null {
  try {
    return sessionStorage.getItem(CLICK_KEY);
  } catch {
    return null;
  }
}

/** The cart with this many of a variant; none takes it out. */
function withQuantity(cart: Cart, epi: number, qty: number): Cart {
  const { [epi]: _before, ...others } = cart;
  return qty > 0 ? { ...others, [epi]: qty } : others;
}

/** Changes how many of a variant are in the cart. */
export type ChangeCart = (epi: number, to: (before: number) => number) => void;

/** The cart, which all tabs share: each change begins with what the other tabs have left. */
export function useCart(): [Cart, ChangeCart] {
  const [cart, setCart] = useState<Cart>(loadCart);
  useEffect(() => followCart(setCart), []);
  const [memo] = useState({ isStored: true });
  const changeCart = useCallback<ChangeCart>(
    (epi, to) =>
      setCart((shown) => {
        const before = memo.isStored ? loadCart() : shown;
        const after = withQuantity(before, epi, to(before[epi] ?? 0));
        memo.isStored = saveCart(after);
        return after;
      }),
    [memo],
  );
  return [cart, changeCart];
}
