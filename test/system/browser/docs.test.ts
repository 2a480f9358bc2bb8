import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import type { BrowserContextOptions, Locator, Page } from 'playwright-core';
import { useService } from '../../harness.ts';
import { openApi } from '../../openapi.ts';
import { inFull } from '../../tier.ts';
import { click, fill, press } from './act.ts';
import { allFindings, describeInBrowser, eventually, secondFindings, useBrowser } from './chromium.ts';

// What each call sends and shows is tested without a page, in test/docs/reference.test.ts.

const CALLS = Object.values(openApi().paths).flatMap((methods) =>
  Object.values(methods).map(({ operationId }) => operationId as string),
);

/** Two need the word of a login provider or of Shopify, and a guest without a back end is for browsers alone. */
const NOT_FOR_SHELLS = ['shopperLogin', 'shopifyProxyLogin', 'shopperIdentify'];

/** What people look for, by the title that they are to find. */
const SEARCHES = {
  'Set stock': 'restock, inventory, stock set',
  'Merge a guest into an account': 'sign in, anonymous',
  'Create a list': 'favourites',
  'Unsubscribe the shopper': 'opt out, cancel a subscription',
  'Erase a shopper': 'GDPR, delete user gdpr, forget customers, how to forget my customer nowhere',
  'Subscribe to alerts': 'notify, price drop, notify me when back',
  'Make a list public': 'public link',
  Credentials: 'password',
  Limits: 'rate limit, 429',
  'Safe retries': 'retry',
  'Create a webhook': 'callback',
  "Stream the shopper's lists": 'live stream',
};

const inShell = async (...lines: string[]): Promise<string> =>
  (await promisify(execFile)('bash', ['-c', lines.join('\n')])).stdout;

/** The statuses that curl commands are answered with, run one after another in one shell. */
async function statusesOf(commands: string[]): Promise<string[]> {
  const curl = `curl() { command curl -sS -o /dev/null -w '%{http_code}\\n' "$@"; }`;
  return (await inShell(curl, ...commands)).trim().split('\n');
}

describeInBrowser('the API reference', () => {
  const browser = useBrowser();
  const service = useService({ demo: true });
  let page: Page;
  const complaints: string[] = [];

  const open = async (hash = '', options: BrowserContextOptions = {}): Promise<void> => {
    const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, ...options });
    context.on('console', (message) => {
      if (message.type() === 'error') complaints.push(message.text());
    });
    page = await context.newPage();
    await page.goto(`${service.url}/docs${hash}`);
    await page.locator('[data-demo]').waitFor({ state: 'attached' });
  };
  afterEach(() => {
    const unseen = complaints.splice(0).filter((text) => !/status of 40[01]/.test(text));
    expect({ outside: browser.outside(), unseen }).toEqual({ outside: [], unseen: [] });
  });

  const goTo = (place: string): Promise<void> =>
    page.evaluate((hash) => void (location.hash = hash), `#/${place}`);
  const isReady = (): Promise<void> => page.locator('[data-demo=ready]').waitFor({ state: 'attached' });
  const setUp = async (): Promise<void> => {
    await click(page.getByRole('button', { name: 'Create the demo shopper now' }));
    await isReady();
  };
  /** The status that is shown once a call has been sent so often. */
  const statusOf = async (call: Locator, run: number): Promise<string | null> => {
    await call.locator(`[data-runs="${run}"] [data-status]`).waitFor();
    return call.locator('[data-status]').getAttribute('data-status');
  };
  const send = async (call: Locator, run: number): Promise<string | null> => {
    await click(call.getByRole('button', { name: /^Send / }));
    return statusOf(call, run);
  };
  /** Code as it is copied, but for where the service listens: a test's port is not that of PUBLIC_URL. */
  const codesIn = async (selector: string): Promise<string[]> =>
    (await page.locator(selector).allTextContents()).map((code) =>
      code.replaceAll(service.services.config.publicUrl, service.url),
    );

  /** The number of rows of every table. */
  const countRows = () =>
    service.services.db.query<{ name: string; rows: string }>(
      `SELECT table_name AS name, query_to_xml(format('SELECT count(*) FROM %I', table_name), false, true, '')::text AS rows
       FROM information_schema.tables WHERE table_schema = current_schema() ORDER BY 1`,
    );

  test('it has every call once, and reading it or the landing page writes nothing; Send creates the demo shopper and makes the call, each time', async () => {
    const before = await countRows();
    expect(before.length).toBeGreaterThan(10);
    await open();
    const ids = await page.locator('[id]').evaluateAll((all) => all.map(({ id }) => id));
    expect(ids).toEqual([...new Set(ids)]);
    expect(ids).toEqual(expect.arrayContaining([...CALLS, 'graphql-lists', 'graphql-live-lists']));
    for (const place of ['listsCreate', 'guide/save', 'graphql/topics']) await goTo(place);
    await page.goto(service.url, { waitUntil: 'networkidle' });
    expect(await countRows()).toEqual(before);

    await open('#/listsCreate');
    const call = page.locator('#listsCreate');
    for (const run of [1, 2]) {
      expect(await send(call, run)).toBe('200');
      await isReady();
      const { lid } = JSON.parse((await call.locator('.response pre').textContent())!) as { lid: string };
      const [list] = await service.services.db.query('SELECT pid FROM list WHERE lid = $1', [lid]);
      expect(list).toEqual({ pid: service.demo!.pid });
    }
  });

  test('curl of every call and the examples of every guide work as they are copied', async () => {
    // Code is run in the page itself, which its policy would not let anybody do.
    await open('', { bypassCSP: true, permissions: ['clipboard-read', 'clipboard-write'] });
    await setUp();
    // All calls are closed at first.
    await page.locator('details[id]').evaluateAll((all: HTMLDetailsElement[]) => {
      for (const one of all) one.open = true;
    });
    await eventually(() => page.locator('details[id]:not(:has(> summary + *))').count(), 0);
    const ids = CALLS.filter((id) => !NOT_FOR_SHELLS.includes(id)).map((id) => `#${id}`);
    // What other calls need is made by Send.
    const commands = await codesIn(`:is(${ids.join()}):not(:has(.prepare)) .sample pre`);
    const operations = '[id^="graphql-"]:not([id*=live]):not(:has-text("operator key"))';
    const queries = await codesIn(`${operations} [aria-label=curl]:has-text('"query": "query')`);
    expect([commands.length > 25, queries.length > 15]).toEqual([true, true]);
    const all = [...commands, ...queries];
    expect((await statusesOf(all)).map((status, at) => [status, all[at]])).toEqual(
      all.map((command) => ['200', command]),
    );
    const live = page.locator('#graphql-live-lists figure:has([aria-label=curl])');
    await click(live.getByRole('button'));
    await eventually(
      () => page.evaluate(() => navigator.clipboard.readText()),
      await live.locator('pre').textContent(),
    );
    expect(await live.textContent()).toMatch(/\/graphql\/stream'[^]*'accept: text\/event-stream'/);

    await page.addScriptTag({ url: `${service.url}/client/wishgate.js` });
    const guides = await page
      .locator('.guides a')
      .evaluateAll((all) => all.map((link) => (link as HTMLAnchorElement).hash));
    expect(guides).toHaveLength(8);
    for (const hash of guides) {
      await goTo(hash.slice(2));
      await page.locator(`#guide-${hash.split('/')[2]}`).waitFor();
      const safe = 'set -euo pipefail; curl() { command curl -sS --fail-with-body "$@"; }';
      await inShell(safe, ...(await codesIn('.guide [data-language=bash] pre')));
      for (const code of await codesIn('.guide [data-language=js] pre'))
        expect(`${hash} ${await runInPage(code)}`).toBe(`${hash} done`);
    }
  });

  const runInPage = (code: string): Promise<string> =>
    page.evaluate(async (text) => {
      const Async = (async () => undefined).constructor as new (body: string) => () => Promise<void>;
      return new Async(`${text}; if (typeof stop === 'function') stop();`)().then(() => 'done', String);
    }, code);

  test('a wrong key is told in the page, and nothing of the demo is offered any more', async () => {
    await open('#/listsDeleteList');
    await setUp();
    await page.locator('.prepare').waitFor();
    await goTo('me');
    await fill(page.getByLabel('API key', { exact: true }), 'wrong');
    expect(await send(page.locator('#me'), 1)).toBe('401');
    await fill(page.getByLabel('pid', { exact: true }), 'another');
    await eventually(() => page.locator('.prepare').count(), 0);
  });

  /** Searches from anew, so that nothing of an earlier search is taken for a result. */
  const titles = async (search: string): Promise<string[]> => {
    const [field, status] = [page.getByRole('searchbox'), page.locator('.drawer [role=status]')];
    await press(field, 'Escape');
    await eventually(() => status.innerText(), '');
    await fill(field, search);
    await eventually(() => status.innerText(), expect.stringMatching(/^(Results: \d+|No results)/));
    return page
      .locator('.drawer a')
      .evaluateAll((all) => all.map((link) => link.firstChild!.textContent ?? ''));
  };

  test('the usual words lead to a place among the first five', async () => {
    await open();
    for (const [title, searches] of Object.entries(SEARCHES))
      for (const search of searches.split(', '))
        expect([search, (await titles(search)).slice(0, 5)]).toEqual([
          search,
          expect.arrayContaining([title]),
        ]);
  });

  test('a short word is found at the start of words only, a part of camelCase too; titles come before fields', async () => {
    await open();
    await titles('lid');
    const before = await page
      .locator('.drawer mark')
      .evaluateAll((all) => all.map((mark) => mark.previousSibling?.textContent?.at(-1) ?? ' '));
    expect(before.length).toBeGreaterThan(20);
    expect(before.filter((letter) => /[a-z]/.test(letter))).toEqual([]);
    expect(await titles('share')).toEqual(expect.arrayContaining(["Update the calling store's settings"]));
    expect((await titles('move'))[0]).toBe('Move items to another list');
    const added = await titles('add item to wishlist');
    expect(added.slice(0, 2)).toContain('Add, update and remove list items');
    expect(added.indexOf('A shopper saved an item to a list')).toBeGreaterThan(1);
    expect(await titles('nowhere nohow lid')).toEqual([]);
    await page.getByText('Try one word, a field or a path').waitFor();
    expect((await titles('toemail')).length).toBeLessThan(4);
    const [found] = await page.locator('.drawer a').all();
    expect(await found!.locator('mark').textContent()).toBe('toemail');
    expect(await found!.locator('.snippet').textContent()).toMatch(/: toemail: \w+/);
  });

  test('keys alone find and open a call, and its address leads there again', async () => {
    await open('#/listsMoveItems');
    await page.locator('#listsMoveItems summary:focus').waitFor();
    await eventually(() => page.locator('.call').count(), 1);
    const { summary } = openApi().paths['/api/v3/lists/move-items']!['post'] as { summary: string };
    await eventually(() => page.title(), expect.stringMatching(`^${summary}`));
    await page.keyboard.press('/');
    await page.keyboard.type('toemail');
    await eventually(async () => (await page.locator('.drawer a').count()) < 4, true);
    await page.keyboard.press('Enter');
    await page.locator('#listsEmailList summary:focus').waitFor();
    expect(page.url()).toMatch(/#\/listsEmailList$/);
    await press(page.locator('#listsEmailList').getByRole('radio', { name: 'curl' }), 'ArrowRight');
    await page.locator('#listsEmailList .sample').getByText('client.sendListViaEmail(').waitFor();

    await page.keyboard.press('Control+k');
    await page.locator('input[type=search]:focus').waitFor();
    await titles('set stock');
    for (const key of ['ArrowDown', 'ArrowDown', 'ArrowUp', 'Enter']) await page.keyboard.press(key);
    await page.locator('#productsSetStock summary:focus').waitFor();
    await page.reload();
    await page.locator('#productsSetStock[open]').waitFor();
    await click(page.locator('#listsCreate > summary'));
    await eventually(() => page.url(), expect.stringMatching(/#\/listsCreate$/));
  });

  test('the contents begin with what a storefront needs; only the group of the open place is unfolded, and keys unfold others', async () => {
    await open('#/listsUpdateCtx');
    const groups = page.locator('.drawer summary');
    const names = (await groups.allInnerTexts()).slice(2, 8);
    expect(names).toEqual(['Shoppers', 'Lists', 'Items', 'Save for later', 'Alerts', 'Products']);
    const unfolded = (): Promise<string[]> => page.locator('.drawer [open] summary').allInnerTexts();
    expect(await unfolded()).toEqual(['Items']);
    await goTo('me');
    await eventually(unfolded, ['Store']);
    await press(groups.filter({ hasText: /^Alerts$/ }), 'Enter');
    for (const key of ['ArrowDown', 'Enter']) await page.keyboard.press(key);
    await page.locator('#bispaSubscriptionsCreate summary:focus').waitFor();
  });

  test('errors, webhook events and operations that only GraphQL has are beside the REST calls', async () => {
    await open('#/errors');
    await page.locator('#errors code').getByText('duplicate-lname').waitFor();
    await goTo('webhook/alert.failed');
    const payload = await page.getByLabel('payload of alert.failed').textContent();
    expect(JSON.parse(payload!)).toMatchObject({ type: 'alert.failed', data: { error: expect.any(String) } });
    await goTo('graphql/stores');
    await page.locator('#graphql-stores').getByText('an operator key').waitFor();
    await goTo('graphql/list');
    const list = page.locator('#graphql-list');
    await list.getByText('x-sessionid', { exact: true }).waitFor();
    const sample = await list.getByLabel('Sample response').textContent();
    expect(JSON.parse(sample!)).toMatchObject({ data: { list: { lname: 'Birthday' } } });
    await goTo('graphql/audience');
    await click(page.locator('#graphql-audience').getByRole('link', { name: 'Open in GraphiQL' }));
    await page.locator('.graphiql-query-editor').getByText('Audience', { exact: true }).waitFor();
    await page.getByRole('textbox', { name: 'Variables' }).waitFor();
    await click(page.locator('.graphiql-execute-button'));
    const result = page.locator('.result-window').first();
    await eventually(() => result.innerText(), expect.stringMatching(/"audience"[^]*"count": \d/));
  });

  test.each([
    { width: 1440, height: 900 },
    { width: 390, height: 844 },
  ])(
    'at $width pixels everybody can read it and send: Send is in view with the first field, and what is wrong is at its field',
    async (viewport) => {
      await open('', { viewport });
      const isWide = viewport.width > 800;
      const beyond = (): Promise<unknown> =>
        page.evaluate('document.documentElement.scrollWidth - innerWidth');
      expect(await beyond()).toBe(0);
      expect(await page.evaluate('document.documentElement.scrollHeight')).toBeLessThan(16_000);
      await goTo('listsCreate');
      const call = page.locator('#listsCreate');
      const name = call.getByLabel('lname', { exact: true });
      await fill(name, 'x');
      const isInView = (selector: string): Promise<boolean> =>
        call.locator(selector).evaluate((part) => {
          const { top, bottom } = part.getBoundingClientRect();
          return top >= 0 && bottom <= innerHeight;
        });
      await eventually(() => isInView('.send'), true);
      expect(await call.getByText('or press Ctrl+Enter').count()).toBe(isWide ? 1 : 0);
      await press(name, 'Control+Enter');
      expect(await statusOf(call, 1)).toBe('400');
      await call.getByText('lname must have 3 to 50 characters', { exact: true }).waitFor();
      await call.locator('#listsCreate-lname[aria-invalid=true]:focus').waitFor();
      await fill(name, `Christmas at ${viewport.width}`);
      await press(name, 'Control+Enter');
      expect(await statusOf(call, 2)).toBe('200');
      await eventually(() => isInView('[data-runs="2"] [data-status]'), true);
      expect(await call.locator('[aria-invalid=true]').count()).toBe(0);

      if (!isWide) await click(page.getByRole('button', { name: 'Contents and search' }));
      await click(page.locator('.drawer').getByText('Items', { exact: true }));
      await click(page.locator('.drawer a[href="#/listsUpdateCtx"]'));
      const section = page.locator('#listsUpdateCtx');
      await click(section.getByText('Response fields'));
      expect(await send(section, 1)).toBe('200');
      expect(await beyond()).toBe(0);
      const isCut = (all: Element[]): number =>
        all.filter(({ scrollWidth, clientWidth }) => scrollWidth > clientWidth).length;
      expect(await page.locator('pre').evaluateAll(isCut)).toBe(0);
      // All calls are drawn by the same code; axe takes long for all of them.
      for (const id of ['errors', 'webhook-alert.sent', 'graphql-saveTopic'])
        await click(page.locator(`[id="${id}"] > summary`));
      await page.locator('details[id]:not([open])').evaluateAll(
        (calls: HTMLElement[], most) => {
          for (const one of calls.slice(most)) one.style.display = 'none';
        },
        inFull(CALLS.length, 5),
      );
      expect(await (isWide ? allFindings : secondFindings)(page)).toEqual([]);
    },
  );
});
