import { text as readText } from 'node:stream/consumers';
import type { Page } from 'playwright-core';
import { addOperatorKey } from '../../../src/stores/operator.service.ts';
import { createClient, item, newAccount } from '../../api/list-kit.ts';
import { startHttp } from '../../alerts/receivers.ts';
import { filledBy, useService } from '../../harness.ts';
import type { StoreAccess } from '../../harness.ts';
import { describeInBrowser, eventually, useBrowser } from './chromium.ts';
import { enter as enterAt, openMessage, openPage, openShopper } from './dashboard-page.ts';
import { PRODUCTS, seedStore, seedUsedStore, subscribe } from './dashboard-seed.ts';

describeInBrowser('the merchant dashboard', () => {
  const browser = useBrowser();
  const service = useService({ webhookAllowPrivate: true, demo: true });
  /** Tests read this one; what a test writes is in a store of its own. */
  const store = filledBy(beforeAll, () => seedStore(service));
  let page: Page;

  beforeEach(async () => void (page = await browser.newPage({ acceptDownloads: true })));

  const enter = (access: StoreAccess, place?: string): Promise<void> =>
    enterAt(page, service.url, access, place);

  const row = (text: string) => page.getByRole('row', { name: text });
  const said = (text: string) => page.getByRole('status').getByText(text);
  /** How many lists the page of a shopper tells of. */
  const listCount = (count: number) => {
    const fact = page.locator('dl.facts div').filter({ hasText: /^Lists/ });
    return fact.locator('dd').getByText(String(count), { exact: true });
  };

  test('a wrong key is refused in words; the right one opens the store also after a reload and in another tab, and is kept nowhere', async () => {
    await page.goto(`${service.url}/dashboard`);
    await page.getByLabel('Store id (pid)').fill(store.pid);
    await page.getByLabel('API key').fill('not-the-key');
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('alert').getByText('The store id or API key is wrong').waitFor();
    expect(await page.getByLabel('API key').getAttribute('type')).toBe('password');

    await page.getByLabel('API key').fill(store.apiKey);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('heading', { name: 'Overview' }).waitFor();
    const kept = await page.evaluate(() =>
      JSON.stringify([{ ...localStorage }, { ...sessionStorage }, document.cookie, location.href]),
    );
    expect(kept).toBe(JSON.stringify([{}, {}, '', `${service.url}/dashboard`]));
    const [cookie, ...more] = await page.context().cookies();
    expect([cookie, more]).toMatchObject([
      { name: 'wishgate_session', httpOnly: true, sameSite: 'Strict' },
      [],
    ]);
    expect(cookie!.value).not.toContain(store.apiKey);

    await openPage(page, 'Products');
    await page.reload();
    await page.getByRole('heading', { level: 1 }).waitFor();
    await row('Walnut desk lamp').waitFor();
    const tab = await browser.newPage({ storageState: await page.context().storageState() });
    await tab.goto(`${service.url}/dashboard#/settings`);
    await tab.getByRole('heading', { level: 1 }).waitFor();
    await tab.getByRole('button', { name: 'Sign out' }).click();
    await tab.getByText('You are signed out.').waitFor();
    await page.getByRole('link', { name: 'Alerts' }).click();
    await page.getByText('You have been signed out because your session expired').waitFor();
  });

  test('a key that is revoked ends its session; a sign-out that does not arrive is not shown as done', async () => {
    const { body } = await service.graphql('mutation { createApiKey { id apiKey } }', {}, { store });
    const { id, apiKey } = body.data.createApiKey;
    await enter({ ...store, apiKey });
    await page.context().setOffline(true);
    await page.getByRole('button', { name: 'Sign out' }).click();
    await said('You are still signed in').waitFor();
    await page.context().setOffline(false);
    await service
      .graphql('mutation ($id: ID!) { revokeApiKey(id: $id) { pid } }', { id }, { store })
      .expect(200);
    // By its address: a read that happens to be under way would end the session first, and there would be no link.
    await page.evaluate(() => void (location.hash = '#/settings'));
    await page.getByText('or your key was revoked').waitFor();
    await page.reload();
    await page.getByRole('button', { name: 'Sign in' }).waitFor();
  });

  test('the overview shows what shoppers did, as charts and as a table', async () => {
    await enter(store);
    await page.getByRole('img', { name: 'Added to lists per day: 12 in total' }).waitFor();
    await page.getByRole('img', { name: 'Subscriptions per day: 4 in total' }).waitFor();
    await page.getByText('Show as a table').click();
    const table = page.getByRole('table', { name: 'Figures by day' });
    await eventually(() => table.getByRole('row').count(), 31);
    await page.getByRole('button', { name: '7 days' }).click();
    await eventually(() => table.getByRole('row').count(), 8);
    expect(await table.getByRole('row').nth(1).getByRole('cell').allTextContents()).toEqual([
      expect.any(String),
      '12',
      '4',
      '0',
    ]);

    const wished = page.getByRole('table', { name: 'Most wishlisted' });
    expect(await wished.getByRole('row').nth(1).textContent()).toContain('Linen shirt');
    await wished.getByRole('row', { name: /Linen shirt.*3$/ }).waitFor();
  });

  test('a restock from the waiting demand queues its alerts; a failed one is seen with its reason and tried again', async () => {
    const other = await seedStore(service, 'Restock store');
    await enter(other);
    await page
      .getByRole('row', { name: /Linen shirt.*3/ })
      .getByRole('button', { name: 'Set stock of Linen shirt' })
      .click();
    await page.getByLabel('Units in stock').fill('10');
    await page.getByRole('button', { name: 'Save' }).click();
    await said('Stock of Linen shirt, White / M is now 10.').waitFor();
    await service.runTasks();

    await openPage(page, 'Alerts');
    await row('lin@example.com').getByText('sent').waitFor();
    const { body } = await service.graphql('{ activity(days: 2) { alerts } }', {}, { store: other });
    // Two days, because midnight may pass meanwhile.
    const days: { alerts: number }[] = body.data.activity;
    expect(days.reduce((sum, { alerts }) => sum + alerts, 0)).toBe(3);
    const { db } = service.services;
    await db.query(
      `UPDATE outbox SET state = 'failed', error = '550 no such mailbox', finished_at = now() WHERE pid = $1 AND recipient = 'mei@example.com'`,
      [other.pid],
    );
    await page.getByRole('button', { name: /^Failed/ }).click();
    await row('mei@example.com').getByText('550 no such mailbox').waitFor();
    await page.getByRole('button', { name: 'Retry the alert to mei@example.com' }).click();
    await said('1 alert queued again.').waitFor();
    const [alert] = await db.query<{ state: string }>(
      `SELECT state FROM outbox WHERE pid = $1 AND recipient = 'mei@example.com'`,
      [other.pid],
    );
    expect(alert?.state).toBe('queued');
    await page.getByText('No alerts found').waitFor();
  });

  test('a template shows its preview while it is written, a mistake is named, and only a sound one is saved', async () => {
    const own = await seedStore(service);
    await enter(own, 'topics/backinstock');
    const mail = page.frameLocator('iframe').locator('body');
    await mail.getByText('is back in stock').first().waitFor();

    await page.getByText('Advanced: HTML').first().click();
    const html = page.getByLabel('HTML', { exact: true });
    await html.fill(
      '<h1 style="color: rgb(1, 2, 3)">Again: {{ product.title }}</h1><script>parent.document.title = "broken"</script>',
    );
    await mail.getByRole('heading', { name: 'Again: ' }).waitFor();
    expect(await mail.getByRole('heading').evaluate((heading) => getComputedStyle(heading).color)).toBe(
      'rgb(1, 2, 3)',
    );
    expect(await page.title()).toBe('Topics · wishgate');

    await html.fill('<h1>{% if product.title %}never closed</h1>');
    await page.getByText(/^Error in line 1: .*not closed$/).waitFor();
    expect(await html.getAttribute('aria-invalid')).toBe('true');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('alert').getByText('Please check the highlighted field.').waitFor();

    await html.fill('<p>Back: {{ product.titel }}</p>');
    await page.getByText('Unknown variable product.titel').waitFor();
    await html.fill('<p>Back: </p>');
    await html.evaluate((field) => (field as HTMLTextAreaElement).setSelectionRange(9, 9));
    await page.getByText('Insert variable into HTML').click();
    await page.getByRole('button', { name: 'product.title Product title: Linen shirt' }).click();
    await eventually(() => html.inputValue(), '<p>Back: {{ product.title }}</p>');
    await page.getByLabel('Preview with one of your products').fill('walnut');
    await page.getByRole('option', { name: 'Walnut desk lamp' }).click();
    await mail.getByText('Back: Walnut desk lamp').waitFor();
    const frame = page.getByTitle('Preview of the email');
    const widthOf = () => frame.evaluate((element) => (element as HTMLElement).offsetWidth);
    await eventually(widthOf, 720);
    await page.getByRole('button', { name: 'Phone' }).click();
    await eventually(widthOf, 375);
    await page.getByLabel('SMS', { exact: true }).fill('{{ product.title }} is back ✓');
    await page.getByLabel('Preview: SMS').getByText('is back ✓').waitFor();
    await page.getByText(/characters?, \d segments?\. A character outside/).waitFor();
    await page.getByLabel('SMS', { exact: true }).fill('{{ product.title }}');
    await page.getByText(/\d+ characters, 1 segment$/).waitFor();
    await page.getByLabel('Minimum stock').fill('5');
    await page.getByRole('button', { name: 'Save' }).click();
    await said('Topic Back in stock saved.').waitFor();
    const { body } = await service.graphql('{ topics { name html minStock } }', {}, { store: own });
    expect(body.data.topics[0]).toEqual({
      name: 'backinstock',
      html: '<p>Back: {{ product.title }}</p>',
      minStock: 5,
    });
  });

  test('a new topic counts its audience, sends a test and is sent manually', async () => {
    const own = await seedStore(service);
    await enter(own, 'topics');
    await page.getByRole('button', { name: 'New topic' }).click();
    await page.getByLabel('Name').fill('launch');
    await page.getByRole('button', { name: 'Create topic' }).click();
    await page.getByRole('heading', { name: 'launch', exact: true }).waitFor();
    await page.getByText('Email: 0, SMS: 0').waitFor();

    await page.getByLabel('Email address').fill('me@shop.example');
    await page.getByRole('button', { name: 'Send test' }).click();
    await said('Test message sent to me@shop.example.').waitFor();

    const add = page.getByLabel('Add a product');
    await add.fill('walnut');
    await page.getByRole('option', { name: 'Walnut desk lamp' }).waitFor();
    await page.keyboard.press('Enter');
    await page.getByText('These products have no subscribers.').waitFor();
    const products = [PRODUCTS[1]!, PRODUCTS[3]!].map(({ epi, empi, du }) => ({ epi, empi, du }));
    const wish = { medium: 'email', mediumvalue: 'lin@example.com', products };
    await service
      .post('/storeadmin/bispa/subscriptions/create', { ...wish, topics: ['launch'] }, { store: own })
      .expect(200);
    await add.fill('canvas');
    await page.getByRole('option', { name: 'Canvas tote' }).click();
    await page.getByText('Sends 2 messages to 1 person (Email: 1).').waitFor();
    await page.getByRole('button', { name: 'Remove Walnut desk lamp' }).click();
    await page.getByRole('button', { name: 'Send now' }).click();
    await page.getByRole('dialog').getByText('Sends 1 message to 1 person (Email: 1).').waitFor();
    await page.getByRole('dialog').getByRole('button', { name: 'Send', exact: true }).click();
    await said('Sending launch…').waitFor();
    await page.getByText('Sending: 0 of 0 alerts sent').waitFor();
    await service.runTasks();
    await page.getByText('Done: 1 of 1 alert sent').waitFor();
  });

  test('a topic of the store is deleted once its name is typed; a built-in one has no button for it', async () => {
    const own = await service.createStore();
    await service.graphql('mutation { saveTopic(input: { name: "preorder" }) { name } }', {}, { store: own });
    const products = [{ epi: 1, empi: 1, du: '/p' }];
    const wish = { medium: 'email', mediumvalue: 'ann@example.com', products, topics: ['preorder'] };
    await service.post('/storeadmin/bispa/subscriptions/create', wish, { store: own }).expect(200);
    await enter(own, 'topics');
    await page.getByRole('link', { name: 'Back in stock', exact: true }).click();
    await page.getByRole('button', { name: 'Save' }).waitFor();
    expect(await page.getByRole('button', { name: 'Delete topic' }).count()).toBe(0);
    await page.getByRole('link', { name: 'all topics' }).click();
    await page.getByRole('link', { name: 'preorder' }).click();
    await page.getByRole('button', { name: 'Delete topic' }).click();
    const sure = page.getByRole('dialog').getByRole('button', { name: 'Delete topic' });
    expect(await sure.isDisabled()).toBe(true);
    await page.getByLabel('Type preorder to confirm').fill('preorder');
    await sure.click();
    await said('Topic preorder deleted, with 1 subscription.').waitFor();
    await page.getByRole('heading', { name: 'Your topics' }).waitFor();
    const { body } = await service.graphql('{ topics { name } }', {}, { store: own });
    expect(body.data.topics).toEqual(
      ['backinstock', 'comingsoon', 'pricedrop', 'lowstock', 'wishlistrestock'].map((name) => ({ name })),
    );
  });

  test('settings are saved and refused in words; the dashboard keeps working when origins are limited', async () => {
    const own = await service.createStore({ name: 'Old name' });
    await enter(own, 'settings');
    await page.getByLabel('List types').fill('registry\nwl');
    await page.getByRole('region', { name: 'Lists' }).getByRole('button', { name: 'Save' }).click();
    await page.getByRole('alert').getByText('Please check the highlighted field.').waitFor();
    await page.getByText('“wl”: Each type has 1 to 32 letters').waitFor();
    const types = page.getByLabel('List types');
    expect(await types.evaluate((field) => field === document.activeElement)).toBe(true);
    expect(await types.getAttribute('aria-invalid')).toBe('true');

    await types.fill('registry');
    await page.getByLabel('Share URL').fill('https://shop.example/l/{lid}');
    await page.keyboard.press('Control+s');
    await said('Settings saved.').waitFor();
    await page.getByLabel('Store name').fill('New name');
    await page.getByLabel('Default country').fill('de');
    await page.getByLabel('Allowed origins').fill('https://shop.example');
    await page.getByLabel('Double opt-in').check();
    await page.getByRole('region', { name: 'General' }).getByRole('button', { name: 'Save' }).click();
    await page.getByRole('banner').getByText('New name').waitFor();
    const { body } = await service.graphql(
      '{ store { name listTypes shareUrl allowedOrigins doubleOptIn customItems } }',
      {},
      { store: own },
    );
    expect(body.data.store).toEqual({
      name: 'New name',
      listTypes: ['registry'],
      shareUrl: 'https://shop.example/l/{lid}',
      allowedOrigins: ['https://shop.example'],
      doubleOptIn: true,
      customItems: false,
    });
    await openPage(page, 'Overview');
    await page.getByText('No product is on a list yet').waitFor();
  });

  test('a key is created with a name, shown once, works, is renamed, and is revoked', async () => {
    const own = await service.createStore({ name: 'Keys' });
    await enter(own, 'settings');
    await row('First key').getByText('This session').waitFor();
    await page.getByRole('button', { name: 'Create key' }).click();
    await page.getByRole('dialog').getByLabel('Name').fill('Till');
    await page.getByRole('dialog').getByRole('button', { name: 'Create' }).click();
    const shown = page.getByRole('dialog').getByLabel('API key');
    const apiKey = await shown.inputValue();
    await service.get('/storeadmin/me', { store: { ...own, apiKey } }).expect(200);
    await page.getByRole('button', { name: 'Done' }).click();
    await shown.waitFor({ state: 'detached' });
    const left = await page.evaluate(() => [
      document.documentElement.outerHTML,
      ...[...document.querySelectorAll('input')].map(({ value }) => value),
    ]);
    expect(left.filter((text) => text.includes(apiKey))).toEqual([]);

    await row('Till').waitFor();
    const hint = apiKey.slice(-4);
    await page.getByRole('button', { name: `Rename the key ending in ${hint}` }).click();
    await page.getByRole('dialog').getByLabel('Name').fill('Back end');
    await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click();
    await said(`Key …${hint} renamed.`).waitFor();
    await row('Back end').waitFor();
    await page.getByRole('button', { name: `Revoke the key ending in ${hint}` }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Revoke' }).click();
    await said(`Key Back end (…${hint}) revoked.`).waitFor();
    await service.get('/storeadmin/me', { store: { ...own, apiKey } }).expect(401);
  });

  test('an operator makes a store and works in it, switches to another, and finds its way after a reload and from a closed store', async () => {
    const { key } = await addOperatorKey(service.services, 'Browser');
    await seedStore(service, 'Nordlicht');
    await enter({ pid: 'operator', apiKey: key });
    await page.getByRole('heading', { level: 1 }).waitFor();
    await page.getByRole('button', { name: 'Create store' }).click();
    await page.getByRole('dialog').getByLabel('Name').fill('Aurora');
    await page.getByRole('dialog').getByRole('button', { name: 'Create store' }).click();
    const dialog = page.getByRole('dialog', { name: 'Aurora created' });
    const pid = await dialog.getByLabel('Store id (pid)').inputValue();
    const apiKey = await dialog.getByLabel('First API key').inputValue();
    await service.get('/storeadmin/me', { store: { pid, apiKey } }).expect(200);
    await dialog.getByRole('button', { name: 'Open store' }).click();
    await page.getByRole('heading', { level: 1 }).waitFor();
    await page.getByRole('banner').getByText('Aurora').waitFor();

    await page.getByRole('button', { name: 'Switch store' }).click();
    await page.getByRole('dialog').getByLabel('Search').fill('nordli');
    await page.getByRole('dialog').getByRole('button', { name: 'Nordlicht' }).click();
    await page.getByRole('banner').getByText('Nordlicht').waitFor();
    await openPage(page, 'Products');
    await row('Walnut desk lamp').waitFor();
    await page.reload();
    await row('Walnut desk lamp').waitFor();
    await page.getByRole('banner').getByText('Nordlicht').waitFor();

    await openPage(page, 'Stores');
    await page.getByLabel('Search').fill('Aurora');
    await row('Aurora').getByRole('button', { name: 'Close Aurora' }).click();
    await page.getByRole('button', { name: 'Close for maintenance' }).click();
    await said('Aurora is closed.').waitFor();
    await service.get('/storeadmin/me', { store: { pid, apiKey } }).expect(503);
    await page.getByRole('button', { name: 'Open Aurora', exact: true }).click();
    await page.getByRole('alert').first().waitFor();
    await page.reload();
    await row('Aurora').getByRole('button', { name: 'Reopen Aurora' }).click();
    await page.getByRole('button', { name: 'Reopen', exact: true }).last().click();
    await said('Aurora is open.').waitFor();
    await service.get('/storeadmin/me', { store: { pid, apiKey } }).expect(200);
  });

  test('a shopper is exported as a file and erased only after its address was typed; both are in the audit log', async () => {
    const own = await seedStore(service, 'Privacy store');
    await enter(own, 'shoppers');
    await page.getByLabel('Search').fill('nobody@example.com');
    await page.getByText('No shoppers found').waitFor();
    await openShopper(page, 'ada@example.com');
    await page.getByText(/^[\d.]+ k?B of 32 MB$/).waitFor();
    const download = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Export as JSON' }).click();
    const text = await readText(await (await download).createReadStream());
    expect(JSON.parse(text)).toMatchObject({ exportedAt: expect.any(Number), data: expect.any(Object) });
    expect(text).toContain('My wishlist');

    await page.getByRole('button', { name: 'Erase…' }).click();
    const erase = page.getByRole('button', { name: 'Erase permanently' });
    expect(await erase.isDisabled()).toBe(true);
    await page.getByLabel('Type ada@example.com to confirm').fill('ada@example.com');
    await erase.click();
    await said('Shopper erased.').waitFor();
    await page.getByRole('button', { name: 'Audit log' }).click();
    const log = page.getByRole('table', { name: 'Audit log' });
    await eventually(() => log.getByRole('row').count(), 3);
    const rows = await service.services.db.query('SELECT 1 FROM shopper WHERE pid = $1 AND em = $2', [
      own.pid,
      'ada@example.com',
    ]);
    expect(rows).toEqual([]);
    expect(page.url()).not.toContain('ada');
  });

  test("support brings a shopper's deleted list back, and the store says for how long that can be done", async () => {
    const own = await service.createStore();
    const shopper = await newAccount(service, own, 'ada@example.com');
    const { lid } = await shopper.create('Birthday');
    await shopper.add(lid, item(1));
    await shopper.ok('lists/delete-list', { lid });
    await enter(own, 'shoppers');
    await openShopper(page, 'ada@example.com');
    await row('Birthday').waitFor();
    await page.getByRole('button', { name: 'Restore Birthday' }).click();
    await said('Birthday restored.').waitFor();
    await page.getByText('No deleted lists.').waitFor();
    expect((await shopper.contents(lid)).list.cnt).toBe(1);
    await openPage(page, 'Settings');
    await page.getByLabel('Restore window (days)').fill('7');
    await page.getByRole('region', { name: 'Lists' }).getByRole('button', { name: 'Save' }).click();
    await said('Settings saved.').waitFor();
    const { body } = await service.graphql('{ store { restoreDays } }', {}, { store: own });
    expect(body.data.store).toEqual({ restoreDays: 7 });
  });

  test('the page of a shopper follows its lists as they change', async () => {
    const own = await service.createStore();
    const ada = createClient(service, await service.account(own, 'ada@example.com'));
    await ada.create('First');
    await enter(own, 'shoppers');
    await openShopper(page, 'ada@example.com');
    await listCount(1).waitFor();
    await ada.create('Second');
    await listCount(2).waitFor();
    await ada.create('Third');
    await listCount(3).waitFor();
  });

  test('the page of a shopper shows what changed between its first read and its first question for changes', async () => {
    const own = await service.createStore();
    const ada = createClient(service, await service.account(own, 'ada@example.com'));
    await ada.create('First');
    let ask = (): void => undefined;
    const held = new Promise<void>((resolve) => (ask = resolve));
    await page.route('**/graphql', async (route) => {
      if (/query WatchShopper\b/.test(route.request().postData() ?? '')) await held;
      await route.fallback();
    });
    await enter(own, 'shoppers');
    await openShopper(page, 'ada@example.com');
    await listCount(1).waitFor();
    await ada.create('Second');
    ask();
    await listCount(2).waitFor();
  });

  test('the mailing list is read page by page and kept as a file, without whom was just erased', async () => {
    const own = await service.createStore();
    await service.services.db.query(
      `INSERT INTO mailing_answer (pid, medium, value, acceptmarketing, signuptime, acceptsource)
       SELECT $1, 'email', 'n' || n || '@example.com', true, now(), 'subscription' FROM generate_series(1, 21) n ORDER BY n`,
      [own.pid],
    );
    await service.account(own, 'n21@example.com');
    await enter(own, 'shoppers');
    await page.getByRole('button', { name: 'Mailing list' }).click();
    const list = page.getByRole('table', { name: 'Mailing list' });
    await list.getByText('n21@example.com').waitFor();
    await page.getByText('21 contacts.').waitFor();
    await page.getByRole('button', { name: 'Older' }).click();
    await list.getByText('n1@example.com').waitFor();
    const download = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Export CSV' }).click();
    const text = await readText(await (await download).createReadStream());
    expect(text.split('\r\n')).toHaveLength(23);
    expect(text).toContain('email,n21@example.com,true,');

    await openPage(page, 'Shoppers');
    await openShopper(page, 'n21@example.com');
    await page.getByRole('button', { name: 'Erase…' }).click();
    await page.getByLabel('Type n21@example.com to confirm').fill('n21@example.com');
    await page.getByRole('button', { name: 'Erase permanently' }).click();
    await page.getByText('No shoppers yet').waitFor();
    await page.getByRole('button', { name: 'Mailing list' }).click();
    await page.getByText('20 contacts.').waitFor();
  });

  test('a webhook is added with its secret shown once, tested, changed and deleted; providers name their state', async () => {
    const receiver = await startHttp();
    const url = `${receiver.url}/hook`;
    try {
      const own = await service.createStore();
      await enter(own, 'integrations');
      await page.getByRole('row', { name: /SMTP.*Not set up/ }).waitFor();
      await page.getByText('add your own mail server').waitFor();
      await page.getByRole('row', { name: /File outbox.*In use/ }).waitFor();
      await page.getByRole('button', { name: 'Add webhook' }).click();
      await page.getByRole('dialog').getByLabel('URL').fill(url);
      await page.getByRole('button', { name: 'Add', exact: true }).click();
      const shown = page.getByRole('dialog').getByLabel('Signing secret');
      expect((await shown.inputValue()).length).toBeGreaterThan(20);
      await page.getByRole('button', { name: 'Done' }).click();
      await shown.waitFor({ state: 'detached' });

      await page.getByRole('button', { name: `Edit: ${url}` }).click();
      await page.getByLabel('subscription.created').check();
      await page.getByRole('button', { name: 'Save webhook' }).click();
      await page.getByRole('table', { name: 'Webhooks' }).getByText('Subscription created').waitFor();
      receiver.answer = () => ({ status: 500 });
      await page.getByRole('button', { name: `Deliveries: ${url}` }).click();
      await page.getByRole('button', { name: 'Send test event', exact: true }).click();
      await page.getByText('No attempts yet').waitFor();
      await page.getByLabel('Payload').getByText('"type": "webhook.test"').waitFor();
      await service.runTasks();
      const tries = page.getByRole('table', { name: 'Attempts' });
      await tries.getByText('500').waitFor();
      await page.getByText('Next attempt:').waitFor();
      receiver.answer = () => ({ status: 204 });
      const isQueued = page.waitForResponse((response) =>
        /ReplayDelivery/.test(response.request().postData() ?? ''),
      );
      await page.getByRole('button', { name: 'Send again' }).click();
      await isQueued;
      await service.runTasks();
      // Where the page took long, the next try of its own had come, too.
      await tries.getByText('204').first().waitFor();
      await page.keyboard.press('Escape');
      await page.getByRole('table', { name: 'Webhooks' }).getByText('healthy').waitFor();
      await subscribe(service, own, 'lin@example.com');
      await page.getByRole('button', { name: `Deliveries: ${url}` }).click();
      await page.getByRole('dialog').getByText('subscription.created').waitFor();
      await service.services.db.query(
        `UPDATE outbox SET state = 'failed', error = 'refused' WHERE pid = $1 AND lane = 'webhook'`,
        [own.pid],
      );
      await page.getByRole('button', { name: 'Send subscription.created again' }).click();
      const isQueuedAgain = `SELECT 1 FROM outbox WHERE pid = $1 AND lane = 'webhook' AND state = 'queued'`;
      await eventually(async () => (await service.services.db.query(isQueuedAgain, [own.pid])).length, 1);
      await page.getByRole('dialog').getByText('queued').waitFor();
      await page.keyboard.press('Escape');

      await page.getByRole('button', { name: `Delete: ${url}` }).click();
      await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
      await page.getByText('No webhooks yet').waitFor();
    } finally {
      await receiver.close();
    }
  });

  test('the demo store says that it has no webhooks', async () => {
    await enter(service.demo!, 'integrations');
    await page.getByText('The demo store can’t have webhooks').waitFor();
    expect(await page.getByRole('button', { name: 'Add webhook' }).count()).toBe(0);
  });

  test('search, order, filter and page of the catalogue are in the address: a reload and Back find them; its stock is set, and all of it is a file', async () => {
    const own = await seedStore(service, 'Catalogue');
    await service.services.db.query(
      `INSERT INTO product (pid, epi, empi, du, dt, stk) SELECT $1, (9000 + n)::text, '9000', '/p', 'Walnut ' || lpad(n::text, 2, '0'), n FROM generate_series(1, 30) n`,
      [own.pid],
    );
    await enter(own, 'products');
    await row('Walnut 30').waitFor();
    await page.getByLabel('Search').fill('walnut');
    await page.getByText('31 variants').waitFor();
    await page.getByRole('button', { name: 'Stock', exact: false }).first().click();
    await row('Walnut 01').waitFor();
    await page.getByRole('button', { name: 'Next' }).click();
    await row('Walnut 26').waitFor();
    await page.reload();
    await row('Walnut 26').waitFor();
    expect(await page.getByLabel('Search').inputValue()).toBe('walnut');
    await page.goBack();
    await row('Walnut 01').waitFor();
    await page.goForward();
    await page.getByRole('button', { name: 'Previous' }).click();
    await row('Walnut 01').waitFor();
    const download = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Export CSV' }).click();
    const text = await readText(await (await download).createReadStream());
    expect(text.trimEnd().split('\r\n')).toHaveLength(32);

    await page.getByRole('button', { name: 'Set stock of Walnut 01' }).click();
    await page.getByLabel('Units in stock').fill('0');
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Sold out' }).click();
    await page.getByText('1 variant', { exact: true }).waitFor();
    await page.getByRole('link', { name: 'Walnut 01' }).click();
    await page.getByRole('heading', { level: 1 }).waitFor();
    await page.getByText('No subscribers yet').waitFor();
    await row('1 → 0').getByText('sold out').waitFor();
    await page.getByRole('button', { name: 'Set stock of Walnut 01' }).click();
    await page.getByLabel('Units in stock').fill('8');
    await page.keyboard.press('Enter');
    await row('0 → 8').getByText('in stock').waitFor();
    await page.getByRole('img', { name: /^Stock since .*: maximum 8, minimum 0$/ }).waitFor();
  });

  test('alerts name their product and are found by contact, topic and day; a message is shown as it would be today', async () => {
    const own = await seedUsedStore(service, 'Queue');
    await enter(own);
    await page.getByRole('link', { name: 'Alerts sent' }).click();
    await page.getByRole('heading', { level: 1 }).waitFor();
    await row('ida@example.com').getByText('Linen shirt').waitFor();
    await eventually(() => row('kim@example.com').count(), 0);
    await openMessage(page, 'ida@example.com', 'Linen shirt');
    await page.getByRole('dialog').getByText('We don’t store sent messages').waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'All', exact: true }).click();
    // The way from the overview has brought its period along.
    await page.getByLabel('To', { exact: true }).fill('');
    await page.getByLabel('Contact').fill('KIM@');
    await row('kim@example.com').waitFor();
    await eventually(() => page.getByRole('row').count(), 2);
    expect(page.url().toLowerCase()).not.toContain('kim');
    await page.reload();
    await row('kim@example.com').waitFor();
    expect(await page.getByLabel('Contact').inputValue()).toBe('KIM@');
    await page.getByLabel('From', { exact: true }).fill('2031-01-01');
    await page.getByText('No alerts found').waitFor();
    await page.goBack();
    await row('kim@example.com').waitFor();
    await page.getByLabel('Topic').selectOption('pricedrop');
    await page.getByText('No alerts found').waitFor();
  });

  test('alerts say why and until when they wait, and that nothing is sent without a mail server', async () => {
    const own = await seedUsedStore(service, 'Waiting');
    await service.services.db.query(
      `UPDATE outbox SET state = 'queued', attempts = 0, due_at = now() + interval '1 day', error = 'waiting for the quiet hours to end'
       WHERE pid = $1 AND lane = 'alert'`,
      [own.pid],
    );
    await enter(own, 'alerts');
    await row('ida@example.com')
      .getByText(/^waits until .* · waiting for the quiet hours to end$/)
      .waitFor();
    await page.getByText('Emails are saved as files on the server and reach nobody.').waitFor();
    await page.getByRole('link', { name: 'Add your mail server' }).click();
    await page.getByText('We save your emails as files on the server of this service').waitFor();
  });

  test('an empty store is led to its first alert, and the steps tick themselves', async () => {
    const own = await service.createStore({ name: 'New' });
    await enter(own);
    await page.getByText('0 of 6 steps done').waitFor();
    const shopper = await newAccount(service, own, 'ada@example.com');
    await shopper.create('First');
    await openPage(page, 'Products');
    await openPage(page, 'Overview');
    await page.getByText('2 of 6 steps done').waitFor();
    await page.getByRole('listitem').filter({ hasText: 'Identify a shopper (done)' }).waitFor();
  });

  test('a store without a currency is asked for one, in the first steps and at the field, until it has one', async () => {
    await enter(await service.createStore({ name: 'New' }));
    await page.getByRole('link', { name: 'Choose your currency' }).click();
    const notice = page.getByText('Your store has no currency: prices in emails show no currency sign.');
    await notice.waitFor();
    await page.getByLabel('Currency').selectOption('EUR');
    await notice.waitFor({ state: 'detached' });
    await page.getByRole('region', { name: 'Brand' }).getByRole('button', { name: 'Save' }).click();
    await page.getByText('Settings saved.').waitFor();
    await openPage(page, 'Overview');
    await page.getByText('1 of 6 steps done').waitFor();
    await page.getByRole('listitem').filter({ hasText: 'Choose your currency (done)' }).waitFor();
  });

  test.each([390, 768, 1280, 1600])('no step is squeezed: %d px, in English and German', async (width) => {
    await page.setViewportSize({ width, height: 900 });
    await enter(await service.createStore({ name: 'New' }));
    for (const lang of ['en', 'de']) {
      await page.goto(`${service.url}/dashboard?lang=${lang}`);
      await page.locator('.checklist').waitFor();
      const steps = page.locator('.checklist li > span:last-child');
      const widths = await steps.evaluateAll((found) =>
        found.map((step) => step.clientWidth || step.getBoundingClientRect().width),
      );
      expect(widths).toHaveLength(6);
      expect(Math.min(...widths)).toBeGreaterThan(200);
    }
  });

  test('a service that cannot be reached is said in words and can be tried again', async () => {
    await page.route('**/graphql', (route) => route.abort());
    await enter(store, 'topics');
    await page.getByRole('alert').getByText('The service can’t be reached').waitFor();
    await page.unroute('**/graphql');
    await page.getByRole('button', { name: 'Try again' }).click();
    await page.getByRole('link', { name: 'Coming soon' }).waitFor();
  });
});
