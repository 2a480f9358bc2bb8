import { createContext } from 'preact';
import { useContext } from 'preact/hooks';
import type { Item, List } from '../../sdk/client/wishgate.ts';
import { createActions } from './actions.ts';
import type { AlertTopic, Product } from './api.ts';
import { useCart } from './cart.ts';
import { useDialog } from './route.ts';
import { useToasts } from './toasts.ts';
import { useWishes } from './wishes.ts';

/** What a dialog is about. */
export type Dialog =
  | { kind: 'login'; reason: string; share?: List }
  | { kind: 'pick'; product: Product }
  | { kind: 'notify'; product: Product; topic: AlertTopic }
  | { kind: 'share'; lid: string }
  | { kind: 'name'; list: List | null }
  | { kind: 'edit'; item: Item };

/** Everything that the shop's views share. */
export function useShopState() {
  const toasts = useToasts();
  const dialog = useDialog<Dialog>();
  const wishes = useWishes();
  const [cart, changeCart] = useCart();
  const { show } = toasts;
  const actions = createActions(wishes, show, cart, changeCart);
  return { ...wishes, ...toasts, ...dialog, ...actions, cart };
}

/** The shop's shared state, for every view below the app. */
export const Shop = createContext<ReturnType<typeof useShopState> | null>(null);

export function useShop(): ReturnType<typeof useShopState> {
  return useContext(Shop)!;
}
