import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { BrowserContext, Page } from 'playwright-core';
import type { init } from '../../../packages/client/src/wishgate.ts';
import { item, newAccount } from '../../api/list-kit.ts';
import type { Client } from '../../api/list-kit.ts';
import { useNewStore, useService } from '../../harness.ts';
import { makeDataDir } from '../fault/fixtures/embedded-kit.ts';
import { endMains, startMain } from '../fault/fixtures/main-process.ts';
import { describeInBrowser, eventually, useBrowser } from './chromium.ts';

type Library = { init: typeof init };

/** What a page is told, newest last: the revision, and how many items each list has. */
type WatchingPage = { wishgate?: Library; told: { rev: string; counts: Record<string, number> }[] };

describeInBrowser('watch', () => {
  const browser = useBrowser();
  const service = useService();
  const store = useNewStore(service);
  // A storefront on an origin of its own; it has no script but what the tests run in it.
  const shop = createServer(
    (_req, res) => void res.setHeader('content-type', 'text/html').end('<title>Shop</title>'),
  );
  beforeAll(() => once(shop.listen(0, '127.0.0.1'), 'listening'));
  afterEach(endMains);
  afterAll(() => void shop.close());

  /** A page that watches the lists of a shopper, with the library as a module, or by its script tag. */
  async function openPage(context: BrowserContext, url: string, me: Client, isTag = false): Promise<Page> {
    const page = await context.newPage();
    await page.goto(`http://127.0.0.1:${(shop.address() as AddressInfo).port}/`);
    if (isTag) await page.addScriptTag({ url: `${url}/client/wishgate.js` });
    await page.evaluate(
      async ([baseUrl, { pid, regid, sessionid }]) => {
        const shown = globalThis as unknown as WatchingPage;
        const library = shown.wishgate ?? ((await import(`${baseUrl}/client/wishgate.mjs`)) as Library);
        shown.told = [];
        library.init({ baseUrl, pid, identify: () => ({ regid, sessionid }) }).watch((lists, { rev }) => {
          shown.told.push({ rev, counts: Object.fromEntries(lists.map(({ lid, cnt }) => [lid, cnt])) });
        });
      },
      [url, me.shopper] as const,
    );
    return page;
  }
  const told = (page: Page): Promise<WatchingPage['told']> => page.evaluate('told');
  const toldLast = async (page: Page) => (await told(page)).at(-1)?.counts;

  test('two browsers on two processes follow every change, through a restart, and a stranger sees none of them', async () => {
    const env = { DATABASE_URL: service.database.url, DEMO: '0' };
    const start = async (PORT = '0') => startMain({ ...env, PORT, DATA_DIR: await makeDataDir() });
    let one = await start();
    const two = await start();
    const [oneUrl, twoUrl] = [await one.url, await two.url];
    const [me, stranger] = [await newAccount(service, store), await newAccount(service, store)];
    const { lid } = await me.create('Watched');
    const open = async (url: string, who: Client) => openPage(await browser.newContext(), url, who);
    const pages = [await open(oneUrl, me), await open(twoUrl, me)];
    const strangers = await open(oneUrl, stranger);
    await eventually(() => toldLast(strangers), {});

    const expectTold = async (counts: object): Promise<void> => {
      for (const page of pages) await eventually(() => toldLast(page), counts);
    };
    let writes = 0;
    const write = async (url = service.url): Promise<void> => {
      const { pid, ...who } = me.shopper;
      const a = JSON.stringify([item((writes += 1))]);
      const path = `${url}/api/v3/lists/update-ctx?pid=${encodeURIComponent(pid)}`;
      const body = new URLSearchParams({ ...who, lid, a });
      expect((await fetch(path, { method: 'POST', body })).status).toBe(200);
    };
    await expectTold({ [lid]: 0 });
    await write(twoUrl);
    await expectTold({ [lid]: 1 });
    // While it goes down, while it is away, and when it is back.
    one.child.kill('SIGTERM');
    await write();
    expect((await one.ended).code).toBe(0);
    await write(twoUrl);
    one = await start(new URL(oneUrl).port);
    await one.url;
    await write(oneUrl);
    await expectTold({ [lid]: writes });
    const { lid: later } = await me.create('Later');
    await expectTold({ [lid]: writes, [later]: 0 });
    await me.ok('lists/delete-list', { lid: later });
    await expectTold({ [lid]: writes });

    for (const page of pages) {
      const revs = (await told(page)).map(({ rev }) => Number(rev));
      expect(revs).toEqual([...new Set(revs)].sort((left, right) => left - right));
    }
    expect(await told(strangers)).toEqual([{ rev: '0', counts: {} }]);
  });

  test('a script tag watches, too, and loads the part that watches again if it did not arrive', async () => {
    const me = await newAccount(service, store);
    const { lid } = await me.create('By tag');
    const context = await browser.newContext();
    let isRefused = false;
    await context.route('**/client/watch.mjs', (route) => {
      isRefused = true;
      return route.abort();
    });
    const page = await openPage(context, service.url, me, true);
    await eventually(() => toldLast(page), { [lid]: 0 });
    expect(isRefused).toBe(true);
    await me.add(lid, item(1));
    await eventually(() => toldLast(page), { [lid]: 1 });
  });
});
