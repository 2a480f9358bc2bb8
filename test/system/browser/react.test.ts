import { once } from 'node:events';
import { createServer } from 'node:http';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { basename } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import type { BrowserContext, Page } from 'playwright-core';
import { createElement } from 'react';
import { renderToString } from 'react-dom/server';
import { init } from '@wishgate/client';
import { loadWishgate } from '@wishgate/react/server';
import { updateStore } from '../../../src/stores/store.service.ts';
import { item, newAccount } from '../../api/list-kit.ts';
import { useNewStore, useService } from '../../harness.ts';
import { click, fill } from './act.ts';
import { describeInBrowser, eventually, useBrowser } from './chromium.ts';
import type { PageData } from './react/page.ts';
import { Shop } from './react/shop.ts';
import type { Observed } from './react/shop.ts';

describeInBrowser('@wishgate/react', () => {
  const browser = useBrowser();
  const service = useService();
  const store = useNewStore(service);
  const files = new Map<string, Uint8Array>();
  let shop: Server;
  let shopUrl: string;
  let data: PageData;
  let html: string;

  beforeAll(async () => {
    const { outputFiles } = await build({
      entryPoints: [fileURLToPath(new URL('react/page.ts', import.meta.url))],
      bundle: true,
      splitting: true,
      write: false,
      format: 'esm',
      outdir: '/out',
      define: { 'process.env.NODE_ENV': '"development"' },
    });
    for (const { path, contents } of outputFiles) files.set(`/${basename(path)}`, contents);
    shop = createServer((req, res) => {
      const file = files.get(req.url!);
      res.setHeader('content-type', file ? 'text/javascript' : 'text/html; charset=utf-8');
      const json = JSON.stringify(data).replaceAll('<', '\\u003c');
      res.end(
        file ??
          `<!doctype html><title>Shop</title><link rel="icon" href="data:,"><div id="root">${html}</div>
          <script type="application/json" id="data">${json}</script><script type="module" src="/page.js"></script>`,
      );
    });
    shop.listen(0, '127.0.0.1');
    await once(shop, 'listening');
    shopUrl = `http://127.0.0.1:${(shop.address() as AddressInfo).port}`;
  });
  afterAll(() => shop.close());

  let warned: string[];
  beforeEach(() => {
    data = { baseUrl: service.url, pid: store.pid };
    html = '';
    warned = [];
  });

  const observed = (page: Page): Promise<Observed> =>
    page.evaluate(() => (globalThis as unknown as { observed: Observed }).observed);
  const heartsOf = (page: Page): Promise<string[]> =>
    page.locator('[aria-pressed="true"]').evaluateAll((hearts) => hearts.map(({ id }) => id));
  const listsOf = (page: Page): Promise<string> => page.locator('ul').innerText();
  /** Opens a page; what its console warns of fails the test. */
  const open = async (context: BrowserContext): Promise<Page> => {
    const page = await context.newPage();
    page.on('console', (message) => {
      if (['warning', 'error'].includes(message.type())) warned.push(message.text());
    });
    await page.goto(shopUrl);
    await page.waitForFunction('globalThis.observed?.renders.lists');
    return page;
  };

  test('what the server rendered hydrates without a warning or a flash, and a change draws the tile of its variant only, in each tab and on each device', async () => {
    const me = await newAccount(service, store);
    const { lid } = await me.create('My Wishlist');
    await me.add(lid, item(1));
    const { regid, sessionid } = me.shopper;
    const identity = { regid, sessionid };
    const snapshot = await loadWishgate({ ...data, identity });
    const client = init({ ...data, storage: null, identify: () => identity });
    data = { ...data, identity, snapshot };
    html = renderToString(createElement(Shop, { client, snapshot }));
    expect(html).toContain('Remove 1');

    const context = await browser.newContext();
    const pages = [await open(context), await open(context)];
    data.isStrict = true;
    pages.push(await open(await browser.newContext()));
    const drawn = (await Promise.all(pages.map(observed))).map(({ renders }) => renders);
    await click(pages[0]!.locator('#heart-3'));
    for (const page of pages) {
      await eventually(() => heartsOf(page), ['heart-1', 'heart-3']);
      await eventually(() => listsOf(page), 'My Wishlist: 2');
    }
    for (const [at, page] of pages.entries()) {
      const { renders, errors } = await observed(page);
      const tiles = Object.keys(renders).filter((name) => name.startsWith('tile'));
      expect(tiles.filter((name) => renders[name] !== drawn[at]![name])).toEqual(['tile 3']);
      expect(errors.filter((error) => !/^changed: (Remove 3|My Wishlist: 2|2)$/.test(error))).toEqual([]);
    }
    await click(pages[0]!.locator('#undo'));
    for (const page of pages) await eventually(() => heartsOf(page), ['heart-1']);
    expect(warned).toEqual([]);
  });

  test('without a back end, tabs that open at once are one guest, who saves, and asks to be notified', async () => {
    await updateStore(service.services, store.pid, { allowedOrigins: [shopUrl] });
    const context = await browser.newContext();
    const pages = await Promise.all(Array.from({ length: 4 }, () => open(context)));
    await Promise.all(pages.map((page, at) => click(page.locator(`#heart-${at + 1}`))));
    const all = ['heart-1', 'heart-2', 'heart-3', 'heart-4'];
    for (const page of pages) await eventually(() => heartsOf(page), all);
    const owners = 'SELECT regid, sum(cnt)::int AS cnt FROM list WHERE pid = $1 GROUP BY regid';
    await eventually(
      () => service.services.db.query(owners, [store.pid]),
      [{ regid: expect.any(String), cnt: 4 }],
    );
    const [page] = pages as [Page];
    await fill(page.locator('input'), 'guest@example.com');
    await click(page.locator('#notify'));
    await page.getByText('unconfirmed').waitFor();
    await page.reload();
    await eventually(() => heartsOf(page), all);
    // Tabs that create the same list at once: one of them succeeds, and the others use its list.
    expect(warned.filter((text) => !text.includes('400 (Bad Request)'))).toEqual([]);
  });
});
