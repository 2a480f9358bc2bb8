import type { JSX } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import type { Product } from './api.ts';
import { lastingToasts, linkTo, shop, update } from './state.ts';

type Entry = { key: string; isDialog?: boolean } | null;

const entry = (): Entry => history.state as Entry;
const newKey = (): string => Math.random().toString(36).slice(2);

/** Scroll position of each page, by the key of its history entry. */
const scrolled = new Map<string, number>();
let current = '';
let scrollTop = 0;
let onClosed: (() => void) | null = null;

/** Links in alerts name the variant in the query. */
function readRoute(): [string, string, string] {
  const [view = '', name = '', variant] = location.hash.replace(/^#\/?/, '').split('/');
  return [view, name, variant ?? new URLSearchParams(location.search).get('variant') ?? ''];
}

/** Follows the URL. Back restores the scroll position and closes a dialog. */
export function followRoute(): void {
  history.scrollRestoration = 'manual';
  current = entry()?.key ?? newKey();
  history.replaceState({ key: current }, '');
  update({ route: readRoute() });
  addEventListener('hashchange', () => {
    scrolled.set(current, scrollY);
    if (!entry()) history.replaceState({ key: newKey() }, '');
    current = entry()!.key;
    scrollTop = scrolled.get(current) ?? 0;
    update({ route: readRoute() });
  });
  addEventListener('popstate', () => {
    if (!entry()?.isDialog) update({ dialog: null });
    onClosed?.();
    onClosed = null;
  });
}

/** Scrolls after each change of view, and moves the focus to its heading. */
export function useArrival(): void {
  const [view, name] = shop.route;
  useEffect(() => scrollTo(0, scrollTop), [shop.route]);
  const page = view === 'p' ? `p/${name}` : view;
  const before = useRef(page);
  useEffect(() => {
    // Screen readers announce the new view; tabs of one view keep the focus.
    if (before.current !== page) focusHeading();
    before.current = page;
  }, [page]);
}

/** Shows a variant on the shelf and on its product page, whose URL then names it. */
export function choose(variant: Product): void {
  update({ chosen: { ...shop.chosen, [variant.empi]: variant.epi } });
  if (shop.route[0] !== 'p') return;
  history.replaceState(history.state, '', linkTo(variant));
  scrollTop = scrollY;
  update({ route: readRoute() });
}

export function focusHeading(): void {
  document.querySelector<HTMLElement>('main h1')?.focus({ preventScroll: true });
}

export function open(dialog: () => JSX.Element | null): void {
  // A dialog that replaces another shares its history entry, and what the other one confirmed stays.
  if (entry()?.isDialog) return update({ dialog });
  history.pushState({ ...entry(), isDialog: true }, '');
  update({ dialog, toasts: lastingToasts() });
}

/** Calls `next` once the dialog's history entry is gone. */
export function close(next: () => void = () => undefined): void {
  if (!entry()?.isDialog) {
    update({ dialog: null });
    return next();
  }
  // A second step back would leave the page.
  if (onClosed) return;
  onClosed = next;
  history.back();
}
