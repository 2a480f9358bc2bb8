import type { BrowserContext, Page } from 'playwright-core';
import { filledBy, useService, useStore } from '../../harness.ts';
import { until } from '../../until.ts';
import { describeInBrowser, useBrowser } from './chromium.ts';
import { openShop } from './compat-shop.ts';

describeInBrowser('pages written for the public product, with our script tag', () => {
  const browser = useBrowser();
  const service = useService();
  const store = useStore(service);
  const shop = filledBy(beforeAll, () => openShop(service, store));
  afterAll(() => shop.close());

  let context: BrowserContext;
  let failures: string[];
  beforeEach(async () => {
    context = await browser.newContext();
    failures = [];
  });

  const open = async (path: string): Promise<Page> => {
    const page = await context.newPage();
    page.on('pageerror', ({ message }) => failures.push(message));
    await page.goto(shop.url + path);
    return page;
  };
  const logIn = (page: Page, email: string): Promise<unknown> =>
    page.evaluate(
      `fetch('/api/login', { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify({ email: ${JSON.stringify(email)} }) })`,
    );

  test('sixteen hearts are filled, counted, kept over a reload and taken back, and no session is in an address', async () => {
    const page = await open('/grid');
    const urls: string[] = [];
    page.on('request', (request) => urls.push(request.url()));
    await page.locator('#count', { hasText: /^0$/ }).waitFor();
    for (let n = 1; n <= 16; n += 1) {
      await page.getByRole('button', { name: `Chair ${n}`, exact: true }).click();
      await page.locator('#count', { hasText: new RegExp(`^${n}$`) }).waitFor();
    }
    await page.reload();
    await page.locator('#count', { hasText: /^16$/ }).waitFor();
    expect(await page.locator('[aria-pressed="true"]').count()).toBe(16);
    await page.getByRole('button', { name: 'Chair 3', exact: true }).click();
    await page.locator('#count', { hasText: /^15$/ }).waitFor();
    expect(await page.locator('[aria-pressed="false"]').allTextContents()).toEqual(['Chair 3']);
    expect(urls.filter((url) => /regid|sessionid/.test(url))).toEqual([]);
    expect(failures).toEqual([]);
  });

  test('a wishlist page shows all sixteen products and removes the oldest of them', async () => {
    const first = await open('/callbacks');
    // The page's script asks who the visitor is; a second question beside it would make another guest.
    await first.getByText('a guest').waitFor();
    const { regid, sessionid } = await first.evaluate<{ regid: string; sessionid: string }>(
      `fetch('/api/identify', { method: 'POST', headers: { 'content-type': 'application/json' } }).then((answer) => answer.json())`,
    );
    const shopper = { pid: store.pid, regid, sessionid };
    const { body } = await service.post('/api/v3/lists/create', { lname: 'Long' }, { shopper }).expect(200);
    for (let epi = 1; epi <= 16; epi += 1) {
      const a = [{ epi, empi: epi, du: `https://shop.example/${epi}`, dt: `Thing ${epi}`, pr: epi }];
      await service.post('/api/v3/lists/update-ctx', { lid: body.lid, a }, { shopper }).expect(200);
    }
    failures = [];
    const page = await open('/wishlist');
    await page.getByRole('button', { name: 'Remove Thing 16', exact: true }).waitFor();
    expect(await page.locator('#items li').count()).toBe(16);
    await page.getByRole('button', { name: 'Remove Thing 1', exact: true }).click();
    await page.getByRole('status').getByText('Thing 1 was removed', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Remove Thing 1', exact: true }).waitFor({ state: 'detached' });
    expect(await page.locator('#items li').count()).toBe(15);
    expect(failures).toEqual([]);
  });

  test('things are put aside, stay there and are taken out; a list that is gone is a failure and no success', async () => {
    const page = await open('/saved');
    await page.getByRole('button', { name: 'Save mug' }).click();
    await page.getByText('Thing 1 was put aside').waitFor();
    await page.getByRole('button', { name: 'Save bowl' }).click();
    await page.getByText('Thing 2 was put aside').waitFor();
    await page.reload();
    await page.getByRole('button', { name: 'Remove Thing 2' }).click();
    await page.getByText('Thing 2 was removed').waitFor();
    await page.getByRole('button', { name: 'Remove Thing 2' }).waitFor({ state: 'detached' });
    expect(await page.locator('#later li').count()).toBe(1);
    await page.getByRole('button', { name: 'Save into a list that is gone' }).click();
    await page.getByText('failed 404 application/json; charset=utf-8').waitFor();
    expect(failures).toEqual([]);
  });

  test('a page with templates from before there were several lists saves, shows, counts and removes', async () => {
    const page = await open('/older');
    await page.getByText('0 saved').waitFor();
    await page.getByRole('button', { name: 'Add' }).click();
    await page.getByText('1 saved').waitFor();
    await page.getByRole('button', { name: 'Add' }).click();
    await page.getByText('2 saved').waitFor();
    await page.getByRole('link', { name: 'Salt & <pepper> 2' }).waitFor();
    expect(await page.locator('article span').allTextContents()).toEqual(['€12.50', '€12.50']);
    await page.locator('[data-epi="1"]').click();
    await page.getByText('1 saved').waitFor();
    await page.getByRole('link', { name: 'Salt & <pepper> 1' }).waitFor({ state: 'detached' });
    expect(await page.locator('article a').allTextContents()).toEqual(['Salt & <pepper> 2']);
    expect(failures).toEqual([]);
  });

  test('callbacks run once with the object, before and after it is there, and one that throws disturbs nobody', async () => {
    const page = await open('/callbacks');
    await page.getByText('third, from within').waitFor();
    for (const [button, heard] of [
      ['Later', 'later'],
      ['Anew', 'anew'],
      ['Refused', 'refused'],
    ] as const) {
      await page.getByRole('button', { name: button }).click();
      await page.getByText(heard, { exact: true }).waitFor();
    }
    expect(await page.locator('#heard li').allTextContents()).toEqual([
      'first',
      'second',
      'third, from within',
      'later',
      'anew',
      'refused',
    ]);
    await page.getByText('a guest').waitFor();
    expect(failures).toEqual(['of the page', 'in err']);
    await logIn(page, 'ada@example.com');
    await page.reload();
    await page.getByText('logged in').waitFor();
  });

  test('a product is ticked into lists and out of them', async () => {
    const page = await open('/collections');
    await page.waitForFunction("document.getElementById('new').onclick !== null");
    await page.getByRole('button', { name: 'New list' }).click();
    // Clicked, not `check()`ed, which looks for the box of the old name again: the page draws a new one.
    await page.getByRole('checkbox', { name: 'Room (0)' }).click();
    await page.getByRole('checkbox', { name: 'Room (1)', checked: true }).click();
    await page.getByRole('checkbox', { name: 'Room (0)', checked: false }).waitFor();
    await page.getByRole('button', { name: 'New list' }).click();
    await page.getByRole('alert').waitFor();
    expect(await page.getByRole('alert').textContent()).toMatch(/name/);
    expect(failures).toEqual([]);
  });

  /** Addresses that are to be alerted of a variant, and those that have still to confirm. */
  const waitingFor = (epi: string) =>
    service.services.db.query<{ value: string; ok: boolean }>(
      'SELECT value, confirmed_at IS NOT NULL AS ok FROM subscription WHERE pid = $1 AND epi = $2',
      [store.pid, epi],
    );

  test('a guest who types an address in is asked to confirm it, and is alerted after the link was opened', async () => {
    const page = await open('/notify');
    await page.waitForFunction('window._swat');
    await page.getByLabel('Address').fill('nobody');
    await page.getByRole('button', { name: 'Notify me' }).click();
    await page.getByText('failed 400 invalid-mediumvalue').waitFor();
    await page.getByLabel('Address').fill('guest@example.com');
    await page.getByRole('button', { name: 'Notify me' }).click();
    await page.getByText(/^done: .*confirm/).waitFor();
    expect(await waitingFor('77')).toEqual([{ value: 'guest@example.com', ok: false }]);
    const [mail] = await service.services.db.query<{ text: string }>(
      `SELECT payload ->> 'text' AS text FROM outbox WHERE pid = $1 AND kind = 'confirm' AND recipient = 'guest@example.com'`,
      [store.pid],
    );
    const link = new URL(/https?:\/\/\S+\/confirm\/\S+/.exec(mail!.text)![0]).pathname;
    await page.goto(service.url + link);
    await page.getByRole('button').click();
    await until(async () => (await waitingFor('77'))[0]!.ok);
    expect(failures).toEqual([]);
  });

  test('a guest waits for a launch, and gives an address in the form that watching shows', async () => {
    const page = await open('/notify');
    await page.waitForFunction('window._swat');
    await page.getByRole('button', { name: 'Tell me of the launch' }).click();
    await page.getByText('done', { exact: true }).waitFor();
    expect(await waitingFor('78')).toEqual([{ value: 'soon@example.com', ok: false }]);
    await page.getByRole('button', { name: 'Watch' }).click();
    await page.locator('#place').getByLabel('Email address').fill('watching@example.com');
    await page.locator('#place').getByRole('button', { name: 'Notify me' }).click();
    await page.getByText(/^done: .*confirm/).waitFor();
    expect(await waitingFor('79')).toEqual([{ value: 'watching@example.com', ok: false }]);
    expect(failures).toEqual([]);
  });

  test('without a place of its own the form is a dialog, and leaving it is a failure', async () => {
    const page = await open('/notify');
    await page.waitForFunction('window._swat');
    const watch = `new Promise((ok) => _swat.addToWatchList(null, { epi: 80 }, () => ok('ok'), ({ response }) => ok(response.type)))`;
    const left = page.evaluate(watch);
    await page.getByRole('dialog').waitFor();
    await page.keyboard.press('Escape');
    expect(await left).toBe('invalid-mediumvalue');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    const given = page.evaluate(watch);
    await page.getByRole('dialog').getByLabel('Email address').fill('dialog@example.com');
    await page.keyboard.press('Enter');
    expect(await given).toBe('ok');
    expect(await waitingFor('80')).toEqual([{ value: 'dialog@example.com', ok: false }]);
  });

  test('buttons that are only marked up are filled and emptied by a click, also those that come later', async () => {
    const page = await open('/buttons');
    await page.waitForFunction('window._swat');
    const filled = (name: string) => page.locator('.swym-added', { hasText: name });
    await page.getByRole('button', { name: 'One' }).click();
    await filled('One').waitFor();
    await page.getByRole('button', { name: 'More' }).click();
    await page.getByText('Two').click();
    await filled('Two').waitFor();
    await page.reload();
    await filled('One').click();
    await filled('One').waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Sold out' }).click();
    await page.getByRole('dialog').getByLabel('Email address').fill('sold-out@example.com');
    await page.keyboard.press('Enter');
    await until(async () => (await waitingFor('81')).length === 1);
    expect(failures).toEqual([]);
  });

  test('a button stays filled when an answer from before its click comes late', async () => {
    const page = await open('/buttons');
    await page.waitForFunction('window._swat');
    let answer: (() => Promise<void>) | undefined;
    await page.route('**/api/v3/lists/fetch-lists*', async (route) => {
      const response = await route.fetch();
      const [list] = (await response.json()) as { cnt: number }[];
      const fulfil = (): Promise<void> => route.fulfill({ response });
      if (list?.cnt === 0) answer = fulfil;
      else await fulfil();
    });
    // The list is made, read while it is empty, and filled.
    await page.route('**/api/v3/lists/update-ctx*', async (route) => {
      await until(() => answer !== undefined);
      await route.continue();
    });
    await page.getByRole('button', { name: 'One' }).click();
    const heart = page.locator('.swym-added', { hasText: 'One' });
    await heart.waitFor();
    await Promise.all([page.waitForEvent('requestfinished'), answer!()]);
    await page.evaluate('_swat.fetchLists()');
    expect(await heart.count()).toBe(1);
  });

  test("a theme's buttons appear, name their product by the page's data, and do not follow their link or form", async () => {
    const page = await open('/theme');
    await page.getByText('configured').waitFor();
    const heart = (name: string) => page.getByRole('button', { name, exact: true });
    const filled = () => page.locator('.swym-added').allTextContents();
    const click = async (name: string, count: number): Promise<void> => {
      await heart(name).click();
      await until(async () => (await filled()).length === count);
    };
    await click('Chair', 2);
    expect(await filled()).toEqual(['Chair', 'Own heart']);
    await click('Lamp', 4);
    await page.getByRole('button', { name: 'Brass' }).click();
    await until(async () => (await filled()).length === 2);
    await page.getByRole('button', { name: 'This lamp' }).click();
    await until(async () => (await filled()).length === 4);
    expect(new URL(page.url()).pathname).toBe('/theme');
    const items = (await page.evaluate('_swat.fetch()')) as object[];
    expect(items).toMatchObject([
      { epi: 92, empi: 90, dt: 'Lamp', pr: 45, iu: '/lamp-92.jpg' },
      { epi: 91, empi: 90, dt: 'Lamp', pr: 40, iu: '/lamp.jpg' },
      { epi: 71, empi: 70, dt: 'Chair', pr: 12.5, iu: '/chair.jpg' },
    ]);
    await page.reload();
    await until(async () => (await filled()).length === 4);
    await page.locator('.cards button').click();
    await until(async () => (await filled()).length === 2);
    expect(failures).toEqual([]);
  });

  test('the list opens in a dialog and in an element of the page, and an item is removed from it', async () => {
    const page = await open('/theme');
    await page.getByText('configured').waitFor();
    await page.getByRole('button', { name: 'Chair', exact: true }).click();
    await page.locator('.swym-added').first().waitFor();
    await page.getByRole('button', { name: 'Open the list' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('link', { name: 'Chair' }).waitFor();
    expect(await dialog.getByRole('listitem').textContent()).toContain('€12.50');
    await dialog.getByRole('button', { name: 'Close' }).click();
    await dialog.waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Show the list' }).click();
    await page.locator('#list').getByRole('button', { name: 'Remove: Chair' }).click();
    await page.locator('#list').getByText('Your wishlist is empty.').waitFor();
    await page.locator('.swym-added').first().waitFor({ state: 'detached' });
    expect(failures).toEqual([]);
  });

  test('an item without data gets what the page tells search engines, where the platform has no product JSON', async () => {
    for (const [path, said] of [
      ['/described', 'Mug https://shop.example/mug.jpg 8.5'],
      ['/shared-in-feeds', 'Bowl https://shop.example/bowl.jpg 19'],
    ] as const) {
      const page = await open(path);
      await page.waitForFunction('window._swat');
      await page.getByRole('button', { name: 'Add' }).click();
      await page.locator('#said', { hasText: /./ }).waitFor();
      expect(await page.locator('#said').textContent()).toBe(said);
      await page.evaluate('_swat.removeFromWishlist({ epi: 5 })');
    }
    expect(failures).toEqual([]);
  });

  test('a list is shared by link, by mail and on a platform, and the link opens it for a stranger', async () => {
    const page = await open('/share');
    await logIn(page, 'sharing@example.com');
    await page.reload();
    await page.waitForFunction("document.getElementById('heart').onclick !== null");
    await page.getByRole('button', { name: 'Heart' }).click();
    await page.getByText('saved A blue vase').waitFor();
    await page.getByRole('button', { name: 'Get link' }).click();
    await page.getByText('linked').waitFor();
    const link = await page.getByLabel('Link').inputValue();
    await page.getByRole('button', { name: 'Mail it' }).click();
    await page.getByText('mailed').waitFor();
    const popup = page.waitForEvent('popup');
    await page.getByRole('button', { name: 'Share on Facebook' }).click();
    await (await popup).waitForURL(`${shop.url}/opened?u=${encodeURIComponent(link)}`);
    const stranger = await browser.newPage();
    await stranger.goto(link);
    await stranger.getByText('A blue vase').waitFor();
    await stranger.goto(`${shop.url}/shared?lid=no-such-list`);
    await stranger.getByText('There is no such list').waitFor();
    expect(failures).toEqual([]);
  });
});
