import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { setTimeout as delay } from 'node:timers/promises';
import { chromium } from 'playwright-core';
import type { Browser, BrowserContext, BrowserContextOptions, Page } from 'playwright-core';
import { MESSAGE_MS } from '../../../src/sdk/compat/ui.ts';
import { TOAST_MS } from '../../../src/web/dashboard/session.ts';
import { TOAST_MS as SHOP_TOAST_MS } from '../../../src/web/demo-shop/toasts.ts';
import { SHOWN_MS } from '../../../src/web/site/copy.ts';
import { findChromium } from '../../setup/browser.ts';
import { fromSetup } from '../../setup/run.ts';
import { isLong } from '../../tier.ts';

/** A block of tests that need a browser: skipped where there is none, but never in CI. */
export const describeInBrowser: (name: string, tests: () => void) => void = (name, tests) => {
  if (findChromium() !== null || process.env['CI'] === 'true') return describe(name, tests);
  console.warn(
    `skipped: ${name}. There is no Chromium on the PATH; install it with \`apt-get install chromium\`.`,
  );
  describe.skip(name, tests);
};

/** What a page does not do within this time it never does, on the busiest machine; below the limit of a test, so that it is told what was waited for. */
export const PATIENCE_MS = 200_000;

/** What a page says for a moment stays: on a busy machine the moment is over before a test looks. No other timer of a page has one of these spans. */
const KEEP_SAYING = `{
  const [start, moments] = [setTimeout, ${JSON.stringify([MESSAGE_MS, TOAST_MS, SHOP_TOAST_MS, SHOWN_MS])}];
  globalThis.setTimeout = (work, ms, ...rest) => start(work, moments.includes(ms) ? 2 ** 31 - 1 : ms, ...rest);
}`;

/** Opens pages; what a test has opened is closed after it. */
export type TestBrowser = {
  newContext: (options?: BrowserContextOptions) => Promise<BrowserContext>;
  /** A page in a context of its own. */
  newPage: (options?: BrowserContextOptions) => Promise<Page>;
};

/** The browser of the run, which the first test file that asks starts. */
export function useBrowser(): TestBrowser {
  let browser: Browser | undefined;
  beforeAll(async () => {
    const answer = await fetch(fromSetup('browser'));
    if (!answer.ok) throw new Error(await answer.text());
    browser = await chromium.connect(await answer.text(), { timeout: PATIENCE_MS });
  });
  afterEach(() => Promise.all(browser?.contexts().map((context) => context.close()) ?? []));
  afterAll(() => browser?.close());
  const newContext: TestBrowser['newContext'] = async (options) => {
    const context = await browser!.newContext({ reducedMotion: 'reduce', ...options });
    context.setDefaultTimeout(PATIENCE_MS);
    await context.addInitScript(KEEP_SAYING);
    return context;
  };
  return { newContext, newPage: async (options) => (await newContext(options)).newPage() };
}

/** Waits until a reading of the page has the expected value, and fails with the last one. */
export async function eventually<Value extends number | boolean | string | undefined | null>(
  read: () => Promise<Value>,
  expected: Value,
): Promise<void> {
  const deadline = performance.now() + PATIENCE_MS;
  let value = await read();
  while (value !== expected && performance.now() < deadline) {
    await delay(50);
    value = await read();
  }
  expect(value).toBe(expected);
}

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

type Finding = { id: string; nodes: { target: unknown; failureSummary?: string }[] };

/** Rules of axe that judge by colours. */
const COLOUR_RULES = ['color-contrast', 'link-in-text-block'];

/** Everything that axe finds on a page, in words: all of it in light colours, and what depends on colours in dark ones, too. */
export async function allFindings(page: Page): Promise<string[]> {
  await page.emulateMedia({ colorScheme: 'dark' });
  const dark = inWords(await findings(page, COLOUR_RULES)).map((finding) => `in the dark: ${finding}`);
  await page.emulateMedia({ colorScheme: 'light' });
  return [...inWords(await findings(page)), ...dark];
}

/** What axe finds on a second screen, whose width does not change the colours: in dark ones, too, before a release only. */
export const secondFindings = async (page: Page): Promise<string[]> =>
  isLong ? allFindings(page) : inWords(await findings(page));

async function findings(page: Page, runOnly?: string[]): Promise<Finding[]> {
  // A colour on its way from one to another is neither.
  await page.waitForFunction(() =>
    document
      .getAnimations()
      .every(
        ({ playState, effect }) =>
          playState !== 'running' || effect?.getComputedTiming().endTime === Infinity,
      ),
  );
  // The page's policy refuses inline scripts; through the debugger axe comes in all the same, once for each document: it is big.
  if (!(await page.evaluate(() => 'axe' in globalThis))) await page.evaluate(axe);
  return page.evaluate(
    async (options) => {
      const { axe: tool } = globalThis as unknown as {
        axe: { run: (options: object) => Promise<{ violations: Finding[] }> };
      };
      return (await tool.run(options)).violations;
    },
    // It would wait for an answer of each frame; none has axe in it.
    { resultTypes: ['violations'], iframes: false, ...(runOnly && { runOnly }) },
  );
}

function inWords(found: Finding[]): string[] {
  return found.map(
    ({ id, nodes }) =>
      `${id}: ${nodes.map(({ target, failureSummary }) => `${JSON.stringify(target)} ${failureSummary}`).join(' | ')}`,
  );
}
