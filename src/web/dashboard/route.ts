import { useEffect, useState } from 'preact/hooks';

export type Query = Readonly<Record<string, string>>;

/** `#/topics/backinstock?view=text` is the page `topics` with the rest `backinstock` and a query. */
export type Route = { page: string; rest: string; query: Query };

/** Personal data is in the state of the history entry: Back and reload restore it, and the browser's history shows no trace. */
const hiddenOf = (state: unknown): Query => (state as { hidden?: Query } | null)?.hidden ?? {};

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

export function routeOf(hash: string, state: unknown): Route {
  const [path = '', query = ''] = hash.replace(/^#\/?/, '').split(/\?(.*)/s);
  const [page = '', ...rest] = path.split('/');
  return {
    page: page || 'overview',
    rest: decode(rest.join('/')),
    query: { ...Object.fromEntries(new URLSearchParams(query)), ...hiddenOf(state) },
  };
}

const withoutEmpty = (query: Query): Record<string, string> =>
  Object.fromEntries(Object.entries(query).filter(([, value]) => value !== ''));

/** Never put personal data in it: URLs stay in the browser's history. */
export function hrefTo(page: string, rest = '', query: Query = {}): string {
  const path = rest === '' ? `#/${page}` : `#/${page}/${encodeURIComponent(rest)}`;
  const search = new URLSearchParams(withoutEmpty(query)).toString();
  return search === '' ? path : `${path}?${search}`;
}

const readRoute = (): Route => routeOf(location.hash, history.state);

export function useRoute(): Route {
  const [route, setRoute] = useState(readRoute);
  useEffect(() => {
    const follow = (): void => setRoute(readRoute());
    const events = ['hashchange', 'popstate'];
    for (const event of events) addEventListener(event, follow);
    return () => events.forEach((event) => removeEventListener(event, follow));
  }, []);
  return route;
}

/** `replace` adds no history entry, for typing; the fields of `hidden` stay out of the URL. */
type Move = { replace?: boolean; hidden?: readonly string[] };

/** Changes parts of the current query; an empty string removes a part. */
export function moveTo(changes: Query, { replace = false, hidden: names = [] }: Move = {}): void {
  const { page, rest, query } = readRoute();
  const hidden = { ...hiddenOf(history.state) };
  const shown: Record<string, string> = {};
  for (const [name, value] of Object.entries({ ...query, ...changes }))
    (names.includes(name) || name in hidden ? hidden : shown)[name] = value;
  const state = { hidden: withoutEmpty(hidden) };
  history[replace ? 'replaceState' : 'pushState'](state, '', hrefTo(page, rest, shown));
  dispatchEvent(new PopStateEvent('popstate', { state }));
}
