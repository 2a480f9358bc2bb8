import { randomUUID } from 'node:crypto';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { BrowserContext, Page } from 'playwright-core';
import { revokeSessions } from '../../../src/shoppers/shopper.service.ts';
import { useService } from '../../harness.ts';
import { allFindings, describeInBrowser, eventually, secondFindings, useBrowser } from './chromium.ts';
import { ask, focusedName, fullHeart, heart, identify, logIn, logOut, openShop, save } from './demo-page.ts';

const SCREENS = [
  { width: 1440, height: 900 },
  { width: 390, height: 844 },
] as const;

/** Where to leave pictures of every page, for a person to look at; none are taken without it. */
const PICTURES = process.env['PAGE_PICTURES'];

describeInBrowser('the demo storefront', () => {
  const browser = useBrowser();
  const service = useService({ demo: true });
  const outside: string[] = [];

  afterEach(() => expect(outside).toEqual([]));

  /** A visitor with cookies of its own; requests to anywhere else are noted. */
  async function visitor(options: object = {}): Promise<BrowserContext> {
    const context = await browser.newContext(options);
    context.on('request', (request) => {
      if (!request.url().startsWith(service.url) && !/^(data|blob):/.test(request.url()))
        outside.push(request.url());
    });
    return context;
  }

  /** Leaves a picture of a page, where somebody wants to look at it. */
  async function picture(page: Page, name: string): Promise<void> {
    if (PICTURES === undefined) return;
    await mkdir(PICTURES, { recursive: true });
    await page.screenshot({ path: join(PICTURES, `demo-${name}.png`) });
  }

  test('the shop loads the elements that every shop gets, and has no client of its own', async () => {
    const context = await visitor();
    const scripts: string[] = [];
    context.on('request', (request) => {
      if (request.resourceType() === 'script') scripts.push(new URL(request.url()).pathname);
    });
    const page = await openShop(service.url, context);
    await heart(page, 'Linen throw').waitFor();
    await eventually(async () => scripts.includes('/client/watch.mjs'), true);
    const { text } = await service.http.get('/client/elements.mjs').expect(200);
    const own = /import\("\.\/(elements-hearts[\w.-]*)"/.exec(text)![1]!;
    for (const file of ['elements.mjs', own, 'wishgate.mjs', 'watch.mjs'])
      expect(scripts).toContain(`/client/${file}`);
    // Lists are loaded where they are shown.
    expect(scripts).not.toContain('/client/elements-lists.mjs');
    await page.getByRole('link', { name: 'Lists' }).click();
    await page.getByText('Nothing is saved yet').waitFor();
    expect(scripts).toContain('/client/elements-lists.mjs');
  });

  test('a saved product is still saved after a reload, in another tab, and can be let go again', async () => {
    const context = await visitor();
    const page = await openShop(service.url, context);
    const other = await openShop(service.url, context);
    await heart(other, 'Linen throw').waitFor();
    await save(page, 'Linen throw');
    await fullHeart(other, 'Linen throw').waitFor();
    await page.reload();
    await fullHeart(page, 'Linen throw').click();
    await heart(page, 'Linen throw').waitFor();
    await heart(other, 'Linen throw').waitFor();
  });

  test('what is removed from a list by a slip comes back by Undo', async () => {
    const page = await openShop(service.url, await visitor());
    await save(page, 'Linen throw');
    await page.getByRole('link', { name: 'Lists' }).click();
    await page.getByRole('heading', { level: 2, name: 'Favourites' }).waitFor();
    await page.getByRole('button', { name: 'Remove: Linen throw' }).click();
    await page.getByText('Linen throw removed').waitFor();
    await page.getByRole('button', { name: 'Undo: Linen throw' }).click();
    await page.getByRole('button', { name: 'Remove: Linen throw' }).waitFor();
    await page.reload();
    await page.getByRole('link', { name: 'Linen throw' }).click();
    await page.getByRole('heading', { level: 1, name: 'Linen throw' }).waitFor();
    await fullHeart(page, 'Linen throw').waitFor();
  });

  test('two tabs have the same cart, which gets no more than there is, and neither overwrites the other', async () => {
    const context = await visitor();
    const [here, there] = [await openShop(service.url, context), await openShop(service.url, context)];
    await here.getByRole('button', { name: 'Add to cart: Ceramic vase' }).click();
    await there.getByRole('link', { name: 'Cart 1' }).waitFor();
    await there.getByRole('button', { name: 'Add to cart: Oak board' }).click();
    await here.getByRole('link', { name: 'Cart 2' }).click();
    // There are seven: neither the button, nor the field, nor another tab gets more into the cart.
    const quantity = here.getByRole('spinbutton', { name: 'Quantity of Ceramic vase' });
    await quantity.fill('50');
    await quantity.press('Enter');
    await here.getByText('Only 7 left: Ceramic vase').waitFor();
    expect(await quantity.inputValue()).toBe('7');
    await there.getByRole('button', { name: 'Add to cart: Ceramic vase' }).click();
    await there.getByText('Only 7 left: Ceramic vase').waitFor();
    await there.getByRole('link', { name: 'Cart 8' }).waitFor();
    await here.getByRole('button', { name: 'Remove Ceramic vase' }).click();
    await there.getByRole('link', { name: 'Cart 1' }).waitFor();
  });

  test('a product moves from a list and from the cart to save for later, and back into the cart', async () => {
    const page = await openShop(service.url, await visitor());
    await save(page, 'Stoneware mug');
    await page.getByRole('button', { name: 'Add to cart: Oak board' }).click();
    await page.getByRole('link', { name: 'Lists' }).click();
    await page.getByRole('button', { name: 'Save for later: Stoneware mug' }).click();
    await page.getByText('Nothing is saved yet').waitFor();
    await page.getByRole('link', { name: 'Cart 1' }).click();
    await page.getByRole('button', { name: 'Save for later: Oak board' }).click();
    await page.getByRole('heading', { level: 1, name: 'Your cart is empty' }).waitFor();
    await page.reload();
    for (const name of ['Oak board', 'Stoneware mug'])
      await page.getByRole('button', { name: `Move to cart: ${name}` }).click();
    await page.getByRole('link', { name: 'Cart 2' }).waitFor();
    await page.getByText('This list is empty').waitFor();
    await page.getByRole('button', { name: 'Place order' }).click();
    await page.getByText('Thanks for your order!').waitFor();
    await page.getByRole('heading', { level: 1, name: 'Your cart is empty' }).waitFor();
  });

  test('what a guest saved joins the account at login, and the guest who comes after sees nothing of it', async () => {
    const email = `${randomUUID()}@example.com`;
    const context = await visitor();
    const page = await openShop(service.url, context);
    await save(page, 'Linen throw');
    await logIn(page, email);
    await fullHeart(page, 'Linen throw').waitFor();
    await save(page, 'Herb planter', 2);
    await logOut(page, email);
    await page.getByRole('link', { name: 'Hearth & Loom' }).click();
    await heart(page, 'Linen throw').waitFor();

    const elsewhere = await openShop(service.url, await visitor());
    await logIn(elsewhere, email);
    await fullHeart(elsewhere, 'Linen throw').waitFor();
    await fullHeart(elsewhere, 'Herb planter').waitFor();
  });

  test('a guest shares a link without an account, which opens in another profile until it is private again', async () => {
    const context = await visitor();
    const page = await openShop(service.url, context);
    await save(page, 'Beeswax candle');
    await page.getByRole('link', { name: 'Lists' }).click();
    await page.getByRole('button', { name: 'Share' }).click();
    const link = await page.getByRole('textbox', { name: 'Link to this list' }).inputValue();
    expect(link).toContain(`${service.url}/demo#/shared/`);

    const theirs = await (await visitor()).newPage();
    await theirs.goto(link);
    await theirs.getByRole('heading', { level: 2, name: 'Favourites' }).waitFor();
    await theirs.getByRole('link', { name: 'Beeswax candle' }).waitFor();
    expect(await theirs.locator('main').textContent()).not.toContain('@');
    await theirs.getByRole('button', { name: 'Add to cart: Beeswax candle' }).click();
    await theirs.getByRole('link', { name: 'Cart 1' }).waitFor();

    await page.getByRole('button', { name: 'Stop sharing' }).click();
    await page.getByRole('button', { name: 'Share', exact: true }).waitFor();
    await theirs.reload();
    await theirs.getByRole('alert').getByText('List not found').waitFor();
  });

  test('where a product is sold out, the alert is the button that stands out', async () => {
    const page = await openShop(service.url, await visitor());
    const colour = (name: string) =>
      page.getByRole('button', { name }).evaluate((button) => getComputedStyle(button).backgroundColor);
    const cart = await colour('Add to cart: Oak board');
    expect(await colour('Notify me: Pour-over kettle')).toBe(cart);
    await page.goto(`${service.url}/demo#/p/board`);
    await page.getByText('Waiting for a better price?').waitFor();
    expect(await colour('Notify me: Oak board')).not.toBe(cart);
  });

  test('the first Tab reaches a link that skips the header', async () => {
    const page = await openShop(service.url, await visitor());
    await heart(page, 'Linen throw').waitFor();
    await page.keyboard.press('Tab');
    expect(await focusedName(page)).toBe('Skip to content');
    await page.keyboard.press('Enter');
    await eventually(() => focusedName(page), 'Things for slow mornings');
    await page.keyboard.press('Tab');
    expect(await focusedName(page)).toBe('Linen throw');
  });

  test('while wishlists are unavailable the shop sells, and hearts work again by themselves', async () => {
    const context = await visitor();
    const away = ['**/api/v3/**', '**/graphql/**', '**/client/watch.mjs*'];
    for (const path of away) await context.route(path, (route) => route.abort());
    const page = await openShop(service.url, context);
    await page.getByRole('button', { name: 'Add to cart: Ceramic vase' }).click();
    await page.getByRole('link', { name: 'Cart 1' }).waitFor();
    await heart(page, 'Ceramic vase').click();
    await page.getByText("That didn't work. Please try again.").waitFor();
    await heart(page, 'Ceramic vase').waitFor();
    await picture(page, 'away');
    expect(await allFindings(page)).toEqual([]);
    for (const path of away) await context.unroute(path);
    await save(page, 'Ceramic vase');
  });

  test('a heart fills at once, however slow the network, and makes few requests', async () => {
    const context = await visitor();
    const page = await openShop(service.url, context);
    await save(page, 'Linen throw');
    const calls: string[] = [];
    let release = (): void => undefined;
    const held = new Promise<void>((resolve) => (release = resolve));
    await context.route('**/lists/update-ctx*', async (route) => {
      calls.push(new URL(route.request().url()).pathname);
      await held;
      await route.continue();
    });
    await context.route('**/lists/fetch-lists*', async (route) => {
      calls.push(new URL(route.request().url()).pathname);
      await route.continue();
    });
    await heart(page, 'Oak board').click();
    await fullHeart(page, 'Oak board').waitFor();
    release();
    await page.getByRole('link', { name: 'Lists Saved items: 2' }).waitFor();
    await page.reload();
    await fullHeart(page, 'Oak board').waitFor();
    expect(calls[0]).toBe('/api/v3/lists/update-ctx');
    // Of what it has written itself, the page is notified once; the rest are reads of the reload.
    expect(calls.length).toBeLessThanOrEqual(4);
  });

  test('the first load is below 80 kB packed, the second fetches nothing that is kept, and nothing moves', async () => {
    const context = await visitor();
    await context.addInitScript(() => {
      const page = globalThis as unknown as { moved: number };
      page.moved = 0;
      new PerformanceObserver((list) => {
        for (const entry of list.getEntries() as (PerformanceEntry & { value: number })[])
          page.moved += entry.value;
      }).observe({ type: 'layout-shift', buffered: true });
    });
    const page = await openShop(service.url, context);
    const bytes = (field: 'encodedBodySize' | 'transferSize', kinds: RegExp): Promise<number> =>
      page.evaluate(
        ([name, source]) =>
          (performance.getEntries() as unknown as Record<string, number | string>[])
            .filter((entry) => name in entry && new RegExp(source).test(String(entry['name'])))
            .reduce((sum, entry) => sum + Number(entry[name]), 0),
        [field, kinds.source] as const,
      );
    const settled = async (): Promise<void> => {
      await page.getByRole('button', { name: 'Notify me: Pour-over kettle' }).waitFor();
      const watching = 'performance.getEntriesByName(location.origin + "/client/watch.mjs").length > 0';
      await eventually(() => page.evaluate<boolean>(watching), true);
    };
    await settled();
    const first = await bytes('encodedBodySize', /./);
    expect([first > 30_000, first < 80_000]).toEqual([true, true]);
    expect(await page.evaluate('moved')).toBe(0);
    await page.reload();
    await settled();
    expect(await bytes('transferSize', /\/(assets|client|demo\/images)\//)).toBe(0);
    expect(await page.evaluate('moved')).toBe(0);
  });

  test('a visitor without a mouse saves, reads, asks for an alert and removes', async () => {
    const page = await openShop(service.url, await visitor());
    await heart(page, 'Linen throw').waitFor();
    const press = async (name: RegExp): Promise<void> => {
      for (let steps = 0; !name.test(await focusedName(page)); steps += 1) {
        expect(steps).toBeLessThan(60);
        await page.keyboard.press('Tab');
      }
      await page.keyboard.press('Enter');
    };
    await press(/^Save Linen throw/);
    await page.getByRole('link', { name: 'Lists Saved items: 1' }).waitFor();
    await press(/^Pour-over kettle$/);
    await eventually(() => focusedName(page), 'Pour-over kettle');
    await press(/^Notify me/);
    await page.getByRole('textbox', { name: 'Email address' }).waitFor();
    await page.keyboard.type('nobody');
    await page.keyboard.press('Enter');
    await page.getByRole('alert').getByText('Please enter a valid email address').waitFor();
    await page.goto(`${service.url}/demo#/lists`);
    await page.getByRole('button', { name: 'Remove: Linen throw' }).waitFor();
    await press(/^Remove: Linen throw/);
    await eventually(() => focusedName(page), 'Undo: Linen throw');
    await page.keyboard.press('Enter');
    await eventually(() => focusedName(page), 'Remove: Linen throw');
  });

  test('ended sessions are recovered without the visitor noticing', async () => {
    const page = await openShop(service.url, await visitor());
    await save(page, 'Linen throw');
    await revokeSessions(service.services, service.demo!.pid, { all: true });
    await save(page, 'Oak board', 2);
    expect(await page.getByText("That didn't work").count()).toBe(0);
  });

  test('the API key and sessionids are in no page, script or storage', async () => {
    const page = await openShop(service.url, await visitor());
    await save(page, 'Oak board');
    const stored = await page.evaluate(
      'JSON.stringify([{ ...localStorage }, { ...sessionStorage }, document.cookie, document.documentElement.outerHTML])',
    );
    const identity = await identify(page);
    expect(stored).not.toContain(service.demo!.apiKey);
    expect(stored).not.toContain(identity.sessionid);
    expect(JSON.stringify(identity)).not.toContain(service.demo!.apiKey);
  });

  describe.each(SCREENS)('at $width pixels, in light and in dark colours', ({ width, height }) => {
    test('every view fits the screen, is named and accessible', async () => {
      const context = await visitor({ viewport: { width, height } });
      const page = await openShop(service.url, context);
      await save(page, 'Linen throw');
      await page.getByRole('button', { name: 'Add to cart: Stoneware mug' }).click();
      const overflow = (): Promise<unknown> =>
        page.evaluate('document.documentElement.scrollWidth - innerWidth');
      const check = async (name: string): Promise<void> => {
        expect({ name, overflow: await overflow() }).toEqual({ name, overflow: 0 });
        const findings = width < 400 ? await secondFindings(page) : await allFindings(page);
        expect({ name, findings }).toEqual({ name, findings: [] });
        const levels = await page.$$eval('main :is(h1, h2, h3)', (all) =>
          all.map(({ tagName }) => Number(tagName[1])),
        );
        // One heading of the page, and no level is left out on the way down.
        expect({ name, first: levels[0], tops: levels.filter((level) => level === 1).length }).toEqual({
          name,
          first: 1,
          tops: 1,
        });
        expect(levels.every((level, at) => at === 0 || level <= levels[at - 1]! + 1)).toBe(true);
        const buttons = await page.$$eval('main button', (all) =>
          all.map((button) => button.ariaLabel ?? button.textContent),
        );
        expect(buttons.filter((text, at) => buttons.indexOf(text) !== at)).toEqual([]);
        await picture(page, `${name}-${width}`);
        if (width > 400) return;
        await page.setViewportSize({ width: 320, height });
        expect({ name, overflow: await overflow() }).toEqual({ name, overflow: 0 });
        await page.setViewportSize({ width, height });
      };
      await check('shop');
      await ask(page, 'Pour-over kettle', 'screens@example.com');
      await check('asked');
      for (const [view, heading] of [
        ['p/kettle', 'Pour-over kettle'],
        ['lists', 'My lists'],
        ['alerts', 'My alerts'],
        ['cart', 'Your cart'],
        ['p/apron', 'Canvas apron'],
        ['account', 'Sign in'],
        ['test-panel', 'Test panel'],
      ] as const) {
        await page.goto(`${service.url}/demo#/${view}`);
        await page.getByRole('heading', { level: 1, name: heading }).waitFor();
        await eventually(() => page.title(), `${heading} · Hearth & Loom`);
        if (view === 'lists') await page.getByRole('button', { name: 'Share' }).click();
        await check(view.replace('/', '-'));
      }
    });
  });
});

describe('where there is no demo store', () => {
  const service = useService();

  test('the demo is not found, and no page leads to it', async () => {
    await service.http.get('/demo').expect(404);
    await service.http.post('/demo/api/identify').type('json').send({}).expect(404);
    expect((await service.http.get('/').expect(200)).text).not.toContain('href="/demo"');
  });
});
