import type { Identity, List } from '../../../packages/client/src/wishgate.ts';
import { useService, useStore } from '../../harness.ts';
import { useStorefront } from '../storefront.ts';
import { click } from './act.ts';
import { describeInBrowser, eventually, useBrowser } from './chromium.ts';

describeInBrowser('the storefront example', () => {
  const browser = useBrowser();
  const service = useService();
  const store = useStore(service);
  const shop = useStorefront(service, store);

  test('looking at the page writes nothing, a click saves, and a save that fails says so', async () => {
    const page = await browser.newPage();
    const failures: Error[] = [];
    page.on('pageerror', (error) => failures.push(error));
    await page.goto(shop.url);
    const save = page.getByRole('button', { name: 'Save', exact: true });
    await save.nth(1).waitFor();
    const { regid, sessionid } = await page.evaluate<Identity>(
      `fetch('/api/identify', { method: 'POST', headers: { 'content-type': 'application/json' } }).then((answer) => answer.json())`,
    );
    const post = async (path: string, fields = {}): Promise<List[]> => {
      const caller = { shopper: { pid: store.pid, regid, sessionid } };
      return (await service.post(`/api/v3/lists/${path}`, fields, caller).expect(200)).body;
    };
    expect(await post('fetch-lists')).toEqual([]);
    await click(save.first());
    await page.getByRole('button', { name: 'Saved' }).waitFor();
    const lists = await post('fetch-lists');
    expect(lists).toMatchObject([{ lname: 'Favourites', cnt: 1 }]);

    // An archived list is not shown, and its name is taken all the same.
    await post('markArchived', { lid: lists[0]!.lid });
    await page.evaluate('localStorage.clear()');
    await page.reload();
    await save.nth(1).waitFor();
    await click(save.first());
    await eventually(
      () => page.getByRole('status').textContent(),
      expect.stringContaining("That didn't work"),
    );
    expect(await save.count()).toBe(2);
    expect(await post('fetch-lists')).toEqual([]);
    expect(failures).toEqual([]);
  });
});
