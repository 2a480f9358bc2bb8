import { randomUUID } from 'node:crypto';
import type { BrowserContext, Page } from 'playwright-core';
import { useService } from '../../harness.ts';
import { click, submit } from './act.ts';
import { allFindings, describeInBrowser, eventually, useBrowser } from './chromium.ts';
import {
  expectHeading,
  focusedName,
  fullHeart,
  heart,
  identify,
  logIn,
  logOut,
  open,
  openShop,
  save,
  tap,
} from './demo-page.ts';

describeInBrowser('the demo storefront', () => {
  const browser = useBrowser();
  const service = useService({ demo: true });
  let context: BrowserContext;

  beforeEach(async () => void (context = await browser.newContext()));
  afterEach(() => expect(browser.outside()).toEqual([]));

  /** What the service has of the visitor of a page. */
  async function shopperOf(page: Page) {
    const { regid, sessionid } = await identify(page);
    const caller = { shopper: { pid: service.demo!.pid, regid, sessionid } };
    return {
      sessionid,
      post: async (path: string, fields = {}) =>
        (await service.post(`/api/v3/lists/${path}`, fields, caller).expect(200)).body,
    };
  }

  /** How many items the lists of a page's visitor have in the service. */
  const countSaved = async (page: Page): Promise<number[]> =>
    (await (await shopperOf(page)).post('fetch-lists')).map(({ cnt }: { cnt: number }) => cnt);

  test('hearts fill at once, also the first two of a guest and on a slow network, and are the same in other tabs and after a reload', async () => {
    const [page, other] = [await openShop(service.url, context), await openShop(service.url, context)];
    await heart(other, 'Linen throw').waitFor();
    await heart(page, 'Linen throw').waitFor();
    await page.evaluate(
      `for (const title of ['Linen throw', 'Oak board']) document.querySelector('wishgate-heart[title="' + title + '"]').toggle()`,
    );
    await page.getByRole('link', { name: 'Lists Saved items: 2' }).waitFor();
    for (const title of ['Linen throw', 'Oak board']) await fullHeart(other, title).waitFor();
    expect(await countSaved(page)).toEqual([2]);

    let release = (): void => undefined;
    const held = new Promise<void>((resolve) => (release = resolve));
    await context.route('**/lists/update-ctx*', async (route) => {
      await held;
      await route.continue();
    });
    await click(heart(page, 'Beeswax candle'));
    await fullHeart(page, 'Beeswax candle').waitFor();
    expect(await countSaved(page)).toEqual([2]);
    release();
    await fullHeart(other, 'Beeswax candle').waitFor();

    await page.reload();
    await click(fullHeart(page, 'Linen throw'));
    for (const tab of [page, other]) await heart(tab, 'Linen throw').waitFor();
    await eventually(() => countSaved(page), [2]);
    const stored = await page.evaluate(
      'JSON.stringify([{ ...localStorage }, { ...sessionStorage }, document.cookie, document.documentElement.outerHTML])',
    );
    expect(stored).not.toContain(service.demo!.apiKey);
    expect(stored).not.toContain((await shopperOf(page)).sessionid);
  });

  test('a visitor without a mouse skips the header, saves, reads, asks for an alert, removes and takes that back', async () => {
    const page = await openShop(service.url, context);
    await heart(page, 'Linen throw').waitFor();
    const press = async (name: RegExp): Promise<void> => {
      for (let steps = 0; !name.test(await focusedName(page)); steps += 1) {
        expect(steps).toBeLessThan(60);
        await page.keyboard.press('Tab');
      }
      await page.keyboard.press('Enter');
    };
    await page.keyboard.press('Tab');
    expect(await focusedName(page)).toBe('Skip to content');
    await page.keyboard.press('Enter');
    await eventually(() => focusedName(page), 'Things for slow mornings');
    await page.keyboard.press('Tab');
    expect(await focusedName(page)).toBe('Linen throw');
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
    await eventually(() => countSaved(page), [0]);
    await page.keyboard.press('Enter');
    await eventually(() => focusedName(page), 'Remove: Linen throw');
    await eventually(() => countSaved(page), [1]);
    await page.reload();
    await open(page, 'Linen throw');
    await expectHeading(page, 'Linen throw');
    await fullHeart(page, 'Linen throw').waitFor();
  });

  test('two tabs have the same cart, which gets no more than there is, and survives nonsense and a full storage', async () => {
    const here = await openShop(service.url, context);
    // Others may write to the same storage.
    await here.evaluate("localStorage.setItem('demo-cart', 'null')");
    const there = await openShop(service.url, context, 'cart');
    await expectHeading(there, 'Your cart is empty');
    await open(there, 'Hearth & Loom');
    await tap(here, 'Add to cart: Ceramic vase');
    await there.getByRole('link', { name: 'Cart 1' }).waitFor();
    await tap(there, 'Add to cart: Oak board');
    await open(here, 'Cart 2');
    // There are seven: neither the button, nor the field, nor another tab gets more into the cart.
    const quantity = here.getByRole('spinbutton', { name: 'Quantity of Ceramic vase' });
    await submit(quantity, '50');
    await eventually(() => quantity.inputValue(), '7');
    await tap(there, 'Add to cart: Ceramic vase');
    for (const tab of [here, there]) await tab.getByRole('link', { name: 'Cart 8' }).waitFor();
    await tap(here, 'Remove Ceramic vase');
    await there.getByRole('link', { name: 'Cart 1' }).waitFor();
    await there.evaluate('Storage.prototype.setItem = () => { throw new Error("full"); }');
    for (const name of ['Linen throw', 'Stoneware mug']) await tap(there, `Add to cart: ${name}`);
    await there.getByRole('link', { name: 'Cart 3' }).waitFor();
  });

  test('a product moves from a list and from the cart to save for later, and back once, though another device moved it already', async () => {
    // A page that is not told of changes: what it shows may be old.
    await context.route('**/client/watch.mjs*', (route) => route.abort());
    const page = await openShop(service.url, context);
    await save(page, 'Stoneware mug');
    await tap(page, 'Add to cart: Oak board');
    await open(page, 'Lists');
    await tap(page, 'Save for later: Stoneware mug');
    await page.getByText('Nothing is saved yet').waitFor();
    await open(page, 'Cart 1');
    await tap(page, 'Save for later: Oak board');
    await expectHeading(page, 'Your cart is empty');
    const { post } = await shopperOf(page);
    await eventually(async () => (await post('sfl/create')).items.length, 2);
    await page.reload();
    await page.getByRole('button', { name: 'Move to cart: Oak board' }).waitFor();

    // Another device of the shopper.
    const { list, items } = await post('sfl/create');
    const { epi } = items.find(({ dt }: { dt: string }) => dt === 'Oak board');
    await post('sfl/moved-to-cart', { lid: list.lid, items: [{ epi }] });

    await tap(page, 'Move to cart: Oak board');
    const answered = "performance.getEntries().some(({ name }) => name.includes('/sfl/moved-to-cart'))";
    await eventually(() => page.evaluate(answered), true);
    await tap(page, 'Move to cart: Stoneware mug');
    await page.getByText('This list is empty').waitFor();
    await page.getByRole('spinbutton', { name: 'Quantity of Stoneware mug' }).waitFor();
    expect(await page.getByRole('spinbutton').count()).toBe(1);
    await tap(page, 'Place order');
    await expectHeading(page, 'Your cart is empty');
  });

  test('what a guest saved joins the account at login, which is live on another device, and the guest who comes after sees nothing of it', async () => {
    const email = `${randomUUID()}@example.com`;
    const page = await openShop(service.url, context);
    await save(page, 'Linen throw');
    await logIn(page, email);
    await fullHeart(page, 'Linen throw').waitFor();

    // Who the visitor was before the login comes late: it logs nobody out.
    const device = await browser.newContext();
    let answerLate: (() => Promise<void>) | undefined;
    await device.route('**/demo/api/identify', async (route) => {
      const response = await route.fetch();
      if (answerLate) return route.fulfill({ response });
      answerLate = () => route.fulfill({ response });
    });
    const elsewhere = await openShop(service.url, device);
    await eventually(() => answerLate !== undefined, true);
    await logIn(elsewhere, email);
    const answers = () =>
      elsewhere.evaluate<number>(
        "performance.getEntriesByName(location.origin + '/demo/api/identify').length",
      );
    const before = await answers();
    await answerLate!();
    await eventually(answers, before + 1);
    await fullHeart(elsewhere, 'Linen throw').waitFor();
    await click(heart(elsewhere, 'Herb planter'));
    await fullHeart(page, 'Herb planter').waitFor();
    await click(fullHeart(page, 'Linen throw'));
    await heart(elsewhere, 'Linen throw').waitFor();
    await open(elsewhere, 'Account');
    await elsewhere.getByText(`You're signed in as ${email}.`).waitFor();

    await logOut(page, email);
    await open(page, 'Hearth & Loom');
    await heart(page, 'Herb planter').waitFor();
  });

  test('a guest without an account or a clipboard shares a link, which opens in another profile until it is private again', async () => {
    await context.addInitScript("Object.defineProperty(navigator, 'clipboard', { value: undefined })");
    const page = await openShop(service.url, context);
    await save(page, 'Beeswax candle');
    await open(page, 'Lists');
    await tap(page, 'Share');
    const link = page.getByRole('textbox', { name: 'Link to this list' });
    await eventually(
      () =>
        link.evaluate(({ value, selectionStart, selectionEnd }: HTMLInputElement) =>
          value.slice(selectionStart!, selectionEnd!),
        ),
      expect.stringContaining(`${service.url}/demo#/shared/`),
    );

    const theirs = await browser.newPage();
    await theirs.goto(await link.inputValue());
    await theirs.getByRole('heading', { level: 2, name: 'Favourites' }).waitFor();
    await theirs.getByRole('link', { name: 'Beeswax candle' }).waitFor();
    expect(await theirs.locator('main').textContent()).not.toContain('@');
    await tap(theirs, 'Add to cart: Beeswax candle');
    await theirs.getByRole('link', { name: 'Cart 1' }).waitFor();

    await tap(page, 'Stop sharing');
    await page.getByRole('button', { name: 'Share', exact: true }).waitFor();
    await theirs.reload();
    await theirs.getByRole('alert').getByText('List not found').waitFor();
  });

  test('while nobody knows the visitor or wishlists are unavailable the shop sells, and hearts work again by themselves', async () => {
    const away = ['**/api/v3/**', '**/graphql/**', '**/client/watch.mjs*'];
    for (const path of away) await context.route(path, (route) => route.abort());
    const page502 = { status: 502, body: '<h1>Bad gateway' };
    await context.route('**/demo/api/identify', (route) => route.fulfill(page502));
    const page = await openShop(service.url, context);
    for (const [count, title] of ['Oak board', 'Ceramic vase'].entries()) {
      await tap(page, `Add to cart: ${title}`);
      await page.getByRole('link', { name: `Cart ${count + 1}` }).waitFor();
      await click(heart(page, title));
      await heart(page, title).waitFor();
      await context.unroute('**/demo/api/identify');
    }
    expect(await allFindings(page)).toEqual([]);
    for (const path of away) await context.unroute(path);
    await save(page, 'Ceramic vase');
    expect(await countSaved(page)).toEqual([1]);
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
