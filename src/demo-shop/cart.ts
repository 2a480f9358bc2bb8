/** What is in the cart: quantities by variant. It belongs to the shop, so it stays in the shop's own storage. */
export type Cart = Record<string, number>;

const KEY = 'demo-cart';

export function loadCart(): Cart {
  try {
    return JSON.parse(localStorage.getItem(KEY) ?? '{}') as Cart;
  } catch {
    return {};
  }
}

export function saveCart(cart: Cart): void {
  localStorage.setItem(KEY, JSON.stringify(cart));
}

/** The cart with this many of a variant; none takes it out. */
export function withQuantity(cart: Cart, epi: number, qty: number): Cart {
  const { [epi]: _before, ...others } = cart;
  return qty > 0 ? { ...others, [epi]: qty } : others;
}
