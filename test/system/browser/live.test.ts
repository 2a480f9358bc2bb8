import { createServer } from 'node:http';
import type { Server } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import type { Page } from 'playwright-core';
import type { List, Wishgate, WishgateOptions } from '../../../packages/client/src/wishgate.ts';
import { item, newAccount } from '../../api/list-kit.ts';
import type { Client } from '../../api/list-kit.ts';
import { makeDataDir } from '../fault/fixtures/embedded-kit.ts';
import { endMains, startMain } from '../fault/fixtures/main-process.ts';
import { useService, useStore } from '../../harness.ts';
import { openStream } from '../../live.ts';
import { until } from '../../until.ts';
import { describeInBrowser, eventually, useBrowser } from './chromium.ts';
import { fullHeart, heart, logIn, openShop } from './demo-page.ts';

/** What a page has been told, newest last: of each list how many items it has, and which lists changed. */
type Told = { counts: Record<string, number>; rev: string; lids: string[] };
type WatchingPage = { told: Told[]; stop: () => void };

describeInBrowser('watch', () => {
  const browser = useBrowser();
  const service = useService({ demo: true });
  const store = useStore(service);
  let shop: Server;
  let shopUrl: string;

  beforeAll(async () => {
    // A storefront on an origin of its own; it has no script but what the tests run in it.
    shop = createServer(
      (_req, res) => void res.setHeader('content-type', 'text/html').end('<title>Shop</title>'),
    );
    shop.listen(0, '127.0.0.1');
    await once(shop, 'listening');
    shopUrl = `http://127.0.0.1:${(shop.address() as AddressInfo).port}/`;
  });
  afterAll(async () => {
    await endMains();
    shop.close();
  });

  /** A page that watches the lists of a shopper, in a browser of its own. */
  async function openPage(url: string, { shopper }: Client, isBlocked = false): Promise<Page> {
    const context = await browser.newContext();
    if (isBlocked)
      await context.route('**/graphql/stream', (route) => route.fulfill({ status: 502, body: 'no' }));
    const page = await context.newPage();
    await page.goto(shopUrl);
    await page.evaluate(
      async ([baseUrl, who]) => {
        const library = (await import(`${baseUrl}/client/wishgate.mjs`)) as {
          init: (options: WishgateOptions) => Wishgate;
        };
        const { pid, regid, sessionid } = who;
        const client = library.init({ baseUrl, pid, identify: () => ({ regid, sessionid }) });
        const told: Told[] = [];
        const stop = client.watch((lists: List[], { rev, lids }) => {
          told.push({ counts: Object.fromEntries(lists.map(({ lid, cnt }) => [lid, cnt])), rev, lids });
        });
        Object.assign(globalThis, { watching: { told, stop } satisfies WatchingPage });
      },
      [url, shopper] as const,
    );
    return page;
  }
  const toldTo = (page: Page): Promise<Told[]> =>
    page.evaluate(() => (globalThis as unknown as { watching: WatchingPage }).watching.told);

  /** What the page was told last, of one list. */
  const countOf = async (page: Page, lid: string): Promise<number | undefined> =>
    (await toldTo(page)).at(-1)?.counts[lid];

  /** Revisions only grow, and a list is named no oftener than it changed. */
  const expectNothingTwice = (told: Pick<Told, 'rev' | 'lids'>[], lid: string, writes: number): void => {
    const revs = told.map(({ rev }) => Number(rev));
    expect(revs).toEqual([...new Set(revs)].sort((left, right) => left - right));
    expect(told.slice(1).filter(({ lids }) => lids.includes(lid)).length).toBeLessThanOrEqual(writes);
  };

  test('two browsers and a REST client see every change that a fourth makes, through a restart, on two processes, and nobody sees another’s', async () => {
    const env = { DATABASE_URL: service.database.url, DEMO: '0' };
    const start = async (port = '0') => startMain({ ...env, PORT: port, DATA_DIR: await makeDataDir() });
    let one = await start();
    const two = await start();
    const [oneUrl, twoUrl] = [await one.url, await two.url];
    const [me, stranger] = [await newAccount(service, store), await newAccount(service, store)];
    const { lid } = await me.create('Watched');
    const pages = [await openPage(oneUrl, me), await openPage(twoUrl, me)];
    const strangers = await openPage(oneUrl, stranger);
    const others = await openStream({ url: twoUrl }, { shopper: stranger.shopper });
    for (const page of [...pages, strangers])
      await eventually(async () => (await toldTo(page)).length > 0, true);
    await until(() => others.messages.length > 0);

    /** Polls as clients without streams do; a service that is away is asked again. */
    const polled: Pick<Told, 'rev' | 'lids'>[] = [];
    let isOver = false;
    const call = (url: string, path: string, fields: object): Promise<Response> =>
      fetch(`${url}/api/v3/lists/${path}?pid=${encodeURIComponent(store.pid)}`, {
        method: 'POST',
        headers: { 'content-type': 'application/x-www-form-urlencoded' },
        body: new URLSearchParams({ ...me.shopper, ...fields }),
      });
    const poll = async (): Promise<void> => {
      const since = polled.at(-1)?.rev;
      const answer = await call(oneUrl, 'changes', { wait: '2', ...(since && { since }) });
      const changes = (await answer.json()) as Told;
      if (answer.ok && changes.rev !== since) polled.push(changes);
    };
    const polling = (async () => {
      while (!isOver) await poll().catch(() => new Promise((done) => setTimeout(done, 20)));
    })();

    let writes = 0;
    const write = async (): Promise<void> => {
      writes += 1;
      const a = JSON.stringify([item(writes)]);
      expect((await call(writes % 2 ? twoUrl : service.url, 'update-ctx', { lid, a })).status).toBe(200);
    };
    const everybodyKnows = async (): Promise<void> => {
      for (const page of pages) await eventually(() => countOf(page, lid), writes);
      const { rev } = await me.ok('lists/changes', { wait: 0 });
      await until(() => polled.at(-1)?.rev === rev);
    };
    await write();
    await everybodyKnows();
    await write();
    await everybodyKnows();
    one.child.kill('SIGTERM');
    // While it goes down, while it is away, and when it is back.
    await write();
    expect((await one.ended).code).toBe(0);
    await write();
    one = await start(new URL(oneUrl).port);
    await one.url;
    await write();
    await everybodyKnows();
    const { lid: later } = await me.create('Later');
    await eventually(() => countOf(pages[0]!, later), 0);
    await me.ok('lists/delete-list', { lid: later });
    for (const page of pages) await eventually(() => countOf(page, later), undefined);
    isOver = true;
    await polling;

    for (const page of pages) expectNothingTwice(await toldTo(page), lid, writes);
    expectNothingTwice(polled, lid, writes);
    expect(await toldTo(strangers)).toEqual([{ counts: {}, rev: '0', lids: [] }]);
    expect(others.messages).toHaveLength(1);
    others.close();
  });

  test('a script tag watches, too, and loads the part that watches again if it did not arrive', async () => {
    const me = await newAccount(service, store);
    const { lid } = await me.create('By tag');
    const context = await browser.newContext();
    let refused = 0;
    await context.route('**/client/watch.mjs', (route) => {
      refused += 1;
      return route.abort();
    });
    const page = await context.newPage();
    await page.goto(shopUrl);
    await page.addScriptTag({ url: `${service.url}/client/wishgate.js` });
    await page.evaluate(
      ([baseUrl, { pid, regid, sessionid }]) => {
        const { wishgate } = globalThis as unknown as {
          wishgate: { init: (options: WishgateOptions) => Wishgate };
        };
        const told: Told[] = [];
        const stop = wishgate
          .init({ baseUrl, pid, identify: () => ({ regid, sessionid }) })
          .watch((lists, { rev, lids }) => {
            told.push({ counts: Object.fromEntries(lists.map((list) => [list.lid, list.cnt])), rev, lids });
          });
        Object.assign(globalThis, { watching: { told, stop } satisfies WatchingPage });
      },
      [service.url, me.shopper] as const,
    );
    await eventually(async () => (await toldTo(page)).length, 1);
    expect(refused).toBe(1);
    await me.add(lid, item(1));
    await eventually(() => countOf(page, lid), 1);
  });

  test('where streams do not get through, the same is told by calls that wait', async () => {
    const me = await newAccount(service, store);
    const { lid } = await me.create('Polled');
    const blocked = await openPage(service.url, me, true);
    await eventually(async () => (await toldTo(blocked)).length, 1);
    await me.add(lid, item(1));
    await eventually(() => countOf(blocked, lid), 1);
    expectNothingTwice(await toldTo(blocked), lid, 1);
  });

  test('a hidden page rests, and is told what it missed when it is shown again', async () => {
    const me = await newAccount(service, store);
    const { lid } = await me.create('Hidden');
    const page = await openPage(service.url, me);
    await eventually(async () => (await toldTo(page)).length, 1);
    const ended = page.waitForEvent('requestfailed', (request) => request.url().endsWith('/graphql/stream'));
    const show = (state: string) =>
      page.evaluate((visibility) => {
        Object.defineProperty(document, 'visibilityState', { value: visibility, configurable: true });
        document.dispatchEvent(new Event('visibilitychange'));
      }, state);
    await show('hidden');
    await ended;
    await me.add(lid, item(1));
    await show('visible');
    await eventually(() => countOf(page, lid), 1);
    const told = await toldTo(page);
    expect(told.map(({ lids }) => lids)).toEqual([[lid], [lid]]);
    const closed = page.waitForEvent('requestfailed', (request) => request.url().endsWith('/graphql/stream'));
    await page.evaluate(() => (globalThis as unknown as { watching: WatchingPage }).watching.stop());
    await closed;
    await me.add(lid, item(2));
    expect(await toldTo(page)).toEqual(told);
  });

  test('two browsers of one customer show the same hearts in the demo shop without a reload', async () => {
    const contexts = [await browser.newContext(), await browser.newContext()];
    const pages = await Promise.all(contexts.map((context) => openShop(service.url, context)));
    for (const page of pages) await logIn(page, 'two@example.com');
    await heart(pages[0]!, 'Linen throw').click();
    await fullHeart(pages[1]!, 'Linen throw').click();
    await heart(pages[0]!, 'Linen throw').waitFor();
  });
});
