import { useEffect, useState } from 'preact/hooks';

/** Where in the dashboard one is: `#/topics/backinstock` is the page `topics` with the rest `backinstock`. */
export type Place = { page: string; rest: string };

function readPlace(): Place {
  const [page = '', ...rest] = location.hash.replace(/^#\/?/, '').split('/');
  const decode = (text: string): string => {
    try {
      return decodeURIComponent(text);
    } catch {
      return text;
    }
  };
  return { page: page || 'overview', rest: decode(rest.join('/')) };
}

/** Address of a page. Never put personal data in it: addresses stay in the browser's history. */
export function hrefTo(page: string, rest = ''): string {
  return rest === '' ? `#/${page}` : `#/${page}/${encodeURIComponent(rest)}`;
}

/** The current place; follows the address. */
export function usePlace(): Place {
  const [place, setPlace] = useState(readPlace);
  useEffect(() => {
    const follow = (): void => setPlace(readPlace());
    addEventListener('hashchange', follow);
    return () => removeEventListener('hashchange', follow);
  }, []);
  return place;
}
