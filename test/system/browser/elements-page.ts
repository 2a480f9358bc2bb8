import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { BrowserContext, Locator, Page } from 'playwright-core';
import type { TestService, TestShopper } from '../../harness.ts';
import { filledBy } from '../../harness.ts';

/** A shop of another origin, whose pages are what a test says. */
export type ElementsShop = {
  /** Its origin. */
  url: string;
  /** Opens a page that has these elements and the script tag, and nothing else. */
  openPlain: (context: BrowserContext, pid: string, body: string) => Promise<Page>;
  /** Opens a page with these elements for a shopper. */
  open: (context: BrowserContext, shopper: TestShopper, body: string, options?: object) => Promise<Page>;
};

const STYLE = `body{max-width:60rem;margin:1rem auto;font:16px/1.5 system-ui,sans-serif;color-scheme:light dark;background:Canvas;color:CanvasText}
  wishgate-heart:not(:defined){display:inline-block;width:2.75rem;height:2.75rem;vertical-align:middle}`;

/** Its policy is as strict as a shop's can be: no inline styles, and scripts of the service only. */
const policyOf = (service: string): string =>
  `default-src 'none'; script-src ${service} 'nonce-test'; style-src 'nonce-test'; connect-src ${service}; img-src http: data:`;

/** The shop for all tests of a file. */
export function useElementsShop(service: TestService): ElementsShop {
  const pages = new Map<string, string>();
  const server = createServer((req, res) => {
    res.setHeader('content-type', 'text/html; charset=utf-8');
    res.setHeader('content-security-policy', policyOf(service.url));
    res.writeHead(pages.has(req.url!) ? 200 : 404).end(pages.get(req.url!));
  });
  afterAll(() => void server.close());
  return filledBy(beforeAll, async () => {
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const open: ElementsShop['open'] = async (context, { pid, regid, sessionid }, body, options = {}) => {
      const path = `/${pages.size}`;
      const start = JSON.stringify({ baseUrl: service.url, pid, ...options });
      const who = JSON.stringify({ regid, sessionid });
      pages.set(
        path,
        `<!doctype html><html lang="en"><title>Shop</title><style nonce="test">${STYLE}</style><main><h1>Shop</h1>${body}</main>
        <script type="module" nonce="test">
          import { start } from '${service.url}/client/elements.mjs';
          globalThis.events = [];
          for (const name of ['save', 'saved', 'removed', 'add-to-cart', 'saved-for-later', 'subscribed', 'shared', 'error'])
            addEventListener('wishgate-' + name, (event) => events.push([name, event.detail]));
          start({ ...${start}, identify: () => (${who}) });
        </script>`,
      );
      const page = await context.newPage();
      await page.goto(`${url}${path}`);
      return page;
    };
    const openPlain: ElementsShop['openPlain'] = async (context, pid, body) => {
      const path = `/${pages.size}`;
      const tag = `<script type="module" src="${service.url}/client/elements.mjs" data-pid="${pid}" data-list-name="Wishes"></script>`;
      pages.set(
        path,
        `<!doctype html><html lang="en"><title>Shop</title>${tag}<main><h1>Shop</h1>${body}</main>`,
      );
      const page = await context.newPage();
      await page.goto(`${url}${path}`);
      return page;
    };
    return { url, open, openPlain };
  });
}

/** Names and details of the elements' events, oldest first. */
export const eventsOf = (page: Page): Promise<[string, Record<string, unknown>][]> => page.evaluate('events');

export const save = (page: Page, title: string): Locator =>
  page.getByRole('button', { name: `Save ${title}`, pressed: false });

export const remove = (page: Page, title: string): Locator =>
  page.getByRole('button', { name: `Save ${title}`, pressed: true });
