import type { APIResponse, Page, Route } from 'playwright-core';
import type { StoreAccess } from '../../harness.ts';

/** Signs in on an open sign-in page. */
export async function signIn(page: Page, store: StoreAccess): Promise<void> {
  await page.getByLabel('Store id (pid)').fill(store.pid);
  await page.getByLabel('API key').fill(store.apiKey);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('button', { name: 'Sign out' }).waitFor();
}

/** Goes to a page of the dashboard by its navigation, as a person does; on a phone the menu is opened first. */
export async function openPage(page: Page, title: string): Promise<void> {
  const menu = page.getByRole('button', { name: 'Menu' });
  if (await menu.isVisible()) await menu.click();
  await page.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name: title }).click();
  await page.getByRole('heading', { level: 1, name: title }).waitFor();
}

/** Waits until a reading of the page has the expected value, and fails with the last one. */
export async function eventually<Value extends number | boolean | string | undefined>(
  read: () => Promise<Value>,
  expected: Value,
): Promise<void> {
  const deadline = performance.now() + 10_000;
  let value = await read();
  while (value !== expected && performance.now() < deadline) {
    await new Promise((resolve) => setTimeout(resolve, 50));
    value = await read();
  }
  expect(value).toBe(expected);
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
    held.push({ route, response: await route.fetch() });
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

/** Opens the page of a shopper as a person does: by a search among all shoppers. */
export async function openShopper(page: Page, search: string, name = search): Promise<void> {
  await openPage(page, 'Shoppers');
  await page.getByLabel('Search').fill(search);
  await page.getByRole('table', { name: 'Shoppers' }).getByRole('link', { name }).click();
  await page.getByRole('heading', { level: 1, name }).waitFor();
}
