import {
  createContext,
  createElement,
  useContext,
  useEffect,
  useMemo,
  useRef,
  useState,
  useSyncExternalStore,
} from 'react';
import type { ReactElement } from 'react';
import type { List, VariantId, Wishgate, WishgateError } from '@wishgate/client';
import { createStore } from './store.ts';
import type { Store } from './store.ts';
import type { Actions, NotifyMe, WishgateProviderProps } from './types.ts';

export type * from './types.ts';

const StoreContext = createContext<Store | null>(null);

function useStore(): Store {
  const store = useContext(StoreContext);
  if (!store) throw new Error('Wishgate hooks need a <WishgateProvider> above them');
  return store;
}

/** Renders again only if what is selected has changed. The first rendering in the browser is that of the server. */
function useSelected<Selected>(select: (state: Store['initial']) => Selected): Selected {
  const { subscribe, get, initial } = useStore();
  return useSyncExternalStore(
    subscribe,
    () => select(get()),
    () => select(initial),
  );
}

/** Gives the hooks below it one store of the shopper's lists. */
export function WishgateProvider(props: WishgateProviderProps): ReactElement {
  const {
    client,
    snapshot,
    listName = 'My Wishlist',
    live = true,
    onError = console.error,
    children,
  } = props;
  const report = useRef(onError);
  useEffect(() => void (report.current = onError));
  const store = useMemo(
    () => createStore(client, { snapshot, listName, onError: (error) => report.current(error) }),
    // Later snapshots are older than what the store knows.
    [client, listName],
  );
  useEffect(() => store.start(live), [store, live]);
  return createElement(StoreContext.Provider, { value: store }, children);
}

/** The shopper's lists, newest first, save for later among them; undefined until they are known. */
export const useLists = (): List[] | undefined => useSelected(({ lists }) => lists);

/** One list; undefined until it is known, null if the shopper has none with this id. */
export const useList = (lid: string): List | null | undefined =>
  useSelected(({ lists }) => lists && (lists.find((list) => list.lid === lid) ?? null));

/** Whether a wishlist of the shopper, or the one with this id, has the variant. Only changes of it render again. */
export function useIsInList(epi: VariantId, lid?: string): boolean {
  const { show, isIn } = useStore();
  useEffect(() => show(epi), [show, epi]);
  return useSelected((state) => isIn(state, epi, lid));
}

/** Functions that stay the same. */
export const useActions = (): Actions => useStore().actions;

/** The client of the provider, for all other calls. */
export const useWishgate = (): Wishgate => useStore().client;

/** Subscribes to alerts, and keeps how that went for the form that shows it. */
export function useNotifyMe(): NotifyMe {
  const { client } = useStore();
  const [state, setState] = useState<Omit<NotifyMe, 'subscribe'>>({ status: 'idle' });
  const subscribe = useMemo(
    (): NotifyMe['subscribe'] => async (product, options) => {
      setState({ status: 'sending' });
      try {
        const { confirmed } = await client.subscribeForProductAlert({ ...options, products: [product] });
        setState({ status: confirmed ? 'subscribed' : 'unconfirmed' });
      } catch (error) {
        setState({ status: 'failed', error: error as WishgateError });
      }
    },
    [client],
  );
  return { ...state, subscribe };
}
