import type { Page } from 'playwright-core';
import { item, newAccount } from '../../api/list-kit.ts';
import { useService } from '../../harness.ts';
import { describeInBrowser, useBrowser } from './chromium.ts';

describeInBrowser('with the network cut off', () => {
  const browser = useBrowser();
  const service = useService({ demo: true });

  /** Addresses of this service that a page leads to; what follows a # or ? is the same page. */
  const linksOn = (page: Page): Promise<string[]> =>
    page.$$eval('a[href]', (links) =>
      links
        .map((link) => new URL((link as HTMLAnchorElement).href))
        .filter(({ origin }) => origin === location.origin)
        .map(({ pathname }) => pathname),
    );

  test('every address opens from the service alone: nothing asks another host, and nothing is missing', async () => {
    const store = await service.createStore();
    const owner = await newAccount(service, store);
    const { lid } = await owner.create('Birthday');
    await owner.add(lid, item(1, { dt: 'Kettle' }));
    await owner.ok('lists/markPublic', { lid });

    const asked: string[] = [];
    const complaints: string[] = [];
    const context = await browser.newContext();
    await context.route(
      (url) => url.origin !== service.url && url.protocol.startsWith('http'),
      (route) => {
        asked.push(route.request().url());
        return route.abort('internetdisconnected');
      },
    );
    context.on('console', (message) => {
      if (message.type() === 'error') complaints.push(`${message.location().url}: ${message.text()}`);
    });
    context.on('weberror', (error) => complaints.push(String(error.error())));

    const seen = new Set<string>();
    const waiting = ['/', '/graphql', '/dashboard', '/docs', '/demo', `/shared/${lid}`, '/docs/openapi.json'];
    for (let path = waiting.shift(); path !== undefined; path = waiting.shift()) {
      if (seen.has(path)) continue;
      seen.add(path);
      const page = await context.newPage();
      // A page that watches never falls silent: the stream is the last that it opens.
      const isLive = path === '/demo';
      const streaming = isLive && page.waitForRequest(`${service.url}/graphql/stream`);
      const response = await page.goto(service.url + path, { waitUntil: isLive ? 'load' : 'networkidle' });
      await streaming;
      expect([path, response?.status()]).toEqual([path, 200]);
      waiting.push(...(await linksOn(page)));
      await page.close();
    }
    for (const path of ['/confirm/unknown', '/unsubscribe/unknown', '/shared/unknown', '/nowhere']) {
      const page = await context.newPage();
      const response = await page.goto(service.url + path, { waitUntil: 'networkidle' });
      expect([path, response?.status()]).toEqual([path, 404]);
      await page.close();
    }
    expect(asked).toEqual([]);
    expect(complaints.filter((text) => !/status of 404/.test(text))).toEqual([]);
    expect([...seen]).toEqual(expect.arrayContaining(['/graphiql', '/client/wishgate.js']));
  });
});
