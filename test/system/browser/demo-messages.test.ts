import { randomUUID } from 'node:crypto';
import { DEMO_PRODUCTS } from '../../../src/web/demo-store/products.ts';
import { useService } from '../../harness.ts';
import { describeInBrowser, eventually, useBrowser } from './chromium.ts';
import { fullHeart, heart, logIn, openMail, openShop, waitFor, waitForMessage } from './demo-page.ts';

describeInBrowser('variants and messages of the demo storefront', () => {
  const browser = useBrowser();
  const service = useService({ demo: true });

  test('an email is shown as it looks, and its links open in a tab of their own', async () => {
    const email = `${randomUUID()}@example.com`;
    const context = await browser.newContext();
    const page = await openShop(service.url, context);
    await waitFor(page, 'Pour-over kettle', email);
    await page.getByRole('link', { name: 'Test panel' }).click();
    await page.getByRole('button', { name: 'Restock: Pour-over kettle' }).click();
    await page.getByRole('button', { name: 'Sell out: Pour-over kettle' }).waitFor();
    const mail = await openMail(service, page, email);
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
    await mail.getByRole('button', { name: 'Plain text' }).click();
    await mail.locator('iframe').waitFor({ state: 'detached' });
    await mail.getByText('Pour-over kettle is back').last().waitFor();
    await page.getByRole('button', { name: 'Sell out: Pour-over kettle' }).click();
    await page.getByRole('button', { name: 'Restock: Pour-over kettle' }).waitFor();
  });

  test('messages are in the language of the page, and a notice of one is only where the outbox is out of sight', async () => {
    const email = `${randomUUID()}@example.com`;
    const context = await browser.newContext({ locale: 'de-DE' });
    const page = await openShop(service.url, context);
    await waitFor(page, 'Reading lamp', email);
    await logIn(page, email);
    await page.getByRole('button', { name: 'Watch price: Oak board' }).click();
    await page.getByRole('link', { name: 'Watching price: Oak board' }).waitFor();
    await heart(page, 'Oak board').click();
    await page.getByRole('link', { name: 'Lists 1' }).click();
    await page.getByRole('button', { name: 'Share' }).click();
    const share = page.getByRole('dialog');
    await share.getByLabel('Your name').fill('Ann');
    await share.getByLabel('To').fill(email);
    await share.getByRole('button', { name: 'Send email' }).click();
    await page.getByText(`List emailed to ${email}`).waitFor();
    await share.getByRole('button', { name: 'Close' }).click();
    await page.getByRole('link', { name: 'Test panel' }).click();
    const notices = page.getByRole('status').getByText(`New message to ${email}`);
    const subjects = page
      .getByRole('listitem')
      .filter({ hasText: `to ${email}` })
      .locator('strong');
    await page.getByRole('button', { name: 'Restock: Reading lamp' }).click();
    await page.getByRole('button', { name: 'Sell out: Reading lamp' }).waitFor();
    await waitForMessage(service, subjects.getByText('Reading lamp is back'));
    await waitForMessage(service, subjects.getByText('Ann shared the list “Favourites” with you'));
    expect(await notices.count()).toBe(0);

    await page.setViewportSize({ width: 390, height: 844 });
    await page.getByRole('button', { name: 'Drop price: Oak board' }).click();
    await page.getByRole('button', { name: 'Restore price: Oak board' }).waitFor();
    await waitForMessage(service, notices);
    await subjects.getByText(/^Oak board.*€28\.80/).waitFor();
    await page.getByRole('link', { name: 'Cart' }).click();
    await notices.waitFor({ state: 'detached' });
    await page.getByRole('link', { name: 'Test panel' }).click();
    await page.getByRole('button', { name: 'Restore price: Oak board' }).click();
    await page.getByRole('button', { name: 'Sell out: Reading lamp' }).click();
    await page.getByRole('button', { name: 'Restock: Reading lamp' }).waitFor();
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
    const context = await browser.newContext();
    const page = await openShop(service.url, context);
    const pick = (name: string) => page.locator('label', { has: page.getByRole('radio', { name }) }).click();
    await pick('Sage');
    await heart(page, 'Canvas apron, Sage').click();
    await fullHeart(page, 'Canvas apron, Sage').waitFor();
    await waitFor(page, 'Canvas apron, Sage', email);
    await pick('Ink');
    await heart(page, 'Canvas apron, Ink').waitFor();
    await page.getByRole('button', { name: 'Add to cart: Canvas apron, Ink' }).click();
    await page.getByRole('radio', { name: 'Sage, sold out, saved' }).waitFor();

    await page.getByRole('link', { name: 'Lists 1' }).click();
    await page.getByRole('link', { name: 'Canvas apron, Sage', exact: true }).click();
    await page.getByRole('radio', { name: 'Sage', checked: true }).waitFor();
    const shown = page.locator('.product');
    await shown
      .getByRole('paragraph')
      .filter({ hasText: /^Sold out$/ })
      .waitFor();
    await shown.getByText('HL-APRON-SAGE').waitFor();
    await pick('Rust');
    await shown
      .getByRole('paragraph')
      .filter({ hasText: /^Only 8 left$/ })
      .waitFor();
    await shown.getByText('HL-APRON-RUST').waitFor();
    await page.reload();
    await page.getByRole('radio', { name: 'Rust', checked: true }).waitFor();
    await page.goto(`${service.url}/demo?variant=1020#/p/pot`);
    await page.getByRole('radio', { name: '4 litres', checked: true }).waitFor();
    await page.getByText('€68.00').waitFor();

    await page.getByRole('link', { name: /Cart/ }).click();
    await page.getByRole('spinbutton', { name: 'Quantity of Canvas apron, Ink' }).waitFor();
    expect(await page.getByRole('spinbutton').count()).toBe(1);
    await page.getByRole('link', { name: 'Test panel' }).click();
    await page.getByRole('button', { name: 'Restock: Canvas apron, Sage' }).click();
    await page.getByRole('button', { name: 'Sell out: Canvas apron, Sage' }).waitFor();
    const mail = (await openMail(service, page, email)).frameLocator('iframe');
    await mail.locator('.wg-card').getByText('Sage').first().waitFor();
    await page.getByRole('button', { name: 'Sell out: Canvas apron, Sage' }).click();
    await page.getByRole('button', { name: 'Restock: Canvas apron, Sage' }).waitFor();
  });
});
