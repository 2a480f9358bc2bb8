import type { BrowserContext, Page } from 'playwright-core';
import { useService } from '../../harness.ts';
import { allFindings, describeInBrowser, eventually, secondFindings, useBrowser } from './chromium.ts';

describeInBrowser('GraphiQL', () => {
  const browser = useBrowser();
  const service = useService({ demo: true });
  const complaints: string[] = [];
  let context: BrowserContext;
  let page: Page;

  beforeEach(async () => {
    context = await browser.newContext();
    page = await open();
  });
  afterEach(() => expect(complaints.splice(0).filter((text) => !/401/.test(text))).toEqual([]));

  async function open(): Promise<Page> {
    const opened = await context.newPage();
    opened.on('console', (message) => {
      if (message.type() === 'error') complaints.push(message.text());
    });
    opened.on('pageerror', (error) => complaints.push(error.message));
    await opened.goto(`${service.url}/graphiql`);
    await opened.locator('.graphiql-execute-button').waitFor();
    return opened;
  }

  const textOf = (name: string): Promise<string> => page.locator(`.${name}`).first().innerText();

  /** Waits until the open tab shows an answer. */
  const answers = (expected: RegExp, on = page): Promise<void> =>
    eventually(async () => expected.test(await on.locator('.result-window').first().innerText()), true);

  /** Opens a tab; an answer that is still being shown takes the page back to its own. */
  const openTab = (name: string): Promise<void> =>
    eventually(async () => {
      await page.getByRole('listitem').getByRole('button', { name, exact: true }).click();
      return new RegExp(`(query|mutation|subscription) ${name}\\b`).test(
        await textOf('graphiql-query-editor'),
      );
    }, true);

  const press = (on = page): Promise<void> => on.locator('.graphiql-execute-button').click();

  test('every tab runs on the demo store without an edit, a mutation twice, and the subscription shows each change as it happens', async () => {
    for (const [name, expected] of [
      ['Store', /"name": "Hearth & Loom"[^]*"totalCount": 20/],
      ['Shopper', /"isGuest": true[^]*"isInList": true/],
      ['Lists', /"lname": "Living room"[^]*"dt": "Reading lamp"/],
      ['Identity', /"regid": "[^]*"sessionid": "/],
      ['PriceDrop', /"dt": "Reading lamp"[^]*"amount": "89.00"/],
      ['Notify', /"confirmed": false[^]*"dt": "Pour-over kettle"/],
      ['Save', /"cnt": 4[^]*"dt": "Stoneware mug"/],
    ] as const) {
      await openTab(name);
      await press();
      await answers(expected);
    }
    const second = page.waitForResponse((response) => response.url().endsWith('/graphql'));
    await press();
    expect(await (await second).text()).toContain('"cnt":4');

    await openTab('Live');
    await press();
    await answers(/"cnt": 4/);
    const { 'x-regid': regid } = JSON.parse(await headersShown()) as Record<string, string>;
    await service
      .graphql(
        'mutation { createList(input: { lname: "Seen live" }) { lid } }',
        {},
        { store: service.demo!, headers: { 'x-regid': regid! } },
      )
      .expect(200);
    await answers(/Seen live/);
  });

  /** The headers of the open tab, as GraphiQL keeps them for this browser tab. */
  function headersShown(): Promise<string> {
    return page.evaluate(() => {
      const [, kept] = Object.entries(sessionStorage).find(([key]) => key.endsWith('graphiql:tabState'))!;
      const { tabs, activeTabIndex } = JSON.parse(kept as string) as {
        tabs: { headers: string }[];
        activeTabIndex: number;
      };
      return tabs[activeTabIndex]!.headers;
    });
  }

  test('a reload keeps the tabs, which still run; a new window has them in its history, and no credentials are kept', async () => {
    await openTab('Lists');
    await page.reload();
    await page.locator('.graphiql-execute-button').waitFor();
    expect(await page.locator('.graphiql-tab').count()).toBe(8);
    await openTab('Shopper');
    await press();
    await answers(/"isGuest": true/);
    const kept = await page.evaluate(() => JSON.stringify(localStorage));
    expect(kept).toContain('query Shopper');
    expect(kept).not.toMatch(/x-regid\\*":|authorization\\*":|Basic c/);
    const second = await open();
    await second.getByRole('button', { name: 'Show History' }).click();
    await second.locator('.graphiql-history-item').getByText('Shopper').click();
    await press(second);
    await answers(/"isGuest": true/, second);
    expect(await secondFindings(second)).toEqual([]);
  });

  test('the docs of the schema are accessible, and lead from the query to its types', async () => {
    await page.getByRole('button', { name: 'Show Documentation Explorer' }).click();
    const docs = page.locator('.graphiql-doc-explorer');
    await docs.getByRole('link', { name: 'Query' }).click();
    await docs.getByText('Requires shopper credentials').first().waitFor();
    expect(await allFindings(page)).toEqual([]);
  });

  test('the docs show what the tab’s credentials may use, the storefront’s types first', async () => {
    const docs = page.locator('.graphiql-doc-explorer');
    const typesShown = async () => (await docs.getByRole('link').allInnerTexts()).join(' ');
    await page.getByRole('button', { name: 'Show Documentation Explorer' }).click();
    await docs.getByText('Wishlists, save for later').waitFor();
    await eventually(async () => /List.*MailServer/s.test(await typesShown()), true);
    await openTab('Shopper');
    await eventually(async () => /List(?!.*MailServer)/s.test(await typesShown()), true);
    await openTab('Identity');
    await eventually(async () => /List.*MailServer/s.test(await typesShown()), true);
  });

  test('a failure without a shopper says which headers to set', async () => {
    await openTab('Shopper');
    await page.locator('.graphiql-editor-tools').getByRole('button', { name: 'Headers' }).click();
    const headers = page.getByRole('textbox', { name: 'Headers' });
    await headers.focus();
    await page.keyboard.press('Control+A');
    await page.keyboard.insertText(`{ "x-pid": "${service.demo!.pid}" }`);
    await press();
    await answers(/x-regid and x-sessionid/);
  });
});
