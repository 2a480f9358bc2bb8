import type { JSX } from 'preact';
import type { List, ProductAlert, VariantId } from '../../sdk/client/wishgate.ts';
import { page } from './api.ts';
import type { Product } from './api.ts';
import type { Patch } from './patches.ts';
import { ACTION_MS, TOAST_MS } from './toasts.ts';
import type { Toast } from './toasts.ts';

export type Cart = Record<string, number>;

type State = {
  products: Product[] | null;
  /** The service's lists; null until they have loaded. */
  serverLists: List[] | null;
  /** The visitor's changes that the service has not confirmed yet. */
  pending: Patch[];
  lists: List[];
  /** The save-for-later list; undefined until it has loaded. */
  later: List | undefined;
  alerts: ProductAlert[] | null;
  email: string | null;
  away: string | null;
  cart: Cart;
  toasts: Toast[];
  dialog: (() => JSX.Element | null) | null;
  /** The view in the URL, and the name of the shown item. */
  route: [view: string, name: string];
};

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
