import type { Page } from 'playwright-core';
import { translator } from '../../../src/platform/messages.ts';
import { unsubscribeUrl } from '../../../src/shoppers/contacts/link.rules.ts';
import { findStore } from '../../../src/stores/store.repo.ts';
import { seedSubscription } from '../../alerts/kit.ts';
import { useService } from '../../harness.ts';
import { click, tick } from './act.ts';
import { allFindings, describeInBrowser, eventually, secondFindings, useBrowser } from './chromium.ts';
import { openShop } from './compat-shop.ts';
import { walk } from './shopper-walk.ts';
import type { Shown } from './shopper-walk.ts';

/** What a store, a shopper or a standard wrote: names in brackets, contacts, URLs and prices. */
const DATA = /\[[^\]]*[\]…]|https?:\/\/\S+|\S+@\S+|€[\d.,]+/g;

/** Every vowel of a text from the messages has an accent. */
const isFromCode = (text: string): boolean => /[aeiouy]/i.test(text.replace(DATA, ''));

/** One page of each kind: the others are drawn by the same code. */
const KINDS = ['list', 'broken go', 'unsubscribe', 'preferences', 'confirm'];

const PICTURE =
  '<svg xmlns="http://www.w3.org/2000/svg" width="88" height="88"><rect width="88" height="88" fill="teal"/></svg>';

/** Everything on a page that people read or hear. */
const textsOf = (page: Page): Promise<string[]> =>
  page.evaluate(() => {
    const found = [document.title];
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    while (walker.nextNode()) found.push(walker.currentNode.textContent!.trim());
    for (const name of ['aria-label', 'title', 'placeholder', 'alt'])
      for (const element of document.querySelectorAll(`[${name}]`)) found.push(element.getAttribute(name)!);
    return found;
  });

/** Which texts leave their box, cover another, do not begin where lines begin, or can hardly be read. */
const problemsOn = (page: Page): Promise<string[]> =>
  page.evaluate(() => {
    const found = document.documentElement.scrollWidth > innerWidth ? ['the page scrolls sideways'] : [];
    const isRtl = getComputedStyle(document.body).direction === 'rtl';
    const rectsOf = (node: Node): DOMRect[] => {
      const range = document.createRange();
      range.selectNodeContents(node);
      return [...range.getClientRects()];
    };
    /** How far one reaches into the other, on the shorter way. */
    const overlapOf = (one: DOMRect, other: DOMRect): number =>
      Math.min(
        Math.min(one.right, other.right) - Math.max(one.left, other.left),
        Math.min(one.bottom, other.bottom) - Math.max(one.top, other.top),
      );
    const luminanceOf = (colour: string): number => {
      const [r, g, b] = colour.match(/[\d.]+/g)!.map((part) => (Number(part) / 255) ** 2.2);
      return 0.2126 * r! + 0.7152 * g! + 0.0722 * b!;
    };
    const contrastOf = (element: Element): number => {
      let ground: Element | null = element;
      while (ground && getComputedStyle(ground).backgroundColor === 'rgba(0, 0, 0, 0)')
        ground = ground.parentElement;
      const colours = [
        getComputedStyle(element).color,
        getComputedStyle(ground ?? document.body).backgroundColor,
      ];
      const [dark, light] = colours.map(luminanceOf).toSorted((one, other) => one - other);
      return (light! + 0.05) / (dark! + 0.05);
    };
    const before: DOMRect[] = [];
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    while (walker.nextNode()) {
      const parent = walker.currentNode.parentElement!;
      const text = walker.currentNode.textContent!.trim();
      if (text === '' || parent.closest('style, .hidden') || !parent.checkVisibility()) continue;
      let block = parent;
      while (getComputedStyle(block).display === 'inline') block = block.parentElement!;
      const [style, box] = [getComputedStyle(block), block.getBoundingClientRect()];
      const rects = rectsOf(walker.currentNode);
      // Glyphs are higher than a narrow line.
      const isOutside = ({ left, right, top, bottom }: DOMRect): boolean =>
        left < box.left - 1 || right > box.right + 1 || top < box.top - 4 || bottom > box.bottom + 4;
      if (rects.some(isOutside)) found.push(`leaves its box: ${text}`);
      if (rects.some((rect) => before.some((other) => overlapOf(rect, other) > 2)))
        found.push(`covers another: ${text}`);
      before.push(...rects);
      const lines = rectsOf(block);
      const gap = isRtl
        ? box.right - parseFloat(style.paddingRight) - Math.max(...lines.map(({ right }) => right))
        : Math.min(...lines.map(({ left }) => left)) - box.left - parseFloat(style.paddingLeft);
      if (style.textAlign !== 'center' && gap > 3) found.push(`does not begin at the edge: ${text}`);
      if (contrastOf(parent) < 4.5) found.push(`can hardly be read: ${text}`);
    }
    for (const image of document.images)
      if (image.alt !== '' && contrastOf(image) < 4.5) found.push(`can hardly be read: ${image.alt}`);
    for (const input of document.querySelectorAll('label input')) {
      const [mark, label] = [input, input.nextElementSibling!].map((one) => one.getBoundingClientRect());
      if (isRtl ? mark!.left < label!.right : mark!.right > label!.left)
        found.push('a mark is on the wrong side');
    }
    return found;
  });

/** What is wrong with a page or an email, narrow or wide; colours do not depend on the width. */
async function faultsOn(page: Page): Promise<string[]> {
  const found: string[] = [];
  for (const [width, colorScheme] of [
    [390, 'light'],
    [600, 'dark'],
  ] as const) {
    await page.setViewportSize({ width, height: 800 });
    await page.emulateMedia({ colorScheme });
    found.push(...(await problemsOn(page)).map((what) => `${width} px, ${colorScheme}: ${what}`));
  }
  return found;
}

describeInBrowser('what shoppers read', () => {
  const browser = useBrowser();
  const service = useService();
  const shown: Record<string, Shown> = {};
  beforeAll(async () => {
    for (const language of ['en-XA', 'ar-XB']) shown[language] = await walk(service, language);
  });

  afterEach(() => {
    const others = browser.outside().filter((url) => !/^https:\/\/(shop|gone)\.example\//.test(url));
    expect(others).toEqual([]);
  });

  /** A browser for which the shop has all pictures but one. */
  async function newPage(): Promise<Page> {
    const context = await browser.newContext();
    await context.route(/^https:\/\/shop\.example\//, (route) =>
      route.fulfill({ contentType: 'image/svg+xml', body: PICTURE }),
    );
    await context.route(/^https:\/\/gone\.example\//, (route) => route.abort());
    return context.newPage();
  }

  test.each([
    ['long words', 'en-XA', 'ltr'],
    ['right to left', 'ar-XB', 'rtl'],
  ])(
    '%s break no page and no email, narrow or wide, light or dark; all is accessible, and no text is left in the code',
    async (_words, language, dir) => {
      const page = await newPage();
      const found: Record<string, string[]> = {};
      const { documents, texts } = shown[language]!;
      const isPlain = (text: string): boolean => language === 'en-XA' && isFromCode(text);
      expect(Object.entries(texts).filter(([, text]) => isPlain(text))).toEqual([]);
      for (const [name, html] of Object.entries(documents)) {
        await page.setContent(html);
        const isMarked = (await page.locator(`html[lang="${language}"][dir="${dir}"]`).count()) === 1;
        const faults = isMarked ? [] : ['its language or direction is missing'];
        faults.push(...(await textsOf(page)).filter(isPlain), ...(await faultsOn(page)));
        if (dir === 'ltr' ? KINDS.includes(name) : name === 'unsubscribe') {
          if (name !== 'broken go') expect(await page.getByRole('img', { name: '[Store]' }).count()).toBe(1);
          faults.push(...(await secondFindings(page)));
          await page.setViewportSize({ width: 1440, height: 800 });
          faults.push(...(await allFindings(page)));
        }
        if (faults.length > 0) found[name] = faults;
      }
      expect(found).toEqual({});
    },
  );

  test('a shared list shows price, stock and a way to buy; a picture that fails leaves no broken one', async () => {
    const page = await newPage();
    await page.goto(`${service.url}${shown['en-XA']!.paths['list']!.replace('en-XA', 'en')}`);
    const row = (name: string) => page.getByRole('listitem').filter({ hasText: name });
    await row('[Cup').getByText('Sold out').waitFor();
    expect(await row('[Teapot]').getByText('€1,234.50').count()).toBe(1);
    expect(await row('[Teapot]').getByText('Only 2 left').count()).toBe(1);
    const buy = row('[Teapot]').getByRole('link', { name: 'Buy [Teapot]' });
    expect(await buy.getAttribute('href')).toBe('https://shop.example/p/2?variant=2');
    // What failed has no text of its own and no picture: the sign behind it shows.
    const seen = (): Promise<boolean[]> =>
      page
        .locator('li img')
        .evaluateAll((all: HTMLImageElement[]) =>
          all.map(
            ({ complete, naturalWidth, alt, parentElement }) =>
              complete &&
              (naturalWidth > 0 ||
                (alt === '' &&
                  getComputedStyle(parentElement!).backgroundImage.startsWith('url("data:image/svg'))),
          ),
        );
    await eventually(seen, [true, true, true]);
  });

  test('leaving says the topic in words, and its buttons work without a script', async () => {
    const store = await service.createStore({ name: 'Kettles', allowedOrigins: ['https://shop.example'] });
    const products = [{ epi: 1, empi: 1, dt: 'Kettle', du: '/p/1' }];
    await service.post('/storeadmin/v3/products/upsert', { products }, { store }).expect(200);
    await seedSubscription(service, store, { epi: '1', value: 'a@example.com' });
    const claim = {
      scope: 'product',
      medium: 'email',
      value: 'a@example.com',
      topic: 'backinstock',
      epi: '1',
    } as const;
    const row = (await findStore(service.services.db, store.pid))!;
    const page = await newPage();
    await page.goto(unsubscribeUrl(service.url, row, claim));
    await page.getByRole('radio', { name: 'Alerts for Kettle' }).waitFor();
    await tick(page.getByRole('radio', { name: 'All “Back in stock” alerts' }));
    await click(page.getByRole('button', { name: 'Unsubscribe' }));
    await page
      .getByRole('status')
      .getByText("You won't receive “Back in stock” alerts from Kettles")
      .waitFor();
    await click(page.getByRole('button', { name: 'Undo' }));
    await page.getByRole('heading', { name: 'You can get alerts again' }).waitFor();
    const back = page.getByRole('link', { name: 'Continue shopping' });
    expect(await back.getAttribute('href')).toBe('https://shop.example/');
  });

  test('the form in a page of a shop fits, and speaks the language of the page, else of the browser', async () => {
    const shop = await openShop(service, await service.createStore());
    const t = translator('ja');
    for (const [lang, locale] of [
      ['ja-JP', 'de-DE'],
      ['', 'ja-JP'],
    ] as const) {
      const page = await browser.newPage({ locale, viewport: { width: 390, height: 800 } });
      await page.goto(`${shop.url}/buttons`);
      await page.waitForFunction('window._swat');
      await page.locator('html').evaluate((root, tag) => root.setAttribute('lang', tag), lang);
      await click(page.getByRole('button', { name: 'Sold out' }));
      const form = page.getByRole('dialog');
      const texts = (await form.innerText()).trim().split(/\s+/);
      expect(texts).toEqual([t('browser.email'), t('browser.notify')]);
      const { x, width } = (await form.boundingBox())!;
      expect(x >= 0 && x + width <= 390).toBe(true);
    }
    await shop.close();
  });
});
