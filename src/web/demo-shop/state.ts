import type { ProductAlert, VariantId, Wishgate } from '../../../packages/client/src/wishgate.ts';
import { backend, explain, page, startElements } from './api.ts';
import type { Product } from './api.ts';
import { TOAST_MS } from './toasts.ts';

type Cart = Record<string, number>;

const CART_KEY = 'demo-cart';
const CLICK_KEY = 'demo-click';

const state = {
  products: page.products,
  client: null as Wishgate | null,
  email: null as string | null,
  alerts: null as ProductAlert[] | null,
  cart: {} as Cart,
  /** The variant that the shelf shows of each product, by `empi`. */
  chosen: {} as Record<number, number>,
  toast: null as { text: string; isError: boolean } | null,
  /** The view in the URL, the name of the shown item, and its variant. */
  route: ['', '', ''] as [view: string, name: string, variant: string],
};

export const shop: Readonly<typeof state> = state;

let redraw = (): void => undefined;

export const onUpdate = (draw: () => void): void => void (redraw = draw);

export function update(changes: Partial<typeof state>): void {
  Object.assign(state, changes);
  redraw();
}

/** Replaces an earlier message. */
export function show(text: string, isError = false): void {
  const toast = { text, isError };
  update({ toast });
  setTimeout(() => void (shop.toast === toast && update({ toast: null })), TOAST_MS);
}

/** Shows what was done, or why it was not. */
export async function attempt(action: () => Promise<unknown>, done: string): Promise<boolean> {
  const problem = await action().then(() => null, explain);
  show(problem ?? done, problem !== null);
  return problem === null;
}

export const findProduct = (epi: VariantId): Product | undefined =>
  shop.products?.find((product) => product.epi === Number(epi));

export const variantsOf = ({ empi }: Product): Product[] =>
  shop.products?.filter((product) => product.empi === empi) ?? [];

/** The title with the variant: "Canvas apron, Sage". */
export const nameOf = ({ dt, vi }: { dt?: string | null; vi?: string | null }): string =>
  [dt, vi].filter(Boolean).join(', ');

export const linkTo = ({ slug, vi, epi }: Product): string => `#/p/${slug}${vi && `/${epi}`}`;

export const refreshProducts = async (): Promise<void> => update({ products: await backend.products() });

export async function refreshAlerts(): Promise<void> {
  const found = await shop.client?.fetchProductAlerts({ limit: 100 });
  if (found) update({ alerts: found.subscriptions });
}

const quietly = (work: Promise<unknown>): void => void work.catch(() => undefined);

/** Links in alerts name the variant in the query. */
function readRoute(): void {
  const [view = '', name = '', variant] = location.hash.replace(/^#\/?/, '').split('/');
  const asked = variant ?? new URLSearchParams(location.search).get('variant') ?? '';
  update({ route: [view, name, asked] });
}

/** Shows a variant on the shelf and on its product page, whose URL then names it. */
export function choose(variant: Product): void {
  update({ chosen: { ...shop.chosen, [variant.empi]: variant.epi } });
  if (shop.route[0] !== 'p') return;
  history.replaceState(null, '', linkTo(variant));
  readRoute();
}

/** False if storage is full or disabled: the cart then lasts as long as the page. */
let isStored = true;

/** Accepts only quantities, because other scripts can write to the same storage. */
function loadCart(): Cart {
  try {
    const stored = Object.entries((JSON.parse(localStorage.getItem(CART_KEY) ?? '{}') ?? {}) as Cart);
    return Object.fromEntries(stored.filter(([, qty]) => Number.isFinite(qty) && qty > 0));
  } catch {
    return shop.cart;
  }
}

/** Changes a variant's quantity, at most to the stock, starting from the value that other tabs have stored. */
export function setQuantity(product: Product, to: (before: number) => number, done?: string): void {
  const { epi, stk } = product;
  const { [epi]: before = 0, ...others } = isStored ? loadCart() : shop.cart;
  const wanted = Math.max(0, Math.trunc(to(before)) || 0);
  const qty = Math.min(wanted, stk);
  const cart = qty > 0 ? { ...others, [epi]: qty } : others;
  update({ cart });
  try {
    localStorage.setItem(CART_KEY, JSON.stringify(cart));
  } catch {
    isStored = false;
  }
  if (wanted > stk) show(`Only ${stk} left: ${nameOf(product)}`);
  else if (done) show(done);
}

/** Remembers the alert click for this visit, to report it with an order, and removes it from the URL. */
function noteClick(): void {
  const url = new URL(location.href);
  const click = url.searchParams.get('wg');
  if (click === null) return;
  url.searchParams.delete('wg');
  history.replaceState(null, '', url);
  sessionStorage.setItem(CLICK_KEY, click);
}

export const notedClick = (): string | null => sessionStorage.getItem(CLICK_KEY);

async function connect(): Promise<void> {
  const client = await startElements((email) => update({ email }));
  update({ client });
  client.onChange((change) => void (change === 'identity' && quietly(refreshAlerts())));
  await refreshAlerts();
}

export async function become(action: () => Promise<unknown>): Promise<void> {
  await action();
  await shop.client?.refreshIdentity();
}

export function open(): void {
  noteClick();
  update({ cart: loadCart() });
  readRoute();
  if (shop.products === null) quietly(refreshProducts());
  quietly(connect());
  addEventListener('hashchange', () => {
    readRoute();
    scrollTo(0, 0);
    quietly(refreshAlerts());
  });
  addEventListener('storage', ({ key }) => {
    if (key === CART_KEY || key === null) update({ cart: loadCart() });
  });
  // The cart of this page takes what the elements give.
  addEventListener('wishgate-add-to-cart', (event) => {
    const { item } = (event as CustomEvent<{ item: { epi: VariantId; qty: number } }>).detail;
    const product = findProduct(item.epi);
    if (product) setQuantity(product, (before) => before + item.qty, `${nameOf(product)} added to your cart`);
    else event.preventDefault();
  });
}
