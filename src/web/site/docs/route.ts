import type { RefObject } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { GUIDES } from './guides.ts';
import type { Area } from './model.ts';

const GUIDE = /^#\/guide\/(\w+)$/;

/** The element that a place of the reference is at. */
const targetOf = (hash: string): Element | null =>
  hash === '#/' || hash === ''
    ? document.querySelector('#intro')
    : document.getElementById(hash.replace('#/', ''));

function titleOf(hash: string, areas: Area[]): string {
  const guide = GUIDES.find(({ id }) => id === GUIDE.exec(hash)?.[1])?.title;
  const call = areas.flatMap(({ calls }) => calls).find(({ id }) => `#/${id}` === hash)?.path;
  const place = guide ?? call;
  return `${place ? `${place} · ` : ''}API reference · wishgate`;
}

/** Where the reader is: the guide, if any, and the entry of the navigation that fits what is on the screen. */
export function useRoute(
  main: RefObject<HTMLElement | null>,
  areas: Area[],
): { current: string; guideId: string | null } {
  const [hash, setHash] = useState(location.hash);
  const [seen, setSeen] = useState('#/');
  const guideId = GUIDE.exec(hash)?.[1] ?? null;

  useEffect(() => {
    const follow = (): void => setHash(location.hash);
    addEventListener('hashchange', follow);
    return () => removeEventListener('hashchange', follow);
  }, []);

  useEffect(() => {
    document.title = titleOf(hash, areas);
    if (guideId !== null) {
      scrollTo(0, 0);
      main.current?.querySelector<HTMLElement>('.guide h1')?.focus({ preventScroll: true });
      return;
    }
    if (hash === '') return;
    const target = targetOf(hash);
    target?.scrollIntoView();
    target?.querySelector<HTMLElement>('h1, h2, h3')?.focus({ preventScroll: true });
    setSeen(hash);
  }, [hash, guideId, areas, main]);

  useEffect(() => {
    // The topmost part that crosses a line below the header is the one that is read.
    const watch = new IntersectionObserver(
      (entries) => {
        const entry = entries.find(({ isIntersecting }) => isIntersecting);
        if (entry) setSeen(entry.target.id === 'intro' ? '#/' : `#/${entry.target.id}`);
      },
      { rootMargin: '-20% 0px -75% 0px' },
    );
    for (const part of main.current?.querySelectorAll('.call, #intro, #credentials') ?? [])
      watch.observe(part);
    return () => watch.disconnect();
  }, [main]);

  return { current: guideId === null ? seen : hash, guideId };
}
