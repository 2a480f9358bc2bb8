import type { BrowserContext, Page } from 'playwright-core';
import { filledBy, useNewStore, useService } from '../../harness.ts';
import { click, submit } from './act.ts';
import { describeInBrowser, eventually, useBrowser } from './chromium.ts';
import { openShop } from './compat-shop.ts';

/** What compat.js says for a moment, and how screen readers hear it. */
function noteMessages(): void {
  const said: string[] = [];
  Object.assign(globalThis, { said });
  new MutationObserver((records) => {
    for (const node of records.flatMap(({ addedNodes }) => [...addedNodes]))
      if (node instanceof Element && node.matches('.wishgate-notification'))
        said.push(`${node.role}: ${node.textContent}`);
  }).observe(document, { childList: true, subtree: true });
}

describeInBrowser('pages written for the public product, with our script tag', () => {
  const browser = useBrowser();
  const service = useService();
  const store = useNewStore(service);
  const shop = filledBy(beforeEach, () => openShop(service, store));
  afterEach(() => shop.close());

  let context: BrowserContext;
  let failures: string[];
  beforeEach(async () => {
    context = await browser.newContext();
    failures = [];
  });
  afterEach(() => expect(failures).toEqual([]));

  const open = async (path: string): Promise<Page> => {
    const page = await context.newPage();
    page.on('pageerror', ({ message }) => failures.push(message));
    await page.goto(shop.url + path);
    return page;
  };
  const filled = (page: Page) => (): Promise<string[]> => page.locator('.swym-added').allTextContents();

  test('sixteen hearts are filled, counted and kept over a reload; a wishlist page shows them, and removes one', async () => {
    await context.addInitScript(noteMessages);
    const page = await open('/grid');
    const count = (): Promise<string | null> => page.locator('#count').textContent();
    const heart = (n: number) => page.getByRole('button', { name: `Chair ${n}`, exact: true });
    await eventually(count, '0');
    // The first makes the list.
    await click(heart(1));
    await eventually(count, '1');
    for (let n = 2; n <= 16; n += 1) await click(heart(n));
    await eventually(() => page.evaluate('_swat.fetchLists().then(([list]) => list.cnt)'), 16);
    await page.reload();
    await eventually(count, '16');
    expect(await page.locator('[aria-pressed="true"]').count()).toBe(16);
    await click(heart(3));
    await eventually(count, '15');

    const list = await open('/wishlist');
    await eventually(() => list.locator('#items li').count(), 15);
    await click(list.getByRole('button', { name: 'Remove Chair 1', exact: true }));
    await eventually(() => list.locator('#items li').count(), 14);
    expect(await list.evaluate('said')).toEqual(['status: Chair 1 was removed']);
    await page.reload();
    await eventually(() => page.locator('[aria-pressed="false"]').allTextContents(), ['Chair 1', 'Chair 3']);
  });

  test('buttons that are only marked up are filled and emptied by a click, also those that come later', async () => {
    const page = await open('/buttons');
    await page.waitForFunction('window._swat');
    await click(page.getByRole('button', { name: 'One' }));
    await eventually(filled(page), ['One']);
    await click(page.getByRole('button', { name: 'More' }));
    await click(page.getByText('Two'));
    await eventually(filled(page), ['One', 'Two']);
    await page.reload();
    await eventually(filled(page), ['One']);
    await click(page.getByRole('button', { name: 'One' }));
    await eventually(filled(page), []);
    await click(page.getByRole('button', { name: 'More' }));
    await eventually(filled(page), ['Two']);
  });

  test('a guest gives an address in a dialog, or where the page wants the form; leaving the dialog is a failure', async () => {
    const page = await open('/buttons');
    await page.waitForFunction('window._swat');
    const watch = (epi: number): Promise<unknown> =>
      page.evaluate(`new Promise((ok) => {
        const place = ${epi} === 82 ? document.getElementById('grid') : null;
        _swat.addToWatchList(null, { epi: ${epi} }, () => ok('ok'), ({ response }) => ok(response.type), place);
      })`);
    const dialog = page.getByRole('dialog');
    const left = watch(80);
    await dialog.waitFor();
    await page.keyboard.press('Escape');
    expect(await left).toBe('invalid-mediumvalue');
    await dialog.waitFor({ state: 'detached' });
    await click(page.getByRole('button', { name: 'Sold out' }));
    await submit(dialog.getByLabel('Email address'), 'sold-out@example.com');
    const given = watch(82);
    await submit(page.locator('#grid').getByLabel('Email address'), 'place@example.com');
    expect(await given).toBe('ok');
    const waiting = 'SELECT epi, value, confirmed_at FROM subscription WHERE pid = $1 ORDER BY epi';
    await eventually(
      () => service.services.db.query(waiting, [store.pid]),
      [
        { epi: '81', value: 'sold-out@example.com', confirmed_at: null },
        { epi: '82', value: 'place@example.com', confirmed_at: null },
      ],
    );
  });

  test("a theme's buttons appear, name their product by the page's data, and do not follow their link or form", async () => {
    const page = await open('/theme');
    await page.getByText('configured').waitFor();
    const all = ['Chair', 'Lamp', 'This lamp', 'Own heart'];
    await click(page.getByRole('button', { name: 'Chair', exact: true }));
    await eventually(filled(page), ['Chair', 'Own heart']);
    await click(page.getByRole('button', { name: 'Lamp', exact: true }));
    await eventually(filled(page), all);
    await click(page.getByRole('button', { name: 'Brass' }));
    await eventually(filled(page), ['Chair', 'Own heart']);
    await click(page.getByRole('button', { name: 'This lamp' }));
    await eventually(filled(page), all);
    expect(new URL(page.url()).pathname).toBe('/theme');
    expect(await page.evaluate('_swat.fetch()')).toMatchObject([
      { epi: 92, empi: 90, dt: 'Lamp', pr: 45, iu: '/lamp-92.jpg' },
      { epi: 91, empi: 90, dt: 'Lamp', pr: 40, iu: '/lamp.jpg' },
      { epi: 71, empi: 70, dt: 'Chair', pr: 12.5, iu: '/chair.jpg' },
    ]);
    await page.reload();
    await eventually(filled(page), all);
    await click(page.locator('.cards button'));
    await eventually(filled(page), ['Lamp', 'This lamp']);
  });

  test('the list opens in a dialog and in an element of the page, and an item is removed from it', async () => {
    const page = await open('/theme');
    await page.getByText('configured').waitFor();
    await click(page.getByRole('button', { name: 'Chair', exact: true }));
    await eventually(filled(page), ['Chair', 'Own heart']);
    await click(page.getByRole('button', { name: 'Open the list' }));
    const dialog = page.getByRole('dialog');
    await eventually(() => dialog.getByRole('link').allTextContents(), ['Chair']);
    expect(await dialog.getByRole('listitem').textContent()).toContain('€12.50');
    await click(dialog.getByRole('button', { name: 'Close' }));
    await dialog.waitFor({ state: 'detached' });
    await click(page.getByRole('button', { name: 'Show the list' }));
    await click(page.locator('#list').getByRole('button', { name: 'Remove: Chair' }));
    await page.locator('#list').getByText('Your wishlist is empty.').waitFor();
    await eventually(filled(page), []);
  });

  test('an item without data gets what the page tells search engines, where the platform has no product JSON', async () => {
    const page = await open('/buttons');
    await page.waitForFunction('window._swat');
    const addWith = (markup: string): Promise<unknown> =>
      page.evaluate(
        `document.getElementById('grid').innerHTML = ${JSON.stringify(markup)}; _swat.addToWishList({ epi: 5, empi: 50 })`,
      );
    const jsonLd = `<script type="application/ld+json">{"@graph": [{"@type": "BreadcrumbList"}, {"@type": "Product", "name": "Mug",
      "image": ["https://shop.example/mug.jpg"], "offers": {"@type": "Offer", "price": "8.50"}}]}</script>`;
    expect(await addWith(jsonLd)).toMatchObject({ dt: 'Mug', iu: 'https://shop.example/mug.jpg', pr: 8.5 });
    const openGraph = `<meta property="og:type" content="product"><meta property="og:title" content="Bowl">
      <meta property="og:image" content="https://shop.example/bowl.jpg"><meta property="product:price:amount" content="19.00">`;
    expect(await addWith(openGraph)).toMatchObject({
      dt: 'Bowl',
      iu: 'https://shop.example/bowl.jpg',
      pr: 19,
    });
  });

  test('a customer shares a list by link and on a platform, and the link opens it for a stranger', async () => {
    const page = await open('/share');
    await page.evaluate(
      `fetch('/api/login', { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{"email":"ada@example.com"}' })`,
    );
    await page.reload();
    await page.waitForFunction("document.getElementById('heart').onclick !== null");
    expect(await page.evaluate('_swat.platform.isLoggedIn()')).toBe(true);
    await click(page.getByRole('button', { name: 'Heart' }));
    await page.getByText('saved A blue vase').waitFor();
    await click(page.getByRole('button', { name: 'Get link' }));
    await page.getByText('linked').waitFor();
    const link = await page.getByLabel('Link').inputValue();
    await click(page.getByRole('button', { name: 'Share on Facebook' }));
    const platform = `${shop.url}/opened?u=${encodeURIComponent(link)}`;
    await eventually(() => context.pages().map((one) => one.url()), [page.url(), platform]);
    const stranger = await browser.newPage();
    await stranger.goto(link);
    await stranger.getByText('A blue vase').waitFor();
    await stranger.goto(`${shop.url}/shared?lid=no-such-list`);
    await stranger.getByText('There is no such list').waitFor();
  });
});
