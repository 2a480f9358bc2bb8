import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { chromium } from 'playwright-core';
import type { Browser, Page } from 'playwright-core';
import { findChromium } from '../../setup/browser.ts';
import { fromSetup } from '../../setup/run.ts';

/** A block of tests that need a browser: skipped where there is none, but never in CI. */
export const describeInBrowser: (name: string, tests: () => void) => void = (name, tests) => {
  if (findChromium() !== null || process.env['CI'] === 'true') return describe(name, tests);
  console.warn(
    `skipped: ${name}. There is no Chromium on the PATH; install it with \`apt-get install chromium\`.`,
  );
  describe.skip(name, tests);
};

/** Connects to the browser of the run, which the first test file that asks starts; close it in `afterAll`, with its contexts. */
export async function openBrowser(): Promise<Browser> {
  const answer = await fetch(fromSetup('browser'));
  if (!answer.ok) throw new Error(await answer.text());
  return chromium.connect(await answer.text());
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
    { resultTypes: ['violations'], ...(runOnly && { runOnly }) },
  );
}

function inWords(found: Finding[]): string[] {
  return found.map(
    ({ id, nodes }) =>
      `${id}: ${nodes.map(({ target, failureSummary }) => `${JSON.stringify(target)} ${failureSummary}`).join(' | ')}`,
  );
}
