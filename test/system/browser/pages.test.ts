import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { promisify } from 'node:util';
import type { BrowserContext, Page } from 'playwright-core';
import { ensureDemoVisitor } from '../../../src/web/demo-store/visitor.ts';
import { useService } from '../../harness.ts';
import { click } from './act.ts';
import { allFindings, describeInBrowser, eventually, secondFindings, useBrowser } from './chromium.ts';

/** A page that people open by its address: what says that it is drawn, and what its first load may weigh, packed. */
type Visited = {
  ready: string;
  maxBytes: number;
  status?: number;
  /** Its own tests look for what keeps people out, in all of its views. */
  hasOwnTests?: boolean;
};

/** A new page is a new line. */
const PAGES: Record<string, Visited> = {
  '/': { ready: '.copy', maxBytes: 10_000 },
  '/docs': { ready: 'h1', maxBytes: 70_000, hasOwnTests: true },
  '/graphiql': { ready: '.graphiql-execute-button', maxBytes: 470_000 },
  '/client': { ready: '.copy', maxBytes: 16_000 },
  '/demo': { ready: 'main h1, main h2', maxBytes: 80_000, hasOwnTests: true },
  '/dashboard': { ready: 'h1', maxBytes: 120_000, hasOwnTests: true },
  '/nothing-here': { ready: 'h1', maxBytes: 4_000, status: 404 },
};

const SCREENS = [
  { width: 1440, height: 900, look: allFindings },
  { width: 390, height: 844, look: secondFindings },
  { width: 320, height: 640, look: null },
];

/** Runs what was pasted into a terminal. */
const paste = async (command: string): Promise<string> =>
  (await promisify(execFile)('bash', ['-c', command])).stdout;

/** Addresses of the service that a page leads to; what follows a # or ? is the same page. */
const linksOn = (page: Page): Promise<string[]> =>
  page.locator('a[href]').evaluateAll((links) => {
    const urls = links.map((link) => new URL((link as HTMLAnchorElement).href));
    return [...new Set(urls.filter(({ origin }) => origin === location.origin).map((url) => url.pathname))];
  });

/** How much a page and its files weigh, packed, and which files the browser had kept. */
const loadOf = (page: Page): Promise<{ bytes: number; isKept: boolean[] }> =>
  page.evaluate(() => {
    const all = [...performance.getEntriesByType('navigation'), ...performance.getEntriesByType('resource')];
    const entries = all as PerformanceResourceTiming[];
    const files = entries.filter(({ name }) => new URL(name).pathname.startsWith('/assets/'));
    return {
      bytes: entries.reduce((sum, { encodedBodySize }) => sum + encodedBodySize, 0),
      isKept: [...new Set(files.map(({ transferSize }) => transferSize === 0))],
    };
  });

describeInBrowser('every page that people open by its address', () => {
  const browser = useBrowser();
  const service = useService({ demo: true, rateLimits: false });
  const complaints: string[] = [];

  afterEach(() =>
    // A policy that is too strict shows as an error on the console.
    expect({
      outside: browser.outside(),
      complaints: complaints.splice(0).filter((text) => !/status of 40[14]/.test(text)),
    }).toEqual({ outside: [], complaints: [] }),
  );

  const newContext = async (options: object = {}): Promise<BrowserContext> => {
    const context = await browser.newContext({ viewport: { width: 1440, height: 900 }, ...options });
    context.on('weberror', (error) => complaints.push(String(error.error())));
    context.on('console', (message) => {
      if (message.type() === 'error') complaints.push(message.text());
    });
    return context;
  };

  async function open(context: BrowserContext, place: string): Promise<Page> {
    const page = await context.newPage();
    const { ready, status = 200 } = PAGES[place]!;
    const answer = await page.goto(service.url + place, { waitUntil: 'load' });
    expect(answer!.status()).toBe(status);
    await page.locator(ready).first().waitFor();
    return page;
  }

  test.each(Object.entries(PAGES))(
    '%s is accessible, fits every width, is small, leads to what opens, and takes its files from the browser the next time',
    async (place, { maxBytes, status, hasOwnTests = false }) => {
      const context = await newContext();
      const page = await open(context, place);
      const { bytes } = await loadOf(page);
      expect([bytes > 500, bytes < maxBytes ? maxBytes : bytes]).toEqual([true, maxBytes]);
      for (const path of await linksOn(page))
        expect([path, (await service.http.get(path).redirects(1)).status]).toEqual([path, 200]);
      for (const { look, ...viewport } of SCREENS) {
        await page.setViewportSize(viewport);
        const beyond = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
        const found = (!hasOwnTests && (await look?.(page))) || [];
        expect({ ...viewport, beyond, found }).toEqual({ ...viewport, beyond: 0, found: [] });
      }
      if (status === 404) return;
      // All has come that it asks for; the demo shop's stream, which comes last, never ends.
      if (place !== '/demo') await page.waitForLoadState('networkidle');
      await page.close();
      expect((await loadOf(await open(context, place))).isKept).toEqual([true]);
    },
  );

  let shop: Server | null = null;
  afterEach(() => {
    shop?.closeAllConnections();
    shop?.close();
  });

  /** Opens a page with this code at another origin, whose back end says who the shopper is. */
  async function openShop(code: string, identity: object = {}): Promise<Page> {
    const html = `<!doctype html><link rel="icon" href="data:,"><body>${code}</body>`;
    shop = createServer(({ url }, response) =>
      url === '/api/identify'
        ? response.end(JSON.stringify(identity))
        : response.setHeader('content-type', 'text/html').end(html),
    ).listen(0, '127.0.0.1');
    await once(shop, 'listening');
    const page = await (await newContext()).newPage();
    await page.goto(`http://127.0.0.1:${(shop.address() as AddressInfo).port}`);
    return page;
  }

  test("the README's script-tag example saves a product from another origin", async () => {
    const store = await service.createStore();
    const shopper = await service.guest(store);
    const readme = await readFile(new URL('../../../README.md', import.meta.url), 'utf8');
    const [, example] = /```html\n([\s\S]*?)```/.exec(readme)!;
    const html = example!.replaceAll('http://127.0.0.1:4000', service.url).replaceAll('YOUR_PID', store.pid);
    const { regid, sessionid } = shopper;
    await openShop(html, { regid, sessionid });
    await eventually(
      async () => (await service.post('/api/v3/lists/fetch-lists', {}, { shopper }).expect(200)).body,
      [expect.objectContaining({ lname: 'Favourites', listcontents: [expect.objectContaining({ epi: 1 })] })],
    );
  });

  /** Presses the button of a step of the quick start, and waits for what it shows. */
  const runStep = async (page: Page, step: number): Promise<void> => {
    const item = page.locator('.steps li').nth(step);
    await click(item.getByRole('button', { name: /^(Run|Open the email)$/ }));
    await item.locator('.result > *').first().waitFor();
  };

  /** Whether nothing of an email is below the lower edge of its frame, and its frame is no higher than it. */
  const isWhole = (frame: SVGElement | HTMLElement): boolean => {
    const { documentElement: email } = (frame as HTMLIFrameElement).contentDocument!;
    return email.scrollHeight === email.clientHeight && email.scrollHeight === email.offsetHeight;
  };

  /** Runs all steps of the quick start, each of which needs the one before. */
  async function runQuickStart(page: Page): Promise<void> {
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
  }

  test('the quick start runs from the first call to the email, and its code works as it is copied', async () => {
    const page = await open(await newContext({ permissions: ['clipboard-read', 'clipboard-write'] }), '/');
    await runQuickStart(page);
    expect(await allFindings(page)).toEqual([]);

    const copied: string[] = [];
    for (const frame of await page.locator('.copied').all()) {
      await click(frame.getByRole('button'));
      const code = (await frame.locator('pre').textContent())!.trim();
      await eventually(() => page.evaluate(() => navigator.clipboard.readText()), code);
      copied.push(code);
    }
    const [identify, , save, sellOut, subscribe, restock, storefront] = copied;
    expect(JSON.parse(await paste(identify!))).toMatchObject({ regid: expect.any(String) });
    expect(JSON.parse(await paste(save!))).toMatchObject({ cnt: 1, a: [{ dt: 'Linen throw' }] });
    expect(await paste(sellOut!)).toContain('"stk":0');
    expect(JSON.parse(await paste(subscribe!))).toMatchObject({ topics: ['backinstock'] });
    expect(await paste(restock!)).toContain('"stk":12');
    await (await openShop(storefront!)).getByText('Birthday: 1').waitFor();

    await click(page.getByRole('button', { name: 'Open the demo dashboard' }));
    await page.getByRole('button', { name: 'Sign out' }).waitFor();
  });

  test('on a phone the whole of the hero is on the first screen, and the quick start cuts no line of its code', async () => {
    const viewport = { width: 390, height: 844 };
    const page = await open(await newContext({ viewport }), '/');
    for (const part of ['h1', '.lead', '.buttons a', '.buttons button', '.shop', '.board', '.toast']) {
      const { x, y, width, height } = (await page.locator(`.hero ${part}`).boundingBox())!;
      const isInside = x >= 0 && x + width <= viewport.width && y + height <= viewport.height;
      expect([part, isInside, width > 100]).toEqual([part, true, true]);
    }
    // A shadow reaches beyond its drawing.
    const cut = await page.locator('.hero, .picture, .picture *').evaluateAll((all) =>
      all
        .filter((one) => !one.closest('[clip-path], clipPath') && one.closest('svg svg') === null)
        .filter((one) => getComputedStyle(one).overflow !== 'visible')
        .map(({ outerHTML }) => outerHTML.slice(0, 80)),
    );
    expect(cut).toEqual([]);
    await runQuickStart(page);
    const cutCode = await page
      .locator('pre')
      .evaluateAll((all) =>
        all.filter((code) => code.scrollWidth > code.clientWidth).map((code) => code.textContent),
      );
    expect(cutCode).toEqual([]);
  });

  describe('GraphiQL', () => {
    let context: BrowserContext;
    let page: Page;

    beforeEach(async () => {
      context = await newContext();
      page = await open(context, '/graphiql');
    });

    /** Waits until the open tab shows an answer. */
    const answers = (expected: RegExp, on = page): Promise<void> =>
      eventually(() => on.locator('.result-window').first().innerText(), expect.stringMatching(expected));

    /** Opens a tab; an answer that is still being shown takes the page back to its own. */
    const openTab = (name: string): Promise<void> =>
      eventually(
        async () => {
          await click(page.getByRole('listitem').getByRole('button', { name, exact: true }));
          return page.locator('.graphiql-query-editor').innerText();
        },
        expect.stringMatching(`(query|mutation|subscription) ${name}\\b`),
      );

    const run = (on = page): Promise<void> => click(on.locator('.graphiql-execute-button'));

    test('a tab runs without an edit, and the subscription shows each change as it happens', async () => {
      await openTab('Save');
      await run();
      await answers(/"cnt": 4[^]*"dt": "Stoneware mug"/);
      await openTab('Live');
      await run();
      await answers(/"cnt": 4/);
      const { regid } = await ensureDemoVisitor(service.url, service.demo!);
      const caller = { store: service.demo!, headers: { 'x-regid': regid } };
      await service
        .graphql('mutation { createList(input: { lname: "Seen live" }) { lid } }', {}, caller)
        .expect(200);
      await answers(/Seen live/);
    });

    test('a reload keeps the tabs, which still run; a new window has them in its history, and no credentials are kept', async () => {
      await openTab('Lists');
      await page.reload();
      await page.locator('.graphiql-execute-button').waitFor();
      expect(await page.locator('.graphiql-tab').count()).toBe(8);
      await openTab('Shopper');
      await run();
      await answers(/"isGuest": true/);
      const kept = await page.evaluate(() => JSON.stringify(localStorage));
      expect(kept).toContain('query Shopper');
      expect(kept).not.toMatch(/x-regid\\*":|authorization\\*":|Basic c/);
      const second = await open(context, '/graphiql');
      await click(second.getByRole('button', { name: 'Show History' }));
      await click(second.locator('.graphiql-history-item').getByText('Shopper'));
      await run(second);
      await answers(/"isGuest": true/, second);
      expect(await secondFindings(second)).toEqual([]);
    });

    test('its docs are accessible, and show what the credentials of the tab may use; other headers are sent as they are typed', async () => {
      const docs = page.locator('.graphiql-doc-explorer');
      const shows = (expected: RegExp): Promise<void> =>
        eventually(
          async () => (await docs.getByRole('link').allInnerTexts()).join(' '),
          expect.stringMatching(expected),
        );
      await click(page.getByRole('button', { name: 'Show Documentation Explorer' }));
      await docs.getByText('Wishlists, save for later').waitFor();
      await shows(/List.*MailServer/s);
      await openTab('Shopper');
      await shows(/List(?!.*MailServer)/s);
      await openTab('Identity');
      await shows(/List.*MailServer/s);
      await click(docs.getByRole('link', { name: 'Query' }));
      await docs.getByText('Requires shopper credentials').first().waitFor();
      expect(await allFindings(page)).toEqual([]);

      await openTab('Shopper');
      await click(page.locator('.graphiql-editor-tools').getByRole('button', { name: 'Headers' }));
      await page.getByRole('textbox', { name: 'Headers' }).focus();
      await page.keyboard.press('Control+A');
      await page.keyboard.insertText(`{ "x-pid": "${service.demo!.pid}" }`);
      await run();
      await answers(/x-regid and x-sessionid/);
    });
  });
});
