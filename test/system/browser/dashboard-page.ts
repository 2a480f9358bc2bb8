import type { APIResponse, Page, Route } from 'playwright-core';
import type { StoreAccess } from '../../harness.ts';
import { click, fill } from './act.ts';
import { PATIENCE_MS } from './chromium.ts';

/** Signs in on an open sign-in page. */
export async function signIn(page: Page, store: StoreAccess): Promise<void> {
  await fill(page.getByLabel('Store id (pid)'), store.pid);
  await fill(page.getByLabel('API key'), store.apiKey);
  await click(page.getByRole('button', { name: 'Sign in' }));
  await page.getByRole('button', { name: 'Sign out' }).waitFor();
}

/** Opens a place of the dashboard signed in, without the way there by the sign-in page and the overview. */
export async function enter(page: Page, url: string, store: StoreAccess, place = ''): Promise<void> {
  const answer = await page.request.post(`${url}/dashboard/session`, {
    data: { pid: store.pid, apiKey: store.apiKey },
    headers: { 'x-wishgate-dashboard': '1' },
    timeout: PATIENCE_MS,
  });
  expect(answer.status()).toBe(200);
  await page.goto(`${url}/dashboard#/${place}`);
  await page.getByRole('button', { name: 'Sign out' }).waitFor();
}

/** Goes to a page of the dashboard by its navigation, as a person does; on a phone the menu is opened first. */
export async function openPage(page: Page, title: string): Promise<void> {
  const menu = page.getByRole('button', { name: 'Menu' });
  if (await menu.isVisible()) await click(menu);
  await click(page.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name: title }));
  await page.getByRole('heading', { level: 1, name: title }).waitFor();
}

/** Calls whose answers are kept back, as by a slow network. */
export type HeldCalls = {
  /** How many were made since. */
  count: () => Promise<number>;
  /** Lets the oldest answer through and waits until the page has dealt with it. */
  answer: () => Promise<void>;
};

/** Keeps back the answers to one operation from now on; the service gives them at once. */
export async function holdAnswers(page: Page, operation: string): Promise<HeldCalls> {
  const held: { route: Route; response: APIResponse }[] = [];
  let count = 0;
  await page.route('**/graphql', async (route) => {
    const { query } = route.request().postDataJSON() as { query: string };
    if (!new RegExp(`(query|mutation) ${operation}\\b`).test(query)) return route.fallback();
    held.push({ route, response: await route.fetch({ timeout: PATIENCE_MS }) });
    count++;
  });
  return {
    count: () => Promise.resolve(count),
    answer: async () => {
      const { route, response } = held.shift()!;
      await route.fulfill({ response });
      await (await route.request().response())?.finished();
      await page.evaluate(
        () => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve))),
      );
    },
  };
}

/** Opens the message of an alert, and waits until it shows this text. */
export async function openMessage(page: Page, contact: string, text: string): Promise<void> {
  await click(page.getByRole('button', { name: `Preview of the alert to ${contact}` }));
  const body = page.getByRole('dialog').frameLocator('iframe').locator('body');
  await body.getByText(text).first().waitFor();
}

/** Opens the page of a shopper as a person does: by a search among all shoppers, from their page. */
export async function openShopper(page: Page, search: string): Promise<void> {
  await fill(page.getByLabel('Search'), search);
  await click(page.getByRole('table', { name: 'Shoppers' }).getByRole('link', { name: search }));
  await page.getByRole('heading', { level: 1, name: search }).waitFor();
}
