/** What is in the cart: quantities by variant. It belongs to the shop, so it stays in the shop's own storage. */
export type Cart = Record<string, number>;

const KEY = 'demo-cart';

export function loadCart(): Cart {
  try {
    const kept = JSON.parse(localStorage.getItem(KEY) ?? '{}') as Cart | null;
    // Others can write there, too: only what is a quantity counts.
    return Object.fromEntries(
      Object.entries(kept ?? {}).filter(([, qty]) => Number.isFinite(qty) && qty > 0),
    );
  } catch {
    return {};
  }
}

export function saveCart(cart: Cart): void {
  try {
    localStorage.setItem(KEY, JSON.stringify(cart));
  } catch {
    // Full or switched off: the cart lasts as long as the page.
  }
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
export function withQuantity(cart: Cart, epi: number, qty: number): Cart {
  const { [epi]: _before, ...others } = cart;
  return qty > 0 ? { ...others, [epi]: qty } : others;
}
