import type { Page } from 'playwright-core';
import { useService, useStore } from '../../harness.ts';
import { useExample } from '../example-shop.ts';
import { click, fill } from './act.ts';
import { allFindings, describeInBrowser, eventually, useBrowser } from './chromium.ts';

const heart = (page: Page, title: string, pressed: boolean) =>
  page.getByRole('button', { name: `Save ${title}`, exact: true, pressed });

async function logIn(page: Page): Promise<void> {
  await fill(page.getByLabel('Email', { exact: true }).first(), 'ada@example.com');
  await click(page.getByRole('button', { name: 'Log in' }));
  await page.getByText('Logged in as ada@example.com').waitFor();
}

describeInBrowser('the example shops, with the packages as npm would install them', () => {
  const browser = useBrowser();
  const service = useService({ rateLimits: false, webhookAllowPrivate: true });

  describe('plain HTML with the elements', () => {
    const store = useStore(service);
    const example = useExample('html');

    test('compiles, and a shopper saves, logs in with what a guest saved, and waits for a product', async () => {
      await example.exec('typescript/bin/tsc');
      const url = await example.start({ WISHGATE_URL: service.url, WISHGATE_PID: store.pid });
      await service
        .graphql(
          `mutation ($input: UpdateStoreInput!) { updateStore(input: $input) { pid } }`,
          {
            input: {
              allowedOrigins: [url],
              identityIssuer: 'https://shop.example',
              identityAudience: 'wishgate',
              identityJwksUri: `${url}/jwks.json`,
              identityAlgorithm: 'ES256',
            },
          },
          { store },
        )
        .expect(200);
      const context = await browser.newContext();
      const [page, tab] = [await context.newPage(), await context.newPage()];
      await page.goto(url);
      await tab.goto(url);
      await click(heart(page, 'Linen shirt', false));
      await heart(page, 'Linen shirt', true).waitFor();
      await heart(tab, 'Linen shirt', true).waitFor();
      await tab.locator('wishgate-list').getByRole('link', { name: 'Linen shirt' }).waitFor();
      await eventually(
        () =>
          tab.locator('wishgate-count').evaluate((count) => count.shadowRoot!.textContent.trim().charAt(0)),
        '1',
      );

      await logIn(page);
      await page.reload();
      await page.locator('wishgate-list').getByRole('link', { name: 'Linen shirt' }).waitFor();
      const account = await service.account(store, 'ada@example.com');
      const { body } = await service.post('/api/v3/lists/fetch-lists', {}, { shopper: account }).expect(200);
      expect(body).toMatchObject([{ cnt: 1, listcontents: [{ epi: 101, dt: 'Linen shirt' }] }]);

      await click(page.locator('wishgate-notify').getByRole('button'));
      await page.locator('wishgate-notify').getByRole('status').filter({ hasText: /./ }).waitFor();
      expect(await allFindings(page)).toEqual([]);
    });
  });

  describe('React Router with server rendering', () => {
    const store = useStore(service);
    const example = useExample('react-router');

    test('compiles, shows saved products without scripts, and follows the shopper through a login', async () => {
      await example.exec('@react-router/dev/bin.js', 'typegen');
      await Promise.all([
        example.exec('typescript/bin/tsc'),
        example.exec('@react-router/dev/bin.js', 'build'),
      ]);
      const url = await example.start({
        WISHGATE_URL: service.url,
        WISHGATE_PID: store.pid,
        WISHGATE_API_KEY: store.apiKey,
      });
      const context = await browser.newContext();
      const page = await context.newPage();
      const failures: string[] = [];
      page.on('pageerror', ({ message }) => failures.push(message));
      page.on('console', (message) => message.type() === 'error' && failures.push(message.text()));
      await page.goto(url);
      const tab = await context.newPage();
      await tab.goto(url);
      // Before React has taken over what the server rendered, nothing listens.
      const listens = (button: object) => Object.keys(button).some((key) => key.startsWith('__reactProps'));
      await eventually(() => heart(page, 'Oak stool', false).evaluate(listens), true);
      await click(heart(page, 'Oak stool', false));
      await heart(page, 'Oak stool', true).waitFor();
      await heart(tab, 'Oak stool', true).waitFor();

      const cookie = (await context.cookies()).map(({ name, value }) => `${name}=${value}`).join('; ');
      await eventually(
        async () => /Oak stool/.test(await (await fetch(`${url}/list`, { headers: { cookie } })).text()),
        true,
      );

      await click(page.getByRole('link', { name: 'List' }));
      await click(page.getByRole('button', { name: 'Remove Oak stool' }));
      await page.getByText('Oak stool removed').waitFor();
      await click(page.getByRole('button', { name: 'Undo' }));
      await page.getByRole('link', { name: 'Oak stool' }).waitFor();

      await logIn(page);
      await page.getByRole('link', { name: 'Oak stool' }).waitFor();
      const account = await service.account(store, 'ada@example.com');
      const { body } = await service.post('/api/v3/lists/fetch-lists', {}, { shopper: account }).expect(200);
      expect(body).toMatchObject([{ cnt: 1, listcontents: [{ epi: 201 }] }]);

      await click(page.getByRole('link', { name: 'Products' }));
      const notify = page.getByRole('form', { name: 'Notify me about Elm bench' });
      await fill(notify.getByLabel('Email'), 'ada@example.com');
      await click(notify.getByRole('button', { name: 'Notify me' }));
      await page.getByText("We'll email you when it's back").waitFor();
      expect(await allFindings(page)).toEqual([]);
      expect(failures).toEqual([]);
    });
  });
});
