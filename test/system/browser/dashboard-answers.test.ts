import type { Page } from 'playwright-core';
import type { NewStore } from '../../../src/stores/store.service.ts';
import { filledBy, useService } from '../../harness.ts';
import { describeInBrowser, eventually, useBrowser } from './chromium.ts';
import { enter, holdAnswers, openPage, signIn } from './dashboard-page.ts';
import { seedUsedStore } from './dashboard-seed.ts';

const REFRESH_MS = 5_000;

describeInBrowser('the dashboard while answers take their time', () => {
  const browser = useBrowser();
  const service = useService();
  const store = filledBy(beforeAll, () => seedUsedStore(service));
  let page: Page;

  beforeEach(async () => {
    page = await browser.newPage();
    await page.clock.install();
  });

  const row = (text: string) => page.getByRole('row', { name: text });

  /** A store with more than a page of mugs, and behind them more than a page of cups. */
  async function seedCupsAndMugs(): Promise<NewStore> {
    const own = await service.createStore();
    const products = ['Cup', 'Mug'].flatMap((kind, index) =>
      Array.from({ length: 30 }, (_, at) => ({
        epi: 1000 + index * 100 + at,
        empi: 1000 + index * 100 + at,
        dt: `${kind} ${String(at).padStart(2, '0')}`,
        du: 'https://shop.example/p',
      })),
    );
    await service
      .graphql(
        'mutation ($products: [ProductInput!]!) { upsertProducts(products: $products) { epi } }',
        { products },
        { store: own },
      )
      .expect(200);
    return own;
  }

  test('the queue is shown although its answer takes longer than the time between two looks', async () => {
    const calls = await holdAnswers(page, 'Alerts');
    await enter(page, service.url, store, 'alerts');
    await eventually(calls.count, 1);
    await page.clock.runFor(3 * REFRESH_MS);
    await calls.answer();
    await row('ida@example.com').waitFor();
    await page.clock.runFor(REFRESH_MS);
    await eventually(calls.count, 2);
  });

  test('a look at the queue does not move what is on the page', async () => {
    await enter(page, service.url, store, 'alerts');
    await row('ida@example.com').waitFor();
    const calls = await holdAnswers(page, 'Alerts');
    await page.clock.runFor(REFRESH_MS);
    await eventually(calls.count, 1);
    const busy = page.locator('main [aria-busy="true"]');
    expect(await busy.evaluate((element) => getComputedStyle(element).whiteSpace)).toBe('normal');
  });

  test('two clicks on the way to the next page are one step', async () => {
    await enter(page, service.url, await seedCupsAndMugs(), 'products');
    await row('Mug 29').waitFor();
    const calls = await holdAnswers(page, 'Products');
    await page.getByRole('button', { name: 'Next' }).dblclick();
    await eventually(calls.count, 1);
    await calls.answer();
    await row('Mug 04').waitFor();
    await page.unrouteAll();
    await page.getByRole('button', { name: 'Previous' }).click();
    await row('Mug 29').waitFor();
    await page.getByRole('button', { name: 'Previous', disabled: true }).waitFor();
  });

  test('a page of the old search does not lead into the new one', async () => {
    await enter(page, service.url, await seedCupsAndMugs(), 'products');
    await row('Mug 29').waitFor();
    const calls = await holdAnswers(page, 'Products');
    await page.getByLabel('Search').fill('cup');
    await eventually(calls.count, 1);
    await page.getByRole('button', { name: 'Next' }).click({ force: true });
    await calls.answer();
    await row('Cup 29').waitFor();
    expect(await calls.count()).toBe(1);
    await page.getByRole('button', { name: 'Previous', disabled: true }).waitFor();
  });

  test('what was saved stays on the page when an older answer arrives', async () => {
    await enter(page, service.url, await service.createStore({ name: 'Old name' }), 'settings');
    await page.getByLabel('Store name').waitFor();
    const calls = await holdAnswers(page, 'Settings');
    await page.getByRole('button', { name: 'Create key' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Create' }).click();
    await eventually(calls.count, 1);
    await page.getByRole('button', { name: 'Done' }).click();
    await page.getByLabel('Store name').fill('New name');
    await page.getByRole('region', { name: 'General' }).getByRole('button', { name: 'Save' }).click();
    await page.getByRole('banner').getByText('New name').waitFor();
    await calls.answer();
    expect(await page.getByLabel('Store name').inputValue()).toBe('New name');
  });

  test('a file and a test message change nothing, so that nothing is loaded again', async () => {
    const asked: string[] = [];
    const settle = () =>
      page.evaluate(
        () => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve))),
      );
    await enter(page, service.url, store, 'products');
    await row('Linen shirt').waitFor();
    page.on('request', (request) => {
      const { query } = (request.url().endsWith('/graphql') && request.postDataJSON()) || {};
      if (query) asked.push(/(?:query|mutation) (\w+)/.exec(query)![1]!);
    });
    await page.getByRole('button', { name: 'Export CSV' }).click();
    await page.getByText('The file is in your downloads folder.').waitFor();
    await settle();
    expect(asked).toEqual([]);

    await page.goto(`${service.url}/dashboard#/topics/backinstock`);
    await page.frameLocator('iframe').getByText('Linen shirt').first().waitFor();
    await page.getByLabel('Email address').fill('ada@example.com');
    asked.length = 0;
    await page.getByRole('button', { name: 'Send test' }).click();
    await page.getByText('Test message sent to ada@example.com.').waitFor();
    await settle();
    expect(asked).toEqual(['SendTestAlert']);
  });

  test('the head of a topic has the focus before the topic is there', async () => {
    await enter(page, service.url, store, 'topics');
    const link = page.getByRole('link', { name: 'Back in stock', exact: true });
    await link.waitFor();
    const calls = await holdAnswers(page, 'Topics');
    await link.click();
    await eventually(calls.count, 1);
    const head = page.getByRole('heading', { level: 1, name: 'Back in stock' });
    await eventually(() => head.evaluate((element) => element === document.activeElement), true);
    await calls.answer();
    await page.getByText('Sent: When a product is back in stock').waitFor();
  });

  test('a refusal that comes after signing out does not end the next session', async () => {
    const { body } = await service.graphql('mutation { createApiKey { id apiKey } }', {}, { store });
    const { id, apiKey } = body.data.createApiKey;
    await enter(page, service.url, { ...store, apiKey }, 'products');
    await row('Linen shirt').waitFor();
    await service
      .graphql('mutation ($id: ID!) { revokeApiKey(id: $id) { pid } }', { id }, { store })
      .expect(200);
    const calls = await holdAnswers(page, 'Topics');
    await openPage(page, 'Topics');
    await eventually(calls.count, 1);
    await page.getByRole('button', { name: 'Sign out' }).click();
    await signIn(page, store);
    await eventually(calls.count, 2);
    await calls.answer();
    await calls.answer();
    await page.getByRole('link', { name: 'Coming soon' }).waitFor();
  });
});
