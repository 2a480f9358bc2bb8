import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { BrowserContext } from 'playwright-core';
import { useService } from '../../harness.ts';
import { describeInBrowser, useBrowser } from './chromium.ts';

describeInBrowser('the pages of the service', () => {
  const browser = useBrowser();
  const service = useService({ demo: true });
  const outside: string[] = [];
  const complaints: string[] = [];

  afterEach(() => expect({ outside, complaints }).toEqual({ outside: [], complaints: [] }));

  async function visitor(options: object = {}, shopUrl = service.url): Promise<BrowserContext> {
    const context = await browser.newContext(options);
    context.on('request', (request) => {
      if (![service.url, shopUrl, 'data:', 'blob:'].some((start) => request.url().startsWith(start)))
        outside.push(request.url());
    });
    // A policy that is too strict shows as an error on the console.
    context.on('console', (message) => {
      if (message.type() === 'error') complaints.push(message.text());
    });
    return context;
  }

  test('GraphiQL and the API reference lead to each other', async () => {
    const context = await visitor();
    const page = await context.newPage();
    await page.goto(`${service.url}/docs`);
    await page.getByRole('link', { name: 'GraphiQL', exact: true }).click();
    await page.waitForURL('**/graphiql');
    await page.getByRole('link', { name: 'API reference' }).click();
    await page.waitForURL('**/docs');
  });

  test("the README's script-tag example saves a product from another origin", async () => {
    const store = await service.createStore();
    const shopper = await service.guest(store);
    const readme = await readFile(new URL('../../../README.md', import.meta.url), 'utf8');
    const [, example] = /```html\n([\s\S]*?)```/.exec(readme)!;
    const html = example!.replaceAll('http://127.0.0.1:4000', service.url).replaceAll('YOUR_PID', store.pid);
    const identity = JSON.stringify({ regid: shopper.regid, sessionid: shopper.sessionid });
    const shop = createServer((request, response) => {
      if (request.url === '/api/identify') return response.end(identity);
      return response
        .setHeader('content-type', 'text/html')
        .end(`<!doctype html><link rel="icon" href="data:,">${html}`);
    });
    shop.listen(0, '127.0.0.1');
    await once(shop, 'listening');
    const shopUrl = `http://127.0.0.1:${(shop.address() as AddressInfo).port}`;
    const context = await visitor({}, shopUrl);
    const page = await context.newPage();
    const saved = page.waitForResponse((response) => response.url().includes('/lists/update-ctx'));
    await page.goto(shopUrl);
    expect((await saved).status()).toBe(200);
    const { body } = await service.post('/api/v3/lists/fetch-lists', {}, { shopper }).expect(200);
    expect(body).toMatchObject([{ lname: 'Favourites', cnt: 1, listcontents: [{ epi: 1 }] }]);
    shop.closeAllConnections();
    shop.close();
  });
});
