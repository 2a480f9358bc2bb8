import type { Locator, Page } from 'playwright-core';
import { TOAST_MS } from '../../../src/web/dashboard/session.ts';
import { TOAST_MS as SHOP_TOAST_MS } from '../../../src/web/demo-shop/toasts.ts';
import { useService, useStore } from '../../harness.ts';
import { click, fill } from './act.ts';
import { describeInBrowser, eventually, useBrowser } from './chromium.ts';
import { enter } from './dashboard-page.ts';
import { openShop } from './demo-page.ts';

describeInBrowser('what a page says for a moment', () => {
  const browser = useBrowser();
  const service = useService({ demo: true });
  const store = useStore(service);

  /** Stops the clock of the page, acts, and lets the time of the message pass. */
  async function expectFor(ms: number, page: Page, button: Locator, text: string): Promise<void> {
    const message = page.getByRole('status').getByText(text);
    await page.clock.pauseAt(Date.now() + 3_600_000);
    await click(button);
    await message.waitFor();
    await page.clock.runFor(ms - 1);
    expect(await message.isVisible()).toBe(true);
    await page.clock.runFor(1);
    await eventually(() => message.count(), 0);
  }

  test('is what the dashboard has saved, for six seconds', async () => {
    const page = await browser.newPage({ hasMoments: true });
    await page.clock.install();
    await enter(page, service.url, store, 'settings/lists');
    await fill(page.getByLabel('List types'), 'registry');
    const save = page.getByRole('region', { name: 'Lists' }).getByRole('button', { name: 'Save' });
    await expectFor(TOAST_MS, page, save, 'Settings saved.');
  });

  test('is that the demo shop has no more of a product, for five seconds', async () => {
    const context = await browser.newContext({ hasMoments: true });
    await context.clock.install();
    const page = await openShop(service.url, context);
    const add = page.getByRole('button', { name: 'Add to cart: Ceramic vase' });
    for (let count = 1; count <= 7; count += 1) {
      await click(add);
      await page.getByRole('link', { name: `Cart ${count}` }).waitFor();
    }
    await expectFor(SHOP_TOAST_MS, page, add, 'Only 7 left: Ceramic vase');
  });
});
