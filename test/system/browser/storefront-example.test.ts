import type { Identity } from '../../../packages/client/src/wishgate.ts';
import { useService, useStore } from '../../harness.ts';
import { useStorefront } from '../storefront.ts';
import { describeInBrowser, useBrowser } from './chromium.ts';

describeInBrowser('the storefront example', () => {
  const browser = useBrowser();
  const service = useService();
  const store = useStore(service);
  const shop = useStorefront(service, store);

  test('looking at the page writes nothing, a click saves, and a save that fails is told once', async () => {
    const context = await browser.newContext();
    const calls: string[] = [];
    context.on('request', (request) => calls.push(new URL(request.url()).pathname));
    const page = await context.newPage();
    const failures: Error[] = [];
    page.on('pageerror', (error) => failures.push(error));
    await page.goto(shop.url);
    await page.getByRole('button', { name: 'Save' }).first().waitFor();
    expect(calls.filter((path) => path.startsWith('/api/v3/'))).toEqual(['/api/v3/lists/fetch-lists']);
    await page.getByRole('button', { name: 'Save' }).first().click();
    await page.getByRole('button', { name: 'Saved' }).waitFor();

    // An archived list is not shown, and its name is taken all the same.
    const { regid, sessionid } = await page.evaluate<Identity>(
      `fetch('/api/identify', { method: 'POST', headers: { 'content-type': 'application/json' } }).then((answer) => answer.json())`,
    );
    const shopper = { pid: store.pid, regid, sessionid };
    const { body } = await service.post('/api/v3/lists/fetch-lists', {}, { shopper }).expect(200);
    await service.post('/api/v3/lists/markArchived', { lid: body[0].lid }, { shopper }).expect(200);
    await page.evaluate('localStorage.clear()');
    await page.reload();
    await page.getByRole('button', { name: 'Save', exact: true }).nth(1).waitFor();
    calls.length = 0;
    await page.getByRole('button', { name: 'Save' }).first().click();
    await page.getByText("That didn't work").waitFor();
    await page.waitForLoadState('networkidle');
    expect(calls.filter((path) => path === '/api/v3/lists/create')).toHaveLength(1);
    expect(failures).toEqual([]);
  });
});
