import { execFile } from 'node:child_process';
import { accessSync, constants, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { chromium } from 'playwright-core';
import type { Browser, Page } from 'playwright-core';

const NAMES = ['chromium', 'chromium-browser', 'google-chrome'];

function findOnPath(): string | null {
  const files = (process.env['PATH'] ?? '')
    .split(delimiter)
    .flatMap((dir) => NAMES.map((name) => join(dir, name)));
  const isProgram = (file: string): boolean => {
    try {
      accessSync(file, constants.X_OK);
      return true;
    } catch {
      return false;
    }
  };
  return files.find(isProgram) ?? null;
}

const program = findOnPath();

/** A block of tests that need a browser: skipped where there is none, but never in CI. */
export const describeInBrowser: (name: string, tests: () => void) => void = (name, tests) => {
  if (program !== null || process.env['CI'] === 'true') return describe(name, tests);
  console.warn(
    `skipped: ${name}. There is no Chromium on the PATH; install it with \`apt-get install chromium\`.`,
  );
  describe.skip(name, tests);
};

/** Starts the browser; close it in `afterAll`. */
export function launchChromium(): Promise<Browser> {
  if (program === null)
    throw new Error('There is no Chromium on the PATH; install it with `apt-get install chromium`');
  return chromium.launch({
    executablePath: program,
    args: ['--no-sandbox', '--disable-background-networking', '--disable-component-update'],
  });
}

/** Builds the pages when a source changed. In a process of its own, because the bundler does not work inside Jest's sandbox. */
export async function buildPages(): Promise<void> {
  const script = fileURLToPath(new URL('../../tools/bundle.mjs', import.meta.url));
  await promisify(execFile)(process.execPath, [script]);
}

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

type Finding = { id: string; impact: string | null; nodes: { target: unknown; failureSummary?: string }[] };

/** What axe finds on a page that keeps people out: serious and critical violations, in words. */
export async function seriousFindings(page: Page): Promise<string[]> {
  // A colour on its way from one to another is neither.
  await page.waitForFunction(() =>
    document
      .getAnimations()
      .every(
        ({ playState, effect }) =>
          playState !== 'running' || effect?.getComputedTiming().endTime === Infinity,
      ),
  );
  // The page's policy refuses inline scripts; through the debugger axe comes in all the same.
  await page.evaluate(axe);
  const violations = await page.evaluate(async () => {
    const { axe: tool } = globalThis as unknown as {
      axe: { run: (options: object) => Promise<{ violations: Finding[] }> };
    };
    return (await tool.run({ resultTypes: ['violations'] })).violations;
  });
  return violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .map(
      ({ id, nodes }) =>
        `${id}: ${nodes.map(({ target, failureSummary }) => `${JSON.stringify(target)} ${failureSummary}`).join(' | ')}`,
    );
}
