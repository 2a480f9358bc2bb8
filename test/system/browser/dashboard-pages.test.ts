import type { BrowserContextOptions, Page } from 'playwright-core';
import { addOperatorKey } from '../../../src/stores/operator.service.ts';
import { filledBy, useService } from '../../harness.ts';
import type { StoreAccess } from '../../harness.ts';
import { act, choose, click, fill } from './act.ts';
import { describeInBrowser, eventually, secondFindings, useBrowser } from './chromium.ts';
import { openMessage, openPage, signIn } from './dashboard-page.ts';
import { seedUsedStore } from './dashboard-seed.ts';

/** The narrowest windows of three layouts: of a laptop, of a tablet, and of a phone or when people zoom in. */
const WIDTHS = { laptop: 1280, tablet: 900, phone: 320 };
const PHONE = { width: 390, height: 844 };
/** Two lines, and one for what went wrong: 25 alerts are no endless page on a phone. */
const ALERT_ROW = 90;

/** A picture that a page may load from elsewhere: the service of the tests is on a developer's machine, which lets in those over plain HTTP, too. */
const PICTURE = 'http://shop.test/kettle.svg';

const PLACES = [
  ...['overview', 'alerts', 'topics', 'topics/backinstock', 'revenue', 'products', 'products/5001'],
  ...['shoppers', 'shoppers?view=mailing-list', 'shoppers?view=audit', 'integrations', 'settings'],
];
/** Places that have little to show: the parts of the others. */
const EMPTY = ['topics/-', 'products/none', 'shoppers/-', 'products?q=nothing', 'alerts?topic=-'];

/** Where dialogs are looked at in full; those of other pages consist of the same parts. */
const DIALOGS = /^(overview|alerts|shoppers\/.+)$/;

/** What a store, a standard or the service's English API says, not the dashboard; the rest must come from its messages. */
const DATA = [
  /@|https?:|^\+?[\d\s.,:/×%€$–—·-]+$|^[\d,.]+ ?[kMG]?B$|^\W*$/,
  /Linen shirt|Walnut desk lamp|Merino socks|Canvas tote|Pour-over|White \/ M|Blue \/ M|Brass|Grey \/|Olive|LS-W-M|WDL-B|MS-3|CT-O|^POD$/,
  /^(Nordlys|Kettle|ada|grace|joan|My wishlist|First key|backinstock)$|^[LWMCP]$|^…?[0-9a-f]{4,}|^[\w-]{20,}$/,
  /^(Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec) \d/,
  // The sample of a variable.
  /^: /,
  // Names of variables, of fields, of events, of HTTP and of code; samples of what a field takes.
  /^(STARTTLS|operator|curl .*|[a-z_]+[./][a-z_./]+|\{[{%].*[}%]\}|\w+ms)$|\{[{%]|<[a-z!/]|curl|orderId=|data-urlencode/,
  /^(DE|#1f2937|en|UTC|English|Deutsch|smtp\.shop\.example)$|SMTP|Twilio|^[A-Z]{3} – |^[A-Z]\w+\/\w+/,
];

/** Everything on a page that people read or hear. */
const textsOf = (page: Page): Promise<string[]> =>
  page.evaluate(() => {
    const found: string[] = [];
    const isShown = (element: Element | null): boolean =>
      element !== null &&
      !element.closest('script, noscript, iframe, pre, option[lang], .brand-mail, .code, .product, time');
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    while (walker.nextNode()) {
      const { parentElement, textContent } = walker.currentNode;
      if (isShown(parentElement)) found.push(textContent!.trim());
    }
    for (const name of ['aria-label', 'title', 'placeholder', 'alt'])
      for (const element of document.querySelectorAll(`[${name}]`))
        if (isShown(element.parentElement)) found.push(element.getAttribute(name)!);
    return [...found, document.title.replace(' · wishgate', '')];
  });

const ACCENTED = /[⟦⟧åéíöûýçðğĥķļñŕšţŵžÅÉÎÖÛÝÇÐĞĤĶĻÑŔŠŢŴŽ]/;

const isFromCode = (text: string): boolean =>
  /[a-z]/i.test(text) && !ACCENTED.test(text) && !DATA.some((pattern) => pattern.test(text));

/** By how much the page is wider than a window of this width, from left to right or from right to left. */
async function excessAt(page: Page, width: number): Promise<number> {
  await page.setViewportSize({ width, height: 900 });
  return page.evaluate(async () => {
    // The preview of an email follows the window in the next frame.
    await new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
    const { documentElement: root } = document;
    const excess = ['rtl', 'ltr'].map((dir) => {
      root.dir = dir;
      return root.scrollWidth - innerWidth;
    });
    return Math.max(0, ...excess);
  });
}

const whenLoaded = (page: Page) =>
  page.waitForFunction(
    () =>
      document.querySelector('main h1') !== null &&
      document.querySelector('.skeleton, [aria-busy="true"]') === null,
  );

describeInBrowser('every page of the dashboard', () => {
  const browser = useBrowser();
  // All stores are on one of the pages, so there are no others.
  const service = useService({});
  const store = filledBy(beforeAll, async () => {
    const used = await seedUsedStore(service);
    const products = [{ epi: 1, empi: 1, du: '/p', dt: 'Kettle', iu: PICTURE }];
    await service.post('/storeadmin/v3/products/upsert', { products }, { store: used }).expect(200);
    return used;
  });

  async function openDashboard(options: BrowserContextOptions, search = ''): Promise<Page> {
    const page = await browser.newPage(options);
    const body = '<svg xmlns="http://www.w3.org/2000/svg" width="40" height="40"/>';
    await page.route(PICTURE, (route) => route.fulfill({ contentType: 'image/svg+xml', body }));
    await page.goto(`${service.url}/dashboard${search}`);
    await page.locator('main h1').waitFor();
    return page;
  }

  /** Opens the dashboard for a store or an operator, without the sign-in page. */
  async function reopenAs(page: Page, { pid, apiKey }: StoreAccess): Promise<void> {
    const headers = { 'x-wishgate-dashboard': '1' };
    const data = { pid, apiKey };
    const answer = await page.request.post(`${service.url}/dashboard/session`, { data, headers });
    expect(answer.status()).toBe(200);
    await page.reload();
    await whenLoaded(page);
  }

  test('each page and dialog has its texts from the messages, is accessible in light and dark colours, and fits the window with long words and from right to left', async () => {
    const wrong: string[] = [];
    const page = await openDashboard({}, '?lang=en-XA#/nowhere');
    page.on('pageerror', ({ message }) => wrong.push(message));
    page.on('console', (message) => void wrong.push(message.text()));
    const note = (place: string, kind: string, found: string[]) =>
      wrong.push(...found.map((text) => `${place}, ${kind}: ${text}`));

    async function fits(place: string, width: number): Promise<void> {
      const excess = await excessAt(page, width);
      if (excess > 0) wrong.push(`${place}: ${excess} px wider than ${width}`);
    }
    async function check(place: string, isInFull = true): Promise<void> {
      note(place, 'from the code', (await textsOf(page)).filter(isFromCode));
      await fits(place, WIDTHS.laptop);
      if (isInFull) note(place, 'on a laptop', await secondFindings(page));
      await fits(place, WIDTHS.tablet);
      await fits(place, WIDTHS.phone);
      if (!isInFull) return;
      // The width does not change the colours, so that the phone's are the dark ones.
      await page.emulateMedia({ colorScheme: 'dark' });
      note(place, 'on a phone in the dark', await secondFindings(page));
      await page.emulateMedia({ colorScheme: 'light' });
    }

    const seen = new Set<string>();
    async function checkDialogs(place: string, isInFull: boolean): Promise<void> {
      for (const opener of await page.locator('[aria-haspopup="dialog"]').all()) {
        const name = (await opener.textContent())!;
        // The dialog of one row is the dialog of all.
        if (seen.has(name) || !(await opener.isEnabled())) continue;
        seen.add(name);
        await click(opener);
        await page.locator('dialog').waitFor();
        await whenLoaded(page);
        await check(`${place}: ${name}`, isInFull);
        await page.keyboard.press('Escape');
        await page.locator('dialog').waitFor({ state: 'detached' });
      }
    }

    /** Goes there over a page that does not exist, so that what is there afterwards is the new page. */
    async function goTo(place: string): Promise<void> {
      const title = page.locator('main h1');
      await page.evaluate(() => void (location.hash = '#/nowhere'));
      const nowhere = title.getByText('ñööţ fööûûñð');
      await nowhere.waitFor();
      await page.evaluate((hash) => void (location.hash = hash), `#/${place}`);
      await nowhere.waitFor({ state: 'detached' });
      await whenLoaded(page);
    }

    await check('sign-in');
    await reopenAs(page, store);
    await check('nowhere', false);
    const [shopper] = await service.services.db.query<{ uid: string }>(
      `SELECT uid FROM shopper WHERE pid = $1 AND em = 'grace@example.com'`,
      [store.pid],
    );
    for (const place of [...PLACES, `shoppers/${shopper!.uid}`]) {
      await goTo(place);
      if (place === 'topics/backinstock') await page.locator('iframe').waitFor();
      await check(place);
      await checkDialogs(place, DIALOGS.test(place));
    }
    for (const place of EMPTY) {
      await goTo(place);
      await check(place, false);
    }
    const { key } = await addOperatorKey(service.services, '');
    await reopenAs(page, { pid: 'operator', apiKey: key });
    await check('stores');
    await checkDialogs('stores', true);
    expect(seen.size).toBeGreaterThan(9);
    expect(wrong).toEqual([]);
    expect([...new Set(browser.outside())]).toEqual([PICTURE]);
  });

  test('on a phone the menu leads to every page, alerts are short rows, and pictures of products are shown', async () => {
    const page = await openDashboard({ viewport: PHONE });
    await signIn(page, store);
    const titles = await page.locator('nav[aria-label="Pages"] a').allTextContents();
    expect(titles).toEqual(expect.arrayContaining(['Overview', 'Settings']));
    for (const title of titles) await openPage(page, title);
    await openPage(page, 'Alerts');
    await openMessage(page, 'ida@example.com', 'Linen shirt');
    await page.keyboard.press('Escape');
    const heights = await page
      .locator('table.data tbody tr')
      .evaluateAll((rows) => rows.map((row) => row.getBoundingClientRect().height));
    expect(heights.length).toBeGreaterThan(3);
    expect(Math.max(...heights)).toBeLessThanOrEqual(ALERT_ROW);
    await openPage(page, 'Products');
    const picture = page.locator(`img[src="${PICTURE}"]`);
    const isShown = () =>
      picture.evaluate((image: HTMLImageElement) => (image.scrollIntoView(), image.naturalWidth > 0));
    await eventually(isShown, true);
  });

  test('everything can be done by keyboard: sign-in, skip link, dialog and back, sign-out', async () => {
    const page = await openDashboard({});
    const focused = (selector: string) =>
      page.evaluate((wanted) => Boolean(document.activeElement?.closest(wanted)), selector);
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
    await act(page.getByRole('button', { name: 'Set stock of Linen shirt' }), (opener) => opener.focus());
    await page.keyboard.press('Enter');
    await page.getByRole('dialog', { name: 'Set stock' }).waitFor();
    await eventually(() => focused('dialog'), true);
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await eventually(() => focused('[aria-label^="Set stock of Linen shirt"]'), true);
    const signOut = page.getByRole('button', { name: 'Sign out' });
    const isReached = () => signOut.evaluate((element) => element === document.activeElement);
    for (let steps = 0; !(await isReached()); steps += 1) {
      expect(steps).toBeLessThan(60);
      await page.keyboard.press('Shift+Tab');
    }
    await page.keyboard.press('Enter');
    await page.getByText('You are signed out.').waitFor();
  });

  test("the dashboard speaks the reader's language, also where it refuses: the browser's, or the one that was chosen, which stays; the preview of the brand speaks the store's", async () => {
    const own = await service.createStore();
    const page = await openDashboard({ locale: 'de-AT' });
    const heading = (name: string) => page.getByRole('heading', { name }).waitFor();
    const html = () => page.locator('html').evaluate(({ lang, dir }: HTMLElement) => [lang, dir]);
    await heading('Händler-Dashboard');
    expect(await html()).toEqual(['de', 'ltr']);
    await choose(page.getByLabel('Sprache'), { label: 'English' });
    await heading('Merchant dashboard');
    await page.reload();
    await heading('Merchant dashboard');
    await choose(page.getByLabel('Language'), { label: 'Deutsch' });
    await heading('Händler-Dashboard');
    await fill(page.getByLabel('Shop-ID (pid)'), own.pid);
    await fill(page.getByLabel('API-Schlüssel'), 'not-the-key');
    await click(page.getByRole('button', { name: 'Anmelden' }));
    await page.getByRole('alert').getByText('Shop-ID oder API-Schlüssel ist falsch.').waitFor();
    await page.evaluate(() => void (location.hash = '#/topics'));
    await reopenAs(page, own);
    await click(page.getByRole('button', { name: 'Neues Thema' }));
    const dialog = page.getByRole('dialog');
    await fill(dialog.getByLabel('Name'), 'backinstock');
    await click(dialog.getByRole('button', { name: 'Thema erstellen' }));
    await dialog.getByText('Dieses Thema gibt es schon.').waitFor();
    await page.evaluate(() => void (location.hash = '#/topics/backinstock'));
    await fill(page.getByLabel('E-Mail-Adresse'), 'nobody');
    await click(page.getByRole('button', { name: 'Test senden' }));
    await page.getByText('Geben Sie eine gültige E-Mail-Adresse ein.').waitFor();

    await page.evaluate(() => void (location.hash = '#/settings'));
    const preview = page.getByRole('figure', { name: 'Vorschau einer Benachrichtigung' });
    const shows = async (...texts: string[]): Promise<void> => {
      for (const text of texts) await preview.getByText(text, { exact: true }).waitFor();
    };
    await choose(page.getByLabel('Währung'), 'EUR');
    await shows('Linen shirt is back in stock', '€1,234.50', 'View product');
    await fill(page.getByLabel('Sprache und Region'), 'de-AT');
    await shows('Leinenhemd ist wieder verfügbar', '€ 1.234,50', 'Artikel ansehen');
    await fill(page.getByLabel('Sprache und Region'), 'pt-BR');
    await shows('Linen shirt is back in stock', '€1,234.50', 'View product');

    const arabic = await openDashboard({}, '?lang=ar-XB');
    expect(await arabic.evaluate(() => getComputedStyle(document.body).direction)).toBe('rtl');
  });
});
