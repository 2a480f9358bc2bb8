import type { JSX } from 'preact';
import type { List, ProductAlert, VariantId } from '../../sdk/client/wishgate.ts';
import { page } from './api.ts';
import type { Product } from './api.ts';
import type { Patch } from './patches.ts';
import { ACTION_MS, TOAST_MS } from './toasts.ts';
import type { Toast } from './toasts.ts';

/** Quantities by variant. */
export type Cart = Record<string, number>;

type State = {
  products: Product[] | null;
  /** The lists as the service has them; null until it has sent them. */
  serverLists: List[] | null;
  /** What the visitor changed and the service has not confirmed yet. */
  pending: Patch[];
  lists: List[];
  /** The save-for-later list, likewise. */
  later: List | undefined;
  alerts: ProductAlert[] | null;
  email: string | null;
  away: string | null;
  cart: Cart;
  toasts: Toast[];
  dialog: (() => JSX.Element | null) | null;
  /** The view in the address, and the name of what it shows. */
  route: [view: string, name: string];
};

/** Everything that the page shows; `update` changes it. */
export const shop: Readonly<State> = {
  products: page.products,
  serverLists: null,
  pending: [],
  lists: [],
  later: undefined,
  alerts: null,
  email: null,
  away: null,
  cart: {},
  toasts: [],
  dialog: null,
  route: ['', ''],
};

let redraw = (): void => undefined;

/** Sets what draws the page anew after a change. */
export const onUpdate = (draw: () => void): void => void (redraw = draw);

export function update(changes: Partial<State>): void {
  Object.assign(shop, changes);
  redraw();
}

export const dismiss = (id: number): void =>
  update({ toasts: shop.toasts.filter((toast) => toast.id !== id) });

export function show(text: string, isError = false, action?: Toast['action']): void {
  const id = Math.random();
  update({ toasts: [...shop.toasts.slice(-1), { text, isError, id, action }] });
  setTimeout(() => dismiss(id), action ? ACTION_MS : TOAST_MS);
}

export const findProduct = (epi: VariantId): Product | undefined =>
  shop.products?.find((product) => product.epi === Number(epi));
