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
import type { Client } from '../../api/list-kit.ts';
import { useService, useStore } from '../../harness.ts';
import { describeInBrowser, eventually, useBrowser } from './chromium.ts';
import type { PageData } from './react/page.ts';
import { Shop } from './react/shop.ts';
import type { Observed } from './react/shop.ts';

describeInBrowser('@wishgate/react', () => {
  const browser = useBrowser();
  const service = useService();
  const store = useStore(service);
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
    await updateStore(service.services, store.pid, { allowedOrigins: [shopUrl] });
  });
  afterAll(() => shop.close());
  beforeEach(() => {
    data = { baseUrl: service.url, pid: store.pid };
    html = '';
  });

  const observed = (page: Page): Promise<Observed> =>
    page.evaluate(() => (globalThis as unknown as { observed: Observed }).observed);
  const isPressed = (page: Page, epi: number): Promise<string | null> =>
    page.locator(`#heart-${epi}`).getAttribute('aria-pressed');
  const listsOf = (page: Page): Promise<string> => page.locator('ul').innerText();
  /** Opens a page; what its console warns of fails the test. */
  const open = async (context: BrowserContext): Promise<Page> => {
    const page = await context.newPage();
    page.on('console', (message) => {
      if (['warning', 'error'].includes(message.type())) warned.push(message.text());
    });
    await page.goto(shopUrl);
    await page.locator('#heart-1').waitFor();
    return page;
  };
  let warned: string[];
  beforeEach(() => void (warned = []));

  /** Renders the page on the server, for a shopper who has saved product 1. */
  async function render(me: Client): Promise<{ lid: string }> {
    const { lid } = await me.create('My Wishlist');
    await me.add(lid, item(1));
    const { regid, sessionid } = me.shopper;
    const identity = { regid, sessionid };
    const snapshot = await loadWishgate({ ...data, identity });
    const client = init({ ...data, storage: null, identify: () => identity });
    data = { ...data, identity, snapshot };
    html = renderToString(createElement(Shop, { client, snapshot }));
    expect(html).toContain('Remove <!-- -->1'.replace('<!-- -->', ''));
    return { lid };
  }

  test.each([false, true])(
    'hydrates what the server rendered without a warning or a flash (strict: %s)',
    async (isStrict) => {
      const me = await newAccount(service, store);
      const { lid } = await render(me);
      data.isStrict = isStrict;
      const context = await browser.newContext();
      // Reported by the stream, the page reads the lists once.
      const isRead = context.waitForEvent('response', (response) => response.url().includes('/fetch-lists'));
      const page = await open(context);
      await (await isRead).finished();
      await page.evaluate(() =>
        (globalThis as unknown as { client: { fetchLists: () => Promise<unknown> } }).client.fetchLists(),
      );
      expect([await isPressed(page, 1), await isPressed(page, 2)]).toEqual(['true', 'false']);
      expect([(await observed(page)).errors, warned]).toEqual([[], []]);
      await me.add(lid, item(2));
      await eventually(() => isPressed(page, 2), 'true');
      expect(warned).toEqual([]);
    },
  );

  test('a change of one variant renders its tile only, in this page, another tab and on another device', async () => {
    const me = await newAccount(service, store);
    await render(me);
    const context = await browser.newContext();
    const pages = [await open(context), await open(context), await open(await browser.newContext())];
    for (const page of pages) await eventually(() => listsOf(page), 'My Wishlist: 1');
    const before = await Promise.all(pages.map(observed));
    await pages[0]!.locator('#heart-3').click();
    expect(await isPressed(pages[0]!, 3)).toBe('true');
    for (const page of pages) await eventually(() => isPressed(page, 3), 'true');
    for (const page of pages) await eventually(() => listsOf(page), 'My Wishlist: 2');
    const after = await Promise.all(pages.map(observed));
    after.forEach(({ renders }, at) => {
      const { lists: _lists, ...tiles } = renders;
      const changed = Object.keys(tiles).filter((name) => tiles[name] !== before[at]!.renders[name]);
      expect([changed, tiles['tile 3']! - before[at]!.renders['tile 3']!]).toEqual([['tile 3'], 1]);
    });
    await pages[1]!.locator('#undo').click();
    await pages[0]!.locator('#undo').click();
    for (const page of pages) await eventually(() => isPressed(page, 3), 'false');
    expect(warned).toEqual([]);
  });

  test('what the service rejects is shown at once, and reverted', async () => {
    await render(await newAccount(service, store));
    const page = await open(await browser.newContext());
    await eventually(() => listsOf(page), 'My Wishlist: 1');
    let refuse = (): void => undefined;
    const refused = new Promise<void>((resolve) => (refuse = resolve));
    await page.route('**/lists/update-ctx*', async (route) => {
      await refused;
      await route.fulfill({
        status: 503,
        body: '{"error":true,"type":"maintenance","msg":"Closed"}',
        headers: { 'access-control-allow-origin': '*' },
      });
    });
    await page.locator('#heart-2').click();
    expect([await isPressed(page, 2), await listsOf(page)]).toEqual(['true', 'My Wishlist: 2']);
    refuse();
    await eventually(() => isPressed(page, 2), 'false');
    expect(await listsOf(page)).toBe('My Wishlist: 1');
    expect((await observed(page)).errors).toContain('Closed');
  });

  test('without a back end, tabs that open at once are one guest, who saves, and asks to be notified', async () => {
    const context = await browser.newContext();
    const identified: string[] = [];
    context.on(
      'request',
      (request) => void (request.url().includes('/shopper/identify') && identified.push(request.method())),
    );
    const pages = await Promise.all(Array.from({ length: 4 }, () => open(context)));
    await Promise.all(pages.map((page, at) => page.locator(`#heart-${at + 1}`).click()));
    for (const page of pages)
      for (const epi of [1, 2, 3, 4]) await eventually(() => isPressed(page, epi), 'true');
    expect(identified.filter((method) => method === 'POST')).toHaveLength(1);
    const [page] = pages as [Page];
    await page.locator('input').fill('guest@example.com');
    await page.locator('#notify').click();
    await page.getByText('unconfirmed').waitFor();
    await page.reload();
    await eventually(() => isPressed(page, 4), 'true');
    // Tabs that create the same list at once: one of them succeeds, and the others use its list.
    expect(warned.filter((text) => !text.includes('400 (Bad Request)'))).toEqual([]);
  });
});
