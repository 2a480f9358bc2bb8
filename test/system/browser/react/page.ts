import { StrictMode, createElement } from 'react';
import { createRoot, hydrateRoot } from 'react-dom/client';
import { init } from '@wishgate/client';
import type { Identity, Wishgate } from '@wishgate/client';
import type { WishgateSnapshot } from '@wishgate/react';
import { Shop, observed } from './shop.ts';

/** What the server writes into the page. */
export type PageData = {
  baseUrl: string;
  pid: string;
  identity?: Identity;
  snapshot?: WishgateSnapshot;
  isStrict?: boolean;
};

const { snapshot, isStrict, identity, ...options } = JSON.parse(
  document.getElementById('data')!.textContent,
) as PageData;
const client: Wishgate = init({ ...options, identify: identity && (() => identity) });
Object.assign(globalThis, { client });

const shop = createElement(Shop, { client, snapshot });
const app = isStrict ? createElement(StrictMode, {}, shop) : shop;
const root = document.getElementById('root')!;
// Everything that React changes in what the server rendered.
new MutationObserver((changes) => {
  // React takes over an input by setting what it has.
  for (const { target } of changes)
    if (target.nodeName !== 'INPUT') observed().errors.push(`changed: ${target.textContent}`);
}).observe(root, { subtree: true, childList: true, characterData: true, attributes: true });
if (snapshot)
  hydrateRoot(root, app, { onRecoverableError: (error) => observed().errors.push(String(error)) });
else createRoot(root).render(app);
