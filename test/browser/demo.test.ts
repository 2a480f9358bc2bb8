import { randomUUID } from 'node:crypto';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { jest } from '@jest/globals';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { revokeSessions } from '../../src/domain/shopper/session.service.ts';
import { startService } from '../harness.ts';
import type { TestService } from '../harness.ts';
import { describeInBrowser, openBrowser, seriousFindings } from './chromium.ts';
import { fullHeart, heart, logIn, openShop } from './demo-page.ts';

const SCREENS = [
  { width: 1280, height: 900, colorScheme: 'light' },
  { width: 1280, height: 900, colorScheme: 'dark' },
  { width: 390, height: 844, colorScheme: 'light' },
  { width: 390, height: 844, colorScheme: 'dark' },
] as const;

/** Where to leave pictures of every page, for a person to look at; none are taken without it. */
const PICTURES = process.env['PAGE_PICTURES'];

// A browser on a busy machine takes its time.
jest.setTimeout(240_000);

describeInBrowser('the demo storefront', () => {
  let service: TestService;
  let browser: Browser;
  const outside: string[] = [];

  beforeAll(async () => {
    service = await startService({ demo: true });
    browser = await openBrowser();
  });

  afterAll(async () => {
    await browser?.close();
    await service?.close();
  });

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
    await page.reload();
    await fullHeart(page, 'Linen throw').click();
    await heart(page, 'Linen throw').waitFor();
    await context.close();
  });

  test('a product saved in one tab appears in the other', async () => {
    const context = await visitor();
    const [here, there] = [await openShop(service.url, context), await openShop(service.url, context)];
    await heart(there, 'Stoneware mug').waitFor();
    await heart(here, 'Stoneware mug').click();
    await fullHeart(there, 'Stoneware mug').waitFor();
    await context.close();
  });

  test('one product goes into several lists, which show it', async () => {
    const context = await visitor();
    const page = await openShop(service.url, context);
    await page.getByRole('button', { name: 'Choose lists for Ceramic vase' }).click();
    for (const name of ['Birthday', 'Garden']) {
      await page.getByLabel('New list').fill(name);
      await page.getByRole('button', { name: 'Create' }).click();
      await page.getByRole('checkbox', { name, checked: true }).waitFor();
    }
    await page.getByRole('button', { name: 'Close' }).click();
    await page.getByRole('link', { name: 'Lists' }).click();
    for (const name of ['Garden', 'Birthday']) {
      await page.getByRole('button', { name: new RegExp(`^${name}`) }).click();
      await page.getByRole('heading', { level: 2, name: new RegExp(name) }).waitFor();
      await page.getByRole('heading', { level: 3, name: 'Ceramic vase' }).waitFor();
    }
    await context.close();
  });

  test('what is deleted by a slip comes back: by Undo, or later from what was recently deleted', async () => {
    const context = await visitor();
    const page = await openShop(service.url, context);
    await heart(page, 'Linen throw').click();
    await fullHeart(page, 'Linen throw').click();
    await page.getByRole('status').getByRole('button', { name: 'Undo' }).click();
    await fullHeart(page, 'Linen throw').waitFor();
    await page.getByRole('link', { name: 'Lists' }).click();
    await page.getByRole('button', { name: 'Remove Linen throw' }).click();
    await page.getByRole('heading', { name: 'Recently deleted' }).waitFor();
    await picture(page, 'deleted');
    expect(await seriousFindings(page)).toEqual([]);
    await page.getByRole('button', { name: 'Bring back Linen throw' }).click();
    await page.getByRole('button', { name: 'Remove Linen throw' }).waitFor();
    await page.getByRole('button', { name: 'Delete list' }).click();
    await page.getByRole('heading', { name: 'No lists yet' }).waitFor();
    await page.reload();
    await page.getByRole('button', { name: 'Bring back Favourites' }).click();
    await page.getByRole('button', { name: 'Remove Linen throw' }).waitFor();
    await context.close();
  });

  test('a product moves from the cart to save for later and back', async () => {
    const context = await visitor();
    const page = await openShop(service.url, context);
    const card = page.getByRole('listitem').filter({ hasText: 'Oak board' });
    await card.getByRole('button', { name: 'Add to cart' }).click();
    await page.getByRole('link', { name: /Cart/ }).click();
    await page.getByRole('button', { name: 'Save for later' }).click();
    await page.getByRole('heading', { name: 'Saved for later' }).waitFor();
    await page.reload();
    await page.getByRole('button', { name: 'Move to cart' }).click();
    await page.getByRole('button', { name: 'Save for later' }).waitFor();
    await page.getByRole('heading', { name: 'Saved for later' }).waitFor({ state: 'detached' });
    await context.close();
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
    await page.getByRole('button', { name: 'Log out' }).click();
    await heart(page, 'Linen throw').waitFor();

    const other = await visitor();
    const elsewhere = await openShop(service.url, other);
    await logIn(elsewhere, email);
    await fullHeart(elsewhere, 'Linen throw').waitFor();
    await fullHeart(elsewhere, 'Herb planter').waitFor();
    await Promise.all([context.close(), other.close()]);
  });

  test('a shared list opens in another profile until it is private again', async () => {
    const context = await visitor();
    const page = await openShop(service.url, context);
    await logIn(page, `${randomUUID()}@example.com`);
    await heart(page, 'Beeswax candle').click();
    await fullHeart(page, 'Beeswax candle').waitFor();
    await page.getByRole('link', { name: /Lists/ }).click();
    await page.getByRole('button', { name: 'Share' }).click();
    await page.getByRole('checkbox').check();
    const link = await page.getByRole('textbox', { name: 'Link' }).inputValue();

    const friend = await visitor();
    const theirs = await friend.newPage();
    await theirs.goto(link);
    await theirs.getByRole('heading', { level: 1, name: 'Favourites' }).waitFor();
    await theirs.getByRole('heading', { name: 'Beeswax candle' }).waitFor();
    expect(await theirs.getByText('@example.com').textContent()).toMatch(/^.\*+@example\.com shares/);

    await page.getByRole('checkbox').uncheck();
    await page.getByText('Nobody else can open it now').waitFor();
    await theirs.reload();
    await theirs.getByRole('heading', { name: 'This list cannot be opened' }).waitFor();
    await Promise.all([context.close(), friend.close()]);
  });

  test('a guest shares only after logging in', async () => {
    const context = await visitor();
    const page = await openShop(service.url, context);
    await heart(page, 'Oak board').click();
    await fullHeart(page, 'Oak board').waitFor();
    await page.getByRole('link', { name: /Lists/ }).click();
    await page.getByRole('button', { name: 'Share' }).click();
    await page.getByRole('dialog').getByText('Log in to share a list').waitFor();
    await context.close();
  });

  test.each(['guest', 'customer'])(
    'a %s who waits for a product gets one mail when it is back, with a link to stop',
    async (kind) => {
      const email = `${randomUUID()}@example.com`;
      const context = await visitor();
      const page = await openShop(service.url, context);
      if (kind === 'customer') await logIn(page, email);
      const card = page.getByRole('listitem').filter({ hasText: 'Reading lamp' });
      await card.getByRole('button', { name: 'Notify me' }).click();
      const dialog = page.getByRole('dialog');
      if (kind === 'guest') await dialog.getByLabel('E-mail address').fill(email);
      await dialog.getByRole('button', { name: 'Notify me' }).click();
      await page.getByText(`We will write to ${email}`).waitFor();
      await page.getByRole('link', { name: 'Counter' }).click();
      await page.getByRole('button', { name: 'Restock Reading lamp' }).click();
      await page.getByRole('button', { name: 'Sell out Reading lamp' }).waitFor();
      await service.runTasks();
      const mail = page.getByRole('listitem').filter({ hasText: `to ${email}` });
      await mail.locator('summary').click();
      expect(await mail.count()).toBe(1);
      const stop = await mail.getByRole('link', { name: /unsubscribe/ }).getAttribute('href');
      expect(stop).toContain('/unsubscribe/');
      await page.getByRole('button', { name: 'Sell out Reading lamp' }).click();
      await page.getByRole('button', { name: 'Restock Reading lamp' }).waitFor();
      await context.close();
    },
  );

  test('a visitor who waits for a better price gets one mail with both prices when it is reduced', async () => {
    const email = `${randomUUID()}@example.com`;
    const context = await visitor();
    const page = await openShop(service.url, context);
    await page.getByRole('button', { name: 'Watch the price of Oak board' }).click();
    const dialog = page.getByRole('dialog', { name: 'Tell me when the price falls' });
    await dialog.getByLabel('E-mail address').fill(email);
    await dialog.getByRole('button', { name: 'Notify me' }).click();
    await page.getByText(`We will write to ${email} when it costs less`).waitFor();
    await page.getByRole('link', { name: 'Counter' }).click();
    await page.getByRole('button', { name: 'Reduce the price of Oak board' }).click();
    await page.getByRole('button', { name: 'Old price of Oak board' }).waitFor();
    await service.runTasks();
    const mail = page.getByRole('listitem').filter({ hasText: `to ${email}` });
    await mail.locator('strong', { hasText: 'Oak board costs less now: 28.8 instead of 36' }).waitFor();
    expect(await mail.count()).toBe(1);
    await page.getByRole('button', { name: 'Old price of Oak board' }).click();
    await page.getByRole('button', { name: 'Reduce the price of Oak board' }).waitFor();
    await context.close();
  });

  test('without a network the failure is shown, and the page recovers when it is back', async () => {
    const context = await visitor();
    const page = await openShop(service.url, context);
    await heart(page, 'Ceramic vase').click();
    await fullHeart(page, 'Ceramic vase').waitFor();
    await context.setOffline(true);
    await fullHeart(page, 'Ceramic vase').click();
    await page.getByText('The service cannot be reached. Please check your connection').waitFor();
    await context.setOffline(false);
    await page.getByRole('button', { name: 'Try again' }).click();
    await page.getByRole('alert').waitFor({ state: 'detached' });
    await fullHeart(page, 'Ceramic vase').click();
    await heart(page, 'Ceramic vase').waitFor();
    await context.close();
  });

  test('ended sessions are recovered without the visitor noticing', async () => {
    const context = await visitor();
    const page = await openShop(service.url, context);
    await heart(page, 'Oak board').waitFor();
    await revokeSessions(service.services, service.demo!.pid, { all: true });
    await heart(page, 'Oak board').click();
    await fullHeart(page, 'Oak board').waitFor();
    expect(await page.getByRole('alert').count()).toBe(0);
    await context.close();
  });

  test('the API key and sessionids are in no page, script or storage', async () => {
    const context = await visitor();
    const page = await openShop(service.url, context);
    await heart(page, 'Oak board').waitFor();
    const stored = await page.evaluate(
      'JSON.stringify([{ ...localStorage }, { ...sessionStorage }, document.cookie, document.documentElement.outerHTML])',
    );
    const identity = await page.evaluate<{ sessionid: string }>(
      `fetch('/demo/api/identify', { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{}' }).then((answer) => answer.json())`,
    );
    expect(stored).not.toContain(service.demo!.apiKey);
    expect(stored).not.toContain(identity.sessionid);
    expect(JSON.stringify(identity)).not.toContain(service.demo!.apiKey);
    await context.close();
  });

  describe.each(SCREENS)('at $width pixels in $colorScheme', ({ width, height, colorScheme }) => {
    test('every view fits the screen and keeps nobody out', async () => {
      const context = await visitor({ viewport: { width, height }, colorScheme });
      const page = await openShop(service.url, context);
      await heart(page, 'Linen throw').click();
      await fullHeart(page, 'Linen throw').waitFor();
      await page
        .getByRole('listitem')
        .filter({ hasText: 'Stoneware mug' })
        .getByRole('button', { name: 'Add to cart' })
        .click();
      const check = async (name: string): Promise<void> => {
        expect({
          name,
          overflow: await page.evaluate('document.documentElement.scrollWidth - innerWidth'),
        }).toEqual({ name, overflow: 0 });
        expect({ name, findings: await seriousFindings(page) }).toEqual({ name, findings: [] });
        if (PICTURES === undefined) return;
        await mkdir(PICTURES, { recursive: true });
        await page.screenshot({ path: join(PICTURES, `demo-${name}-${width}-${colorScheme}.png`) });
      };
      await check('shop');
      await page.getByRole('button', { name: 'Choose lists for Oak board' }).click();
      await check('pick');
      await page.getByRole('button', { name: 'Close' }).click();
      for (const [view, title] of [
        ['lists', 'My lists'],
        ['cart', 'Your cart'],
        ['counter', 'Behind the counter'],
      ] as const) {
        await page.goto(`${service.url}/demo#/${view}`);
        await page.getByRole('heading', { level: 1, name: title }).waitFor();
        await check(view);
      }
      await context.close();
    });
  });
});

test('there is no demo where there is no demo store', async () => {
  const service = await startService();
  try {
    await service.http.get('/demo').expect(404);
    await service.http.post('/demo/api/identify').type('json').send({}).expect(404);
    expect((await service.http.get('/').expect(200)).text).not.toContain('href="/demo"');
  } finally {
    await service.close();
  }
});
