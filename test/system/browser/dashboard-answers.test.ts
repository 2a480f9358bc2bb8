import type { Page } from 'playwright-core';
import { filledBy, useService } from '../../harness.ts';
import { act, click, fill } from './act.ts';
import { describeInBrowser, eventually, useBrowser } from './chromium.ts';
import { enter, holdAnswers, openPage, signIn } from './dashboard-page.ts';
import type { HeldCalls } from './dashboard-page.ts';
import { seedUsedStore } from './dashboard-seed.ts';

const REFRESH_MS = 5_000;

describeInBrowser('the dashboard while answers take their time', () => {
  const browser = useBrowser();
  const service = useService();
  const store = filledBy(beforeAll, () => seedUsedStore(service));
  let page: Page;

  beforeEach(async () => void (page = await browser.newPage()));

  const row = (text: string) => page.getByRole('row', { name: text });
  const button = (name: string) => page.getByRole('button', { name, exact: true });
  const held = (calls: HeldCalls, least = 1) => eventually(async () => (await calls.count()) >= least, true);

  test('the queue is shown although its answer takes longer than the time between two looks, and a look does not move what is on the page', async () => {
    await page.clock.install();
    const calls = await holdAnswers(page, 'Alerts');
    await enter(page, service.url, store, 'alerts');
    await held(calls);
    await page.clock.runFor(3 * REFRESH_MS);
    await calls.answer();
    await row('ida@example.com').waitFor();
    await page.clock.runFor(REFRESH_MS);
    const busy = page.locator('main [aria-busy="true"]');
    await eventually(() => busy.evaluate((element) => getComputedStyle(element).whiteSpace), 'normal');
  });

  test('two clicks on the way to the next page are one step, and a page of the old search does not lead into the new one', async () => {
    const own = await service.createStore();
    // More than a page of mugs, and behind them more than a page of cups.
    await service.services.db.query(
      `INSERT INTO product (pid, epi, empi, du, dt)
       SELECT $1, n::text, n::text, '/p', CASE WHEN n < 130 THEN 'Cup ' ELSE 'Mug ' END || n FROM generate_series(100, 159) n`,
      [own.pid],
    );
    await enter(page, service.url, own, 'products');
    await row('Mug 159').waitFor();
    let calls = await holdAnswers(page, 'Products');
    await act(button('Next'), (next) => next.dblclick());
    await held(calls);
    await calls.answer();
    await row('Mug 134').waitFor();
    await page.unrouteAll();
    await click(button('Previous'));
    await row('Mug 159').waitFor();
    await page.getByRole('button', { name: 'Previous', disabled: true }).waitFor();

    calls = await holdAnswers(page, 'Products');
    await fill(page.getByLabel('Search'), 'cup');
    await held(calls);
    await act(button('Next'), (next) => next.click({ force: true }));
    await calls.answer();
    await row('Cup 129').waitFor();
    await page.getByRole('button', { name: 'Previous', disabled: true }).waitFor();
  });

  test('what was saved stays on the page when an older answer arrives', async () => {
    await enter(page, service.url, await service.createStore({ name: 'Old name' }), 'settings');
    const name = page.getByLabel('Store name');
    await name.waitFor();
    const calls = await holdAnswers(page, 'Settings');
    await click(button('Create key'));
    await click(button('Create'));
    await held(calls);
    await click(button('Done'));
    await fill(name, 'New name');
    await click(page.getByRole('region', { name: 'General' }).getByRole('button', { name: 'Save' }));
    await page.getByRole('banner').getByText('New name').waitFor();
    await calls.answer();
    expect(await name.inputValue()).toBe('New name');
  });

  test('a refusal that comes after signing out does not end the next session', async () => {
    const call = async (mutation: string) =>
      (await service.graphql(`mutation { ${mutation} }`, {}, { store }).expect(200)).body.data;
    const { id, apiKey } = (await call('createApiKey { id apiKey }')).createApiKey;
    await enter(page, service.url, { ...store, apiKey }, 'products');
    await row('Linen shirt').waitFor();
    await call(`revokeApiKey(id: "${id}") { pid }`);
    const calls = await holdAnswers(page, 'Topics');
    await openPage(page, 'Topics');
    await held(calls);
    await click(button('Sign out'));
    await signIn(page, store);
    await held(calls, 2);
    await calls.answer();
    await calls.answer();
    await page.getByRole('link', { name: 'Coming soon' }).waitFor();
  });
});
