import type { Page } from 'playwright-core';
import { useService } from '../../harness.ts';
import { startHttp } from '../../alerts/receivers.ts';
import { describeInBrowser, eventually, useBrowser } from './chromium.ts';
import { enter, openPage, signIn } from './dashboard-page.ts';

const DAY_MS = 86_400_000;

describeInBrowser('figures of the dashboard', () => {
  const browser = useBrowser();
  const service = useService({ demo: true, webhookAllowPrivate: true });
  let page: Page;

  beforeEach(async () => void (page = await browser.newPage()));

  /** The day so many days ago, in UTC. */
  const dayAgo = (age: number): string => new Date(Date.now() - age * DAY_MS).toISOString().slice(0, 10);

  const isHeadingFocused = (name: string) =>
    page.getByRole('heading', { level: 1, name }).evaluate((element) => element === document.activeElement);

  test('a period is chosen by presets or days, compared with the one before, and stays in the address', async () => {
    const store = await service.createStore({ name: 'Periods' });
    const figures = Array.from({ length: 20 }, (_, age) => ({ key: dayAgo(age), n: age < 7 ? 3 : 2 }));
    await service.services.db.query(
      `INSERT INTO tally (pid, kind, key, n) SELECT $1, 'add', f.key, f.n FROM jsonb_to_recordset($2::jsonb) AS f(key text, n int)`,
      [store.pid, JSON.stringify(figures)],
    );
    await enter(page, service.url, store);
    await page.getByText('Days are in the time zone UTC.').waitFor();
    const added = page.getByRole('figure').filter({ hasText: 'Added to lists' });
    await added.getByText('none in the period before').waitFor();
    await page.getByRole('button', { name: '7 days' }).click();
    await added.getByText('+50% vs. previous 7 days').waitFor();

    await page.getByRole('button', { name: 'Custom' }).click();
    expect(await page.getByLabel('From', { exact: true }).inputValue()).toBe(dayAgo(6));
    await page.getByLabel('From', { exact: true }).fill(dayAgo(8));
    await page.getByLabel('To', { exact: true }).fill(dayAgo(7));
    await added.getByText('0% vs. previous 2 days').waitFor();
    await page.reload();
    await added.getByText('4', { exact: true }).first().waitFor();
    expect(await page.getByLabel('To', { exact: true }).inputValue()).toBe(dayAgo(7));
    await page.getByLabel('To', { exact: true }).fill(dayAgo(9));
    await page
      .getByRole('alert')
      .getByText('Choose a first day that is at most 366 days before the last one.')
      .first()
      .waitFor();
  });

  test("revenue names the store's time zone, its days and file follow the period, and topics have their names", async () => {
    const store = await service.createStore({ name: 'Zones', timeZone: 'Pacific/Kiritimati' });
    const order = (orderId: string, age: number, price: string) =>
      service
        .post(
          '/storeadmin/v3/orders/report',
          {
            ...{ orderId, currency: 'EUR', orderedAt: new Date(Date.now() - age * DAY_MS).toISOString() },
            lines: [{ epi: '7', quantity: 1, price }],
          },
          { store },
        )
        .expect(200);
    await order('a', 1, '30');
    await order('b', 9, '20');
    await service.services.db.query(`INSERT INTO tally (pid, kind, key, n) VALUES ($1, 'click', $2, 2)`, [
      store.pid,
      `${dayAgo(1)} backinstock`,
    ]);
    await enter(page, service.url, store, 'revenue?days=7');
    await page.getByText('Days are in the time zone Pacific/Kiritimati.').waitFor();
    await page
      .getByRole('row', { name: /€30.00/ })
      .getByText('+50% vs. previous 7 days')
      .waitFor();
    await page.getByRole('table', { name: 'Revenue by topic' }).getByText('Back in stock').waitFor();
    const [file] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'CSV' }).click(),
    ]);
    const chunks: Buffer[] = [];
    for await (const chunk of await file.createReadStream()) chunks.push(chunk as Buffer);
    const lines = Buffer.concat(chunks).toString().trim().split('\n');
    expect(lines).toHaveLength(8);
  });

  test("a webhook's row sends a test event and shows its delivery", async () => {
    const receiver = await startHttp();
    try {
      const store = await service.createStore();
      const url = `${receiver.url}/hook`;
      const save = 'mutation ($url: String!) { saveWebhook(url: $url, events: ["alert.sent"]) { secret } }';
      await service.graphql(save, { url }, { store }).expect(200);
      await enter(page, service.url, store, 'integrations');
      await page.getByRole('button', { name: `Send test event: ${url}` }).click();
      await page.getByRole('dialog').getByLabel('Payload').getByText('"type": "webhook.test"').waitFor();
      await service.runTasks();
      await page.getByRole('table', { name: 'Attempts' }).getByText('201').waitFor();
      expect(receiver.received).toHaveLength(1);
    } finally {
      await receiver.close();
    }
  });

  test('the notice of the demo store is closed for this tab, also on other pages and after a reload', async () => {
    await enter(page, service.url, service.demo!);
    const notice = page.getByRole('complementary', { name: 'About the demo store' });
    await notice.getByRole('button', { name: 'Close this notice' }).click();
    await notice.waitFor({ state: 'detached' });
    expect(await isHeadingFocused('Overview')).toBe(true);
    await openPage(page, 'Topics');
    await page.reload();
    await page.getByRole('heading', { level: 1, name: 'Topics' }).waitFor();
    expect(await notice.count()).toBe(0);
  });

  test('the heading has the focus after signing in and after a change of the page, but not after a reload', async () => {
    const store = await service.createStore();
    await page.goto(`${service.url}/dashboard`);
    await signIn(page, store);
    await eventually(() => isHeadingFocused('Overview'), true);
    await openPage(page, 'Alerts');
    await eventually(() => isHeadingFocused('Alerts'), true);
    await page.reload();
    await page.getByRole('heading', { level: 1, name: 'Alerts' }).waitFor();
    expect(await isHeadingFocused('Alerts')).toBe(false);
  });
});
