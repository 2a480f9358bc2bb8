import type { Page } from 'playwright-core';
import { useService } from '../../harness.ts';
import { describeInBrowser, eventually, useBrowser } from './chromium.ts';

describeInBrowser('a developer who uses the API reference', () => {
  const browser = useBrowser();
  const service = useService({ demo: true });
  let page: Page;

  const open = async (hash: string, viewport = { width: 1280, height: 800 }): Promise<void> => {
    page = await browser.newPage({ viewport });
    await page.goto(`${service.url}/docs${hash}`);
    await page.locator('[data-demo]').waitFor({ state: 'attached' });
  };
  afterEach(() => page.close());

  const titles = async (search: string): Promise<string[]> => {
    await page.keyboard.press('Control+k');
    await page.getByRole('searchbox').fill(search);
    await eventually(
      async () => /^(Results: \d+|No results)/.test(await page.locator('.drawer [role=status]').innerText()),
      true,
    );
    return page
      .locator('.drawer a')
      .evaluateAll((all) => all.map((link) => link.firstChild!.textContent ?? ''));
  };

  test.each([
    ['restock', 'Set stock'],
    ['inventory', 'Set stock'],
    ['sign in', 'Merge a guest into an account'],
    ['favourites', 'Create a list'],
    ['opt out', 'Unsubscribe the shopper'],
    ['GDPR', 'Erase a shopper'],
    ['anonymous', 'Merge a guest into an account'],
    ['notify', 'Subscribe to alerts'],
    ['public link', 'Make a list public'],
    ['password', 'Credentials'],
    ['rate limit', 'Limits'],
    ['429', 'Limits'],
    ['retry', 'Safe retries'],
    ['callback', 'Create a webhook'],
    ['stock set', 'Set stock'],
    ['delete user gdpr', 'Erase a shopper'],
    ['forget customers', 'Erase a shopper'],
    ['how to forget my customer nowhere', 'Erase a shopper'],
    ['cancel a subscription', 'Unsubscribe the shopper'],
    ['live stream', "Stream the shopper's lists"],
    ['price drop', 'Subscribe to alerts'],
    ['notify me when back', 'Subscribe to alerts'],
  ])('finds by "%s" among the first: %s', async (search, title) => {
    await open('');
    expect((await titles(search)).slice(0, 5)).toContain(title);
  });

  test('a short word is found at the start of words only, a part of camelCase too; titles come before fields', async () => {
    await open('');
    await titles('lid');
    const before = await page
      .locator('.drawer mark')
      .evaluateAll((all) => all.map((mark) => mark.previousSibling?.textContent?.at(-1) ?? ' '));
    expect(before.length).toBeGreaterThan(20);
    expect(before.filter((letter) => /[a-z]/.test(letter))).toEqual([]);
    expect(await titles('share')).toEqual(expect.arrayContaining(["Update the calling store's settings"]));
    expect((await titles('move'))[0]).toBe('Move items to another list');
    const added = await titles('add item to wishlist');
    expect(added.slice(0, 2)).toContain('Add, update and remove list items');
    expect(added.indexOf('A shopper saved an item to a list')).toBeGreaterThan(1);
    expect(await titles('nowhere nohow lid')).toEqual([]);
    await page.getByText('Try one word, a field or a path').waitFor();
  });

  test('arrows and Enter choose a result, the address leads there again, and Escape ends the search', async () => {
    await open('');
    await titles('set stock');
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('ArrowUp');
    await page.keyboard.press('Enter');
    await page.locator('#productsSetStock summary:focus').waitFor();
    await page.reload();
    await page.locator('#productsSetStock[open]').waitFor();
    await titles('stock');
    await page.keyboard.press('Escape');
    await eventually(() => page.getByRole('searchbox').inputValue(), '');
    await page.locator('#listsCreate summary').click();
    await eventually(async () => page.url().endsWith('#/listsCreate'), true);
  });

  test('every place of the page has an id of its own', async () => {
    await open('');
    const ids = await page.locator('[id]').evaluateAll((all) => all.map(({ id }) => id));
    expect(ids).toEqual([...new Set(ids)]);
    expect(ids).toEqual(expect.arrayContaining(['graphql-lists', 'graphql-live-lists']));
  });

  test.each([1280, 390])(
    'at %d pixels Send is in view with the first field, Ctrl+Enter sends, and what is wrong is at its field',
    async (width) => {
      await open('#/listsCreate', { width, height: 800 });
      const call = page.locator('#listsCreate');
      const name = call.getByLabel('lname', { exact: true });
      await name.fill('x');
      const isInView = (selector: string): Promise<boolean> =>
        call.locator(selector).evaluate((part) => {
          const { top, bottom } = part.getBoundingClientRect();
          return top >= 0 && bottom <= innerHeight;
        });
      expect(await isInView('.send')).toBe(true);
      expect(await call.getByText('or press Ctrl+Enter').count()).toBe(width > 800 ? 1 : 0);
      await page.keyboard.press('Control+Enter');
      await call.locator('[data-runs="1"] [data-status="400"]').waitFor();
      await call.getByText('lname must have 3 to 50 characters', { exact: true }).waitFor();
      await call.locator('#listsCreate-lname[aria-invalid=true]:focus').waitFor();
      await name.fill(`Christmas at ${width}`);
      await page.keyboard.press('Control+Enter');
      await call.locator('[data-runs="2"] [data-status="200"]').waitFor();
      await eventually(() => isInView('[data-runs="2"] [data-status]'), true);
      expect(await call.locator('[aria-invalid=true]').count()).toBe(0);
      const cut = await page
        .locator('pre')
        .evaluateAll((all) => all.filter((code) => code.scrollWidth > code.clientWidth).length);
      expect(cut).toBe(0);
    },
  );

  test('the contents begin with what a storefront needs, and only the group of the open place is unfolded', async () => {
    await open('#/listsUpdateCtx');
    const groups = page.locator('.drawer summary');
    const [, , ...names] = await groups.allInnerTexts();
    expect(names.slice(0, 6)).toEqual(['Shoppers', 'Lists', 'Items', 'Save for later', 'Alerts', 'Products']);
    expect(await page.locator('.drawer [open] summary').allInnerTexts()).toEqual(['Items']);
    await page.evaluate(() => void (location.hash = '#/me'));
    await eventually(() => page.locator('.drawer [open] summary').innerText(), 'Store');
    await groups.filter({ hasText: /^Alerts$/ }).focus();
    await page.keyboard.press('Enter');
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await page.locator('#bispaSubscriptionsCreate summary:focus').waitFor();
  });

  test('an operation over GraphQL shows who may call it, and what it returns', async () => {
    await open('#/graphql/stores');
    await page.locator('#graphql-stores').getByText('an operator key').waitFor();
    await page.evaluate(() => void (location.hash = '#/graphql/list'));
    const list = page.locator('#graphql-list');
    await list.getByText('x-sessionid', { exact: true }).waitFor();
    const sample = await list.getByLabel('Sample response').textContent();
    expect(JSON.parse(sample!)).toMatchObject({ data: { list: { lname: 'Birthday' } } });
  });
});
