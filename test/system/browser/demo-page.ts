import type { BrowserContext, Locator, Page } from 'playwright-core';
import type { Identity } from '../../../packages/client/src/wishgate.ts';
import type { TestService } from '../../harness.ts';
import { eventually } from './chromium.ts';

/** Opens a view of the demo storefront. */
export async function openShop(url: string, context: BrowserContext, view = ''): Promise<Page> {
  const page = await context.newPage();
  await page.goto(`${url}/demo#/${view}`);
  await page.getByRole('navigation', { name: 'Shop' }).waitFor();
  return page;
}

/** Who the visitor of a page is. The page has asked this before: two questions at once would make two guests. */
export const identify = (page: Page): Promise<Identity> =>
  page.evaluate<Identity>(
    `fetch('/demo/api/identify', { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{}' }).then((answer) => answer.json())`,
  );

/** The heart of a product that is in no list. */
export const heart = (page: Page, title: string): Locator =>
  page.getByRole('button', { name: `Save ${title}` });

/** The heart of a product that is in a list. */
export const fullHeart = (page: Page, title: string): Locator =>
  page.getByRole('button', { name: `Remove ${title} from your lists` });

/** Signs the visitor in. */
export async function logIn(page: Page, email: string): Promise<void> {
  await page.getByRole('button', { name: 'Sign in' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Email address').fill(email);
  await dialog.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('button', { name: `Account ${email}` }).waitFor();
}

/** Signs the visitor out: one click shows the account, and a second one ends it. */
export async function logOut(page: Page, email: string): Promise<void> {
  await page.getByRole('button', { name: 'Account' }).click();
  const dialog = page.getByRole('dialog', { name: 'Your account' });
  await dialog.getByText(`You're signed in as ${email}.`).waitFor();
  await dialog.getByRole('button', { name: 'Sign out' }).click();
  await page.getByRole('button', { name: 'Sign in' }).waitFor();
}

/** Has a guest wait for a product that is sold out. */
export async function waitFor(page: Page, title: string, email: string): Promise<void> {
  await page.getByRole('button', { name: `Notify me: ${title}` }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Email address').fill(email);
  await dialog.getByRole('button', { name: 'Notify me' }).click();
  await dialog.waitFor({ state: 'detached' });
}

/** Does the service's background work until the outbox shows something: on a busy machine a message may need a second attempt. */
export const waitForMessage = (service: TestService, message: Locator): Promise<void> =>
  eventually(async () => {
    await service.runTasks();
    return message.isVisible();
  }, true);

/** The row of the outbox with the email to a contact, opened. */
export async function openMail(service: TestService, page: Page, email: string): Promise<Locator> {
  const row = page.getByRole('listitem').filter({ hasText: `to ${email}` });
  await waitForMessage(service, row.locator('summary'));
  if ((await row.locator('details').getAttribute('open')) === null) await row.locator('summary').click();
  return row;
}

/** What the element with the focus is called. */
export const focusedName = (page: Page): Promise<string> =>
  page.evaluate(
    "document.activeElement.getAttribute('aria-label') ?? document.activeElement.textContent.trim()",
  );
