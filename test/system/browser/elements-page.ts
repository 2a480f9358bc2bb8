import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { BrowserContext, Page } from 'playwright-core';
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
  const pages: string[] = [];
  const server = createServer((req, res) => {
    const page = pages[Number(req.url!.slice(1))];
    res.setHeader('content-type', 'text/html; charset=utf-8');
    res.setHeader('content-security-policy', policyOf(service.url));
    res.writeHead(page === undefined ? 404 : 200).end(page);
  });
  afterAll(() => void server.close());
  return filledBy(beforeAll, async () => {
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const show = async (context: BrowserContext, head: string, body: string): Promise<Page> => {
      const at = pages.push(
        `<!doctype html><html lang="en"><title>Shop</title>${head}<main><h1>Shop</h1>${body}</main>`,
      );
      const page = await context.newPage();
      await page.goto(`${url}/${at - 1}`);
      return page;
    };
    const library = `${service.url}/client/elements.mjs`;
    const open: ElementsShop['open'] = (context, { pid, regid, sessionid }, body, options) => {
      const script = `import { start } from '${library}';
        globalThis.events = {};
        for (const name of ['wishgate-add-to-cart', 'wishgate-subscribed'])
          addEventListener(name, ({ detail }) => (events[name] = detail));
        const options = ${JSON.stringify({ baseUrl: service.url, pid, ...options })};
        const started = start({ ...options, identify: () => (${JSON.stringify({ regid, sessionid })}) });
        globalThis.isStarted = started.then(() => true);`;
      const head = `<style nonce="test">${STYLE}</style><script type="module" nonce="test">${script}</script>`;
      return show(context, head, body);
    };
    const openPlain: ElementsShop['openPlain'] = (context, pid, body) =>
      show(
        context,
        `<script type="module" src="${library}" data-pid="${pid}" data-list-name="Wishes"></script>`,
        body,
      );
    return { url, open, openPlain };
  });
}

/** What the last event of this name said. */
export const eventOf = (page: Page, name: string): Promise<unknown> =>
  page.evaluate(`events['wishgate-${name}'] ?? null`);

/** The page's hearts, and whether they are filled. */
export const heartsOf = (page: Page): Promise<string[]> =>
  page
    .locator('wishgate-heart button')
    .evaluateAll((buttons) => buttons.map(({ ariaLabel, ariaPressed }) => `${ariaLabel}: ${ariaPressed}`));
