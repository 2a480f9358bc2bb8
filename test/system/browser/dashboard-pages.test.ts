import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import supertest from 'supertest';
import { createApp } from '../../../src/app.ts';
import { addOperatorKey } from '../../../src/stores/operator.service.ts';
import { filledBy, useService } from '../../harness.ts';
import { allFindings, describeInBrowser, eventually, secondFindings, useBrowser } from './chromium.ts';
import { openMessage, openPage, openShopper, signIn } from './dashboard-page.ts';
import { seedUsedStore } from './dashboard-seed.ts';

const SCREENS = [
  { width: 1440, height: 900 },
  { width: 390, height: 844 },
];

/** Where to leave pictures of every page, for a person to look at; none are taken without it. */
const PICTURES = process.env['DASHBOARD_PICTURES'];

async function keepPicture(page: Page, name: string): Promise<void> {
  if (PICTURES === undefined) return;
  await mkdir(PICTURES, { recursive: true });
  await page.screenshot({ path: join(PICTURES, `${name}.png`), fullPage: true });
}

const NARROWEST = 320;
/** Two lines, and one for what went wrong: 25 alerts are no endless page on a phone. */
const ALERT_ROW = 90;

describeInBrowser('every page of the dashboard', () => {
  const browser = useBrowser();
  // All stores are on one of the pages, so there are no others.
  const service = useService({});
  const store = filledBy(beforeAll, () => seedUsedStore(service));

  async function look(page: Page, name: string): Promise<void> {
    await page.waitForFunction(() => document.querySelector('.skeleton, [aria-busy="true"]') === null);
    await keepPicture(page, name);
    const screen = page.viewportSize()!;
    const found = screen.width < 640 ? await secondFindings(page) : await allFindings(page);
    expect({ name, found }).toEqual({ name, found: [] });
    // The narrowest that people have, or get by zooming in.
    const widths = screen.width < 640 ? [screen.width, NARROWEST] : [screen.width];
    for (const width of widths) {
      await page.setViewportSize({ ...screen, width });
      const wider = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
      expect({ name, width, wider: Math.max(0, wider) }).toEqual({ name, width, wider: 0 });
    }
    await page.setViewportSize(screen);
  }

  const tallestRow = (page: Page): Promise<number> =>
    page
      .locator('table.data tbody tr')
      .evaluateAll((rows) => Math.max(...rows.map((row) => row.getBoundingClientRect().height)));

  /** The pages that the navigation leads to. */
  const titlesOf = (page: Page): Promise<string[]> =>
    page.locator('nav[aria-label="Pages"] a').allTextContents();

  test.each(SCREENS)('is accessible and fits, in light and in dark colours: $width px', async (viewport) => {
    const { width } = viewport;
    const page = await browser.newPage({ viewport });
    const strangers: string[] = [];
    const complaints: string[] = [];
    page.on('request', (request) => {
      if (!/^(data:|blob:)/.test(request.url()) && new URL(request.url()).origin !== service.url)
        strangers.push(request.url());
    });
    page.on('pageerror', (error) => complaints.push(error.message));
    page.on('console', (message) => {
      if (message.type() === 'error') complaints.push(message.text());
    });
    const kind = String(width);
    await page.goto(`${service.url}/dashboard`);
    await look(page, `sign-in-${kind}`);
    await signIn(page, store);
    const titles = await titlesOf(page);
    expect(titles).toEqual(expect.arrayContaining(['Overview', 'Settings']));
    for (const title of titles) {
      await openPage(page, title);
      await look(page, `${title.toLowerCase()}-${kind}`);
      if (title === 'Alerts' && width < 640) expect(await tallestRow(page)).toBeLessThanOrEqual(ALERT_ROW);
    }
    await openPage(page, 'Topics');
    await page.getByRole('link', { name: 'Back in stock', exact: true }).click();
    await page.frameLocator('iframe').locator('body').getByText('is back in stock').first().waitFor();
    await look(page, `topic-${kind}`);
    await openPage(page, 'Overview');
    await page
      .getByRole('button', { name: /^Set stock of/ })
      .first()
      .click();
    await look(page, `set-stock-${kind}`);
    await page.keyboard.press('Escape');
    for (const view of ['Mailing list', 'Audit log']) {
      await openPage(page, 'Shoppers');
      await page.getByRole('button', { name: view }).click();
      await look(page, `${view.toLowerCase()}-${kind}`);
    }
    await openPage(page, 'Products');
    await page.getByRole('link', { name: 'Linen shirt' }).first().click();
    await page.getByRole('heading', { level: 1 }).waitFor();
    await look(page, `product-${kind}`);
    await openPage(page, 'Alerts');
    await openMessage(page, 'ida@example.com', 'Linen shirt');
    await look(page, `message-${kind}`);
    await page.keyboard.press('Escape');
    await openPage(page, 'Shoppers');
    await openShopper(page, 'grace@example.com');
    await look(page, `shopper-${kind}`);
    await page.getByRole('button', { name: 'Erase…' }).click();
    await look(page, `erase-${kind}`);
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByText('You are signed out.').waitFor();
    const { key } = await addOperatorKey(service.services, '');
    await signIn(page, { pid: 'operator', apiKey: key });
    await page.getByRole('row', { name: store.name }).waitFor();
    await look(page, `stores-${kind}`);
    await page.getByRole('button', { name: 'Create store' }).click();
    await look(page, `create-store-${kind}`);
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Switch store' }).click();
    await look(page, `switch-store-${kind}`);
    await page.getByRole('dialog').getByRole('button', { name: store.name }).click();
    await page.getByRole('heading', { level: 1 }).waitFor();
    expect({ strangers, complaints }).toEqual({ strangers: [], complaints: [] });
  });

  test('the policy lets in nothing from outside but pictures of products and logos, and no inline script', async () => {
    const { services } = service;
    const config = { ...services.config, publicUrl: 'https://wishes.example' };
    const app = await createApp({ ...services, config }, { isDraining: false });
    const { headers } = await supertest(app).get('/dashboard').expect(200);
    const policy = headers['content-security-policy'] ?? '';
    expect(policy).toContain("default-src 'none'");
    expect(policy).toContain("script-src 'self';");
    expect(policy).toContain("connect-src 'self'");
    expect(policy).toContain("frame-ancestors 'none'");
    expect(policy).toContain("img-src 'self' data: https:;");
    expect(policy.replace(/img-src [^;]+;/, '')).not.toMatch(/https?:|\*/);
  });

  test('everything can be done by keyboard: sign-in, skip link, dialog and back, sign-out', async () => {
    const page = await browser.newPage();
    await page.goto(`${service.url}/dashboard`);
    await page.getByLabel('Store id (pid)').waitFor();
    await page.keyboard.press('Tab');
    await page.keyboard.type(store.pid);
    await page.keyboard.press('Tab');
    await page.keyboard.type(store.apiKey);
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Overview' }).waitFor();
    // After signing in the heading has the focus; a reload starts before the skip link.
    await page.reload();
    await page.getByRole('heading', { name: 'Overview' }).waitFor();
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await eventually(() => page.evaluate(() => document.activeElement?.id), 'main');
    const opener = page.getByRole('button', { name: 'Set stock of Linen shirt' });
    await opener.focus();
    await page.keyboard.press('Enter');
    await page.getByRole('dialog', { name: 'Set stock' }).waitFor();
    await eventually(() => page.evaluate(() => document.activeElement?.closest('dialog') !== null), true);
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await eventually(() => opener.evaluate((element) => element === document.activeElement), true);
    const signOut = page.getByRole('button', { name: 'Sign out' });
    for (
      let steps = 0;
      !(await signOut.evaluate((element) => element === document.activeElement));
      steps += 1
    ) {
      expect(steps).toBeLessThan(60);
      await page.keyboard.press('Shift+Tab');
    }
    await page.keyboard.press('Enter');
    await page.getByText('You are signed out.').waitFor();
  });
});
