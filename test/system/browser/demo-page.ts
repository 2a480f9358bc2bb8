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
  page.getByRole('button', { name: `Save ${title}`, pressed: false });

/** The heart of a product that is in a list. */
export const fullHeart = (page: Page, title: string): Locator =>
  page.getByRole('button', { name: `Save ${title}`, pressed: true });

/** Saves a product and waits until the service has it, which the count shows. */
export async function save(page: Page, title: string, count = 1): Promise<void> {
  await heart(page, title).click();
  await page.getByRole('link', { name: `Lists Saved items: ${count}` }).waitFor();
}

/** Signs the visitor in. */
export async function logIn(page: Page, email: string): Promise<void> {
  await page.getByRole('link', { name: 'Sign in' }).click();
  await page.getByLabel('Email address').fill(email);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('link', { name: 'Account' }).waitFor();
}

export async function logOut(page: Page, email: string): Promise<void> {
  await page.getByRole('link', { name: 'Account' }).click();
  await page.getByText(`You're signed in as ${email}.`).waitFor();
  await page.getByRole('button', { name: 'Sign out' }).click();
  await page.getByRole('link', { name: 'Sign in' }).waitFor();
}

/** Has a guest ask for an alert, on a page that shows the product. */
export async function ask(page: Page, title: string, email: string): Promise<void> {
  const button = page.getByRole('button', { name: `Notify me: ${title}` });
  await button.click();
  await page.getByRole('textbox', { name: 'Email address' }).fill(email);
  await button.click();
  await page
    .locator('wishgate-notify')
    .getByText(/Please check your inbox and confirm|We'll email you/)
    .waitFor();
}

/** Does the service's background work until the outbox shows something: on a busy machine a message may need a second attempt. */
export const waitForMessage = (service: TestService, message: Locator): Promise<void> =>
  eventually(async () => {
    await service.runTasks();
    return message.isVisible();
  }, true);

/** The email to a contact with this subject in the outbox of the test panel, opened. */
export async function openMail(
  service: TestService,
  page: Page,
  email: string,
  subject: RegExp,
): Promise<Locator> {
  const row = page
    .getByRole('listitem')
    .filter({ hasText: `to ${email}` })
    .filter({ hasText: subject });
  await waitForMessage(service, row.locator('summary'));
  if ((await row.locator('details').getAttribute('open')) === null) await row.locator('summary').click();
  return row;
}

/** Opens the page that a link of an email leads to, at the service of the test. */
export async function follow(service: TestService, mail: Locator, path: string): Promise<Page> {
  const link = mail.frameLocator('iframe').locator(`a[href*="/${path}/"]`).first();
  const href = (await link.getAttribute('href'))!;
  const page = await mail.page().context().newPage();
  await page.goto(service.url + new URL(href).pathname);
  return page;
}

/** Asks for an alert and opens the link in the email that asks to confirm it. */
export async function subscribe(
  service: TestService,
  page: Page,
  title: string,
  email: string,
): Promise<void> {
  await ask(page, title, email);
  await page.goto(`${service.url}/demo#/test-panel`);
  const confirmation = await follow(service, await openMail(service, page, email, /confirm/i), 'confirm');
  await confirmation.getByRole('button').first().click();
  await confirmation.getByRole('heading', { level: 1 }).waitFor();
  await confirmation.close();
}

/** What the element with the focus is called, also within an element. */
export const focusedName = (page: Page): Promise<string> =>
  page.evaluate(
    `(() => {
      let focused = document.activeElement;
      while (focused.shadowRoot?.activeElement) focused = focused.shadowRoot.activeElement;
      return focused.getAttribute('aria-label') ?? focused.textContent.trim();
    })()`,
  );
