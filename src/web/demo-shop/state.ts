import type { JSX } from 'preact';
import type { List, ProductAlert, VariantId } from '../../../packages/client/src/wishgate.ts';
import { page } from './api.ts';
import type { Product } from './api.ts';
import type { Patch } from './patches.ts';
import { ACTION_MS, TOAST_MS } from './toasts.ts';
import type { Toast } from './toasts.ts';

export type Cart = Record<string, number>;

const state = {
  products: page.products,
  /** The service's lists; null until they have loaded. */
  serverLists: null as List[] | null,
  /** The visitor's changes that the service has not confirmed yet. */
  pending: [] as Patch[],
  lists: [] as List[],
  /** The save-for-later list; undefined until it has loaded. */
  later: undefined as List | undefined,
  alerts: null as ProductAlert[] | null,
  email: null as string | null,
  away: null as string | null,
  cart: {} as Cart,
  /** The variant that the shelf shows of each product, by `empi`. */
  chosen: {} as Record<number, number>,
  toasts: [] as Toast[],
  dialog: null as (() => JSX.Element | null) | null,
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

export const dismiss = (id: number): void =>
  update({ toasts: shop.toasts.filter((toast) => toast.id !== id) });

/** Errors and messages with a button, which the visitor needs time for; others are confirmations. */
export const lastingToasts = (): Toast[] => shop.toasts.filter((toast) => toast.isError || toast.action);

/** Replaces an earlier confirmation; an error or an Undo stays above the new message. Returns the message's id. */
export function show(text: string, isError = false, action?: Toast['action']): number {
  const id = Math.random();
  update({ toasts: [...lastingToasts().slice(-1), { text, isError, id, action }] });
  setTimeout(() => dismiss(id), action ? ACTION_MS : TOAST_MS);
  return id;
}

export const findProduct = (epi: VariantId): Product | undefined =>
  shop.products?.find((product) => product.epi === Number(epi));

export const variantsOf = ({ empi }: Product): Product[] =>
  shop.products?.filter((product) => product.empi === empi) ?? [];

type Named = { dt?: string | null; title?: string | null; vi?: string | null };

/** The title with the variant: "Canvas apron, Sage". */
export const nameOf = ({ dt, title, vi }: Named): string => [dt || title, vi].filter(Boolean).join(', ');

export const linkTo = ({ slug, vi, epi }: Product): string => `#/p/${slug}${vi && `/${epi}`}`;
