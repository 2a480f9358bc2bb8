import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import type { Page } from 'playwright-core';
import { useService } from '../../harness.ts';
import { openApi } from '../../openapi.ts';
import { inFull } from '../../tier.ts';
import { allFindings, describeInBrowser, eventually, secondFindings, useBrowser } from './chromium.ts';

const CALLS = Object.values(openApi().paths).flatMap((methods) =>
  Object.values(methods).map(({ operationId }) => operationId as string),
);

/** Calls that need the word of a login provider or of Shopify, which the demo store has not. */
const VOUCHED = ['shopperLogin', 'shopifyProxyLogin'];

/** The statuses that curl commands are answered with, run one after another in one shell. */
async function runInShell(commands: string[]): Promise<string[]> {
  const curl = `curl() { command curl -sS -o /dev/null -w '%{http_code}\\n' "$@"; }`;
  const { stdout } = await promisify(execFile)('bash', ['-c', [curl, ...commands].join('\n')]);
  return stdout.trim().split('\n');
}

describeInBrowser('the API reference', () => {
  const browser = useBrowser();
  const service = useService({ demo: true });
  let page: Page;
  const outside: string[] = [];
  const complaints: string[] = [];

  const open = async (hash = ''): Promise<void> => {
    await page.goto(`${service.url}/docs${hash}`);
    await page.locator('[data-demo]').waitFor({ state: 'attached' });
  };
  /** Creates the demo shopper, whose ids the samples then have. */
  const setUp = async (): Promise<void> => {
    await page.getByRole('button', { name: 'Create the demo shopper now' }).click();
    await page.locator('[data-demo=ready]').waitFor({ state: 'attached' });
  };
  /** Opens all calls, which are closed at first. */
  const unfoldAll = (): Promise<void> =>
    page.locator('details[id]').evaluateAll((all: HTMLDetailsElement[]) => {
      for (const one of all) one.open = true;
    });
  const press = async (id: string, run: number): Promise<string | null> => {
    const section = page.locator(`#${id}`);
    await section.evaluate((call: HTMLDetailsElement) => void (call.open = true));
    await section.getByRole('button', { name: /^Send \// }).click();
    await section.locator(`[data-runs="${run}"]`).waitFor();
    return section.locator('[data-status]').getAttribute('data-status');
  };
  const choose = async (language: string): Promise<void> =>
    page.locator('#me').getByRole('radio', { name: language }).check();
  /** Code as it is copied, but for where the service listens: a test's port is not that of PUBLIC_URL. */
  const codesIn = async (selector: string): Promise<string[]> =>
    (await page.locator(`${selector} pre`).allTextContents()).map((code) =>
      code.replaceAll(service.services.config.publicUrl, service.url),
    );
  const codesOf = (id: string): Promise<string[]> => codesIn(`#${id} .sample`);
  /** Each call's code in the language that is shown, of those whose needs the demo store has: what others need is made by Send. */
  const codes = async (): Promise<[id: string, codes: string[]][]> => {
    const { publicUrl } = service.services.config;
    const found = await page.locator('details:has(.sample):not(:has(.prepare))').evaluateAll((calls) =>
      calls.map((call) => ({
        id: call.id,
        texts: [...call.querySelectorAll('.sample pre')].map((code) => code.textContent),
      })),
    );
    return found.map(({ id, texts }) => [id, texts.map((code) => code.replaceAll(publicUrl, service.url))]);
  };

  beforeEach(async () => {
    // Samples of code are run in the page itself, which its policy would not let anybody do.
    const context = await browser.newContext({ viewport: { width: 1440, height: 900 }, bypassCSP: true });
    context.on('request', (request) => {
      if (!request.url().startsWith(service.url)) outside.push(request.url());
    });
    context.on('console', (message) => {
      if (message.type() === 'error') complaints.push(message.text());
    });
    page = await context.newPage();
  });
  afterEach(() => {
    const unseen = complaints.splice(0).filter((text) => !text.includes('status of 401'));
    expect({ outside, unseen }).toEqual({ outside: [], unseen: [] });
  });

  /** The number of rows of every table. */
  const countRows = () =>
    service.services.db.query<{ name: string; rows: string }>(
      `SELECT table_name AS name, query_to_xml(format('SELECT count(*) FROM %I', table_name), false, true, '')::text AS rows
       FROM information_schema.tables WHERE table_schema = current_schema() ORDER BY 1`,
    );

  test('opening it, any call or guide of it, and the landing page writes nothing', async () => {
    const before = await countRows();
    expect(before.length).toBeGreaterThan(10);
    for (const place of ['/docs', '/docs#/listsCreate', '/docs#/guide/save', '/docs#/graphql/topics', '/']) {
      await page.goto('about:blank');
      await page.goto(service.url + place, { waitUntil: 'networkidle' });
      await page.locator('h1').first().waitFor();
    }
    expect(await countRows()).toEqual(before);
  });

  test('Send on every call returns 2xx in the order of the page, and again where it was pressed before', async () => {
    await open();
    const entries = await page.locator('details[id]').evaluateAll((parts) => parts.map(({ id }) => id));
    const shown = entries.filter((id) => !/^(graphql-|webhook-|errors$)/.test(id));
    expect([...shown].sort()).toEqual([...CALLS].sort());
    await unfoldAll();
    const sendable = shown.filter((id) => !VOUCHED.includes(id));
    const pressAll = async (ids: string[], run: number): Promise<void> => {
      const answers: string[] = [];
      for (const id of ids) {
        const box = page.locator(`#${id} .response pre`);
        const columns = id.endsWith('Csv') && (await box.textContent())?.split('\n')[0];
        answers.push(`${id} ${await press(id, run)}`);
        if (columns) expect((await box.textContent())?.split('\n')[0]).toBe(columns);
      }
      expect(answers).toEqual(ids.map((id) => `${id} 200`));
    };
    await pressAll(sendable, 1);
    // Those first that make or take away something of which there may be only one.
    const again = [...new Set(['listsCreate', 'listsUpdateCtx', 'listsDeleteList', ...sendable])];
    await pressAll(again.slice(0, inFull(sendable.length, 3)), 2);
  });

  test('curl, JavaScript and GraphQL of every call work as they are copied', async () => {
    await open();
    await setUp();
    await unfoldAll();
    // A guest without a back end is for browsers alone.
    const commands = (await codes()).filter(([id]) => ![...VOUCHED, 'shopperIdentify'].includes(id));
    expect(commands.length).toBeGreaterThan(25);
    expect(await runInShell(commands.flatMap(([, code]) => code))).toEqual(commands.map(() => '200'));

    const others = await page
      .locator('[id^="graphql-"]:not([id*=live]):not(:has-text("operator key"))')
      .evaluateAll((all) => all.map((one) => one.querySelector('[aria-label=curl]')!.textContent));
    expect(others.length).toBeGreaterThan(30);
    const queries = others
      .filter((code) => code.includes('"query": "query'))
      .map((code) => code.replaceAll(service.services.config.publicUrl, service.url));
    expect(await runInShell(queries)).toEqual(queries.map(() => '200'));
    const [live] = await codesIn('#graphql-live-lists figure:has([aria-label=curl])');
    expect(live).toMatch(/\/graphql\/stream'[^]*'accept: text\/event-stream'/);

    await choose('GraphQL');
    for (const [id, [query, variables, headers]] of await codes()) {
      if (!commands.some(([other]) => other === id)) continue;
      const answer = await service.http
        .post('/graphql')
        .set(JSON.parse(headers!) as Record<string, string>)
        .send({ query, variables: JSON.parse(variables!) as object });
      expect({ id, errors: answer.body.errors }).toEqual({ id, errors: undefined });
    }

    await choose('JavaScript');
    const samples = (await codes()).filter(([id]) => !VOUCHED.includes(id));
    await page.addScriptTag({ url: `${service.url}/client/wishgate.js` });
    for (const [id, [code]] of samples) expect(`${id} ${await runInPage(code!)}`).toBe(`${id} done`);
  });

  /** Runs code in the page; a call by fetch tells its status as the first thing that it prints. */
  const runInPage = (code: string): Promise<string> =>
    page.evaluate(async (text) => {
      const printed: unknown[][] = [];
      const body = `${text.replaceAll('console.log(', 'print(')}; if (typeof stop === 'function') stop();`;
      const Async = (async () => undefined).constructor as new (
        ...parts: string[]
      ) => (print: unknown) => Promise<void>;
      try {
        await new Async('print', body)((...values: unknown[]) => printed.push(values));
      } catch (error) {
        return String(error);
      }
      const status = printed[0]?.[0];
      return typeof status === 'number' && status >= 300 ? `status ${status}` : 'done';
    }, code);

  test('the examples of every guide run as they stand', async () => {
    await open();
    await setUp();
    const links = await page
      .locator('.guides a')
      .evaluateAll((all) => all.map((link) => link.getAttribute('href')!));
    expect(links.map((href) => href.split('/').at(-1))).toEqual([
      'identify',
      'save',
      'login',
      'alerts',
      'webhooks',
      'errors',
      'limits',
      'idempotency',
    ]);
    await page.addScriptTag({ url: `${service.url}/client/wishgate.js` });
    for (const href of links) {
      await page.evaluate((hash) => void (location.hash = hash), href);
      await page.locator(`#guide-${href.split('/').at(-1)}`).waitFor();
      const shell = await codesIn('.guide [data-language=bash]');
      if (shell.length > 0) {
        const safe = 'set -euo pipefail; curl() { command curl -sS --fail-with-body "$@"; }';
        await promisify(execFile)('bash', ['-c', [safe, ...shell].join('\n')]);
      }
      for (const code of await codesIn('.guide [data-language=js]'))
        expect(`${href} ${await runInPage(code)}`).toBe(`${href} done`);
    }
  });

  test('a wrong key is told in the page: no password dialog, and nothing of the demo is offered any more', async () => {
    await open('#/me');
    await setUp();
    await unfoldAll();
    expect(await page.locator('.prepare').count()).toBeGreaterThan(5);
    await page.getByLabel('API key', { exact: true }).fill('wrong');
    const answer = page.waitForResponse((response) => response.url().endsWith('/storeadmin/me'));
    expect(await press('me', 1)).toBe('401');
    expect(await (await answer).headerValue('www-authenticate')).toBeNull();
    await page.getByLabel('pid', { exact: true }).fill('another');
    await eventually(() => page.locator('.prepare').count(), 0);
  });

  test('a call is found by its fields, with the place that matched, and opened by its link and by keys alone', async () => {
    await open('#/listsMoveItems');
    await page.locator('#listsMoveItems summary:focus').waitFor();
    expect(await page.locator('.call').count()).toBe(1);
    const { summary } = openApi().paths['/api/v3/lists/move-items']!['post'] as { summary: string };
    await eventually(async () => (await page.title()).startsWith(summary), true);
    await page.keyboard.press('/');
    await page.keyboard.type('toemail');
    const found = page.getByRole('navigation', { name: 'Reference' }).getByRole('link');
    await eventually(async () => (await found.count()) < 4, true);
    await eventually(() => found.first().locator('mark').textContent(), 'toemail');
    expect(await found.first().locator('.snippet').last().textContent()).toMatch(/: toemail: \w+/);
    await page.keyboard.type(' nowhere nohow');
    await page.getByRole('status').getByText('No results').waitFor();
    for (const _letter of ' nowhere nohow') await page.keyboard.press('Backspace');
    await page.keyboard.press('Enter');
    await page.locator('#listsEmailList summary:focus').waitFor();
    expect(page.url()).toContain('#/listsEmailList');
    await page.locator('#listsEmailList').getByRole('radio', { name: 'curl' }).focus();
    await page.keyboard.press('ArrowRight');
    expect(await codesOf('listsEmailList')).toEqual([expect.stringContaining('client.sendListViaEmail(')]);
  });

  test('errors, webhook events and operations that only GraphQL has are beside the REST calls', async () => {
    await open('#/errors');
    await page.locator('#errors code').getByText('duplicate-lname').waitFor();
    await page.evaluate(() => void (location.hash = '#/webhook/alert.failed'));
    const payload = await page.getByLabel('payload of alert.failed').textContent();
    expect(JSON.parse(payload!)).toMatchObject({ type: 'alert.failed', data: { error: expect.any(String) } });
    await page.evaluate(() => void (location.hash = '#/graphql/audience'));
    await page.locator('#graphql-audience').getByRole('link', { name: 'Open in GraphiQL' }).click();
    await page.locator('.graphiql-query-editor').getByText('Audience', { exact: true }).waitFor();
    await page.getByRole('textbox', { name: 'Variables' }).waitFor();
    await page.locator('.graphiql-execute-button').click();
    const result = page.locator('.result-window').first();
    await eventually(async () => /"audience"[^]*"count": \d/.test(await result.innerText()), true);
  });

  test.each([
    { width: 1440, height: 900 },
    { width: 390, height: 844 },
  ])(
    'everybody can read it at $width pixels, in light and in dark colours, and it is small',
    async (viewport) => {
      page = await browser.newPage({ viewport });
      await open();
      const bytes = await page.evaluate(() =>
        (performance.getEntries() as PerformanceResourceTiming[]).reduce(
          (sum, { encodedBodySize = 0 }) => sum + encodedBodySize,
          0,
        ),
      );
      expect(bytes).toBeGreaterThan(20_000);
      expect(bytes).toBeLessThan(70_000);
      expect(await page.evaluate('document.documentElement.scrollWidth - innerWidth')).toBe(0);
      expect(await page.evaluate('document.documentElement.scrollHeight')).toBeLessThan(16_000);
      if (viewport.width < 800) await page.getByRole('button', { name: 'Contents and search' }).click();
      await page.locator('.drawer').getByText('Items', { exact: true }).click();
      await page.locator('.drawer a[href="#/listsUpdateCtx"]').click();
      const section = page.locator('#listsUpdateCtx');
      await section.getByText('Response fields').click();
      await press('listsUpdateCtx', 1);
      expect(await page.evaluate('document.documentElement.scrollWidth - innerWidth')).toBe(0);
      // All calls are drawn by the same code; axe takes long for all of them.
      for (const id of ['errors', 'webhook-alert.sent', 'graphql-saveTopic'])
        await page.locator(`[id="${id}"] > summary`).click();
      await page.locator('details[id]:not([open])').evaluateAll(
        (calls: HTMLElement[], most) => {
          for (const call of calls.slice(most)) call.style.display = 'none';
        },
        inFull(CALLS.length, 5),
      );
      expect(await (viewport.width < 800 ? secondFindings : allFindings)(page)).toEqual([]);
    },
  );
});
