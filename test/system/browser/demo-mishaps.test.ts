import { randomUUID } from 'node:crypto';
import type { BrowserContext } from 'playwright-core';
import { useService } from '../../harness.ts';
import { describeInBrowser, eventually, useBrowser } from './chromium.ts';
import { fullHeart, heart, identify, logIn, openShop, save } from './demo-page.ts';

describeInBrowser('the demo storefront, when something is in the way', () => {
  const browser = useBrowser();
  const service = useService({ demo: true });
  let context: BrowserContext;

  beforeEach(async () => void (context = await browser.newContext()));

  test("a new guest's first two hearts, tapped at once, are both saved", async () => {
    const page = await openShop(service.url, context);
    await heart(page, 'Linen throw').waitFor();
    await page.evaluate(
      `for (const title of ['Linen throw', 'Oak board']) document.querySelector('wishgate-heart[title="' + title + '"]').toggle()`,
    );
    await page.getByRole('link', { name: 'Lists Saved items: 2' }).waitFor();
    await page.reload();
    await fullHeart(page, 'Linen throw').waitFor();
    await fullHeart(page, 'Oak board').waitFor();
  });

  test('what was moved to the cart elsewhere does not come into it a second time', async () => {
    // A page that is not told of changes: what it shows may be old.
    await context.route('**/client/watch.mjs*', (route) => route.abort());
    const page = await openShop(service.url, context);
    await page.getByRole('button', { name: 'Add to cart: Oak board' }).click();
    await page.getByRole('link', { name: /Cart/ }).click();
    await page.getByRole('button', { name: 'Save for later: Oak board' }).click();
    const move = page.getByRole('button', { name: 'Move to cart: Oak board' });
    await move.waitFor();

    // Another device of the shopper.
    const { regid, sessionid } = await identify(page);
    const caller = { shopper: { pid: service.demo!.pid, regid, sessionid } };
    const { body } = await service.post('/api/v3/lists/sfl/create', {}, caller).expect(200);
    const items = [{ epi: body.items[0].epi }];
    await service.post('/api/v3/lists/sfl/moved-to-cart', { lid: body.list.lid, items }, caller).expect(200);

    await move.click();
    await page.getByText('This list is empty').waitFor();
    await page.getByRole('heading', { name: 'Your cart is empty' }).waitFor();
  });

  test('where there is no clipboard, the link is there to be selected', async () => {
    await context.addInitScript("Object.defineProperty(navigator, 'clipboard', { value: undefined })");
    const page = await openShop(service.url, context);
    await save(page, 'Oak board');
    await page.getByRole('link', { name: /Lists/ }).click();
    await page.getByRole('button', { name: 'Share' }).click();
    const link = page.getByRole('textbox', { name: 'Link to this list' });
    await link.waitFor();
    await eventually(
      () =>
        link.evaluate(
          (field: HTMLInputElement) => field.value.length > 0 && field.selectionEnd === field.value.length,
        ),
      true,
    );
  });

  test('a cart that others wrote nonsense into is an empty cart', async () => {
    await context.addInitScript("localStorage.setItem('demo-cart', 'null')");
    const page = await openShop(service.url, context, 'cart');
    await page.getByRole('heading', { name: 'Your cart is empty' }).waitFor();
  });

  test('a cart that cannot be stored still fills', async () => {
    await context.addInitScript('Storage.prototype.setItem = () => { throw new Error("full"); }');
    const page = await openShop(service.url, context);
    for (const name of ['Oak board', 'Linen throw'])
      await page.getByRole('button', { name: `Add to cart: ${name}` }).click();
    await page.getByRole('link', { name: 'Cart 2' }).waitFor();
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
    await page.getByRole('alert').waitFor();
  });

  test('a page of a proxy in place of who the visitor is leaves the products and the cart', async () => {
    await context.route('**/demo/api/identify', (route) =>
      route.fulfill({ status: 502, body: '<h1>Bad gateway' }),
    );
    const page = await openShop(service.url, context);
    await page.getByRole('button', { name: 'Add to cart: Oak board' }).click();
    await page.getByRole('link', { name: 'Cart 1' }).waitFor();
    await heart(page, 'Oak board').click();
    await page.getByText("That didn't work. Please try again.").waitFor();
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
    const email = `${randomUUID()}@example.com`;
    await logIn(page, email);
    await Promise.all([
      page.waitForEvent('requestfinished', (request) => request.url().endsWith('/identify')),
      answer!(),
    ]);
    await save(page, 'Oak board');
    await page.getByRole('link', { name: 'Account' }).click();
    await page.getByText(`You're signed in as ${email}.`).waitFor();
  });
});
