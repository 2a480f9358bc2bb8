import { shop, update } from './state.ts';
import type { Cart } from './state.ts';
import { readStored, store } from './storage.ts';

const KEY = 'demo-cart';
const CLICK_KEY = 'demo-click';

/** False if storage is full or disabled: the cart then lasts as long as the page. */
let isStored = true;

/** Accepts only quantities, because other scripts can write to the same storage. */
function loadCart(): Cart {
  try {
    const stored = Object.entries((JSON.parse(readStored('localStorage', KEY) ?? '{}') ?? {}) as Cart);
    return Object.fromEntries(stored.filter(([, qty]) => Number.isFinite(qty) && qty > 0));
  } catch {
    return {};
  }
}

export function followCart(): void {
  update({ cart: loadCart() });
  addEventListener('storage', ({ key }) => {
    if (key === KEY || key === null) update({ cart: loadCart() });
  });
}

/** Changes a variant's quantity, starting from the value that other tabs have stored. */
export function changeCart(epi: number, to: (before: number) => number): void {
  const { [epi]: before = 0, ...others } = isStored ? loadCart() : shop.cart;
  const qty = to(before);
  const cart = qty > 0 ? { ...others, [epi]: qty } : others;
  isStored = store('localStorage', KEY, JSON.stringify(cart));
  update({ cart });
}

/** Remembers the alert click for this visit, to report it with an order, and removes it from the URL. */
export function noteClick(): void {
  const url = new URL(location.href);
  const click = url.searchParams.get('wg');
  if (click === null) return;
  url.searchParams.delete('wg');
  history.replaceState(null, '', url);
  store('sessionStorage', CLICK_KEY, click);
}

export const notedClick = (): string | null => readStored('sessionStorage', CLICK_KEY);
