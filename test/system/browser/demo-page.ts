import type { BrowserContext, Locator, Page } from 'playwright-core';
import type { Identity } from '../../../packages/client/src/wishgate.ts';
import type { TestService } from '../../harness.ts';
import { click, fill } from './act.ts';
import { eventually } from './chromium.ts';

/** Opens a view of the demo storefront. */
export async function openShop(url: string, context: BrowserContext, view = ''): Promise<Page> {
  const page = await context.newPage();
  await page.goto(`${url}/demo#/${view}`);
  await page.getByRole('navigation', { name: 'Shop' }).waitFor();
  return page;
}

/** Waits until the page has the visitor's lists: before, it has no client that could subscribe. */
const untilConnected = (page: Page): Promise<void> =>
  eventually(
    () =>
      page
        .locator('wishgate-count')
        .evaluate((count) => count.shadowRoot?.querySelector('[part=number]')?.textContent),
    expect.stringMatching(/\d/),
  );

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

/** A button of the shop: `tap(page, 'Restock: Reading lamp')`. */
export const tap = (page: Page, name: string): Promise<void> => click(page.getByRole('button', { name }));

/** A link of the shop: `open(page, 'Lists')`. */
export const open = (page: Page, name: string): Promise<void> => click(page.getByRole('link', { name }));

export const expectHeading = (page: Page, name: string): Promise<void> =>
  page.getByRole('heading', { level: 1, name }).waitFor();

/** Saves a product and waits until the service has it, which the count shows. */
export async function save(page: Page, title: string, count = 1): Promise<void> {
  await click(heart(page, title));
  await page.getByRole('link', { name: `Lists Saved items: ${count}` }).waitFor();
}

/** Signs the visitor in. */
export async function logIn(page: Page, email: string): Promise<void> {
  await open(page, 'Sign in');
  await expectHeading(page, 'Sign in');
  await fill(page.getByRole('textbox', { name: 'Email address' }), email);
  await tap(page, 'Sign in');
  await page.getByRole('link', { name: 'Account' }).waitFor();
}

export async function logOut(page: Page, email: string): Promise<void> {
  await open(page, 'Account');
  await page.getByText(`You're signed in as ${email}.`).waitFor();
  await tap(page, 'Sign out');
  await page.getByRole('link', { name: 'Sign in' }).waitFor();
}

/** Has a guest ask for an alert, on a page that shows the product. */
export async function ask(page: Page, title: string, email: string): Promise<void> {
  await untilConnected(page);
  await tap(page, `Notify me: ${title}`);
  await fill(page.getByRole('textbox', { name: 'Email address' }), email);
  await tap(page, `Notify me: ${title}`);
  await page.getByText(/Please check your inbox and confirm|We'll email you/).waitFor();
}

/** Has a customer ask for an alert, on a page that shows the product. */
export async function askSignedIn(page: Page, title: string): Promise<void> {
  await untilConnected(page);
  await tap(page, `Notify me: ${title}`);
  await page.getByText("We'll email you").waitFor();
}

/** Changes stock or price in the test panel, and waits for the button that reverses it. */
export async function change(page: Page, action: string, reverse: string, product: string): Promise<void> {
  await open(page, 'Test panel');
  await tap(page, `${action}: ${product}`);
  await page.getByRole('button', { name: `${reverse}: ${product}` }).waitFor();
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
  if ((await row.locator('details').getAttribute('open')) === null) await click(row.locator('summary'));
  return row;
}

/** Opens the page that a link of an email leads to, at the service of the test. */
async function follow(service: TestService, mail: Locator, path: string): Promise<Page> {
  const link = mail.frameLocator('iframe').locator(`a[href*="/${path}/"]`).first();
  const href = (await link.getAttribute('href'))!;
  const page = await mail.page().context().newPage();
  await page.goto(service.url + new URL(href).pathname);
  return page;
}

/** Asks for an alert and confirms it by the link in the email. */
export async function subscribe(
  service: TestService,
  page: Page,
  title: string,
  email: string,
): Promise<void> {
  await ask(page, title, email);
  await page.goto(`${service.url}/demo#/test-panel`);
  const confirmation = await follow(service, await openMail(service, page, email, /confirm/i), 'confirm');
  await tap(confirmation, 'Confirm');
  await confirmation.getByRole('heading', { level: 1, name: "You're signed up" }).waitFor();
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
