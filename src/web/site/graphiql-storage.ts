type GraphiqlStorage = Pick<Storage, 'getItem' | 'setItem' | 'removeItem' | 'clear' | 'length'>;

type Run = { headers?: string };

/** GraphiQL's keys for the history of queries. */
const HISTORY = /:(queries|favorites)$/;

/** Changes every entry of a stored history; invalid JSON stays as it is. */
function eachRun(text: string, change: (run: Run) => Run): string {
  try {
    return JSON.stringify(
      JSON.parse(text, (_key, value: unknown) =>
        typeof value === 'object' && value !== null && 'query' in value ? change(value as Run) : value,
      ),
    );
  } catch {
    return text;
  }
}

/**
 * Tabs and their headers end with the browser tab. The history stays without headers, so that no key outlives the tab; an entry
 * that runs again gets the page's initial headers.
 */
export function createStorage(keptFor: string, headers: string): GraphiqlStorage {
  const named = (key: string): string => `${keptFor}:${key}`;
  return {
    getItem(key) {
      if (!HISTORY.test(key)) return sessionStorage.getItem(named(key));
      const text = localStorage.getItem(key);
      return text && eachRun(text, (run) => ({ ...run, headers }));
    },
    setItem(key, value) {
      if (!HISTORY.test(key)) return sessionStorage.setItem(named(key), value);
      localStorage.setItem(
        key,
        eachRun(value, ({ headers: _secret, ...run }) => run),
      );
    },
    removeItem(key) {
      sessionStorage.removeItem(named(key));
      localStorage.removeItem(key);
    },
    clear() {
      sessionStorage.clear();
      for (const key of Object.keys(localStorage)) if (HISTORY.test(key)) localStorage.removeItem(key);
    },
    get length() {
      return sessionStorage.length + localStorage.length;
    },
  };
}
