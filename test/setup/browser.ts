import { accessSync, constants } from 'node:fs';
import { createServer } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { delimiter, join } from 'node:path';
import type { BrowserServer } from 'playwright-core';

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

async function launch(): Promise<BrowserServer> {
  const executablePath = findChromium();
  if (executablePath === null)
    throw new Error(
      'There is no Chromium on the PATH; install it with `apt-get install chromium-headless-shell`',
    );
  // Loaded only here: it takes a fifth of a second.
  const { chromium } = await import('playwright-core');
  return chromium.launchServer({
    executablePath,
    host: '127.0.0.1',
    // Its own handlers would end the process while PostgreSQL is being stopped.
    handleSIGINT: false,
    handleSIGTERM: false,
    handleSIGHUP: false,
    args: ['--no-sandbox', '--disable-background-networking', '--disable-component-update'],
  });
}

/** The one browser of a run. `url` answers with the address to connect to. */
export type SharedBrowser = { url: string; stop(): Promise<void> };

/** Waits for the first test file that asks for a browser, so that runs without one do not start it. */
export async function shareBrowser(): Promise<SharedBrowser> {
  let browser: Promise<BrowserServer> | null = null;
  const server = createServer((_req, res) => {
    browser ??= launch();
    browser.then(
      (running) => res.end(running.wsEndpoint()),
      (error: Error) => res.writeHead(500).end(error.message),
    );
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  server.unref();
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    stop: async () => {
      server.closeAllConnections();
      server.close();
      await (await browser?.catch(() => null))?.close();
    },
  };
}
