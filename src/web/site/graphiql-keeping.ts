/** What GraphiQL keeps: the form of Web storage, by which it calls it. */
type Keeping = Pick<Storage, 'getItem' | 'setItem' | 'removeItem' | 'clear' | 'length'>;

type Run = { headers?: string };

/** What was run before, by the names under which GraphiQL keeps it. */
const HISTORY = /:(queries|favorites)$/;

/** Changes every entry of a kept history; anything else is left as it is. */
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
 * Tabs and their headers end with the browser tab; the history of what was run stays, without headers: no key outlives the tab. An entry
 * that is run again gets the headers that the page came with.
 */
export function createKeeping(keptFor: string, headers: string): Keeping {
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
