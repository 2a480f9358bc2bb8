import { useEffect, useState } from 'preact/hooks';
import { entryState } from './steps.ts';

/** What stands behind the question mark of an address: search, filters, order and page of a table. */
export type Query = Readonly<Record<string, string>>;

/** Where in the dashboard one is: `#/topics/backinstock?view=text` is the page `topics` with the rest `backinstock` and a query. */
export type Place = { page: string; rest: string; query: Query };

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** The place that an address names, with what the entry of the history knows beside it. */
export function placeOf(hash: string, hidden: unknown = null): Place {
  const [path = '', query = ''] = hash.replace(/^#\/?/, '').split(/\?(.*)/s);
  const [page = '', ...rest] = path.split('/');
  return {
    page: page || 'overview',
    rest: decode(rest.join('/')),
    query: { ...Object.fromEntries(new URLSearchParams(query)), ...hiddenOf(hidden) },
  };
}

/** What names people is kept with the entry of the history and not in its address: Back and a reload find it, the list of visited pages does not show it. */
type Hidden = { hidden?: Record<string, string> } | null;

const hiddenOf = (state: unknown): Record<string, string> => (state as Hidden)?.hidden ?? {};

const readPlace = (): Place => placeOf(location.hash, history.state);

/** Address of a page. Never put personal data in it: addresses stay in the browser's history. */
export function hrefTo(page: string, rest = '', query: Query = {}): string {
  const path = rest === '' ? `#/${page}` : `#/${page}/${encodeURIComponent(rest)}`;
  const given = Object.entries(query).filter(([, value]) => value !== '');
  return given.length === 0 ? path : `${path}?${new URLSearchParams(given).toString()}`;
}

const MOVED = 'wishgate:moved';

/** The current place; follows the address. */
export function usePlace(): Place {
  const [place, setPlace] = useState(readPlace);
  useEffect(() => {
    const follow = (): void => setPlace(readPlace());
    const events = ['hashchange', 'popstate', MOVED];
    for (const event of events) addEventListener(event, follow);
    return () => events.forEach((event) => removeEventListener(event, follow));
  }, []);
  return place;
}

/** How a query is changed: `replace` leaves no step for Back, as typing does; the fields of `hidden` stay out of the address. */
export type Move = { replace?: boolean; hidden?: readonly string[] };

/** Changes parts of the query of the current place; an empty text takes a part away. */
export function moveTo(changes: Query, { replace = false, hidden = [] }: Move = {}): void {
  const { page, rest, query } = readPlace();
  const kept = { ...hiddenOf(history.state) };
  const shown: Record<string, string> = {};
  for (const [name, value] of Object.entries({ ...query, ...changes })) {
    const isHidden = hidden.includes(name) || name in kept;
    if (isHidden) kept[name] = value;
    else shown[name] = value;
  }
  const given = Object.fromEntries(Object.entries(kept).filter(([, value]) => value !== ''));
  const state = entryState(Object.keys(given).length === 0 ? {} : { hidden: given }, !replace);
  history[replace ? 'replaceState' : 'pushState'](state, '', hrefTo(page, rest, shown));
  dispatchEvent(new Event(MOVED));
}
