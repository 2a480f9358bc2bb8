import { useCallback, useEffect, useMemo, useState } from 'preact/hooks';
import type { List, ProductAlert } from '../../sdk/client/wishgate.ts';
import { backend, explain, isUnreachable, page } from './api.ts';
import type { Product } from './api.ts';
import { client, customer } from './client.ts';
import { together } from './patches.ts';
import type { Patch } from './patches.ts';

/** A change of the lists: shown at once, and taken back when the service refuses it. */
export type Change = {
  /** What was not done, where it fails: "Linen throw was not saved". */
  otherwise: string;
  patch: Patch;
  /** Asks the service; where it answers with a `Patch`, that is shown from now on: the service knew more. */
  call: () => Promise<unknown>;
};

const MOST_PAUSE_MS = 8_000;
const ALERTS_KEY = 'demo-alerts';
const AWAY = 'Wishlists cannot be reached right now. We keep trying.';

/** Tells the other tabs that what the visitor waits for has changed. */
function tellAlerts(): void {
  try {
    localStorage.setItem(ALERTS_KEY, String(Math.random()));
  } catch {
    // They notice when they are looked at.
  }
}

/**
 * Products, lists and alerts as the shop shows them. Products come with the page; lists come from the service, and what the visitor has just changed is shown
 * over them. While the service is away it is asked again and again, and `away` says so.
 */
export function useWishes() {
  const [products, setProducts] = useState<Product[] | null>(page.products);
  const [truth, setTruth] = useState<List[] | null>(null);
  const [pending, setPending] = useState<Patch[]>([]);
  const [alerts, setAlerts] = useState<ProductAlert[] | null>(null);
  const [email, setEmail] = useState<string | null>(null);
  const [away, setAway] = useState<string | null>(null);

  const [memo] = useState(() => ({
    /** Numbers what the service is asked: an answer to an older question is out of date. */
    asked: 0,
    tries: 0,
    timer: undefined as ReturnType<typeof setTimeout> | undefined,
    /** Whether changes of other devices are told; else this page asks after each of its own. */
    isLive: false,
    writes: 0,
    /** What was asked last: the service gets changes in the visitor's order, or Undo could overtake what comes after it. */
    last: Promise.resolve() as Promise<unknown>,
    hasProducts: page.products !== null,
  }));

  const refreshProducts = useCallback(async () => {
    setProducts(await backend.products());
    memo.hasProducts = true;
  }, [memo]);
  const refreshAlerts = useCallback(
    async () => setAlerts((await client.fetchProductAlerts({ limit: 100 })).subscriptions),
    [],
  );

  const load = useCallback(async () => {
    memo.asked += 1;
    const mine = memo.asked;
    const readLists = async (): Promise<void> => {
      const lists = await client.fetchLists();
      if (mine === memo.asked) setTruth(lists);
    };
    const outcomes = await Promise.allSettled([
      readLists(),
      refreshAlerts(),
      memo.hasProducts ? undefined : refreshProducts(),
    ]);
    setEmail(customer());
    const failed = outcomes.find((outcome) => outcome.status === 'rejected');
    clearTimeout(memo.timer);
    if (failed) {
      const pause = Math.min(MOST_PAUSE_MS, 600 * 2 ** memo.tries);
      memo.tries += 1;
      memo.timer = setTimeout(() => void load(), pause);
      // What a visitor was told of a change that was lost stays until the service is back.
      setAway((told) => told ?? (isUnreachable(failed.reason) ? AWAY : explain(failed.reason)));
    } else {
      memo.tries = 0;
      setAway(null);
    }
  }, [memo, refreshAlerts, refreshProducts]);

  useEffect(() => {
    void load();
    const stopListening = client.onChange((change) => {
      if (change === 'identity') setPending([]);
      // Own changes are shown already, and those of other tabs are told.
      else if (memo.writes > 0 || memo.isLive) return;
      void load();
    });
    const stopWatching = client.watch(
      (lists) => {
        memo.asked += 1;
        memo.isLive = true;
        setTruth(lists);
        setEmail(customer());
      },
      () => {
        memo.isLive = false;
        void load();
      },
    );
    const refresh = (): void => void Promise.all([refreshProducts(), refreshAlerts()]).catch(() => load());
    const onShown = (): void => void (document.visibilityState === 'visible' && refresh());
    const onStored = ({ key }: StorageEvent): void =>
      void (key === ALERTS_KEY && refreshAlerts().catch(() => undefined));
    const onNetwork = (): void => {
      memo.tries = 0;
      void load();
    };
    document.addEventListener('visibilitychange', onShown);
    addEventListener('storage', onStored);
    addEventListener('online', onNetwork);
    addEventListener('offline', onNetwork);
    return () => {
      stopListening();
      stopWatching();
      clearTimeout(memo.timer);
      document.removeEventListener('visibilitychange', onShown);
      removeEventListener('storage', onStored);
      removeEventListener('online', onNetwork);
      removeEventListener('offline', onNetwork);
    };
  }, [memo, load, refreshProducts, refreshAlerts]);

  /** Says in the bar what was lost on the way; false where something else was wrong. */
  const tellLost = useCallback(
    (error: unknown, otherwise: string): boolean => {
      if (!isUnreachable(error)) return false;
      setAway(`${otherwise}. ${AWAY}`);
      memo.tries = 0;
      void load();
      return true;
    },
    [memo, load],
  );

  /** Asks the service after everything that was asked like this before: about a list that is just being deleted or brought back it would answer 404. */
  const inTurn = useCallback(
    <Answer>(call: () => Promise<Answer>): Promise<Answer> => {
      const answering = memo.last.then(call, call);
      memo.last = answering;
      return answering;
    },
    [memo],
  );

  /** Makes a change; throws what the service said against it, after the page is as it was. */
  const change = useCallback(
    async ({ patch, call }: Change) => {
      setPending((all) => [...all, patch]);
      memo.writes += 1;
      try {
        const answer = await inTurn(call);
        const real = typeof answer === 'function' ? (answer as Patch) : patch;
        setTruth((lists) => lists && real(lists));
      } finally {
        memo.writes -= 1;
        setPending((all) => all.filter((other) => other !== patch));
      }
      if (!memo.isLive) void load();
    },
    [memo, load, inTurn],
  );

  const lists = useMemo(() => together(...pending)(truth ?? []), [truth, pending]);
  // The same lists are the same array: views ask for more when it is another.
  const wishlists = useMemo(() => lists.filter(({ lty }) => lty !== 'sfl'), [lists]);
  return {
    products,
    refreshProducts,
    lists: wishlists,
    later: lists.find(({ lty }) => lty === 'sfl'),
    areListsKnown: truth !== null,
    alerts: alerts ?? [],
    areAlertsKnown: alerts !== null,
    setAlerts,
    refreshAlerts: useCallback(async () => {
      await refreshAlerts();
      tellAlerts();
    }, [refreshAlerts]),
    email,
    away,
    load,
    change,
    inTurn,
    tellLost,
  };
}

/** Products, lists and alerts, and how to change them. */
export type Wishes = ReturnType<typeof useWishes>;
