import { readFile } from 'node:fs/promises';
import type { Express } from 'express';
import { ROOT } from '../../platform/places.ts';
import { nameRoute } from '../access-log.ts';
import { makeAsset, sendAsset } from './assets.ts';
import type { Asset } from './assets.ts';

const DAY_SECONDS = 86_400;

const SVG =
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><rect width="32" height="32" rx="8" fill="#b3305f"/>' +
  '<path d="M16 25S6 19 6 12.4A5.4 5.4 0 0 1 16 9.6a5.4 5.4 0 0 1 10 2.8C26 19 16 25 16 25z" fill="#fff"/></svg>';

/** Pages link the SVG; browsers request the .ico wherever a page links none. */
export function serveFavicon(app: Express): void {
  const icons: Record<string, () => Promise<Asset>> = {
    '/favicon.svg': async () => makeAsset('image/svg+xml; charset=utf-8', Buffer.from(SVG)),
    '/favicon.ico': async () =>
      makeAsset('image/x-icon', await readFile(new URL('dist/api/pages/favicon.ico', ROOT))),
  };
  for (const [path, make] of Object.entries(icons)) {
    let made: Promise<Asset> | null = null;
    app.get(path, async (req, res) => {
      nameRoute(res, path);
      res.setHeader('Cache-Control', `public, max-age=${DAY_SECONDS}`);
      await sendAsset(req, res, await (made ??= make()));
    });
  }
}
