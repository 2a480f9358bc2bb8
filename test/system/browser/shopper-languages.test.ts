import type { Page } from 'playwright-core';
import { translator } from '../../../src/platform/messages.ts';
import { useService } from '../../harness.ts';
import { describeInBrowser, useBrowser } from './chromium.ts';
import { openShop } from './compat-shop.ts';
import { walk } from './shopper-walk.ts';
import type { Shown } from './shopper-walk.ts';

/** What a store, a shopper or a standard wrote: names in brackets, contacts, URLs and prices. */
const DATA = /\[[^\]]*[\]…]|https?:\/\/\S+|\S+@\S+|€[\d.,]+/g;

/** Every vowel of a text from the messages has an accent. */
const isFromCode = (text: string): boolean => /[aeiouy]/i.test(text.replace(DATA, ''));

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

describeInBrowser('languages of shoppers', () => {
  const browser = useBrowser();
  const service = useService({ rateLimits: false });
  const shown: Record<string, Shown> = {};
  beforeAll(async () => {
    for (const language of ['en-XA', 'ar-XB']) shown[language] = await walk(service, language);
  });

  /** Shows every page and email in turn, and returns what was found in them. */
  async function findIn(language: string, find: (page: Page) => Promise<string[]>): Promise<string[]> {
    const page = await browser.newPage({ javaScriptEnabled: false });
    const found: string[] = [];
    for (const [name, html] of Object.entries(shown[language]!.documents)) {
      await page.setContent(html);
      found.push(...(await find(page)).map((what) => `${name}, ${what}`));
    }
    return found;
  }

  test('no text is left in the code: every page, email and SMS comes from the messages', async () => {
    const texts = Object.entries(shown['en-XA']!.texts).filter(([, text]) => isFromCode(text));
    expect(texts).toEqual([]);
    expect(await findIn('en-XA', async (page) => (await textsOf(page)).filter(isFromCode))).toEqual([]);
  });

  test.each([
    ['long words', 'en-XA', 'ltr'],
    ['right to left', 'ar-XB', 'rtl'],
  ])('%s break no page and no email, narrow or wide, light or dark', async (_words, language, dir) => {
    const problems = await findIn(language, async (page) => {
      const found: string[] = [];
      const isMarked = (await page.locator(`html[lang="${language}"][dir="${dir}"]`).count()) === 1;
      if (!isMarked) found.push('its language or direction is missing');
      for (const width of [390, 600])
        for (const colorScheme of ['light', 'dark'] as const) {
          await page.setViewportSize({ width, height: 800 });
          await page.emulateMedia({ colorScheme });
          found.push(...(await problemsOn(page)).map((what) => `${width} px, ${colorScheme}: ${what}`));
        }
      return found;
    });
    expect(problems).toEqual([]);
  });

  test.each([
    ['the page', 'ja-JP', 'de-DE'],
    ['the browser', '', 'ja-JP'],
  ])('the form in a page of a shop speaks the language of %s', async (_whose, lang, locale) => {
    const shop = await openShop(service, await service.createStore());
    const page = await browser.newPage({ locale, viewport: { width: 390, height: 800 } });
    await page.goto(`${shop.url}/buttons`);
    await page.waitForFunction('window._swat');
    await page.locator('html').evaluate((root, tag) => root.setAttribute('lang', tag), lang);
    await page.getByRole('button', { name: 'Sold out' }).click();
    const form = page.getByRole('dialog');
    const t = translator('ja');
    const texts = (await form.innerText()).trim().split(/\s+/);
    expect(texts).toEqual([t('browser.email'), t('browser.notify')]);
    const { x, width } = (await form.boundingBox())!;
    expect(x >= 0 && x + width <= 390).toBe(true);
    await shop.close();
  });
});
