import { randomUUID } from 'node:crypto';
import type { BrowserContext, Page } from 'playwright-core';
import { DEMO_PRODUCTS } from '../../../src/web/demo-store/products.ts';
import { useService } from '../../harness.ts';
import { click } from './act.ts';
import { allFindings, describeInBrowser, eventually, secondFindings, useBrowser } from './chromium.ts';
import {
  ask,
  askSignedIn,
  change,
  expectHeading,
  fullHeart,
  heart,
  logIn,
  open,
  openMail,
  openShop,
  save,
  subscribe,
  tap,
  waitForMessage,
} from './demo-page.ts';

const VIEWS = [
  ['p/kettle', 'Pour-over kettle'],
  ['lists', 'My lists'],
  ['alerts', 'My alerts'],
  ['cart', 'Your cart'],
  ['p/apron', 'Canvas apron'],
  ['account', 'Sign in'],
  ['test-panel', 'Test panel'],
] as const;

describeInBrowser('views, variants and messages of the demo storefront', () => {
  const browser = useBrowser();
  const service = useService({ demo: true });

  let context: BrowserContext;

  beforeEach(async () => void (context = await browser.newContext()));
  afterEach(() => expect(browser.outside()).toEqual([]));

  test('a guest and a customer see their alert, can end it, and get one email when the product is back', async () => {
    const [email, ofCustomer] = [`${randomUUID()}@example.com`, `${randomUUID()}@example.com`];
    // The service writes in the language of the page, whatever the browser prefers.
    const german = await browser.newContext({ locale: 'de-DE' });
    const page = await openShop(service.url, german);
    const customer = await openShop(service.url, context);
    await subscribe(service, page, 'Reading lamp', email);
    await logIn(customer, ofCustomer);
    await open(customer, 'Hearth & Loom');
    await askSignedIn(customer, 'Reading lamp');
    const reopen = async (shopper: Page): Promise<void> => {
      await shopper.goto(`${service.url}/demo#/`);
      await shopper.reload();
    };
    for (const shopper of [page, customer]) {
      await reopen(shopper);
      await open(shopper, "We'll email you: Reading lamp");
      await expectHeading(shopper, 'My alerts');
      await tap(shopper, 'Unsubscribe from Reading lamp');
      await expectHeading(shopper, 'No alerts yet');
      await reopen(shopper);
    }
    // A guest who has confirmed the address does not have to confirm it again.
    await ask(page, 'Reading lamp', email);
    await askSignedIn(customer, 'Reading lamp');
    await change(page, 'Restock', 'Sell out', 'Reading lamp');
    const mail = await openMail(service, page, email, /is back/);
    expect(await mail.count()).toBe(1);
    await open(customer, 'Test panel');
    expect(await (await openMail(service, customer, ofCustomer, /is back/)).count()).toBe(1);

    await mail.getByText('From Hearth & Loom').waitFor();
    expect(await mail.locator('iframe').getAttribute('sandbox')).not.toContain('allow-scripts');
    const frame = mail.frameLocator('iframe');
    await frame.locator('h1', { hasText: 'Reading lamp' }).waitFor();
    const card = frame.locator('.wg-card');
    expect(await card.evaluate((cell) => getComputedStyle(cell).borderRadius)).toBe('12px');
    const picture = frame.locator('img');
    await eventually(() => picture.evaluate((image: HTMLImageElement) => image.naturalWidth > 0), true);
    const { headers } = await service.http.get('/demo/images/lamp.svg').expect(200);
    expect(headers['cross-origin-resource-policy']).toBe('cross-origin');
    const unsubscribe = frame.locator('a[href*="/unsubscribe/"]');
    await unsubscribe.evaluate(
      (link: HTMLAnchorElement, url) => (link.href = url + new URL(link.href).pathname),
      service.url,
    );
    // No script runs in the frame: nothing there could say that it heard a click.
    await unsubscribe.focus();
    const [tab] = await Promise.all([german.waitForEvent('page'), page.keyboard.press('Enter')]);
    await eventually(() => tab.url(), expect.stringContaining(`${service.url}/unsubscribe/`));
    await tab.getByRole('heading', { level: 1 }).waitFor();

    await change(page, 'Sell out', 'Restock', 'Reading lamp');
    // Who was notified waits no longer.
    for (const shopper of [page, customer]) {
      await open(shopper, 'Alerts');
      await expectHeading(shopper, 'No alerts yet');
    }
  });

  test('when the price drops, a customer who waits for it gets one email with both prices, and lists show it', async () => {
    const email = `${randomUUID()}@example.com`;
    const page = await openShop(service.url, context);
    await logIn(page, email);
    await page.goto(`${service.url}/demo#/p/board`);
    await save(page, 'Oak board');
    await askSignedIn(page, 'Oak board');
    await change(page, 'Drop price', 'Restore price', 'Oak board');
    const mail = await openMail(service, page, email, /Oak board.*€28\.80.*€36\.00/);
    expect(await mail.count()).toBe(1);
    await open(page, 'Lists');
    await expectHeading(page, 'My lists');
    await page.getByText('€28.80').waitFor();
    await page.getByText('Price drop: was €36.00').waitFor();
    await change(page, 'Restore price', 'Drop price', 'Oak board');
  });

  test('hearts, alerts by email and SMS, stock, prices and the cart go by variant', async () => {
    const email = `${randomUUID()}@example.com`;
    const page = await openShop(service.url, context);
    const pick = (name: string) => click(page.locator('label', { has: page.getByRole('radio', { name }) }));
    await pick('Sage');
    await save(page, 'Canvas apron, Sage');
    await fullHeart(page, 'Canvas apron, Sage').waitFor();
    await pick('Ink');
    await heart(page, 'Canvas apron, Ink').waitFor();
    await tap(page, 'Add to cart: Canvas apron, Ink');

    await open(page, 'Lists Saved items: 1');
    await expectHeading(page, 'My lists');
    await page.getByRole('listitem').getByText('Sage').waitFor();
    await click(page.getByRole('listitem').getByRole('link'));
    await page.getByRole('radio', { name: 'Sage', checked: true }).waitFor();
    await page.getByText('HL-APRON-SAGE').waitFor();
    await pick('Rust');
    await page.getByText('Only 8 left').waitFor();
    await page.getByText('HL-APRON-RUST').waitFor();
    await page.reload();
    await page.getByRole('radio', { name: 'Rust', checked: true }).waitFor();
    await page.goto(`${service.url}/demo?variant=1020#/p/pot`);
    await page.getByRole('radio', { name: '4 litres', checked: true }).waitFor();
    await page.getByText('€68.00').waitFor();

    await open(page, 'Cart 1');
    await page.getByRole('spinbutton', { name: 'Quantity of Canvas apron, Ink' }).waitFor();
    expect(await page.getByRole('spinbutton').count()).toBe(1);
    await logIn(page, email);
    await pick('Sage');
    await askSignedIn(page, 'Canvas apron, Sage');
    const { epi, empi } = DEMO_PRODUCTS.find(({ vi }) => vi === 'Sage')!;
    const products = JSON.stringify([{ epi, empi, du: '/demo#/p/apron' }]);
    const wish = { medium: 'sms', mediumvalue: '+4915112345678', topics: '["backinstock"]', products };
    await service.post('/storeadmin/bispa/subscriptions/create', wish, { store: service.demo! }).expect(200);
    await change(page, 'Restock', 'Sell out', 'Canvas apron, Sage');
    const mail = (await openMail(service, page, email, /is back/)).frameLocator('iframe');
    await mail.locator('.wg-card').getByText('Sage').first().waitFor();
    const sms = page.getByRole('listitem').filter({ hasText: 'SMS to +4915112345678' });
    await waitForMessage(service, sms.getByText('Hearth & Loom'));
    await sms.getByRole('link').first().waitFor();
    await change(page, 'Sell out', 'Restock', 'Canvas apron, Sage');
  });

  test('the first load is the elements that every shop gets, below 80 kB packed, the second comes from the cache, and nothing moves', async () => {
    await context.addInitScript(
      "globalThis.moved = 0; new PerformanceObserver((list) => { for (const { value } of list.getEntries()) moved += value; }).observe({ type: 'layout-shift', buffered: true })",
    );
    const page = await openShop(service.url, context);
    const loaded = (): Promise<string[]> =>
      page.evaluate("performance.getEntriesByType('resource').map(({ name }) => new URL(name).pathname)");
    const bytes = (field: 'encodedBodySize' | 'transferSize', kinds = '.'): Promise<number> =>
      page.evaluate(
        `performance.getEntries().reduce((sum, { name, ${field}: size }) => sum + (RegExp('${kinds}').test(name) && size || 0), 0)`,
      );
    const { text } = await service.http.get('/client/elements.mjs').expect(200);
    const hearts = /import\("\.\/(elements-hearts[\w.-]*)"/.exec(text)![1]!;
    const scripts = ['elements.mjs', hearts, 'wishgate.mjs', 'watch.mjs'].map((file) => `/client/${file}`);
    const settled = async (): Promise<void> => {
      await page.getByRole('button', { name: 'Notify me: Pour-over kettle' }).waitFor();
      await eventually(loaded, expect.arrayContaining(scripts));
    };
    await settled();
    const first = await bytes('encodedBodySize');
    expect([first > 30_000, first < 80_000]).toEqual([true, true]);
    expect(await page.evaluate('moved')).toBe(0);
    // Lists are loaded where they are shown.
    const lists = '/client/elements-lists.mjs';
    expect(await loaded()).not.toContain(lists);
    await page.reload();
    await settled();
    expect(await bytes('transferSize', '/(assets|client|demo/images)/')).toBe(0);
    expect(await page.evaluate('moved')).toBe(0);
    await open(page, 'Lists');
    await eventually(loaded, expect.arrayContaining([lists]));
  });

  test('where a product is sold out, the alert is the button that stands out', async () => {
    const page = await openShop(service.url, context);
    const colour = (name: string) =>
      page.getByRole('button', { name }).evaluate((button) => getComputedStyle(button).backgroundColor);
    const cart = await colour('Add to cart: Oak board');
    expect(await colour('Notify me: Pour-over kettle')).toBe(cart);
    await page.goto(`${service.url}/demo#/p/board`);
    await page.getByText('Waiting for a better price?').waitFor();
    expect(await colour('Notify me: Oak board')).not.toBe(cart);
  });

  test('a link to a page that is not there leads to one that says so', async () => {
    const page = await openShop(service.url, context, 'shared/%zz');
    await page.getByRole('alert').waitFor();
    for (const view of ['nope', 'list/abc', 'p/nope']) {
      await page.goto(`${service.url}/demo#/${view}`);
      await expectHeading(page, 'Not found');
      await eventually(() => page.title(), 'Not found · Hearth & Loom');
      await open(page, 'Continue shopping');
      await expectHeading(page, 'Things for slow mornings');
    }
  });

  test('every view fits screens of 1440, 390 and 320 pixels, is named, and accessible in light and in dark colours', async () => {
    const page = await openShop(service.url, context);
    await page.setViewportSize({ width: 1440, height: 900 });
    await save(page, 'Linen throw');
    await tap(page, 'Add to cart: Stoneware mug');
    const check = async (name: string): Promise<void> => {
      const findings = [];
      for (const width of [320, 390, 1440]) {
        await page.setViewportSize({ width, height: 900 });
        const overflow = await page.evaluate('document.documentElement.scrollWidth - innerWidth');
        expect({ name, width, overflow }).toEqual({ name, width, overflow: 0 });
        if (width === 390) findings.push(...(await secondFindings(page)));
        if (width === 1440) findings.push(...(await allFindings(page)));
      }
      const levels = await page.$$eval('main :is(h1, h2, h3)', (all) =>
        all.map(({ tagName }) => Number(tagName[1])),
      );
      const buttons = await page.$$eval('main button', (all) =>
        all.map((button) => button.ariaLabel ?? button.textContent),
      );
      // One heading of the page, no level is left out on the way down, and no two buttons have one name.
      expect({
        name,
        findings,
        tops: levels.flatMap((level, at) => (level === 1 ? at : [])),
        steps: levels.filter((level, at) => level > (levels[at - 1] ?? 0) + 1),
        twice: buttons.filter((text, at) => buttons.indexOf(text) !== at),
      }).toEqual({ name, findings: [], tops: [0], steps: [], twice: [] });
    };
    await check('shop');
    await ask(page, 'Pour-over kettle', 'screens@example.com');
    await check('asked');
    for (const [view, heading] of VIEWS) {
      await page.goto(`${service.url}/demo#/${view}`);
      await expectHeading(page, heading);
      await eventually(() => page.title(), `${heading} · Hearth & Loom`);
      if (view === 'lists') await tap(page, 'Share');
      await check(view.replace('/', '-'));
    }
  });
});
