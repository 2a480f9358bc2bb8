import type { Wishgate } from '../../client/src/wishgate.ts';
import { sheetOf } from './element.ts';
import * as session from './session.ts';
import type { StartOptions } from './types.ts';

export type * from './types.ts';

const LOADERS: Record<string, () => Promise<unknown>> = {
  heart: () => import('./hearts.ts'),
  count: () => import('./hearts.ts'),
  list: () => import('./lists.ts'),
  'save-for-later': () => import('./lists.ts'),
  notify: () => import('./notify.ts'),
};

/** Connects the elements to a store; they are inert before. Only the first call counts, unless it failed. */
export const start = (options: StartOptions): Promise<Wishgate> => session.start(options);

/** The client, once `start` was called, by the page or by the script tag. */
export const started: Promise<Wishgate> = session.started;

function look(): void {
  for (const [name, load] of Object.entries(LOADERS)) {
    if (!document.querySelector(`wishgate-${name}`)) continue;
    delete LOADERS[name];
    load().catch((error: unknown) => console.error(error));
  }
}

/** Keeps the place of a heart until it is defined, so that nothing moves. */
const PLACES =
  'wishgate-heart:not(:defined){display:inline-block;inline-size:var(--wishgate-size,2.75rem);block-size:var(--wishgate-size,2.75rem);vertical-align:middle}';

function begin(): void {
  document.adoptedStyleSheets.push(sheetOf(PLACES));
  look();
  new MutationObserver((records) => {
    look();
    if (records.some(({ type }) => type === 'attributes')) session.changed();
  }).observe(document, { childList: true, subtree: true, attributeFilter: ['lang'] });

  const tag = [...document.scripts].find(({ src, dataset }) => src === import.meta.url && dataset['pid']);
  const baseUrl = new URL('..', import.meta.url).href;
  if (tag) start({ baseUrl, ...tag.dataset } as StartOptions).catch((error: unknown) => console.error(error));
}

// On a server there is nothing to define.
if (globalThis.document) begin();
