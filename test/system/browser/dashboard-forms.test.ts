import type { Page } from 'playwright-core';
import type { NewStore } from '../../../src/stores/store.service.ts';
import { useNewStore, useService } from '../../harness.ts';
import { describeInBrowser, eventually, useBrowser } from './chromium.ts';
import { enter, openPage, signIn } from './dashboard-page.ts';

describeInBrowser('forms of the dashboard', () => {
  const browser = useBrowser();
  const service = useService();
  const store = useNewStore(service, { name: 'Nordlys' });
  let page: Page;

  beforeEach(async () => void (page = await browser.newPage()));

  const said = (text: string | RegExp) => page.getByRole('status').getByText(text);

  async function call(query: string, variables: object = {}, as: NewStore = store) {
    const { body } = await service.graphql(query, variables, { store: as }).expect(200);
    if (body.errors) throw new Error(JSON.stringify(body.errors));
    return body.data;
  }

  const saveTopic = (input: object) =>
    call('mutation ($input: SaveTopicInput!) { saveTopic(input: $input) { name } }', { input });

  async function topic(name: string, fields: string) {
    const { topics } = await call(`{ topics { name ${fields} } }`);
    return topics.find((entry: { name: string }) => entry.name === name);
  }

  async function enterTopic(name: string): Promise<void> {
    await enter(page, service.url, store, `topics/${name}`);
    await page.getByRole('textbox', { name: 'Subject' }).waitFor();
  }

  /** From the page of all topics. */
  async function openTopic(name: string): Promise<void> {
    await page.getByRole('link', { name, exact: true }).click();
    await page.getByRole('textbox', { name: 'Subject' }).waitFor();
  }

  async function pressSaveTopic(): Promise<void> {
    await page.getByRole('button', { name: 'Save' }).click();
    await said(/^Topic .* saved\.$/).waitFor();
    // An earlier message of saving may still be there.
    await page.getByText('All changes saved.').waitFor();
  }

  test('a topic that leaves its tag and its batches is saved, and the page says so', async () => {
    await saveTopic({
      name: 'launch',
      trigger: 'tag',
      tag: 'new',
      batchSize: 10,
      batchIntervalSeconds: 600,
    });
    await enterTopic('launch');
    await page.getByText('All changes saved.').waitFor();
    await page.getByLabel('Sent').selectOption('Manually');
    await page.getByLabel('Recipients').selectOption('Send to all at once');
    await page.getByText('You have unsaved changes.').waitFor();
    await pressSaveTopic();
    await page.getByText('Sent: Manually').waitFor();
    expect(await topic('launch', 'trigger tag batchSize')).toEqual({
      name: 'launch',
      trigger: 'manual',
      tag: null,
      batchSize: null,
    });
  });

  test('the form shows the settings of the trigger that is chosen, and no others', async () => {
    await saveTopic({ name: 'launch' });
    await enterTopic('launch');
    const settings = ['Product tag', 'Minimum stock', 'Minimum price drop (%)', 'Low-stock threshold'];
    const shown = async () => {
      const counts = await Promise.all(settings.map((label) => page.getByLabel(label).count()));
      return settings.filter((_label, index) => counts[index]! > 0).join(', ');
    };
    for (const [trigger, own] of [
      ['Manually', ''],
      ['When a product gets a tag', 'Product tag'],
      ['When a product is back in stock', 'Minimum stock'],
      ['When the price drops', 'Minimum price drop (%)'],
      ['When stock is low', 'Low-stock threshold'],
    ] as const) {
      await page.getByLabel('Sent').selectOption(trigger);
      await eventually(shown, own);
    }
  });

  test('batches may follow each other within less than a minute', async () => {
    await saveTopic({ name: 'launch', batchSize: 10, batchIntervalSeconds: 90 });
    await enterTopic('launch');
    expect(await page.getByLabel('Minutes between batches').inputValue()).toBe('1.5');
    await page.getByRole('textbox', { name: 'Subject' }).fill('News');
    await pressSaveTopic();
    expect(await topic('launch', 'subject batchIntervalSeconds')).toMatchObject({
      subject: 'News',
      batchIntervalSeconds: 90,
    });
    await page.getByLabel('Minutes between batches').fill('0.5');
    await pressSaveTopic();
    expect(await topic('launch', 'batchIntervalSeconds')).toMatchObject({ batchIntervalSeconds: 30 });
  });

  test('a merchant sets by how much a price has to fall, a delay, and that list holders hear; back in stock offers no such switch', async () => {
    await enterTopic('pricedrop');
    await page.getByLabel('Minimum price drop (%)').fill('20');
    await page.getByLabel('Delay (minutes)').fill('1.5');
    await page.getByLabel('Also alert shoppers who have the product in a list').check();
    await pressSaveTopic();
    expect(await topic('pricedrop', 'trigger dropPercent delaySeconds listHolders')).toEqual({
      ...{ name: 'pricedrop', trigger: 'pricedrop' },
      ...{ dropPercent: 20, delaySeconds: 90, listHolders: true },
    });
    await page.getByLabel('Sent').selectOption('When stock is low');
    await page.getByLabel('Low-stock threshold').waitFor();
    await page.getByRole('button', { name: 'Discard' }).click();
    await page.getByLabel('Minimum price drop (%)').waitFor();
    await openPage(page, 'Topics');
    await page
      .getByText('price drop of 20% or more · also shoppers with the product in a list · after')
      .waitFor();
    await openTopic('Back in stock');
    expect(await page.getByLabel('Also alert shoppers who have the product in a list').count()).toBe(0);
  });

  test('what a colleague changed in a topic meanwhile stays, and appears', async () => {
    await enterTopic('backinstock');
    await saveTopic({ name: 'backinstock', sms: 'Back: {{ product.url }}', minStock: 7 });
    await page.getByRole('textbox', { name: 'Subject' }).fill('It is back');
    await pressSaveTopic();
    expect(await topic('backinstock', 'subject sms minStock')).toEqual({
      name: 'backinstock',
      subject: 'It is back',
      sms: 'Back: {{ product.url }}',
      minStock: 7,
    });
    await eventually(() => page.getByLabel('Minimum stock').inputValue(), '7');
  });

  test('what a colleague changed in the settings meanwhile stays, and appears', async () => {
    await enter(page, service.url, store, 'settings');
    await page.getByLabel('Store name').waitFor();
    await call(
      'mutation { updateStore(input: { allowedOrigins: ["https://new.example"], doubleOptIn: true }) { pid } }',
    );
    await page.getByLabel('Store name').fill('Renamed');
    await page.getByRole('region', { name: 'General' }).getByRole('button', { name: 'Save' }).click();
    await said('Settings saved.').waitFor();
    expect(await call('{ store { name allowedOrigins doubleOptIn } }')).toEqual({
      store: { name: 'Renamed', allowedOrigins: ['https://new.example'], doubleOptIn: true },
    });
    await eventually(() => page.getByLabel('Allowed origins').inputValue(), 'https://new.example');
  });

  test('what is not saved is asked about before a link, Back, signing out or closing the tab would lose it', async () => {
    await enter(page, service.url, store, 'topics');
    await openTopic('Back in stock');
    const subject = page.getByRole('textbox', { name: 'Subject' });
    const question = page.getByRole('dialog', { name: 'Leave without saving?' });
    const stay = async () => {
      await question.getByRole('button', { name: 'Stay on this page' }).click();
      await question.waitFor({ state: 'detached' });
      expect(await subject.inputValue()).toBe('Half a thought');
      expect(await page.evaluate(() => location.hash)).toBe('#/topics/backinstock');
    };
    await subject.waitFor();
    const saved = await subject.inputValue();
    expect(saved).toContain('is back in stock');
    await subject.fill('Half a thought');
    await page.getByRole('link', { name: 'Products' }).click();
    await stay();
    await page.evaluate(() => history.back());
    await stay();
    await page.getByRole('button', { name: 'Sign out' }).click();
    await stay();
    const isTabKept = () =>
      page.evaluate(() => !dispatchEvent(new Event('beforeunload', { cancelable: true })));
    expect(await isTabKept()).toBe(true);

    await page.evaluate(() => history.back());
    await question.getByRole('button', { name: 'Leave without saving' }).click();
    await page.getByRole('heading', { name: 'Your topics' }).waitFor();
    await page.evaluate(() => history.forward());
    await eventually(() => subject.inputValue(), saved);
    await page.getByRole('link', { name: 'Products' }).click();
    await page.getByRole('heading', { level: 1, name: 'Products' }).waitFor();
    expect(await isTabKept()).toBe(false);
  });

  test('sections of the settings have addresses, and what is typed in one stays when one goes to another', async () => {
    await page.goto(`${service.url}/dashboard#/settings/schedule`);
    await signIn(page, store);
    const focused = () => page.evaluate(() => document.activeElement?.id);
    await eventually(focused, 'section-schedule');
    await page.getByLabel('Store name').fill('Renamed');
    await page.getByRole('link', { name: 'Lists', exact: true }).click();
    await eventually(focused, 'section-lists');
    expect(await page.evaluate(() => location.hash)).toBe('#/settings/lists');
    expect(await page.getByLabel('Store name').inputValue()).toBe('Renamed');
    await page.getByRole('button', { name: 'Discard' }).click();
    await eventually(() => page.getByLabel('Store name').inputValue(), 'Nordlys');
  });

  test('the card of the mail server follows the sender email as it is saved', async () => {
    await enter(page, service.url, store, 'settings');
    const card = page.locator('#section-mail-server');
    const save = async (address: string): Promise<void> => {
      await page.getByLabel('Sender email').fill(address);
      const saved = page.waitForResponse((response) =>
        (response.request().postData() ?? '').includes('SaveSettings'),
      );
      await page.getByRole('region', { name: 'Brand' }).getByRole('button', { name: 'Save' }).click();
      await saved;
    };
    await card.getByText('We save your emails as files on the server of this service').waitFor();
    await card.getByText('Set a sender email first').waitFor();
    await save('hello@shop.example');
    await card.getByLabel('Host').waitFor();
    await save('');
    await card.getByText('Set a sender email first').waitFor();
  });

  test("a product's picture over http is shown on a developer's machine", async () => {
    const iu = 'http://shop.test/kettle.svg';
    const products = [{ epi: 1, empi: 1, du: '/p', dt: 'Kettle', iu }];
    await service.post('/storeadmin/v3/products/upsert', { products }, { store }).expect(200);
    const body = '<svg xmlns="http://www.w3.org/2000/svg" width="40" height="40"/>';
    await page.route(iu, (route) => route.fulfill({ contentType: 'image/svg+xml', body }));
    await enter(page, service.url, store, 'products');
    await page.locator(`img[src="${iu}"]`).waitFor();
    await page.waitForFunction(() => [...document.images].every(({ naturalWidth }) => naturalWidth > 0));
  });

  test('when alerts leave is set in minutes, times of day and a zone, refused in words, and cleared', async () => {
    await enter(page, service.url, store, 'settings');
    const card = page.getByRole('region', { name: 'Sending schedule' });
    const save = () => card.getByRole('button', { name: 'Save' }).click();
    await card.getByLabel('Combine alerts (minutes)').fill('10');
    await card.getByLabel('Messages per day').fill('3');
    await card.getByLabel('Quiet hours from').fill('22:00');
    await save();
    await card.getByText('Enter a start and an end of the quiet hours that differ.').waitFor();
    await card.getByLabel('Quiet hours until').fill('07:30');
    await card.getByLabel('Time zone').selectOption('Europe/Berlin');
    await save();
    await said('Settings saved.').waitFor();
    const fields = '{ store { digestSeconds quietFrom quietTo timeZone dailyCap } }';
    expect(await call(fields)).toEqual({
      store: {
        digestSeconds: 600,
        quietFrom: '22:00',
        quietTo: '07:30',
        timeZone: 'Europe/Berlin',
        dailyCap: 3,
      },
    });
    await openPage(page, 'Overview');
    await openPage(page, 'Settings');
    await eventually(() => card.getByLabel('Quiet hours from').inputValue(), '22:00');
    for (const label of [
      'Combine alerts (minutes)',
      'Messages per day',
      'Quiet hours from',
      'Quiet hours until',
    ])
      await card.getByLabel(label).fill('');
    await save();
    await eventually(
      async () => JSON.stringify((await call(fields)).store),
      JSON.stringify({
        digestSeconds: 0,
        quietFrom: null,
        quietTo: null,
        timeZone: 'Europe/Berlin',
        dailyCap: null,
      }),
    );
  });

  test('the page knows whether Shopify is connected, and asks before it is disconnected', async () => {
    const card = page.getByRole('region', { name: 'Shopify' });
    await enter(page, service.url, store, 'integrations');
    await card.getByText('Not connected').waitFor();
    const address = card.getByLabel('Webhook URL');
    expect(await address.inputValue()).toContain(`/webhooks/shopify/${encodeURIComponent(store.pid)}`);
    await page.getByLabel('Signing secret').fill('shpss_0123456789abcdef');
    await card.getByRole('button', { name: 'Connect' }).click();
    await said('Shopify connected.').waitFor();

    await openPage(page, 'Overview');
    await openPage(page, 'Integrations');
    await card.getByText('Connected', { exact: true }).waitFor();
    await card.getByRole('button', { name: 'Disconnect' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click();
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    expect(await call('{ store { shopify { connected } } }')).toEqual({
      store: { shopify: { connected: true } },
    });
    await card.getByRole('button', { name: 'Disconnect' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Disconnect' }).click();
    await said('Shopify disconnected.').waitFor();
    await card.getByText('Not connected').waitFor();
    expect(await call('{ store { shopify { connected } } }')).toEqual({
      store: { shopify: { connected: false } },
    });
  });

  test('a secret that the browser cannot copy is selected, and the page says so', async () => {
    // As over plain HTTP, which a test on this machine's own address does not count as.
    await page.addInitScript(() => Object.defineProperty(navigator, 'clipboard', { value: undefined }));
    await enter(page, service.url, store, 'settings');
    await page.getByRole('button', { name: 'Create key' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Create' }).click();
    await page.getByRole('button', { name: 'Copy' }).click();
    await said('you can copy it yourself').waitFor();
    const key = await page.getByRole('dialog').getByLabel('API key').inputValue();
    await eventually(() => page.evaluate(() => getSelection()?.toString()), key);
  });

  test('the audit log names the key that asked, also when it is revoked', async () => {
    const { createApiKey } = await call('mutation { createApiKey { id apiKey } }');
    const shopper = await service.account(store, 'ada@example.com');
    const exportBy = (as: NewStore) =>
      call('mutation ($regid: String) { exportShopper(regid: $regid) { exportedAt } }', shopper, as);
    await exportBy(store);
    await exportBy({ ...store, apiKey: createApiKey.apiKey });
    await call('mutation ($id: ID!) { revokeApiKey(id: $id) { pid } }', { id: createApiKey.id });
    await enter(page, service.url, store, 'shoppers');
    await page.getByRole('button', { name: 'Audit log' }).click();
    const log = page.getByRole('table', { name: 'Audit log' });
    await log.getByRole('cell', { name: `…${store.apiKey.slice(-4)}` }).waitFor();
    await log.getByRole('cell', { name: createApiKey.id }).waitFor();
  });
});
