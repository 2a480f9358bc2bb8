import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';
import type { Browser } from 'playwright-core';

/** The first that is there: without windows, a page costs a fifth of what it costs the whole browser. */
const NAMES = ['chromium-headless-shell', 'chromium', 'chromium-browser', 'google-chrome'];

/** The Chromium on the PATH. */
export function findChromium(): string | null {
  const folders = (process.env['PATH'] ?? '').split(delimiter);
  const files = NAMES.flatMap((name) => folders.map((folder) => join(folder, name)));
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

export async function launchChromium(): Promise<Browser> {
  const executablePath = findChromium();
  if (executablePath === null)
    throw new Error(
      'There is no Chromium on the PATH; install it with `apt-get install chromium-headless-shell`',
    );
  // Loaded only here: it takes a fifth of a second.
  const { chromium } = await import('playwright-core');
  return chromium.launch({
    executablePath,
    // Its own handlers would end the process while PostgreSQL is being stopped.
    handleSIGINT: false,
    handleSIGTERM: false,
    handleSIGHUP: false,
    args: ['--no-sandbox', '--disable-background-networking', '--disable-component-update'],
  });
}
