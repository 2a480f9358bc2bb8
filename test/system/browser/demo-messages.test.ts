import { randomUUID } from 'node:crypto';
import { DEMO_PRODUCTS } from '../../../src/web/demo-store/products.ts';
import { useService } from '../../harness.ts';
import { describeInBrowser, eventually, useBrowser } from './chromium.ts';
import {
  ask,
  follow,
  fullHeart,
  heart,
  logIn,
  openMail,
  openShop,
  subscribe,
  waitForMessage,
} from './demo-page.ts';

describeInBrowser('variants and messages of the demo storefront', () => {
  const browser = useBrowser();
  const service = useService({ demo: true });

  test.each(['guest', 'customer'])(
    'a %s gets one email when the product is back, sees the alert until then, and can end it',
    async (kind) => {
      const email = `${randomUUID()}@example.com`;
      const page = await openShop(service.url, await browser.newContext());
      const tap = async (): Promise<void> => {
        await page.getByRole('link', { name: 'Hearth & Loom' }).click();
        await page.getByRole('button', { name: 'Notify me: Reading lamp' }).click();
        await page.getByText("We'll email you").waitFor();
      };
      if (kind === 'guest') await subscribe(service, page, 'Reading lamp', email);
      else {
        await logIn(page, email);
        await tap();
      }
      await page.goto(`${service.url}/demo#/`);
      await page.reload();
      await page.getByRole('link', { name: "We'll email you: Reading lamp" }).click();
      await page.getByRole('heading', { level: 1, name: 'My alerts' }).waitFor();
      await page.getByRole('button', { name: 'Unsubscribe from Reading lamp' }).click();
      await page.getByRole('heading', { level: 1, name: 'No alerts yet' }).waitFor();
      // A guest who has confirmed the address does not have to confirm it again.
      await page.getByRole('link', { name: 'Hearth & Loom' }).click();
      if (kind === 'guest') await ask(page, 'Reading lamp', email);
      else await tap();
      await page.getByRole('link', { name: 'Test panel' }).click();
      await page.getByRole('button', { name: 'Restock: Reading lamp' }).click();
      const mail = await openMail(service, page, email, /is back/);
      expect(await mail.count()).toBe(1);
      await page.getByRole('button', { name: 'Sell out: Reading lamp' }).click();
      await page.getByRole('button', { name: 'Restock: Reading lamp' }).waitFor();
      // Who was notified waits no longer.
      await page.getByRole('link', { name: 'Alerts' }).click();
      await page.getByRole('heading', { level: 1, name: 'No alerts yet' }).waitFor();
    },
  );

  test('an email is shown as it looks, and its links open in a tab of their own', async () => {
    const email = `${randomUUID()}@example.com`;
    const context = await browser.newContext();
    const page = await openShop(service.url, context);
    await subscribe(service, page, 'Pour-over kettle', email);
    await page.getByRole('button', { name: 'Restock: Pour-over kettle' }).click();
    await page.getByRole('button', { name: 'Sell out: Pour-over kettle' }).waitFor();
    const mail = await openMail(service, page, email, /is back/);
    await mail.getByText('From Hearth & Loom').waitFor();
    const frame = mail.frameLocator('iframe');
    await frame.locator('h1', { hasText: 'Pour-over kettle' }).waitFor();
    const card = frame.locator('.wg-card');
    expect(await card.evaluate((cell) => getComputedStyle(cell).borderRadius)).toBe('12px');
    await eventually(
      () => frame.locator('img').evaluate((image) => (image as HTMLImageElement).naturalWidth > 0),
      true,
    );
    expect(await mail.locator('iframe').getAttribute('sandbox')).not.toContain('allow-scripts');
    const unsubscribe = frame.locator('a[href*="/unsubscribe/"]');
    await unsubscribe.evaluate(
      (link, url) =>
        ((link as HTMLAnchorElement).href = url + new URL((link as HTMLAnchorElement).href).pathname),
      service.url,
    );
    const [tab] = await Promise.all([context.waitForEvent('page'), unsubscribe.click()]);
    await tab.getByRole('heading', { level: 1 }).waitFor();
    expect(new URL(tab.url()).pathname).toContain('/unsubscribe/');
    await page.getByRole('button', { name: 'Sell out: Pour-over kettle' }).click();
    await page.getByRole('button', { name: 'Restock: Pour-over kettle' }).waitFor();
  });

  test('a customer who waits for a better price gets one email with both prices when it is reduced', async () => {
    const email = `${randomUUID()}@example.com`;
    const page = await openShop(service.url, await browser.newContext());
    await logIn(page, email);
    await page.goto(`${service.url}/demo#/p/board`);
    await page.getByRole('button', { name: 'Notify me: Oak board' }).click();
    await page.getByText("We'll email you").waitFor();
    await page.getByRole('link', { name: 'Test panel' }).click();
    await page.getByRole('button', { name: 'Drop price: Oak board' }).click();
    await page.getByRole('button', { name: 'Restore price: Oak board' }).waitFor();
    const mail = await openMail(service, page, email, /Oak board.*€28\.80.*€36\.00/);
    expect(await mail.count()).toBe(1);
    await page.getByRole('button', { name: 'Restore price: Oak board' }).click();
    await page.getByRole('button', { name: 'Drop price: Oak board' }).waitFor();
  });

  test('a list shows that the price has dropped since a product was saved', async () => {
    const page = await openShop(service.url, await browser.newContext());
    await heart(page, 'Herb planter').click();
    await page.getByRole('link', { name: 'Test panel' }).click();
    await page.getByRole('button', { name: 'Drop price: Herb planter' }).click();
    await page.getByRole('button', { name: 'Restore price: Herb planter' }).waitFor();
    await page.getByRole('link', { name: 'Lists' }).click();
    await page.getByText('€19.20').waitFor();
    await page.getByText('Price drop: was €24.00').waitFor();
    await page.goto(`${service.url}/demo#/test-panel`);
    await page.getByRole('button', { name: 'Restore price: Herb planter' }).click();
    await page.getByRole('button', { name: 'Drop price: Herb planter' }).waitFor();
  });

  test('the confirmation is in the language of the page, whatever the browser prefers', async () => {
    const email = `${randomUUID()}@example.com`;
    const page = await openShop(service.url, await browser.newContext({ locale: 'de-DE' }));
    await subscribe(service, page, 'Reading lamp', email);
    const mail = await openMail(service, page, email, /Please confirm/);
    const done = await follow(service, mail, 'confirm');
    await done.getByText('All confirmed').waitFor();
  });

  test('pages of every origin may show the pictures of emails', async () => {
    const { headers } = await service.http.get('/demo/images/kettle.svg').expect(200);
    expect(headers['cross-origin-resource-policy']).toBe('cross-origin');
  });

  test('an SMS is in the outbox as text with its link', async () => {
    const { epi, empi } = DEMO_PRODUCTS.find(({ slug }) => slug === 'lamp')!;
    const wish = { medium: 'sms', mediumvalue: '+4915112345678', topics: '["backinstock"]' };
    const products = JSON.stringify([{ epi, empi, du: '/demo#/p/lamp' }]);
    await service
      .post('/storeadmin/bispa/subscriptions/create', { ...wish, products }, { store: service.demo! })
      .expect(200);
    const page = await openShop(service.url, await browser.newContext(), 'test-panel');
    await page.getByRole('button', { name: 'Restock: Reading lamp' }).click();
    await page.getByRole('button', { name: 'Sell out: Reading lamp' }).waitFor();
    const sms = page.getByRole('listitem').filter({ hasText: 'SMS to +4915112345678' });
    await waitForMessage(service, sms.getByText('Hearth & Loom'));
    await sms.getByRole('link').first().waitFor();
    await page.getByRole('button', { name: 'Sell out: Reading lamp' }).click();
    await page.getByRole('button', { name: 'Restock: Reading lamp' }).waitFor();
  });

  test('hearts, alerts, stock, prices and the cart go by variant', async () => {
    const email = `${randomUUID()}@example.com`;
    const page = await openShop(service.url, await browser.newContext());
    const pick = (name: string) => page.locator('label', { has: page.getByRole('radio', { name }) }).click();
    await pick('Sage');
    await heart(page, 'Canvas apron, Sage').click();
    await fullHeart(page, 'Canvas apron, Sage').waitFor();
    await pick('Ink');
    await heart(page, 'Canvas apron, Ink').waitFor();
    await page.getByRole('button', { name: 'Add to cart: Canvas apron, Ink' }).click();

    await page.getByRole('link', { name: 'Lists Saved items: 1' }).click();
    await page.getByRole('listitem').getByText('Sage').waitFor();
    await page.getByRole('listitem').getByRole('link').click();
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

    await page.getByRole('link', { name: 'Cart 1' }).click();
    await page.getByRole('spinbutton', { name: 'Quantity of Canvas apron, Ink' }).waitFor();
    expect(await page.getByRole('spinbutton').count()).toBe(1);
    await logIn(page, email);
    await pick('Sage');
    await page.getByRole('button', { name: 'Notify me: Canvas apron, Sage' }).click();
    await page.getByText("We'll email you").waitFor();
    await page.getByRole('link', { name: 'Test panel' }).click();
    await page.getByRole('button', { name: 'Restock: Canvas apron, Sage' }).click();
    await page.getByRole('button', { name: 'Sell out: Canvas apron, Sage' }).waitFor();
    const mail = (await openMail(service, page, email, /is back/)).frameLocator('iframe');
    await mail.locator('.wg-card').getByText('Sage').first().waitFor();
    await page.getByRole('button', { name: 'Sell out: Canvas apron, Sage' }).click();
    await page.getByRole('button', { name: 'Restock: Canvas apron, Sage' }).waitFor();
  });
});
