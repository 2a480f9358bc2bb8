import { randomUUID } from 'node:crypto';
import type { BrowserContext } from 'playwright-core';
import { useService } from '../../harness.ts';
import { describeInBrowser, eventually, useBrowser } from './chromium.ts';
import { focusedName, fullHeart, heart, identify, logIn, openShop, waitFor } from './demo-page.ts';

describeInBrowser('the demo storefront, when something is in the way', () => {
  const browser = useBrowser();
  const service = useService({ demo: true });
  let context: BrowserContext;

  beforeEach(async () => void (context = await browser.newContext()));

  test("a new guest's first two hearts, tapped at once, are both saved", async () => {
    const page = await openShop(service.url, context);
    await heart(page, 'Linen throw').waitFor();
    await page.evaluate(() => {
      const { document } = globalThis as unknown as {
        document: { querySelector: (path: string) => { click: () => void } };
      };
      for (const title of ['Linen throw', 'Oak board'])
        document.querySelector(`[aria-label="Save ${title}"]`).click();
    });
    await fullHeart(page, 'Linen throw').waitFor();
    await fullHeart(page, 'Oak board').waitFor();
  });

  test('what was moved to the cart elsewhere does not come into it a second time', async () => {
    // A page that is not told of changes: what it shows may be old.
    await context.route('**/client/watch.mjs*', (route) => route.abort());
    const page = await openShop(service.url, context);
    const card = page.getByRole('listitem').filter({ hasText: 'Oak board' });
    await card.getByRole('button', { name: 'Add to cart' }).click();
    await page.getByRole('link', { name: /Cart/ }).click();
    await page.getByRole('button', { name: 'Save for later' }).click();
    const move = page.getByRole('button', { name: 'Move to cart' });
    await move.waitFor();

    // Another device of the shopper.
    const { regid, sessionid } = await identify(page);
    const caller = { shopper: { pid: service.demo!.pid, regid, sessionid } };
    const { body } = await service.post('/api/v3/lists/sfl/create', {}, caller).expect(200);
    const items = [{ epi: body.items[0].epi }];
    await service.post('/api/v3/lists/sfl/moved-to-cart', { lid: body.list.lid, items }, caller).expect(200);

    await move.click();
    await page.getByText('Oak board is no longer saved for later').waitFor();
    await page.getByRole('heading', { name: 'Your cart is empty' }).waitFor();
  });

  test('a dialog that did its work gives the focus back', async () => {
    const page = await openShop(service.url, context);
    await logIn(page, `${randomUUID()}@example.com`);
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await eventually(async () => (await focusedName(page)).startsWith('Account'), true);
    await page.getByRole('button', { name: 'Choose lists for Oak board' }).click();
    await page.getByRole('button', { name: 'Close' }).click();
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await eventually(() => focusedName(page), 'Choose lists for Oak board');
  });

  test('where there is no clipboard, the visitor is asked to select and copy the link', async () => {
    await context.addInitScript("Object.defineProperty(navigator, 'clipboard', { value: undefined })");
    const page = await openShop(service.url, context);
    await logIn(page, `${randomUUID()}@example.com`);
    await heart(page, 'Oak board').click();
    await fullHeart(page, 'Oak board').waitFor();
    await page.getByRole('link', { name: /Lists/ }).click();
    await page.getByRole('button', { name: 'Share' }).click();
    await page.getByRole('button', { name: 'Copy' }).click();
    await page.getByText('Please select the link and copy it').waitFor();
  });

  test('a cart that others wrote nonsense into is an empty cart', async () => {
    await context.addInitScript("localStorage.setItem('demo-cart', 'null')");
    const page = await openShop(service.url, context, 'cart');
    await page.getByRole('heading', { name: 'Your cart is empty' }).waitFor();
  });

  test('a cart that cannot be stored still fills', async () => {
    await context.addInitScript('Storage.prototype.setItem = () => { throw new Error("full"); }');
    const page = await openShop(service.url, context);
    await page.getByRole('button', { name: 'Add to cart' }).first().click();
    await page.getByRole('link', { name: 'Cart 1' }).waitFor();
  });

  test.each(['nope', 'list/abc', 'p/nope'])('a link to #/%s leads to a page that says so', async (view) => {
    const page = await openShop(service.url, context, view);
    await page.getByRole('heading', { level: 1, name: 'Not found' }).waitFor();
    await eventually(() => page.title(), 'Not found · Hearth & Loom');
    await page.getByRole('link', { name: 'Continue shopping' }).click();
    await page.getByRole('heading', { level: 1, name: 'Things for slow mornings' }).waitFor();
  });

  test('a link that was cut in the middle says that there is no such list', async () => {
    const page = await openShop(service.url, context, 'shared/%zz');
    await page.getByRole('heading', { name: "We can't open this list" }).waitFor();
  });

  test('a page of a proxy in place of who the visitor is becomes a line for visitors, and the products stay', async () => {
    await context.route('**/demo/api/identify', (route) =>
      route.fulfill({ status: 502, body: '<h1>Bad gateway' }),
    );
    const page = await openShop(service.url, context);
    await page.getByRole('alert').getByText("Wishlists aren't available right now").waitFor();
    await page.getByRole('heading', { level: 2, name: 'Linen throw' }).waitFor();
  });

  test('who asks for an alert before the shop knows who they are finds it after a reload', async () => {
    let answer = (): void => undefined;
    const isAsked = new Promise<void>((done) => (answer = done));
    await context.route('**/demo/api/identify', async (route) => {
      await isAsked;
      await route.continue();
    });
    const page = await openShop(service.url, context);
    const asking = waitFor(page, 'Reading lamp', `${randomUUID()}@example.com`);
    await page.locator('form[aria-busy="true"]').waitFor();
    answer();
    await asking;
    await page.reload();
    await page.getByRole('link', { name: "We'll email you: Reading lamp" }).waitFor();
  });

  test('an answer from before a login that comes late logs nobody out', async () => {
    let answer: (() => Promise<void>) | undefined;
    await context.route('**/demo/api/identify', async (route) => {
      const response = await route.fetch();
      if (answer) return route.fulfill({ response });
      answer = () => route.fulfill({ response });
    });
    const page = await openShop(service.url, context);
    await eventually(async () => answer !== undefined, true);
    await logIn(page, `${randomUUID()}@example.com`);
    await Promise.all([
      page.waitForEvent('requestfinished', (request) => request.url().endsWith('/identify')),
      answer!(),
    ]);
    await heart(page, 'Oak board').click();
    await page.getByText('Oak board saved to Favourites').waitFor();
    await page.getByRole('link', { name: 'Lists' }).click();
    await page.getByRole('button', { name: 'Share' }).click();
    await page.getByRole('heading', { name: 'Email this list' }).waitFor();
  });
});
