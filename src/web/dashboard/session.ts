import { createContext } from 'preact';
import { useCallback, useContext, useEffect, useRef, useState } from 'preact/hooks';
import { WatchShopperDocument } from '../../generated/dashboard.ts';
import type { TypedDocumentString } from '../../generated/dashboard.ts';
import { ApiError } from './api.ts';
import type { Answered, Run, StoreInfo } from './api.ts';

/** What an operator may do beyond the store it acts for. */
export type Operator = {
  /** Asks as the operator alone: a store that is closed would refuse. */
  run: Run;
  /** Acts for this store from now on; null for none. */
  choose: (store: StoreInfo | null) => void;
};

/** What every page of a signed-in merchant may use. */
export type Session = {
  /** The store; empty for an operator that acts for none. */
  pid: string;
  run: Run;
  /** Null for a store's own people. */
  operator: Operator | null;
  /** Says something for a moment, also to screen readers. */
  notify: (message: string) => void;
  /** The store's name changed. */
  rename: (name: string) => void;
};

/** How long the page says something. */
export const TOAST_MS = 6_000;

export const SessionContext = createContext<Session | null>(null);

/** The session of the page. */
export function useSession(): Session {
  const session = useContext(SessionContext);
  if (session === null) throw new Error('This part works for a signed-in store only');
  return session;
}

/** State of something that is read: older data stays while newer is on its way. */
export type Query<Data> = {
  data: Data | null;
  error: ApiError | null;
  isLoading: boolean;
  /** Whether the data answers other variables than those that are asked for now. */
  isStale: boolean;
  reload: () => void;
  /** Shows what a write answered, without asking again; a read under way knows less and is dropped. */
  replace: (data: Data) => void;
};

function asApiError(error: unknown): ApiError {
  if (error instanceof ApiError) return error;
  return new ApiError('internal-error', error instanceof Error ? error.message : 'Something went wrong');
}

/** Reads now and when the variables change, for the store or for the shopper `regid`; an answer that arrives late is dropped. */
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
    // The text of the variables stands for them: a new object with the same content must not read again.
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

/** State of something that is done on a click. */
export type Action<Args extends unknown[]> = {
  isBusy: boolean;
  error: ApiError | null;
  /** Resolves to whether it worked; a failure is in `error`. */
  start: (...args: Args) => Promise<boolean>;
  clear: () => void;
};

/** Wraps a write: one at a time, its failure kept for showing. */
export function useAction<Args extends unknown[]>(work: (...args: Args) => Promise<void>): Action<Args> {
  const [isBusy, setBusy] = useState(false);
  const [error, setError] = useState<ApiError | null>(null);
  const isRunning = useRef(false);
  const start = async (...args: Args): Promise<boolean> => {
    if (isRunning.current) return false;
    isRunning.current = true;
    setBusy(true);
    setError(null);
    try {
      await work(...args);
      return true;
    } catch (failure) {
      setError(asApiError(failure));
      return false;
    } finally {
      isRunning.current = false;
      setBusy(false);
    }
  };
  return { isBusy, error, start, clear: () => setError(null) };
}

/** Reads again and again while the page is in front, never before the last answer: one that takes long is waited for. */
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

/** Pause after a question that was not answered. */
const RETRY_MS = 10_000;

/** Calls back after each change of a shopper's lists while the page is in front. */
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
          // Also when it is the first to be known: what the page has read may be older.
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
