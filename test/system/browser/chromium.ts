import { randomInt } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { setTimeout as delay } from 'node:timers/promises';
import type { Browser, BrowserContext, BrowserContextOptions, Page } from 'playwright-core';
import { MESSAGE_MS } from '../../../src/sdk/compat/ui.ts';
import { TOAST_MS } from '../../../src/web/dashboard/session.ts';
import { TOAST_MS as SHOP_TOAST_MS } from '../../../src/web/demo-shop/toasts.ts';
import { SHOWN_MS } from '../../../src/web/site/copy.ts';
import { shareUntilEnd } from '../../harness.ts';
import { findChromium, launchChromium } from '../../setup/browser.ts';
import { isLong } from '../../tier.ts';
import { prepareDocument } from './prepare-document.ts';

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

/** How long pages show what they say for a moment. No other timer of a page has one of these spans. */
const MOMENTS_MS = [MESSAGE_MS, TOAST_MS, SHOP_TOAST_MS, SHOWN_MS];

/** `hasMoments` is for tests that stop the page's clock: they see what it says for a moment. */
type ContextOptions = BrowserContextOptions & { hasMoments?: boolean };

/** Opens pages; what a test has opened is closed after it. */
export type TestBrowser = {
  newContext: (options?: ContextOptions) => Promise<BrowserContext>;
  /** A page in a context of its own. */
  newPage: (options?: ContextOptions) => Promise<Page>;
  /** Addresses at other hosts that the pages of this test have asked for. */
  outside: () => string[];
};

let shared: Promise<Browser> | null = null;

/** One browser for all files of this process; the first that needs it starts it. */
function openBrowser(): Promise<Browser> {
  if (!shared) {
    const opening = (shared = launchChromium());
    shareUntilEnd(async () => (await opening).close());
  }
  return shared;
}

const isInside = (url: string): boolean =>
  /^(data|blob|about):/.test(url) || new URL(url).hostname === '127.0.0.1';

export function useBrowser(): TestBrowser {
  const contexts: BrowserContext[] = [];
  const outside: string[] = [];
  beforeAll(openBrowser);
  beforeEach(() => void outside.splice(0));
  afterEach(async () => {
    for (const context of contexts.splice(0)) {
      // A test may end while it holds an answer back.
      for (const routed of [...context.pages(), context])
        await routed.unrouteAll({ behavior: 'ignoreErrors' });
      await context.close();
    }
  });
  const newContext: TestBrowser['newContext'] = async ({ hasMoments = false, ...options } = {}) => {
    const context = await (await openBrowser()).newContext({ reducedMotion: 'reduce', ...options });
    contexts.push(context);
    context.setDefaultTimeout(PATIENCE_MS);
    context.on('request', (request) => {
      if (!isInside(request.url())) outside.push(request.url());
    });
    const slowestMs = process.env['TEST_SLOW'] ? 1_500 : 0;
    await context.addInitScript(prepareDocument, {
      seed: randomInt(2 ** 31),
      moments: hasMoments ? [] : MOMENTS_MS,
      slowestMs,
    });
    return context;
  };
  return {
    newContext,
    newPage: async (options) => (await newContext(options)).newPage(),
    outside: () => outside,
  };
}

/** Waits until the state of a page or of the service is the expected one, as `toEqual` compares, and fails with the last one. */
export async function eventually<Value>(
  read: () => Value | Promise<Value>,
  expected: unknown,
): Promise<void> {
  for (const deadline = performance.now() + PATIENCE_MS; ; await delay(50)) {
    const value = await read();
    try {
      return expect(value).toEqual(expected);
    } catch (difference) {
      if (performance.now() > deadline) throw difference;
    }
  }
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
