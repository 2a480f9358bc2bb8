import { createContext } from 'preact';
import type { VNode } from 'preact';
import { useCallback, useContext, useEffect, useRef, useState } from 'preact/hooks';
import { WatchShopperDocument } from '../../generated/dashboard.ts';
import type { TypedDocumentString } from '../../generated/dashboard.ts';
import type { Answered, Api, StoreInfo } from './api.ts';
import { moveTo, useRoute } from './route.ts';

/** Calls as the operator only, because a closed store would reject the call. */
export type Operator = Pick<Api, 'run'> & { choose: (store: StoreInfo) => void };

export type Session = Api & {
  /** Empty for an operator without a chosen store. */
  pid: string;
  isDemo: boolean;
  operator: Operator | null;
  /** Shows a temporary message, which screen readers announce. */
  notify: (message: string) => void;
  rename: (name: string) => void;
};

export const TOAST_MS = 6_000;

export const SessionContext = createContext<Session | null>(null);

export const useSession = (): Session => useContext(SessionContext)!;

type Dialogs = { open: (dialog: VNode) => void; close: () => void };

export const DialogContext = createContext<Dialogs>({ open: () => undefined, close: () => undefined });

export const useDialog = (): Dialogs => useContext(DialogContext);

/** The state of a query; older data remains while newer data loads. */
export type Query<Data> = {
  data: Data | null;
  error: Error | null;
  isLoading: boolean;
  /** Whether the data belongs to earlier variables. */
  isStale: boolean;
  reload: () => void;
  /** Shows the result of a write; a query in flight is older and is ignored. */
  replace: (data: Data) => void;
  trail?: Trail;
};

const RELOAD = 'wishgate-reload';

/** Runs every query on the page again. */
export const reloadAll = (): void => void dispatchEvent(new Event(RELOAD));

/** Runs now, when the variables change and after each write, for the store or the shopper `regid`; ignores late responses. */
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
    error: null as Error | null,
    isLoading: true,
  });
  const [turn, setTurn] = useState(0);
  const newest = useRef(0);
  const show = (data: Answered<Data>) => setState({ data, dataKey: key, error: null, isLoading: false });
  useEffect(() => {
    const read = ++newest.current;
    setState((now) => ({ ...now, error: null, isLoading: true }));
    run(document, variables, { regid }).then(
      (data) => read === newest.current && show(data),
      (error: Error) => read === newest.current && setState((now) => ({ ...now, error, isLoading: false })),
    );
    return () => void newest.current++;
    // Compares the variables as text, because a new object with the same content must not run the query again.
  }, [document, key, run, turn]);
  const reload = useCallback(() => setTurn((now) => now + 1), []);
  useEffect(() => {
    addEventListener(RELOAD, reload);
    return () => removeEventListener(RELOAD, reload);
  }, [reload]);
  const replace = (data: Answered<Data>): void => {
    newest.current++;
    show(data);
  };
  return { ...state, isStale: dataKey !== key, reload, replace };
}

/** The cursors of the visited pages up to the current one; the first page has none. */
type Trail = { cursors: string[]; move: (cursors: string[]) => void };

type PagedDocument<Data, Variables> = TypedDocumentString<Data, Variables & { after?: string | null }>;

/** Restarts at the first page with other variables, because a cursor belongs to its filter. */
export function usePages<Data, Variables>(
  document: PagedDocument<Data, Variables>,
  variables: NoInfer<Variables>,
  regid?: string,
): Query<Answered<Data>> {
  const filter = JSON.stringify(variables);
  const [trail, setTrail] = useState({ filter, cursors: [] as string[] });
  const cursors = trail.filter === filter ? trail.cursors : [];
  const query = useQuery(document, { ...variables, after: cursors.at(-1) ?? null }, regid);
  return { ...query, trail: { cursors, move: (next) => setTrail({ filter, cursors: next }) } };
}

/** Stores the cursors in the URL for Back and reload; a page opened by its URL alone leads back to the first. */
export function useAddressPages<Data, Variables>(
  document: PagedDocument<Data, Variables>,
  variables: NoInfer<Variables>,
): Query<Answered<Data>> {
  const { after = '', trail = '' } = useRoute().query;
  const cursors = after === '' ? [] : [...trail.split(' ').filter(Boolean), after];
  const move = (next: string[]): void =>
    moveTo({ after: next.at(-1) ?? '', trail: next.slice(0, -1).join(' ') }, { hidden: ['trail'] });
  return { ...useQuery(document, { ...variables, after: after || null }), trail: { cursors, move } };
}

/** Runs one call at a time, shows the message that it returns, reloads what the page shows if it was a write, and stores its error for display. */
export function useAction<Args extends unknown[]>(
  work: (...args: Args) => Promise<string | void>,
  { isWrite = true } = {},
) {
  const session = useContext(SessionContext);
  const [state, setState] = useState({ isBusy: false, error: null as Error | null });
  const isRunning = useRef(false);
  const start = (...args: Args): void => {
    if (isRunning.current) return;
    isRunning.current = true;
    setState({ isBusy: true, error: null });
    const finish = (error: Error | null): void => {
      isRunning.current = false;
      setState({ isBusy: false, error });
    };
    work(...args).then((message) => {
      if (message) session?.notify(message);
      finish(null);
      if (isWrite) reloadAll();
    }, finish);
  };
  return { ...state, start, clear: () => setState((now) => ({ ...now, error: null })) };
}

export type Action = ReturnType<typeof useAction<[]>>;

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

/** Reloads the page after each change of a shopper's lists while the tab is visible. */
export function useShopperChanges(regid: string): void {
  const { run } = useSession();
  useEffect(() => {
    const abort = new AbortController();
    const { signal } = abort;
    const follow = async (): Promise<void> => {
      let since: string | null = null;
      while (!signal.aborted) {
        if (document.visibilityState !== 'visible')
          await new Promise((done) =>
            document.addEventListener('visibilitychange', done, { once: true, signal }),
          );
        try {
          const { rev }: { rev: string } = (await run(WatchShopperDocument, { since }, { regid, signal }))
            .listChanges;
          // Also for the first known revision, because the page's data may be older.
          if (rev !== since) reloadAll();
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
