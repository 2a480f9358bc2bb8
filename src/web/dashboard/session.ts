import { createContext } from 'preact';
import { useCallback, useContext, useEffect, useRef, useState } from 'preact/hooks';
import { WatchShopperDocument } from '../../generated/dashboard.ts';
import type { TypedDocumentString } from '../../generated/dashboard.ts';
import { ApiError } from './api.ts';
import type { Answered, Run, StoreInfo } from './api.ts';

export type Operator = {
  /** Calls as the operator only, because a closed store would reject the call. */
  run: Run;
  choose: (store: StoreInfo | null) => void;
};

export type Session = {
  /** Empty for an operator without a chosen store. */
  pid: string;
  run: Run;
  operator: Operator | null;
  /** Shows a temporary message, which screen readers announce. */
  notify: (message: string) => void;
  rename: (name: string) => void;
};

export const TOAST_MS = 6_000;

export const SessionContext = createContext<Session | null>(null);

export function useSession(): Session {
  const session = useContext(SessionContext);
  if (session === null) throw new Error('This part works for a signed-in store only');
  return session;
}

/** The state of a query; older data remains while newer data loads. */
export type Query<Data> = {
  data: Data | null;
  error: ApiError | null;
  isLoading: boolean;
  /** Whether the data belongs to earlier variables. */
  isStale: boolean;
  reload: () => void;
  /** Shows the result of a write; a query in flight is older and is ignored. */
  replace: (data: Data) => void;
};

function asApiError(error: unknown): ApiError {
  if (error instanceof ApiError) return error;
  return new ApiError('internal-error', error instanceof Error ? error.message : 'Something went wrong');
}

/** Runs now and when the variables change, for the store or the shopper `regid`; ignores late responses. */
export function useQuery<Data, Variables>(
  document: TypedDocumentString<Data, Variables>,
  variables: Variables,
  regid?: string,
): Query<Answered<Data>> {
  const { run } = useSession();
  const key = JSON.stringify([variables, regid]);
  const [{ dataKey, ...state }, setState] = useState({
    data: null as Answered<Data> | null,
    dataKey: key,
    error: null as ApiError | null,
    isLoading: true,
  });
  const [turn, setTurn] = useState(0);
  const newest = useRef(0);
  useEffect(() => {
    const read = ++newest.current;
    setState((now) => ({ ...now, error: null, isLoading: true }));
    run(document, variables, { regid }).then(
      (data) => read === newest.current && setState({ data, dataKey: key, error: null, isLoading: false }),
      (error: unknown) =>
        read === newest.current &&
        setState((now) => ({ ...now, error: asApiError(error), isLoading: false })),
    );
    return () => void newest.current++;
    // Compares the variables as text, because a new object with the same content must not run the query again.
  }, [document, key, run, turn]);
  const reload = useCallback(() => setTurn((now) => now + 1), []);
  const replace = useCallback(
    (data: Answered<Data>) => {
      newest.current++;
      setState({ data, dataKey: key, error: null, isLoading: false });
    },
    [key],
  );
  return { ...state, isStale: dataKey !== key, reload, replace };
}

export type Action<Args extends unknown[]> = {
  isBusy: boolean;
  error: ApiError | null;
  start: (...args: Args) => void;
  clear: () => void;
};

/** Runs one write at a time and stores its error for display. */
export function useAction<Args extends unknown[]>(work: (...args: Args) => Promise<void>): Action<Args> {
  const [state, setState] = useState({ isBusy: false, error: null as ApiError | null });
  const isRunning = useRef(false);
  const start = (...args: Args): void => {
    if (isRunning.current) return;
    isRunning.current = true;
    setState({ isBusy: true, error: null });
    const finish = (error: ApiError | null): void => {
      isRunning.current = false;
      setState({ isBusy: false, error });
    };
    work(...args).then(
      () => finish(null),
      (error: unknown) => finish(asApiError(error)),
    );
  };
  return { ...state, start, clear: () => setState((now) => ({ ...now, error: null })) };
}

export function useText(initial = '') {
  const [value, onValue] = useState(initial);
  return { value, onValue };
}

/** Reloads at this interval while the tab is visible, but never before the last response has arrived. */
export function usePolling(query: Pick<Query<unknown>, 'isLoading' | 'reload'>, everyMs: number): void {
  const latest = useRef(query);
  latest.current = query;
  useEffect(() => {
    const timer = setInterval(() => {
      const { isLoading, reload } = latest.current;
      if (document.visibilityState === 'visible' && !isLoading) reload();
    }, everyMs);
    return () => clearInterval(timer);
  }, [everyMs]);
}

const RETRY_MS = 10_000;

/** Calls back after each change of a shopper's lists while the tab is visible. */
export function useShopperChanges(regid: string, onChange: () => void): void {
  const { run } = useSession();
  const latest = useRef(onChange);
  latest.current = onChange;
  useEffect(() => {
    const abort = new AbortController();
    const { signal } = abort;
    const shown = (): Promise<unknown> =>
      document.visibilityState === 'visible'
        ? Promise.resolve()
        : new Promise((done) => document.addEventListener('visibilitychange', done, { once: true, signal }));
    const follow = async (): Promise<void> => {
      let since: string | null = null;
      while (!signal.aborted) {
        await shown();
        try {
          const { rev }: { rev: string } = (await run(WatchShopperDocument, { since }, { regid, signal }))
            .listChanges;
          // Also for the first known revision, because the page's data may be older.
          if (rev !== since) latest.current();
          since = rev;
        } catch {
          since = null;
          await new Promise((done) => setTimeout(done, RETRY_MS));
        }
      }
    };
    void follow();
    return () => abort.abort();
  }, [regid, run]);
}
