import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { promisify } from 'node:util';
import type { BrowserContext, Page } from 'playwright-core';
import { REPOSITORY, VERSION } from '../../../src/platform/version.ts';
import { useService } from '../../harness.ts';
import { allFindings, describeInBrowser, eventually, secondFindings, useBrowser } from './chromium.ts';

/** A page that people open by its address: what says that it is drawn, and what its first load may weigh, packed. */
type Visited = {
  name: string;
  ready: string;
  maxBytes?: number;
  status?: number;
  /** Its own tests look for what keeps people out, in all of its views. */
  hasOwnTests?: boolean;
};

/** A new page is a new line. */
const PAGES = {
  '/': { name: 'landing page', ready: '.copy', maxBytes: 10_000 },
  '/docs': { name: 'API reference', ready: 'h1', hasOwnTests: true },
  '/graphiql': { name: 'GraphiQL', ready: '.graphiql-execute-button', maxBytes: 470_000 },
  '/client': { name: 'manual of the library', ready: '.copy', maxBytes: 16_000 },
  '/demo': { name: 'demo shop', ready: 'main h1, main h2', maxBytes: 80_000, hasOwnTests: true },
  '/dashboard': { name: 'sign-in of the dashboard', ready: 'h1', maxBytes: 120_000, hasOwnTests: true },
  '/nothing-here': { name: 'page of an unknown address', ready: 'h1', maxBytes: 4_000, status: 404 },
} satisfies Record<string, Visited>;

type Place = keyof typeof PAGES;

const SCREENS = [
  { width: 1440, height: 900 },
  { width: 390, height: 844 },
  { width: 320, height: 640 },
];

/** Runs what was pasted into a terminal. */
const paste = async (command: string): Promise<string> =>
  (await promisify(execFile)('bash', ['-c', command])).stdout;

describeInBrowser('every page that people open by its address', () => {
  const browser = useBrowser();
  const service = useService({ demo: true });

  /** Opens a page and says what was asked of whom, how much came, and what the browser complained about. */
  async function open(context: BrowserContext, place: Place) {
    const page = await context.newPage();
    const network = await context.newCDPSession(page);
    const came = { bytes: 0, outside: [] as string[], complaints: [] as string[] };
    await network.send('Network.enable');
    network.on('Network.loadingFinished', ({ encodedDataLength }) => (came.bytes += encodedDataLength));
    page.on('request', (request) => {
      const isOwn = [service.url, 'data:', 'blob:'].some((start) => request.url().startsWith(start));
      if (!isOwn) came.outside.push(request.url());
    });
    page.on('pageerror', (error) => came.complaints.push(error.message));
    page.on('console', (message) => {
      if (/Content Security Policy/i.test(message.text())) came.complaints.push(message.text());
    });
    const { ready, status = 200 }: Visited = PAGES[place];
    const answer = await page.goto(service.url + place, { waitUntil: 'load' });
    expect(answer!.status()).toBe(status);
    await page.locator(ready).first().waitFor();
    return { page, came };
  }

  const isTooWide = (page: Page): Promise<boolean> =>
    page.evaluate(() => document.documentElement.scrollWidth > innerWidth);

  test.each(Object.entries(PAGES))(
    '%s is accessible, fits every width, asks no other host and is small',
    async (place, { maxBytes = Infinity, hasOwnTests = false }: Visited) => {
      const faults: unknown[] = [];
      const context = await browser.newContext({ viewport: SCREENS[0]! });
      const { page, came } = await open(context, place as Place);
      if (came.bytes > maxBytes) faults.push({ bytes: came.bytes });
      for (const viewport of SCREENS) {
        await page.setViewportSize(viewport);
        if (await isTooWide(page)) faults.push({ ...viewport, fault: 'scrolls sideways' });
        const look = { 1440: allFindings, 390: secondFindings }[viewport.width];
        const found = (!hasOwnTests && (await look?.(page))) || [];
        if (found.length > 0) faults.push({ ...viewport, found });
      }
      if (came.outside.length + came.complaints.length > 0) faults.push(came);
      expect(faults).toEqual([]);
    },
  );

  /** Presses the button of a step of the quick start, and waits for what it shows. */
  const runStep = async (page: Page, step: number): Promise<void> => {
    const item = page.locator('.steps li').nth(step);
    await item.getByRole('button', { name: /^(Run|Open the email)$/ }).click();
    await item.locator('.result > *').first().waitFor();
  };

  /** Whether nothing of an email is below the lower edge of its frame, and its frame is no higher than it. */
  const isWhole = (frame: SVGElement | HTMLElement): boolean => {
    const { documentElement: email } = (frame as HTMLIFrameElement).contentDocument!;
    return email.scrollHeight === email.clientHeight && email.scrollHeight === email.offsetHeight;
  };

  test('the quick start runs from the first call to the email, twice, and each step needs the one before', async () => {
    const context = await browser.newContext();
    for (const round of [1, 2]) {
      const { page, came } = await open(context, '/');
      const buttons = page.locator('.run');
      for (const step of [0, 1, 2, 3, 4, 5]) {
        await runStep(page, step);
        expect(await buttons.nth(step + 1).isEnabled()).toBe(true);
        if (step < 5) expect(await buttons.nth(step + 2).isEnabled()).toBe(false);
      }
      const { regid } = JSON.parse((await page.locator('.result pre').first().textContent())!) as {
        regid: string;
      };
      expect(await page.locator('.steps li').nth(1).locator('pre').first().textContent()).toContain(
        `regid=${regid}`,
      );
      await service.runTasks();
      await runStep(page, 6);
      await page.getByText(/^To ada\+\w+@example\.com: Pour-over kettle/).waitFor();
      const frame = page.locator('iframe');
      await frame.contentFrame().getByText('Pour-over kettle').first().waitFor();
      expect(await frame.getAttribute('sandbox')).not.toContain('allow-scripts');
      // The whole email is in sight, whatever the width: the frame is as high as what it shows.
      for (const width of [1280, 390]) {
        await page.setViewportSize({ width, height: 800 });
        await eventually(() => frame.evaluate(isWhole), true);
      }
      expect({ round, complaints: came.complaints }).toEqual({ round, complaints: [] });
      if (round === 2) expect(await allFindings(page)).toEqual([]);
    }
  });

  test('on a phone the whole of the hero is on the first screen, and nothing of it is cut', async () => {
    const viewport = { width: 390, height: 844 };
    const { page } = await open(await browser.newContext({ viewport }), '/');
    const parts = ['h1', '.lead', '.buttons a', '.buttons button', '.shop', '.board', '.toast'];
    for (const part of parts) {
      const box = (await page.locator(`.hero ${part}`).boundingBox())!;
      const isInside =
        box.x >= 0 && box.x + box.width <= viewport.width && box.y + box.height <= viewport.height;
      expect([part, isInside, box.width > 100]).toEqual([part, true, true]);
    }
    // A shadow reaches beyond its drawing.
    const cut = await page
      .locator('.hero, .picture, .picture *')
      .evaluateAll((all) =>
        all
          .filter(
            (one) =>
              !one.closest('[clip-path], clipPath') &&
              one.closest('svg svg') === null &&
              getComputedStyle(one).overflow !== 'visible',
          )
          .map(({ outerHTML }) => outerHTML.slice(0, 80)),
      );
    expect(cut).toEqual([]);
  });

  test('on a phone no line of code is cut, and long values do not widen it', async () => {
    const { page } = await open(await browser.newContext({ viewport: { width: 390, height: 844 } }), '/');
    for (const step of [0, 1]) await runStep(page, step);
    const cut = await page
      .locator('pre')
      .evaluateAll((all) =>
        all.filter((block) => block.scrollWidth > block.clientWidth).map((block) => block.textContent),
      );
    expect(cut).toEqual([]);
  });

  test('scripts and styles are asked for once: a second visit takes them from the browser', async () => {
    const context = await browser.newContext();
    for (const place of ['/', '/docs', '/graphiql', '/client', '/demo', '/dashboard'] as const) {
      const first = await open(context, place);
      // Until it has all that it asks for: the demo shop's stream, which comes last, never ends.
      if (place !== '/demo') await first.page.waitForLoadState('networkidle');
      await first.page.close();
      const { page, came } = await open(context, place);
      expect([place, came.bytes < first.came.bytes]).toEqual([place, true]);
      const files = await page.evaluate(() =>
        performance
          .getEntriesByType('resource')
          .filter(({ name }) => new URL(name).pathname.startsWith('/assets/'))
          .map((entry) => (entry as PerformanceResourceTiming).transferSize),
      );
      expect([place, files.length > 0, files.filter((size) => size > 0)]).toEqual([place, true, []]);
      await page.close();
    }
  });

  test('the links of the landing page open, and its code works when it is pasted', async () => {
    const context = await browser.newContext({ permissions: ['clipboard-read', 'clipboard-write'] });
    const { page } = await open(context, '/');
    const links = await page.locator('.pages a').all();
    const pages = await Promise.all(links.map((link) => link.getAttribute('href')));
    expect(pages).toEqual(['/demo', '/dashboard', '/docs', '/graphiql', '/client']);
    for (const path of pages) expect((await context.request.get(service.url + path!)).status()).toBe(200);

    for (const path of ['/docs', '/graphiql', '/dashboard', '/demo', REPOSITORY])
      expect(await page.locator(`header nav a[href="${path}"]`).count()).toBe(1);
    await page.getByText(`Version ${VERSION}`).waitFor();
    await page
      .getByRole('heading', {
        level: 1,
        name: 'Wishlists and back\u2011in\u2011stock alerts for any online store',
      })
      .waitFor();
    expect(await page.locator('.reason').count()).toBe(4);

    for (const step of [0, 1]) await runStep(page, step);
    const copied: string[] = [];
    for (const button of await page.locator('.copy').all()) {
      await button.click();
      await button.getByText('Copied').waitFor();
      copied.push(await page.evaluate(() => navigator.clipboard.readText()));
    }
    const [identify, , save, sellOut, subscribe, restock, storefront] = copied;
    expect(JSON.parse(await paste(identify!))).toMatchObject({ regid: expect.any(String) });
    expect(JSON.parse(await paste(save!))).toMatchObject({ cnt: 1, a: [{ dt: 'Linen throw' }] });
    expect(await paste(sellOut!)).toContain('"stk":0');
    expect(JSON.parse(await paste(subscribe!))).toMatchObject({ topics: ['backinstock'] });
    expect(await paste(restock!)).toContain('"stk":12');

    const shop = createServer((_request, response) =>
      response.setHeader('content-type', 'text/html').end(`<!doctype html><body>${storefront}</body>`),
    );
    shop.listen(0, '127.0.0.1');
    await once(shop, 'listening');
    await page.goto(`http://127.0.0.1:${(shop.address() as AddressInfo).port}`);
    await page.getByText('Birthday: 1').waitFor();
    shop.closeAllConnections();
    shop.close();

    await page.goto(service.url);
    await page.getByRole('button', { name: 'Open the demo dashboard' }).click();
    await page.getByRole('button', { name: 'Sign out' }).waitFor();
  });
});
