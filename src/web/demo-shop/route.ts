import { useEffect, useRef, useState } from 'preact/hooks';

/** What the shop keeps beside each entry of the browser's history. */
type Entry = { key: string; isDialog?: boolean } | null;

const entry = (): Entry => history.state as Entry;
const newKey = (): string => Math.random().toString(36).slice(2);

/** A part of the address as text; what is no valid encoding stays as it is, and nothing has that name. */
function decode(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

const readRoute = (): [string, string] => {
  const [view = '', name = ''] = location.hash.replace(/^#\/?/, '').split('/');
  return [view, decode(name)];
};

/** Goes on to another view, as a link would. */
export const goTo = (path: string): void => void (location.hash = `#/${path}`);

/** Says where the visitor is now, without a step back to where it was. */
export const replaceRoute = (path: string): void => location.replace(`#/${path}`);

/** The part of the address after `#/`: a view and what it shows. Back leads to where the visitor was on the page. */
export function useRoute(): [string, string] {
  const [route, setRoute] = useState(readRoute);
  const places = useRef(new Map<string, number>());
  const current = useRef('');
  const [place, setPlace] = useState(0);
  useEffect(() => {
    history.scrollRestoration = 'manual';
    // After a reload no dialog is open.
    current.current = entry()?.key ?? newKey();
    history.replaceState({ key: current.current }, '');
    const follow = (): void => {
      places.current.set(current.current, scrollY);
      const isNew = !entry();
      if (isNew) history.replaceState({ key: newKey() }, '');
      current.current = entry()!.key;
      setRoute(readRoute());
      setPlace(isNew ? 0 : (places.current.get(current.current) ?? 0));
    };
    addEventListener('hashchange', follow);
    return () => removeEventListener('hashchange', follow);
  }, []);
  const [view, name] = route;
  useEffect(() => scrollTo(0, place), [view, name, place]);

  const page = view === 'p' ? route.join('/') : view;
  const before = useRef(page);
  useEffect(() => {
    // Who reads by ear hears where the link led; tabs of one view keep the focus.
    if (before.current !== page) focusHeading();
    before.current = page;
  }, [page]);
  return route;
}

/** Moves the focus to the view's heading. */
export function focusHeading(): void {
  document.querySelector<HTMLElement>('main h1')?.focus({ preventScroll: true });
}

/** A dialog that the browser's Back closes. */
export function useDialog<Dialog>(): {
  dialog: Dialog | null;
  open: (dialog: Dialog) => void;
  /** `next` runs when the dialog is gone, also from the history. */
  close: (next?: () => void) => void;
} {
  const [dialog, setDialog] = useState<Dialog | null>(null);
  const closing = useRef<(() => void) | null>(null);
  useEffect(() => {
    const follow = (): void => {
      if (!entry()?.isDialog) setDialog(null);
      closing.current?.();
      closing.current = null;
    };
    addEventListener('popstate', follow);
    return () => removeEventListener('popstate', follow);
  }, []);
  const [{ open, close }] = useState(() => ({
    open: (next: Dialog): void => {
      // One that takes the place of another stands at the same step of the history.
      if (!entry()?.isDialog) history.pushState({ ...entry(), isDialog: true }, '');
      setDialog(next);
    },
    close: (next: () => void = () => undefined): void => {
      if (!entry()?.isDialog) {
        setDialog(null);
        return next();
      }
      // Another step back would leave the page.
      if (closing.current) return;
      closing.current = next;
      history.back();
    },
  }));
  return { dialog, open, close };
}

/** Names the tab after what it shows. */
export function useTitle(title: string): void {
  useEffect(() => void (document.title = `${title} · Hearth & Loom`), [title]);
}
