import type { Page } from 'playwright-core';
import { addOperatorKey } from '../../../src/stores/operator.service.ts';
import { filledBy, useService } from '../../harness.ts';
import { describeInBrowser, useBrowser } from './chromium.ts';
import { seedUsedStore } from './dashboard-seed.ts';

const PLACES = [
  ...[
    'overview',
    'alerts',
    'topics',
    'topics/backinstock',
    'topics/-',
    'revenue',
    'products',
    'products/5001',
  ],
  ...['products/1', 'shoppers', 'shoppers?view=mailing-list', 'shoppers?view=audit', 'shoppers/-'],
  ...['integrations', 'settings', 'nowhere', 'products?q=nothing', 'alerts?topic=-'],
];

/** What a store, a standard or the service's English API says, not the dashboard; the rest must come from its messages. */
const DATA = [
  /@|https?:|^\+?[\d\s.,:/×%€$–—·-]+$|^[\d,.]+ ?[kMG]?B$|^\W*$/,
  /Linen shirt|Walnut desk lamp|Merino socks|Canvas tote|Pour-over|White \/ M|Blue \/ M|Brass|Grey \/|Olive|LS-W-M|WDL-B|MS-3|CT-O|^POD$/,
  /^(Nordlys|ada|grace|joan|My wishlist|First key|backinstock)$|^[LWMCP]$|^…?[0-9a-f]{4,}/,
  /^(Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec) \d/,
  // The sample of a variable.
  /^: /,
  // Names of variables, of fields, of events, of HTTP and of code; samples of what a field takes.
  /^(STARTTLS|operator|curl .*|[a-z_]+[./][a-z_./]+|\{[{%].*[}%]\}|\w+ms)$|\{[{%]|<[a-z!/]|curl|orderId=|data-urlencode/,
  /^(DE|#1f2937|en|UTC|English|Deutsch|smtp\.shop\.example)$|SMTP|Twilio|^[A-Z]{3} – |^[A-Z]\w+\/\w+/,
];

type Found = { where: string; text: string };

/** Everything on a page that people read or hear. */
const textsOf = (page: Page): Promise<Found[]> =>
  page.evaluate(() => {
    const found: Found[] = [];
    const isShown = (element: Element | null): boolean =>
      element !== null &&
      !element.closest('script, noscript, iframe, pre, option[lang], .brand-mail, .code, .product, time');
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    while (walker.nextNode()) {
      const { parentElement, textContent } = walker.currentNode;
      if (isShown(parentElement)) found.push({ where: parentElement!.tagName, text: textContent!.trim() });
    }
    for (const name of ['aria-label', 'title', 'placeholder', 'alt'])
      for (const element of document.querySelectorAll(`[${name}]`))
        if (isShown(element.parentElement)) found.push({ where: name, text: element.getAttribute(name)! });
    return [...found, { where: 'tab', text: document.title.replace(' · wishgate', '') }];
  });

const ACCENTED = /[⟦⟧åéíöûýçðğĥķļñŕšţŵžÅÉÎÖÛÝÇÐĞĤĶĻÑŔŠŢŴŽ]/;

const isFromCode = ({ text }: Found): boolean =>
  /[a-z]/i.test(text) && !ACCENTED.test(text) && !DATA.some((pattern) => pattern.test(text));

describeInBrowser('languages of the dashboard', () => {
  const browser = useBrowser();
  const service = useService({});
  const store = filledBy(beforeAll, () => seedUsedStore(service));

  async function enter(page: Page, access: { pid: string; apiKey: string }): Promise<void> {
    const data = { pid: access.pid, apiKey: access.apiKey };
    const headers = { 'x-wishgate-dashboard': '1' };
    expect((await page.request.post(`${service.url}/dashboard/session`, { data, headers })).status()).toBe(
      200,
    );
  }

  async function open(page: Page, lang: string, place: string): Promise<void> {
    await page.goto(`${service.url}/dashboard?lang=${lang}#/${place}`);
    // Another place of the same document is only a change of its hash.
    await page.reload();
    await page.locator('main h1').waitFor();
    await page.waitForFunction(() => document.querySelector('.skeleton, [aria-busy="true"]') === null);
  }

  test('no text is left in the code: every page, dialog and label comes from the messages', async () => {
    const page = await browser.newPage();
    const left: string[] = [];
    const look = async (name: string): Promise<void> => {
      const found = (await textsOf(page)).filter(isFromCode);
      left.push(...found.map(({ where, text }) => `${name}, ${where}: ${text}`));
    };
    await open(page, 'en-XA', '');
    await look('sign-in');
    await enter(page, store);
    for (const place of PLACES) {
      await open(page, 'en-XA', place);
      await look(place);
      // Not those of rows: the dialog of one is the dialog of all.
      for (const opener of await page.locator('main [aria-haspopup="dialog"]').all()) {
        const isRepeated = await opener.evaluate((element) => element.closest('tr + tr') !== null);
        if (isRepeated || !(await opener.isEnabled())) continue;
        await opener.click();
        await page.locator('dialog').waitFor();
        await page.waitForFunction(() => document.querySelector('.skeleton') === null);
        await look(`a dialog of ${place}`);
        await page.keyboard.press('Escape');
        await page.locator('dialog').waitFor({ state: 'detached' });
      }
    }
    const { key } = await addOperatorKey(service.services, '');
    await enter(page, { pid: 'operator', apiKey: key });
    await open(page, 'en-XA', 'stores');
    await look('stores');
    expect(left).toEqual([]);
  });

  /** By how much a page is wider than windows of a phone, a tablet and a laptop. */
  async function excessOf(page: Page): Promise<number[]> {
    const found: number[] = [];
    for (const width of [390, 900, 1280]) {
      await page.setViewportSize({ width, height: 900 });
      found.push(
        await page.evaluate(
          () =>
            new Promise<number>((done) => {
              const measure = (): void =>
                done(Math.max(0, document.documentElement.scrollWidth - innerWidth));
              requestAnimationFrame(() => requestAnimationFrame(measure));
            }),
        ),
      );
    }
    return found;
  }

  test.each([
    ['from right to left', 'ar-XB', 'rtl'],
    ['with long words', 'en-XA', 'ltr'],
  ])('no page is wider than its window: %s', async (_how, language, dir) => {
    const page = await browser.newPage();
    await enter(page, store);
    for (const place of PLACES) {
      await open(page, language, place);
      const direction = await page.evaluate(() => getComputedStyle(document.body).direction);
      expect([place, direction, await excessOf(page)]).toEqual([place, dir, [0, 0, 0]]);
    }
  });

  test('what the service refuses is said at its field in the reader’s language', async () => {
    const page = await browser.newPage();
    await page.goto(`${service.url}/dashboard?lang=de`);
    await page.getByLabel('Shop-ID (pid)').fill(store.pid);
    await page.getByLabel('API-Schlüssel').fill('not-the-key');
    await page.getByRole('button', { name: 'Anmelden' }).click();
    await page.getByRole('alert').getByText('Shop-ID oder API-Schlüssel ist falsch.').waitFor();
    await enter(page, store);

    await open(page, 'de', 'settings');
    await page.getByLabel('Standardland').fill('Deutschland');
    await page.getByRole('region', { name: 'Allgemein' }).getByRole('button', { name: 'Speichern' }).click();
    await page.getByText('Geben Sie ein Land mit zwei Buchstaben ein, z. B. DE.').waitFor();
    await page.getByRole('button', { name: 'Verwerfen' }).click();

    await open(page, 'de', 'topics');
    await page.getByRole('button', { name: 'Neues Thema' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Name').fill('backinstock');
    await dialog.getByRole('button', { name: 'Thema erstellen' }).click();
    await dialog.getByText('Dieses Thema gibt es schon.').waitFor();
    await page.keyboard.press('Escape');

    await open(page, 'de', 'topics/backinstock');
    await page.getByLabel('E-Mail-Adresse').fill('nobody');
    await page.getByRole('button', { name: 'Test senden' }).click();
    await page.getByText('Geben Sie eine gültige E-Mail-Adresse ein.').waitFor();
    const subject = page.getByRole('textbox', { name: 'Betreff' });
    await subject.fill('{% if product.brand %}');
    await page
      .getByText('Fehler in Zeile 1: Der Befehl „{% if product.brand %}“ ist nicht geschlossen.')
      .waitFor();
    expect(await subject.getAttribute('aria-invalid')).toBe('true');
  });

  test('a limit of the service is said in the reader’s language, with its number', async () => {
    const page = await browser.newPage();
    const own = await service.createStore();
    const create = 'mutation { createApiKey(name: "more") { id } }';
    for (let isFull = false; !isFull;)
      isFull = Boolean((await service.graphql(create, {}, { store: own })).body.errors);
    await enter(page, own);
    await open(page, 'de', 'settings');
    await page.getByRole('button', { name: 'Schlüssel erstellen' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Erstellen' }).click();
    await page
      .getByRole('alert')
      .getByText(/^Ein Shop kann höchstens \d+ API-Schlüssel haben. Widerrufen Sie zuerst einen.$/)
      .waitFor();
  });

  test('the preview of the brand has the words and the prices of the store’s language, not the reader’s', async () => {
    const page = await browser.newPage();
    await enter(page, await service.createStore());
    await open(page, 'de', 'settings');
    await page.getByLabel('Währung').selectOption('EUR');
    const preview = page.getByRole('figure', { name: 'Vorschau einer Benachrichtigung' });
    const shows = async (...texts: string[]): Promise<void> => {
      for (const text of texts) await preview.getByText(text, { exact: true }).waitFor();
    };
    await shows('Linen shirt is back in stock', '€1,234.50', 'View product');
    await page.getByLabel('Sprache und Region').fill('de-AT');
    await shows('Leinenhemd ist wieder verfügbar', '€ 1.234,50', 'Artikel ansehen');
    await page.getByLabel('Sprache und Region').fill('pt-BR');
    await shows('Linen shirt is back in stock', '€1,234.50', 'View product');
  });

  test('the browser’s language is the first choice, and another one that is chosen stays', async () => {
    const page = await browser.newPage({ locale: 'de-AT' });
    await page.goto(`${service.url}/dashboard`);
    await page.getByRole('heading', { name: 'Händler-Dashboard' }).waitFor();
    expect(await page.locator('html').getAttribute('lang')).toBe('de');
    await page.getByLabel('Sprache').selectOption('English');
    await page.getByRole('heading', { name: 'Merchant dashboard' }).waitFor();
    await page.reload();
    await page.getByRole('heading', { name: 'Merchant dashboard' }).waitFor();
  });
});
