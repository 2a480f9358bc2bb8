import type { Locator, Page } from 'playwright-core';
import type { NewStore } from '../../../src/stores/store.service.ts';
import { useNewStore, useService } from '../../harness.ts';
import { choose, click, fill, tick } from './act.ts';
import { describeInBrowser, eventually, useBrowser } from './chromium.ts';
import { enter, openPage, signIn } from './dashboard-page.ts';

describeInBrowser('forms of the dashboard', () => {
  const browser = useBrowser();
  const service = useService();
  const store = useNewStore(service, { name: 'Nordlys' });
  let page: Page;

  beforeEach(async () => void (page = await browser.newPage()));

  const button = (name: string, within: Page | Locator = page) => within.getByRole('button', { name });
  const region = (name: string) => page.getByRole('region', { name });
  const dialog = () => page.getByRole('dialog');
  const subject = () => page.getByRole('textbox', { name: 'Subject' });

  async function call(query: string, variables: object = {}, as: NewStore = store) {
    const { body } = await service.graphql(query, variables, { store: as }).expect(200);
    if (body.errors) throw new Error(JSON.stringify(body.errors));
    return body.data;
  }

  const saveTopic = (input: object) =>
    call('mutation ($input: SaveTopicInput!) { saveTopic(input: $input) { name } }', { input });

  const readStore = (fields: string) => async () => (await call(`{ store { ${fields} } }`)).store;

  async function enterTopic(name: string): Promise<void> {
    await enter(page, service.url, store, `topics/${name}`);
    await subject().waitFor();
  }

  /** Saves the topic on the page: the service has these values then, and the page shows that nothing is left to save. */
  async function expectSaved(name: string, expected: Record<string, unknown>): Promise<void> {
    await page.getByText('You have unsaved changes.').waitFor();
    await click(button('Save'));
    const read = async () => {
      const { topics } = await call(`{ topics { name ${Object.keys(expected).join(' ')} } }`);
      return topics.find((topic: { name: string }) => topic.name === name);
    };
    await eventually(read, { name, ...expected });
    await page.getByText('All changes saved.').waitFor();
  }

  test('a topic shows the settings of the trigger that is chosen, takes parts of a minute, and clears what it hides', async () => {
    const batches = { batchSize: 10, batchIntervalSeconds: 90 };
    await saveTopic({ name: 'launch', trigger: 'tag', tag: 'new', ...batches });
    await enterTopic('launch');
    await page.getByText('All changes saved.').waitFor();
    const minutes = page.getByLabel('Minutes between batches');
    expect(await minutes.inputValue()).toBe('1.5');
    await fill(subject(), 'News');
    await expectSaved('launch', { subject: 'News', batchIntervalSeconds: 90 });
    await fill(minutes, '0.5');
    await expectSaved('launch', { batchIntervalSeconds: 30 });

    const settings = ['Product tag', 'Minimum stock', 'Minimum price drop (%)', 'Low-stock threshold'];
    const shown = async () => {
      const counts = await Promise.all(settings.map((label) => page.getByLabel(label).count()));
      return settings.filter((_label, index) => counts[index]! > 0);
    };
    for (const [trigger, ...own] of [
      ['When a product gets a tag', 'Product tag'],
      ['When a product is back in stock', 'Minimum stock'],
      ['When the price drops', 'Minimum price drop (%)'],
      ['When stock is low', 'Low-stock threshold'],
      ['Manually'],
    ] as const) {
      await choose(page.getByLabel('Sent'), { label: trigger });
      await eventually(shown, own);
    }
    await choose(page.getByLabel('Recipients'), { label: 'Send to all at once' });
    await expectSaved('launch', { trigger: 'manual', tag: null, batchSize: null });
    await page.getByText('Sent: Manually').waitFor();
  });

  test('a merchant sets by how much a price has to fall, a delay, and that list holders hear; back in stock offers no such switch', async () => {
    const holders = page.getByLabel('Also alert shoppers who have the product in a list');
    await enterTopic('pricedrop');
    await fill(page.getByLabel('Minimum price drop (%)'), '20');
    await fill(page.getByLabel('Delay (minutes)'), '1.5');
    await tick(holders);
    const rules = { dropPercent: 20, delaySeconds: 90, listHolders: true };
    await expectSaved('pricedrop', { trigger: 'pricedrop', ...rules });
    await choose(page.getByLabel('Sent'), { label: 'When stock is low' });
    await page.getByLabel('Low-stock threshold').waitFor();
    await click(button('Discard'));
    await page.getByLabel('Minimum price drop (%)').waitFor();
    await openPage(page, 'Topics');
    await page
      .getByText('price drop of 20% or more · also shoppers with the product in a list · after')
      .waitFor();
    await click(page.getByRole('link', { name: 'Back in stock', exact: true }));
    await subject().waitFor();
    expect(await holders.count()).toBe(0);
  });

  test('what a colleague changed in a topic meanwhile stays, and appears', async () => {
    await enterTopic('backinstock');
    await saveTopic({ name: 'backinstock', sms: 'Back: {{ product.url }}', minStock: 7 });
    await fill(subject(), 'It is back');
    await expectSaved('backinstock', { subject: 'It is back', sms: 'Back: {{ product.url }}', minStock: 7 });
    await eventually(() => page.getByLabel('Minimum stock').inputValue(), '7');
  });

  test('a section of the settings has an address; while it is saved, what is typed in others stays, and what a colleague changed stays and appears', async () => {
    await page.goto(`${service.url}/dashboard#/settings/schedule`);
    await signIn(page, store);
    const name = page.getByLabel('Store name');
    const sender = page.getByLabel('Sender email');
    const origins = page.getByLabel('Allowed origins');
    const mailServer = page.locator('#section-mail-server');
    const focused = () => page.evaluate(() => document.activeElement?.id);
    await eventually(focused, 'section-schedule');
    await fill(name, 'Renamed');
    await click(page.getByRole('link', { name: 'Lists', exact: true }));
    await eventually(focused, 'section-lists');
    expect(await page.evaluate(() => location.hash)).toBe('#/settings/lists');

    await call('mutation { updateStore(input: { allowedOrigins: ["https://new.example"] }) { pid } }');
    await mailServer.getByText('We save your emails as files on the server of this service').waitFor();
    await mailServer.getByText('Set a sender email first').waitFor();
    await fill(sender, 'hello@shop.example');
    await click(button('Save', region('Brand')));
    await mailServer.getByLabel('Host').waitFor();
    await eventually(
      () => Promise.all([name, origins].map((field) => field.inputValue())),
      ['Renamed', 'https://new.example'],
    );
    await click(button('Save', region('General')));
    await eventually(readStore('name allowedOrigins senderAddress'), {
      name: 'Renamed',
      allowedOrigins: ['https://new.example'],
      senderAddress: 'hello@shop.example',
    });
    await page.getByRole('banner').getByText('Renamed').waitFor();
    await fill(sender, '');
    await click(button('Save', region('Brand')));
    await mailServer.getByText('Set a sender email first').waitFor();
    await fill(name, 'Half a name');
    await click(button('Discard', region('General')));
    await eventually(() => name.inputValue(), 'Renamed');
  });

  test('what is not saved is asked about before a link, Back, signing out or closing the tab would lose it', async () => {
    await enter(page, service.url, store, 'topics');
    await click(page.getByRole('link', { name: 'Back in stock', exact: true }));
    const question = page.getByRole('dialog', { name: 'Leave without saving?' });
    const products = page.getByRole('link', { name: 'Products' });
    const stay = async () => {
      await click(button('Stay on this page', question));
      await question.waitFor({ state: 'detached' });
      expect(await subject().inputValue()).toBe('Half a thought');
      expect(await page.evaluate(() => location.hash)).toBe('#/topics/backinstock');
    };
    const isTabKept = () =>
      page.evaluate(() => !dispatchEvent(new Event('beforeunload', { cancelable: true })));
    const saved = await subject().inputValue();
    expect(saved).toContain('is back in stock');
    await fill(subject(), 'Half a thought');
    await page.getByText('You have unsaved changes.').waitFor();
    await click(products);
    await stay();
    await page.evaluate(() => history.back());
    await stay();
    await click(button('Sign out'));
    await stay();
    expect(await isTabKept()).toBe(true);

    await page.evaluate(() => history.back());
    await click(button('Leave without saving', question));
    await page.getByRole('heading', { name: 'Your topics' }).waitFor();
    await page.evaluate(() => history.forward());
    await eventually(() => subject().inputValue(), saved);
    await click(products);
    await page.getByRole('heading', { level: 1, name: 'Products' }).waitFor();
    expect(await isTabKept()).toBe(false);
  });

  test('the sending schedule is set in minutes, times of day and a zone, refused at its field, and cleared', async () => {
    await enter(page, service.url, store, 'settings');
    const card = region('Sending schedule');
    const save = () => click(button('Save', card));
    const from = card.getByLabel('Quiet hours from');
    const until = card.getByLabel('Quiet hours until');
    const saved = readStore('digestSeconds quietFrom quietTo timeZone dailyCap');
    await fill(card.getByLabel('Combine alerts (minutes)'), '10');
    await fill(card.getByLabel('Messages per day'), '3');
    await fill(from, '22:00');
    await save();
    await card.getByText('Enter a start and an end of the quiet hours that differ.').waitFor();
    expect(await until.getAttribute('aria-invalid')).toBe('true');
    await fill(until, '07:30');
    await choose(card.getByLabel('Time zone'), 'Europe/Berlin');
    await save();
    await eventually(saved, {
      digestSeconds: 600,
      quietFrom: '22:00',
      quietTo: '07:30',
      timeZone: 'Europe/Berlin',
      dailyCap: 3,
    });
    await card.getByText('All changes saved.').waitFor();
    await openPage(page, 'Overview');
    await openPage(page, 'Settings');
    await eventually(() => from.inputValue(), '22:00');
    const labels = ['Combine alerts (minutes)', 'Messages per day', 'Quiet hours from', 'Quiet hours until'];
    for (const label of labels) await fill(card.getByLabel(label), '');
    await save();
    const none = { digestSeconds: 0, quietFrom: null, quietTo: null, dailyCap: null };
    await eventually(saved, { ...none, timeZone: 'Europe/Berlin' });
  });

  test('the page knows whether Shopify is connected, and asks before it is disconnected', async () => {
    const card = region('Shopify');
    const connected = readStore('shopify { connected }');
    await enter(page, service.url, store, 'integrations');
    await card.getByText('Not connected').waitFor();
    const address = await card.getByLabel('Webhook URL').inputValue();
    expect(address).toContain(`/webhooks/shopify/${encodeURIComponent(store.pid)}`);
    await fill(card.getByLabel('Signing secret'), 'shpss_0123456789abcdef');
    await click(button('Connect', card));
    await card.getByText('Connected', { exact: true }).waitFor();
    await page.reload();
    await card.getByText('Connected', { exact: true }).waitFor();
    await click(button('Disconnect', card));
    await click(button('Cancel', dialog()));
    await dialog().waitFor({ state: 'detached' });
    expect(await connected()).toEqual({ shopify: { connected: true } });
    await click(button('Disconnect', card));
    await click(button('Disconnect', dialog()));
    await card.getByText('Not connected').waitFor();
    expect(await connected()).toEqual({ shopify: { connected: false } });
  });

  test('a new key that the browser cannot copy is selected, and the page says so; the audit log names the key that asked, also when it is revoked', async () => {
    // As over plain HTTP, which a test on this machine's own address does not count as.
    await page.addInitScript(() => Object.defineProperty(navigator, 'clipboard', { value: undefined }));
    await enter(page, service.url, store, 'settings');
    await click(button('Create key'));
    await click(button('Create', dialog()));
    await click(button('Copy', dialog()));
    await dialog().getByText('you can copy it yourself').waitFor();
    const apiKey = await dialog().getByLabel('API key').inputValue();
    const selected = () => page.evaluate(() => [document.activeElement?.tagName, getSelection()?.toString()]);
    await eventually(selected, ['INPUT', apiKey]);

    const { regid } = await service.account(store, 'ada@example.com');
    for (const as of [store, { ...store, apiKey }])
      await call('mutation ($regid: String) { exportShopper(regid: $regid) { exportedAt } }', { regid }, as);
    const { apiKeys } = await readStore('apiKeys { id hint }')();
    const { id } = apiKeys.find(({ hint }: { hint: string }) => apiKey.endsWith(hint));
    await call('mutation ($id: ID!) { revokeApiKey(id: $id) { pid } }', { id });
    await enter(page, service.url, store, 'shoppers?view=audit');
    const log = page.getByRole('table', { name: 'Audit log' });
    await log.getByRole('cell', { name: `…${store.apiKey.slice(-4)}` }).waitFor();
    await log.getByRole('cell', { name: id }).waitFor();
  });
});
