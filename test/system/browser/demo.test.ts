import { randomUUID } from 'node:crypto';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { BrowserContext, Page } from 'playwright-core';
import { DEMO_PRODUCTS } from '../../../src/web/demo-store/products.ts';
import { revokeSessions } from '../../../src/shoppers/shopper.service.ts';
import { createClient } from '../../api/list-kit.ts';
import { useService } from '../../harness.ts';
import { allFindings, describeInBrowser, eventually, secondFindings, useBrowser } from './chromium.ts';
import {
  focusedName,
  fullHeart,
  heart,
  identify,
  logIn,
  logOut,
  openMail,
  openShop,
  waitFor,
  waitForMessage,
} from './demo-page.ts';

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

  test('a saved product is still saved after a reload and can be let go again', async () => {
    const context = await visitor();
    const page = await openShop(service.url, context);
    await heart(page, 'Linen throw').click();
    await fullHeart(page, 'Linen throw').waitFor();
    await page.getByText('Linen throw saved to Favourites').waitFor();
    await page.reload();
    await fullHeart(page, 'Linen throw').click();
    await heart(page, 'Linen throw').waitFor();
  });

  test('two tabs have the same hearts, alerts and cart, and neither overwrites what the other put into it', async () => {
    const context = await visitor();
    const [here, there] = [await openShop(service.url, context), await openShop(service.url, context)];
    await heart(there, 'Stoneware mug').waitFor();
    await heart(here, 'Stoneware mug').click();
    await fullHeart(there, 'Stoneware mug').waitFor();
    await here.getByRole('button', { name: 'Add to cart: Ceramic vase' }).click();
    await there.getByRole('link', { name: 'Cart 1' }).waitFor();
    await there.getByRole('button', { name: 'Add to cart: Oak board' }).click();
    await here.getByRole('link', { name: 'Cart 2' }).waitFor();
    await waitFor(here, 'Pour-over kettle', 'tabs@example.com');
    await there.getByRole('link', { name: "We'll email you: Pour-over kettle" }).waitFor();

    // There are seven: neither the button, nor the field, nor another tab gets more into the cart.
    await here.getByRole('link', { name: /Cart/ }).click();
    const quantity = here.getByRole('spinbutton', { name: 'Quantity of Ceramic vase' });
    await quantity.fill('50');
    await quantity.press('Enter');
    await here.getByText('Only 7 left: Ceramic vase').waitFor();
    expect(await quantity.inputValue()).toBe('7');
    await there.getByRole('button', { name: 'Add to cart: Ceramic vase' }).click();
    await there.getByText('Only 7 left: Ceramic vase').waitFor();
    await there.getByRole('link', { name: 'Cart 8' }).waitFor();
    await here.getByRole('button', { name: 'Remove Ceramic vase' }).click();
    await eventually(() => focusedName(here), 'Remove Oak board');
  });

  test('a list is made, filled, renamed and emptied into another one, each at an address of its own', async () => {
    const context = await visitor();
    const page = await openShop(service.url, context);
    await page.getByRole('button', { name: 'Choose lists for Ceramic vase' }).click();
    for (const name of ['Birthday', 'Garden']) {
      await page.getByLabel('New list').fill(name);
      await page.getByRole('button', { name: 'Create' }).click();
      await page.getByRole('checkbox', { name, checked: true }).waitFor();
      // The page may be told of the list before the form hears that it is made.
      await page.locator('form[aria-busy="false"]').waitFor();
    }
    await page.getByLabel('New list').fill('Garden');
    await page.getByRole('button', { name: 'Create' }).click();
    await page.getByRole('dialog').getByRole('alert').waitFor();
    // Back closes the dialog and nothing else.
    await page.goBack();
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await eventually(() => focusedName(page), 'Choose lists for Ceramic vase');
    await page.getByRole('link', { name: 'Lists' }).click();
    await page.getByRole('button', { name: 'New list' }).click();
    await page.getByRole('textbox', { name: 'Name' }).fill('For the porch');
    await page.getByRole('button', { name: 'Create list' }).click();
    await page.getByRole('heading', { level: 2, name: 'For the porch' }).waitFor();
    await page.getByRole('button', { name: 'Rename' }).click();
    await page.getByRole('textbox', { name: 'Name' }).fill('Porch');
    await page.getByRole('dialog').getByRole('button', { name: 'Rename' }).click();
    await page.getByRole('heading', { level: 2, name: 'Porch 0 items' }).waitFor();
    await eventually(() => page.title(), 'Porch · My lists · Hearth & Loom');

    await page.getByRole('link', { name: /^Garden/ }).click();
    await page.getByRole('button', { name: 'Edit Ceramic vase' }).click();
    await page.getByLabel('Quantity').fill('3');
    await page.getByLabel('Note').fill('The tall one');
    await page.getByRole('combobox').selectOption('Porch');
    await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click();
    await page.getByText('This list is empty').waitFor();
    await page.getByRole('link', { name: /^Porch/ }).click();
    await page.getByText('Ceramic vase moved to Porch').waitFor();
    await page.reload();
    await page.getByRole('heading', { level: 2, name: 'Porch 1 item' }).waitFor();
    const row = page.getByRole('listitem').filter({ hasText: 'Ceramic vase' });
    expect(await row.textContent()).toMatch(/× 3.*The tall one/s);
    await page.goBack();
    await page.getByRole('heading', { level: 2, name: 'Garden' }).waitFor();
  });

  test('what is deleted by a slip comes back: by Undo, or later from what was recently deleted', async () => {
    const context = await visitor();
    const page = await openShop(service.url, context);
    const written = () => page.waitForResponse((response) => response.url().includes('/lists/update-ctx'));
    const saved = written();
    await heart(page, 'Linen throw').click();
    await saved;
    await fullHeart(page, 'Linen throw').click();
    // The Undo takes long; the service still hears of the removal after it.
    let letUndo = (): void => undefined;
    const isRemoved = new Promise<void>((done) => (letUndo = done));
    await page.route(/restore-items/, async (route) => {
      await isRemoved;
      await route.continue();
    });
    await page.getByRole('status').getByRole('button', { name: 'Undo' }).click();
    await fullHeart(page, 'Linen throw').waitFor();
    await page.getByRole('link', { name: 'Lists' }).click();
    const removed = written();
    await page.getByRole('button', { name: 'Remove Linen throw' }).click();
    await page.waitForFunction("document.activeElement.textContent === 'My lists'");
    letUndo();
    await removed;
    await page.getByRole('heading', { name: 'Recently deleted' }).waitFor();
    await picture(page, 'deleted');
    expect(await allFindings(page)).toEqual([]);
    await page.getByRole('button', { name: 'Restore Linen throw' }).click();
    await page.getByRole('button', { name: 'Remove Linen throw' }).waitFor();
    const deleted = page.waitForResponse((response) => response.url().includes('/lists/delete-list'));
    await page.getByRole('button', { name: 'Delete list' }).click();
    await page.getByRole('heading', { name: 'No lists yet' }).waitFor();
    await deleted;
    await page.reload();
    await page.getByRole('button', { name: 'Restore Favourites' }).click();
    await page.getByRole('button', { name: 'Remove Linen throw' }).waitFor();
  });

  test('a list that is deleted and brought back at once is never asked for while it is away', async () => {
    const page = await openShop(service.url, await visitor());
    const refused: string[] = [];
    page.on('response', (response) => {
      if (response.status() === 404) refused.push(response.url());
    });
    const until = (path: string) => page.waitForResponse((response) => response.url().includes(path));
    await heart(page, 'Linen throw').click();
    await page.getByText('Linen throw saved to Favourites').waitFor();
    await page.getByRole('link', { name: 'Lists' }).click();
    const deleted = until('/lists/delete-list');
    await page.getByRole('button', { name: 'Delete list' }).click();
    await deleted;
    // It takes long; the page shows the list at once.
    let letUndo = (): void => undefined;
    const isSeen = new Promise<void>((done) => (letUndo = done));
    await page.route(/lists\/restore/, async (route) => {
      await isSeen;
      await route.continue();
    });
    await page.getByRole('status').getByRole('button', { name: 'Undo' }).click();
    await page.getByRole('button', { name: 'Remove Linen throw' }).waitFor();
    // Whatever the page asks as it shows the list is on its way after two frames.
    await page.evaluate(
      () => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(done)))),
    );
    const read = until('/lists/fetch-deleted-items');
    letUndo();
    expect((await read).status()).toBe(200);
    expect(refused).toEqual([]);
  });

  test('a product moves from the cart to save for later and back', async () => {
    const context = await visitor();
    const page = await openShop(service.url, context);
    const card = page.getByRole('listitem').filter({ hasText: 'Oak board' });
    await card.getByRole('button', { name: 'Add to cart' }).click();
    await page.getByRole('link', { name: /Cart/ }).click();
    await page.getByRole('button', { name: 'Save for later' }).click();
    await page.getByRole('heading', { name: 'Saved for later' }).waitFor();
    await page.getByText('Oak board saved for later').waitFor();
    await page.getByRole('heading', { level: 1, name: 'Your cart is empty' }).waitFor();
    await page.getByRole('link', { name: 'Continue shopping' }).waitFor();
    await page.reload();
    await page.getByRole('button', { name: 'Move to cart' }).click();
    await page.getByRole('button', { name: 'Save for later' }).waitFor();
    await page.getByRole('heading', { name: 'Saved for later' }).waitFor({ state: 'detached' });
  });

  test('what a guest saved joins the account at login, and the guest who comes after sees nothing of it', async () => {
    const email = `${randomUUID()}@example.com`;
    const context = await visitor();
    const page = await openShop(service.url, context);
    await heart(page, 'Linen throw').click();
    await fullHeart(page, 'Linen throw').waitFor();
    await logIn(page, email);
    await fullHeart(page, 'Linen throw').waitFor();
    await heart(page, 'Herb planter').click();
    await fullHeart(page, 'Herb planter').waitFor();
    await logOut(page, email);
    await heart(page, 'Linen throw').waitFor();

    const other = await visitor();
    const elsewhere = await openShop(service.url, other);
    await logIn(elsewhere, email);
    await fullHeart(elsewhere, 'Linen throw').waitFor();
    await fullHeart(elsewhere, 'Herb planter').waitFor();
  });

  test('a shared list opens in another profile until it is private again', async () => {
    const context = await visitor();
    const page = await openShop(service.url, context);
    await logIn(page, `${randomUUID()}@example.com`);
    await heart(page, 'Beeswax candle').click();
    await fullHeart(page, 'Beeswax candle').waitFor();
    await page.getByRole('link', { name: /Lists/ }).click();
    await page.getByRole('button', { name: 'Share' }).click();
    const link = await page.getByRole('textbox', { name: 'Link' }).inputValue();

    const friend = await visitor();
    const theirs = await friend.newPage();
    await theirs.goto(link);
    await theirs.getByRole('heading', { level: 1, name: 'Favourites' }).waitFor();
    await theirs.getByRole('heading', { name: 'Beeswax candle' }).waitFor();
    await theirs.getByText('A friend shared a list with you').waitFor();
    expect(await theirs.locator('main').textContent()).not.toContain('@');

    await page.getByRole('button', { name: 'Stop sharing' }).click();
    await page.getByText('Favourites is private now').waitFor();
    await theirs.reload();
    await theirs.getByRole('heading', { name: "We can't open this list" }).waitFor();
  });

  test('a guest shares a link without an account, and reads before the click that emailing needs one', async () => {
    const context = await visitor();
    const page = await openShop(service.url, context);
    await heart(page, 'Oak board').click();
    await fullHeart(page, 'Oak board').waitFor();
    await page.getByRole('link', { name: /Lists/ }).click();
    const isShared = page.waitForResponse((response) => response.url().includes('/lists/markPublic'));
    await page.getByRole('button', { name: 'Share' }).click();
    const share = page.getByRole('dialog', { name: 'Share Favourites' });
    const link = await share.getByRole('textbox', { name: 'Link' }).inputValue();
    await isShared;
    const theirs = await (await visitor()).newPage();
    await theirs.goto(link);
    await theirs.getByRole('heading', { name: 'Oak board' }).waitFor();

    await share.getByText('Emailing a list needs an account. Sign in first.').waitFor();
    expect(await share.getByRole('button', { name: 'Send email' }).count()).toBe(0);
    await share.getByRole('button', { name: 'Sign in' }).click();
    const login = page.getByRole('dialog', { name: 'Sign in' });
    await login.getByLabel('Email address').fill(`${randomUUID()}@example.com`);
    await login.getByRole('button', { name: 'Sign in' }).click();
    const friend = `${randomUUID()}@example.com`;
    await share.getByLabel('Your name').fill('Ann');
    await share.getByLabel('To').fill(friend);
    await share.getByRole('button', { name: 'Send email' }).click();
    await page.getByText(`List emailed to ${friend}`).waitFor();
  });

  test.each(['guest', 'customer'])(
    'a %s sees that it waits, also after a reload, can leave, and gets one mail when the product is back',
    async (kind) => {
      const email = `${randomUUID()}@example.com`;
      const context = await visitor();
      const page = await openShop(service.url, context);
      if (kind === 'customer') await logIn(page, email);
      const ask = () =>
        kind === 'guest'
          ? waitFor(page, 'Reading lamp', email)
          : page.getByRole('button', { name: 'Notify me: Reading lamp' }).click();
      await ask();
      await page.getByText(`We'll email ${email}`).waitFor();
      await page.reload();
      await page.getByRole('link', { name: "We'll email you: Reading lamp" }).click();
      await page.getByRole('heading', { level: 1, name: 'My alerts' }).waitFor();
      await page.getByRole('button', { name: 'Unsubscribe from Reading lamp' }).click();
      await page.getByRole('heading', { level: 1, name: 'No alerts yet' }).waitFor();
      await page.getByRole('link', { name: 'Continue shopping' }).click();
      await ask();
      await page.getByRole('link', { name: "We'll email you: Reading lamp" }).waitFor();
      await page.getByRole('link', { name: 'Test panel' }).click();
      await page.getByRole('button', { name: 'Restock: Reading lamp' }).click();
      await page.getByRole('button', { name: 'Sell out: Reading lamp' }).waitFor();
      const mail = await openMail(service, page, email);
      expect(await mail.count()).toBe(1);
      await mail.getByRole('button', { name: 'Plain text' }).click();
      const stop = await mail.getByRole('link', { name: /unsubscribe/ }).getAttribute('href');
      expect(stop).toContain('/unsubscribe/');
      await page.getByRole('button', { name: 'Sell out: Reading lamp' }).click();
      await page.getByRole('button', { name: 'Restock: Reading lamp' }).waitFor();
      // Who was told waits no longer.
      await page.getByRole('link', { name: 'Alerts' }).click();
      await page.getByRole('heading', { level: 1, name: 'No alerts yet' }).waitFor();
    },
  );

  test('where a product is sold out, the alert is the button that stands out', async () => {
    const page = await openShop(service.url, await visitor());
    const colour = (name: string) =>
      page.getByRole('button', { name }).evaluate((button) => getComputedStyle(button).backgroundColor);
    const cart = await colour('Add to cart: Oak board');
    expect(await colour('Notify me: Pour-over kettle')).toBe(cart);
    expect(await colour('Watch price: Oak board')).not.toBe(cart);
  });

  test('a confirmation goes when a dialog opens, an Undo stays', async () => {
    const page = await openShop(service.url, await visitor());
    const choose = page.getByRole('button', { name: 'Choose lists for Oak board' });
    await heart(page, 'Linen throw').click();
    await page.getByText('Linen throw saved to Favourites').waitFor();
    await choose.click();
    await page.getByText('Linen throw saved to Favourites').waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Close' }).click();
    await fullHeart(page, 'Linen throw').click();
    await page.getByText('Linen throw removed from your list').waitFor();
    await choose.click();
    await page.getByRole('dialog').waitFor();
    expect(await page.getByRole('status').getByRole('button', { name: 'Undo' }).count()).toBe(1);
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

  test('a visitor who waits for a better price gets one mail with both prices when it is reduced', async () => {
    const email = `${randomUUID()}@example.com`;
    const context = await visitor();
    const page = await openShop(service.url, context);
    await page.getByRole('button', { name: 'Watch price: Oak board' }).click();
    const dialog = page.getByRole('dialog', { name: 'Notify me when the price drops' });
    await dialog.getByLabel('Email address').fill(email);
    await dialog.getByRole('button', { name: 'Notify me' }).click();
    await page.getByText(`We'll email ${email} when the price drops`).waitFor();
    await page.getByRole('link', { name: 'Watching price: Oak board' }).waitFor();
    await page.getByRole('link', { name: 'Test panel' }).click();
    await page.getByRole('button', { name: 'Drop price: Oak board' }).click();
    await page.getByRole('button', { name: 'Restore price: Oak board' }).waitFor();
    const mail = page.getByRole('listitem').filter({ hasText: `to ${email}` });
    await waitForMessage(service, mail.locator('strong', { hasText: /Oak board.*€28\.80.*€36\.00/ }));
    expect(await mail.count()).toBe(1);
    await page.getByRole('button', { name: 'Restore price: Oak board' }).click();
    await page.getByRole('button', { name: 'Drop price: Oak board' }).waitFor();
  });

  test('while wishlists are away the shop sells, one bar says so, and it goes by itself when they are back', async () => {
    const context = await visitor();
    const away = ['**/api/v3/**', '**/graphql/**', '**/client/watch.mjs*'];
    for (const path of away) await context.route(path, (route) => route.abort());
    const page = await openShop(service.url, context);
    await page.getByRole('heading', { level: 2, name: 'Ceramic vase' }).waitFor();
    await page.getByRole('button', { name: 'Add to cart: Ceramic vase' }).click();
    await page.getByRole('link', { name: 'Cart 1' }).waitFor();
    await heart(page, 'Ceramic vase').click();
    await page.getByRole('alert').getByText("Ceramic vase wasn't saved").waitFor();
    await heart(page, 'Ceramic vase').waitFor();
    expect(await page.getByRole('alert').count()).toBe(1);
    expect(
      await page
        .getByRole('status')
        .getByText(/available|work/)
        .count(),
    ).toBe(0);
    await picture(page, 'away');
    expect(await allFindings(page)).toEqual([]);
    for (const path of away) await context.unroute(path);
    await page.getByRole('alert').waitFor({ state: 'detached' });
    await heart(page, 'Ceramic vase').click();
    await fullHeart(page, 'Ceramic vase').waitFor();
    // The same where the whole network goes.
    await context.setOffline(true);
    await page.getByRole('alert').waitFor();
    await context.setOffline(false);
    await page.getByRole('alert').waitFor({ state: 'detached' });
  });

  test('a heart fills at once, however slow the network, makes few requests, and empties when it was refused', async () => {
    const context = await visitor();
    const page = await openShop(service.url, context);
    await heart(page, 'Linen throw').click();
    await page.getByText('Linen throw saved to Favourites').waitFor();
    // Two changes of another device: the page may still be reading its lists at the first, of the second it is told.
    const elsewhere = createClient(service, { pid: service.demo!.pid, ...(await identify(page)) });
    const [{ lid }] = await elsewhere.ok('lists/fetch-lists');
    for (const { epi, empi, dt } of DEMO_PRODUCTS.filter(({ dt }) => /vase|candle/.test(dt))) {
      await elsewhere.add(lid, { epi, empi, du: `${service.url}/demo` });
      await fullHeart(page, dt).waitFor();
    }

    const calls: string[] = [];
    context.on('request', (request) => calls.push(new URL(request.url()).pathname));
    let release = (): void => undefined;
    const held = new Promise<void>((resolve) => (release = resolve));
    await context.route('**/lists/update-ctx*', async (route) => {
      await held;
      await route.continue();
    });
    await heart(page, 'Oak board').click();
    await fullHeart(page, 'Oak board').waitFor();
    release();
    await page.getByText('Oak board saved to Favourites').waitFor();
    await page.reload();
    await fullHeart(page, 'Oak board').waitFor();
    const untilReload = calls.slice(0, calls.indexOf('/demo'));
    expect(untilReload.length).toBeLessThanOrEqual(2);
    expect(untilReload[0]).toBe('/api/v3/lists/update-ctx');

    await context.unroute('**/lists/update-ctx*');
    await context.route('**/lists/update-ctx*', (route) =>
      route.fulfill({ status: 429, json: { error: true, type: 'rate-limited', msg: 'Too many calls' } }),
    );
    await heart(page, 'Herb planter').click();
    await page.getByRole('status').getByText('Too many calls').waitFor();
    await heart(page, 'Herb planter').waitFor();
    await context.unroute('**/lists/update-ctx*');
    await page.getByRole('status').getByRole('button', { name: 'Try again' }).click();
    await fullHeart(page, 'Herb planter').waitFor();
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
      await eventually(() => page.locator('.hearts.unknown').count(), 0);
      await page.waitForFunction(
        'performance.getEntriesByName(location.origin + "/client/watch.mjs").length',
      );
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

  test('a visitor without a mouse saves, reads, edits and removes', async () => {
    const context = await visitor();
    const page = await openShop(service.url, context);
    await page.locator('.hearts:not(.unknown)').first().waitFor();
    const press = async (name: RegExp, key = 'Enter'): Promise<void> => {
      for (let steps = 0; !name.test(await focusedName(page)); steps += 1) {
        expect(steps).toBeLessThan(60);
        await page.keyboard.press('Tab');
      }
      await page.keyboard.press(key);
    };
    await press(/^Save Linen throw/);
    await fullHeart(page, 'Linen throw').waitFor();
    await press(/^Pour-over kettle$/);
    await page.getByRole('heading', { level: 1, name: 'Pour-over kettle' }).waitFor();
    await eventually(() => page.evaluate(() => document.activeElement!.tagName), 'H1');
    await press(/^Notify me/);
    await page.getByRole('dialog').waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await eventually(async () => (await focusedName(page)).startsWith('Notify me'), true);
    await page.keyboard.press('Shift+Tab');
    await page.goto(`${service.url}/demo#/lists`);
    await page.getByRole('heading', { level: 1, name: 'My lists' }).waitFor();
    await page.getByRole('button', { name: 'Edit Linen throw' }).waitFor();
    await press(/^Edit Linen throw/);
    await page.waitForFunction(() => document.activeElement!.matches('[role=dialog] input, dialog input'));
    await page.keyboard.type('2');
    await press(/^Save$/);
    await page.getByText(/× \d/).waitFor();
    await press(/^Remove Linen throw/);
    await page.getByText('This list is empty').waitFor();
    await page.getByRole('button', { name: 'Undo' }).waitFor();
    await press(/^Undo/);
    await page.getByRole('button', { name: 'Edit Linen throw' }).waitFor();
  });

  test('the header ends where the content does, for guests and accounts', async () => {
    const context = await visitor({ viewport: { width: 1280, height: 800 } });
    const page = await openShop(service.url, context);
    await heart(page, 'Oak board').waitFor();
    const isAligned = (): Promise<boolean> =>
      page.evaluate(() => {
        const box = (name: string): DOMRect => document.querySelector(name)!.getBoundingClientRect();
        const [content, brand, account] = [box('.grid'), box('.brand'), box('.account .who')];
        return Math.abs(brand.left - content.left) < 1 && Math.abs(account.right - content.right) < 1;
      });
    const place = (): Promise<unknown> => page.getByRole('navigation', { name: 'Shop' }).boundingBox();
    const [asGuest, header] = [await place(), page.getByRole('banner')];
    const { height } = (await header.boundingBox())!;
    expect(await isAligned()).toBe(true);
    for (const email of ['ada@example.com', `${'long-name-'.repeat(5)}@example.com`]) {
      await logIn(page, email);
      expect({ email, isAligned: await isAligned() }).toEqual({ email, isAligned: true });
      // Neither the links nor the page below move when somebody signs in.
      expect([await place(), (await header.boundingBox())!.height]).toEqual([asGuest, height]);
      await logOut(page, email);
    }
  });

  test('a product page suggests four other products, whose hearts save them', async () => {
    const context = await visitor();
    const page = await openShop(service.url, context, 'p/pot');
    await page.getByRole('definition').getByText('Enamelled steel').waitFor();
    const more = page.getByRole('region', { name: 'You may also like' });
    const names = await more.getByRole('heading', { level: 3 }).allTextContents();
    expect(names).toEqual(['Linen throw', 'Pour-over kettle', 'Stoneware mug', 'Ceramic vase']);
    await heart(page, 'Stoneware mug').click();
    await page.getByText('Stoneware mug saved to Favourites').waitFor();
    await more.getByRole('link', { name: 'Stoneware mug' }).click();
    await page.getByRole('heading', { level: 1, name: 'Stoneware mug' }).waitFor();
    await fullHeart(page, 'Stoneware mug').waitFor();
  });

  test('ended sessions are recovered without the visitor noticing', async () => {
    const context = await visitor();
    const page = await openShop(service.url, context);
    await heart(page, 'Oak board').waitFor();
    await revokeSessions(service.services, service.demo!.pid, { all: true });
    await heart(page, 'Oak board').click();
    await fullHeart(page, 'Oak board').waitFor();
    expect(await page.getByRole('alert').count()).toBe(0);
  });

  test('the API key and sessionids are in no page, script or storage', async () => {
    const context = await visitor();
    const page = await openShop(service.url, context);
    await heart(page, 'Oak board').waitFor();
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
      await heart(page, 'Linen throw').click();
      await page.getByText('Linen throw saved to Favourites').waitFor();
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
      if (width < 400)
        expect(
          await page.$$eval('.card', (cards) =>
            cards.filter((card) => {
              const low = card.querySelector('.picture')!.getBoundingClientRect().bottom;
              return card.querySelector('.hearts')!.getBoundingClientRect().top < low;
            }),
          ),
        ).toEqual([]);
      await page.getByRole('button', { name: 'Choose lists for Oak board' }).click();
      await check('pick');
      await page.getByRole('button', { name: 'Close' }).click();
      await page.getByRole('dialog').waitFor({ state: 'detached' });
      await waitFor(page, 'Pour-over kettle', 'screens@example.com');
      for (const [view, heading, title] of [
        ['p/kettle', 'Pour-over kettle', 'Pour-over kettle'],
        ['lists', 'My lists', 'Favourites · My lists'],
        ['alerts', 'My alerts', 'My alerts'],
        ['cart', 'Your cart', 'Your cart'],
        ['p/apron', 'Canvas apron', 'Canvas apron'],
        ['test-panel', 'Test panel', 'Test panel'],
      ] as const) {
        await page.goto(`${service.url}/demo#/${view}`);
        await page.getByRole('heading', { level: 1, name: heading }).waitFor();
        await eventually(() => page.title(), `${title} · Hearth & Loom`);
        await check(view.replace('/', '-'));
      }
      await page.goto(`${service.url}/demo#/lists`);
      await page.getByRole('button', { name: 'Edit Linen throw' }).click();
      await check('edit');
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
