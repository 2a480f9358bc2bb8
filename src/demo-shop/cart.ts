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

/** The cart with this many of a variant; none takes it out. */
export function withQuantity(cart: Cart, epi: number, qty: number): Cart {
  const { [epi]: _before, ...others } = cart;
  return qty > 0 ? { ...others, [epi]: qty } : others;
}
