import { once } from 'node:events';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Browser, Page } from 'playwright-core';
import { createApp } from '../../src/app.ts';
import type { NewStore } from '../../src/domain/store/store.service.ts';
import { ensureDemoShopper } from '../../src/demo/shopper.ts';
import { createHttpServer } from '../../src/transport/http.ts';
import { startService } from '../harness.ts';
import type { TestService } from '../harness.ts';
import { until } from '../until.ts';
import { describeInBrowser, openBrowser } from './chromium.ts';

describeInBrowser('GraphiQL', () => {
  let service: TestService;
  let demo: NewStore;
  let server: Server;
  let url: string;
  let browser: Browser;
  let page: Page;
  const elsewhere: string[] = [];
  const complaints: string[] = [];

  beforeAll(async () => {
    service = await startService();
    demo = await service.createStore({ name: 'Demo store' });
    const made = createHttpServer();
    made.serve(await createApp(service.services, { isDraining: false }, demo));
    server = made.server;
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    browser = await openBrowser();
    page = await browser.newPage();
    page.on('console', (message) => {
      if (message.type() === 'error') complaints.push(message.text());
    });
    page.on('pageerror', (error) => complaints.push(error.message));
    await page.route('**/*', (route) => {
      const address = route.request().url();
      if (address.startsWith(`${url}/`) || /^(data|blob):/.test(address)) return route.continue();
      elsewhere.push(address);
      return route.abort();
    });
    await page.goto(`${url}/graphiql`);
  });
  afterAll(async () => {
    await browser?.close();
    server?.closeAllConnections();
    server?.close();
    await service?.close();
  });

  test('the page shows the editor with the first query and the docs of the schema', async () => {
    await page.getByRole('button', { name: /execute/i }).waitFor();
    await page.locator('.graphiql-query-editor').getByText('query').first().waitFor();
    expect(await page.title()).toBe('wishgate GraphiQL');
  });

  test('the first query runs with the demo store’s headers at one click', async () => {
    await page.getByRole('button', { name: /execute/i }).click();
    const answer = page.locator('.result-window');
    await answer.getByText('Demo store').waitFor();
    expect(await answer.innerText()).toContain('"name"');
    await page.screenshot({ path: process.env['GRAPHIQL_SCREENSHOT'] ?? undefined });
  });

  test('the tabs of the demo shopper write and show the graph, at one click each', async () => {
    const runTab = async (name: string): Promise<unknown> => {
      // An answer that is still being shown takes the page back to its own tab.
      await until(async () => {
        await page.getByRole('tab', { name }).click();
        return (await page.locator('.graphiql-query-editor').innerText()).includes(name);
      });
      const answered = page.waitForResponse((response) => response.url().endsWith('/graphql'));
      await page.getByRole('button', { name: /execute/i }).click();
      return (await answered).json();
    };
    expect(await runTab('Create')).toMatchObject({
      data: { createList: { lname: 'Made in GraphiQL' }, initSaveForLater: { list: { cnt: 0 } } },
    });
    expect(await runTab('Wishes')).toMatchObject({
      data: { shopper: { isGuest: true, lists: { totalCount: 2 }, saveForLater: { items: [] } } },
    });
  });

  test('the tab with the subscription shows the lists, and each change as it happens', async () => {
    await until(async () => {
      await page.getByRole('tab', { name: 'Watch' }).click();
      return (await page.locator('.graphiql-query-editor').innerText()).includes('subscription');
    });
    await page.getByRole('button', { name: /execute/i }).click();
    const answer = page.locator('.result-window');
    await answer.getByText('"rev"').waitFor();
    await service
      .graphql(
        'mutation { createList(input: { lname: "Seen live" }) { lid } }',
        {},
        { store: demo, headers: { 'x-regid': (await ensureDemoShopper(service.services, demo.pid))! } },
      )
      .expect(200);
    await answer.getByText('Seen live').waitFor();
    await page.getByRole('button', { name: /stop/i }).click();
  });

  test('nothing was asked of any other origin, and the page had nothing to complain about', () => {
    expect(elsewhere).toEqual([]);
    expect(complaints).toEqual([]);
  });

  test('without a demo store no credentials are on the page', async () => {
    const { text } = await service.get('/graphiql').expect(200);
    const encoded = Buffer.from(`${demo.pid}:${demo.apiKey}`).toString('base64');
    expect([text.includes('"headers":"{}"'), text.includes(encoded)]).toEqual([true, false]);
  });
});
