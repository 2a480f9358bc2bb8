import { useEffect, useState } from 'preact/hooks';
import { GUIDES } from '../../../../docs/guides/README.md';
import type { Guide } from '../../../../docs/guides/README.md';
import type { Area } from './model.ts';

export function useRoute(areas: Area[]): { hash: string; guide: Guide | undefined } {
  const [hash, setHash] = useState(location.hash);
  const guide = GUIDES.find(({ id }) => `#/guide/${id}` === hash);

  useEffect(() => {
    const follow = (): void => setHash(location.hash);
    addEventListener('hashchange', follow);
    return () => removeEventListener('hashchange', follow);
  }, []);

  useEffect(() => {
    const call = areas.flatMap(({ calls }) => calls).find(({ operationId }) => `#/${operationId}` === hash);
    const place = guide?.title ?? call?.path;
    document.title = `${place ? `${place} · ` : ''}API reference · wishgate`;
    if (hash === '') return;
    const target = document.getElementById(hash.slice(2).replace('/', '-') || 'intro');
    target?.scrollIntoView();
    target?.querySelector<HTMLElement>('h1, h2, h3')?.focus({ preventScroll: true });
  }, [hash, guide, areas]);

  return { hash, guide };
}
