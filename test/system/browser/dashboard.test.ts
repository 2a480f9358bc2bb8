import { text as readText } from 'node:stream/consumers';
import type { Locator, Page } from 'playwright-core';
import { addOperatorKey } from '../../../src/stores/operator.service.ts';
import { item, newAccount } from '../../api/list-kit.ts';
import { startHttp } from '../../alerts/receivers.ts';
import { filledBy, useService } from '../../harness.ts';
import type { StoreAccess } from '../../harness.ts';
import { choose, click, fill, press, submit, tick } from './act.ts';
import { describeInBrowser, eventually, useBrowser } from './chromium.ts';
import {
  enter as enterAt,
  holdAnswers,
  openMessage,
  openPage,
  openShopper,
  signIn,
} from './dashboard-page.ts';
import { PRODUCTS, seedStore, seedUsedStore } from './dashboard-seed.ts';

const DAY_MS = 86_400_000;

describeInBrowser('the merchant dashboard', () => {
  const browser = useBrowser();
  const service = useService({ webhookAllowPrivate: true, demo: true });
  /** Tests read this one; what a test writes is in a store of its own. */
  const store = filledBy(beforeAll, () => seedStore(service));
  let page: Page;

  beforeEach(async () => void (page = await browser.newPage()));
  afterEach(() => service.resetClock());

  const enter = (access: StoreAccess, place?: string): Promise<void> =>
    enterAt(page, service.url, access, place);

  const row = (text: string) => page.getByRole('row', { name: text });
  const day = (label: 'From' | 'To') => page.getByLabel(label, { exact: true });
  const dialog = () => page.getByRole('dialog');
  const heading = (name: string) => page.getByRole('heading', { level: 1, name });
  const button = (name: string, within: Page | Locator = page) =>
    within.getByRole('button', { name, exact: true });
  const isFocused = (target: Locator) => target.evaluate((element) => element === document.activeElement);
  const gone = (target: Locator) => target.waitFor({ state: 'detached' });

  async function read(access: StoreAccess, query: string) {
    return (await service.graphql(query, {}, { store: access }).expect(200)).body.data;
  }

  const statusOf = async (access: StoreAccess) =>
    (await service.get('/storeadmin/me', { store: access })).status;

  /** The text of the file that a button saves. */
  async function save(name: string): Promise<string> {
    const download = page.waitForEvent('download');
    await click(button(name));
    return readText(await (await download).createReadStream());
  }

  test('a wrong key is refused in words; the right one is kept nowhere and opens the store also after a reload and in another tab, until one of them signs out', async () => {
    await page.goto(`${service.url}/dashboard`);
    await fill(page.getByLabel('Store id (pid)'), store.pid);
    await fill(page.getByLabel('API key'), 'not-the-key');
    await click(button('Sign in'));
    await page.getByRole('alert').getByText('The store id or API key is wrong').waitFor();
    expect(await page.getByLabel('API key').getAttribute('type')).toBe('password');

    await signIn(page, store);
    await eventually(() => isFocused(heading('Overview')), true);
    const kept = await page.evaluate(() =>
      JSON.stringify([{ ...localStorage }, { ...sessionStorage }, location.href]),
    );
    const cookies = await page.context().cookies();
    expect(cookies).toMatchObject([{ name: 'wishgate_session', httpOnly: true, sameSite: 'Strict' }]);
    expect(kept + cookies[0]!.value).not.toContain(store.apiKey);

    // Before its products are there.
    await holdAnswers(page, 'Products');
    await openPage(page, 'Products');
    await eventually(() => isFocused(heading('Products')), true);
    await page.unrouteAll({ behavior: 'ignoreErrors' });
    await page.reload();
    await row('Walnut desk lamp').waitFor();
    expect(await isFocused(heading('Products'))).toBe(false);
    const tab = await browser.newPage({ storageState: await page.context().storageState() });
    await tab.goto(`${service.url}/dashboard#/settings`);
    await click(button('Sign out', tab));
    await tab.getByText('You are signed out.').waitFor();
    await click(page.getByRole('link', { name: 'Alerts' }));
    await page.getByText('You have been signed out because your session expired').waitFor();
  });

  test('a service that cannot be reached is said in words and can be tried again; a sign-out that does not arrive is not shown as done', async () => {
    await enter(store, 'products');
    await row('Walnut desk lamp').waitFor();
    await page.context().setOffline(true);
    await click(button('Sign out'));
    await openPage(page, 'Topics');
    await page.getByRole('alert').getByText('The service can’t be reached').waitFor();
    await page.context().setOffline(false);
    await click(button('Try again'));
    await page.getByRole('link', { name: 'Coming soon' }).waitFor();
  });

  test('the overview and the revenue follow a period, which is compared with the one before and stays in the address; a restock from the waiting demand sends its alerts', async () => {
    // Midnight must not pass between what is counted and what is read.
    service.setNow(new Date());
    const msAgo = (age: number): Date => new Date(service.services.now().getTime() - age * DAY_MS);
    const dayAgo = (age: number): string => msAgo(age).toISOString().slice(0, 10);
    const own = await seedStore(service, 'Figures');
    await read(own, 'mutation { updateStore(input: { timeZone: "Africa/Abidjan" }) { pid } }');
    await service.services.db.query(
      `INSERT INTO tally (pid, kind, key, n)
       SELECT $1, 'add', day, 2 FROM unnest($2::text[]) AS day UNION ALL SELECT $1, 'click', $3, 2`,
      [own.pid, [8, 9, 10, 11].map(dayAgo), `${dayAgo(1)} backinstock`],
    );
    const order = (orderId: string, age: number) => ({
      orderId,
      currency: 'EUR',
      orderedAt: msAgo(age).toISOString(),
      lines: [{ epi: '7', quantity: 1, price: orderId }],
    });
    for (const body of [order('30', 1), order('20', 9)])
      await service.post('/storeadmin/v3/orders/report', body, { store: own }).expect(200);
    await enter(own);
    await page.getByText('Days are in the time zone Africa/Abidjan.').waitFor();
    const added = page.getByRole('figure').filter({ hasText: 'Added to lists' });
    await added.getByRole('img', { name: 'Added to lists per day: 20 in total' }).waitFor();
    await added.getByText('none in the period before').waitFor();
    await page.getByRole('img', { name: 'Subscriptions per day: 4 in total' }).waitFor();
    await click(page.getByText('Show as a table'));
    const days = page.getByRole('table', { name: 'Figures by day' }).getByRole('row');
    await eventually(() => days.count(), 31);
    await click(button('7 days'));
    await added.getByText('+50% vs. previous 7 days').waitFor();
    await eventually(() => days.count(), 8);
    const today = [expect.any(String), '12', '4', '0'];
    await eventually(() => days.nth(1).getByRole('cell').allTextContents(), today);
    const wished = page.getByRole('table', { name: 'Most wishlisted' }).getByRole('row').nth(1);
    await eventually(() => wished.textContent(), expect.stringMatching(/Linen shirt.*3$/));

    await click(button('Custom'));
    await eventually(() => day('From').inputValue(), dayAgo(6));
    await fill(day('From'), dayAgo(9));
    await fill(day('To'), dayAgo(8));
    await added.getByText('0% vs. previous 2 days').waitFor();
    await page.reload();
    await added.getByText('4', { exact: true }).first().waitFor();
    expect([await day('From').inputValue(), await day('To').inputValue()]).toEqual([dayAgo(9), dayAgo(8)]);
    await fill(day('To'), dayAgo(10));
    const wrong = 'Choose a first day that is at most 366 days before the last one.';
    await page.getByRole('alert').getByText(wrong).first().waitFor();

    await openPage(page, 'Revenue');
    await click(button('7 days'));
    await row('€30.00').getByText('+50% vs. previous 7 days').waitFor();
    await page.getByRole('table', { name: 'Revenue by topic' }).getByText('Back in stock').waitFor();
    expect((await save('Export CSV')).trim().split('\n')).toHaveLength(8);

    await openPage(page, 'Overview');
    await click(page.getByRole('button', { name: 'Set stock of Linen shirt' }));
    await submit(page.getByLabel('Units in stock'), '10');
    await gone(dialog());
    await service.runTasks();
    await openPage(page, 'Alerts');
    await row('lin@example.com').getByText('sent').waitFor();
  });

  test('alerts are found by contact, topic and day, say why they failed or wait, are shown as they would be today, and are queued again', async () => {
    const own = await seedUsedStore(service, 'Queue');
    const { db } = service.services;
    await db.query(
      `UPDATE outbox SET attempts = 0, due_at = now() + interval '1 day', error = 'waiting for the quiet hours to end'
       WHERE pid = $1 AND recipient = 'lou@example.com'`,
      [own.pid],
    );
    await enter(own);
    await click(page.getByRole('link', { name: 'Alerts sent' }));
    await row('ida@example.com').getByText('Linen shirt').waitFor();
    expect(await row('kim@example.com').count()).toBe(0);
    await openMessage(page, 'ida@example.com', 'Linen shirt');
    await dialog().getByText('We don’t store sent messages').waitFor();
    await page.keyboard.press('Escape');
    await click(button('All'));
    const waits = /^waits until .* · waiting for the quiet hours to end$/;
    await row('lou@example.com').getByText(waits).waitFor();

    // The way from the overview has brought its period along.
    await fill(day('To'), '');
    await fill(page.getByLabel('Contact'), 'KIM@');
    await row('kim@example.com').waitFor();
    await eventually(() => page.getByRole('row').count(), 2);
    expect(page.url().toLowerCase()).not.toContain('kim');
    await page.reload();
    await row('kim@example.com').waitFor();
    expect(await page.getByLabel('Contact').inputValue()).toBe('KIM@');
    await fill(day('From'), '2031-01-01');
    await page.getByText('No alerts found').waitFor();
    await page.goBack();
    await row('kim@example.com').waitFor();
    await choose(page.getByLabel('Topic'), 'pricedrop');
    await page.getByText('No alerts found').waitFor();

    await openPage(page, 'Alerts');
    await click(page.getByRole('button', { name: /^Failed/ }));
    const failed = 'a.very.long.address@department.example.com';
    await row(failed).getByText('550 5.1.1').waitFor();
    await click(button(`Retry the alert to ${failed}`));
    await page.getByText('No alerts found').waitFor();
    const state = 'SELECT state FROM outbox WHERE pid = $1 AND recipient = $2';
    expect(await db.query(state, [own.pid, failed])).toEqual([{ state: 'queued' }]);
    await page.getByText('Emails are saved as files on the server and reach nobody.').waitFor();
    await click(page.getByRole('link', { name: 'Add your mail server' }));
    await page.getByText('We save your emails as files on the server of this service').waitFor();
  });

  test('a new topic sends a test, counts its audience, is sent manually, and is deleted once its name is typed; a built-in one cannot be deleted', async () => {
    const own = await seedStore(service);
    const { db } = service.services;
    await enter(own, 'topics');
    await click(button('New topic'));
    await fill(page.getByLabel('Name'), 'launch');
    await click(button('Create topic'));
    await heading('launch').waitFor();
    await page.getByText('Email: 0, SMS: 0').waitFor();
    await fill(page.getByLabel('Email address'), 'me@shop.example');
    await click(button('Send test'));
    const tests = `SELECT recipient FROM outbox WHERE pid = $1 AND lane = 'message'`;
    await eventually(() => db.query(tests, [own.pid]), [{ recipient: 'me@shop.example' }]);

    const add = page.getByLabel('Add a product');
    await fill(add, 'walnut');
    await page.getByRole('option', { name: 'Walnut desk lamp' }).waitFor();
    await press(add, 'Enter');
    await page.getByText('These products have no subscribers.').waitFor();
    const products = [PRODUCTS[1]!, PRODUCTS[3]!].map(({ epi, empi, du }) => ({ epi, empi, du }));
    const wish = { medium: 'email', mediumvalue: 'lin@example.com', products, topics: ['launch'] };
    await service.post('/storeadmin/bispa/subscriptions/create', wish, { store: own }).expect(200);
    await fill(add, 'canvas');
    await page.getByRole('option', { name: 'Canvas tote' }).dispatchEvent('mousedown');
    await page.getByText('Sends 2 messages to 1 person (Email: 1).').waitFor();
    await click(page.getByRole('button', { name: 'Remove Walnut desk lamp' }));
    await click(button('Send now…'));
    await dialog().getByText('Sends 1 message to 1 person (Email: 1).').waitFor();
    await click(button('Send', dialog()));
    await page.getByText('Sending: 0 of').waitFor();
    await service.runTasks();
    await page.getByText('Done: 1 of 1 alert sent').waitFor();

    await click(button('Delete topic'));
    const sure = button('Delete topic', dialog());
    expect(await sure.isDisabled()).toBe(true);
    await fill(page.getByLabel('Type launch to confirm'), 'launch');
    await click(sure);
    await page.getByRole('heading', { name: 'Your topics' }).waitFor();
    const builtIn = ['backinstock', 'comingsoon', 'pricedrop', 'lowstock', 'wishlistrestock'];
    expect(await read(own, '{ topics { name } }')).toEqual({ topics: builtIn.map((name) => ({ name })) });
    await click(page.getByRole('link', { name: 'Back in stock', exact: true }));
    await button('Save').waitFor();
    expect(await button('Delete topic').count()).toBe(0);
  });

  test('settings are saved and refused in words, also while origins are limited; a key is created with a name, shown once, works, is renamed and revoked', async () => {
    const own = await service.createStore({ name: 'Old name' });
    await enter(own, 'settings');
    const lists = page.getByRole('region', { name: 'Lists' });
    const types = page.getByLabel('List types');
    await fill(types, 'registry\nwl');
    await click(button('Save', lists));
    await lists.getByRole('alert').getByText('Please check the highlighted field.').waitFor();
    await page.getByText('“wl”: Each type has 1 to 32 letters').waitFor();
    expect([await isFocused(types), await types.getAttribute('aria-invalid')]).toEqual([true, 'true']);

    await fill(types, 'registry');
    await fill(page.getByLabel('Restore window (days)'), '7');
    await fill(page.getByLabel('Share URL'), 'https://shop.example/l/{lid}');
    await press(page.getByLabel('Share URL'), 'Control+s');
    await lists.getByText('All changes saved.').waitFor();
    await fill(page.getByLabel('Store name'), 'New name');
    await fill(page.getByLabel('Default country'), 'de');
    await fill(page.getByLabel('Allowed origins'), 'https://shop.example');
    await tick(page.getByLabel('Double opt-in'));
    await click(button('Save', page.getByRole('region', { name: 'General' })));
    await page.getByRole('banner').getByText('New name').waitFor();
    const fields = 'name listTypes restoreDays shareUrl allowedOrigins doubleOptIn customItems';
    expect((await read(own, `{ store { ${fields} } }`)).store).toEqual({
      name: 'New name',
      listTypes: ['registry'],
      restoreDays: 7,
      shareUrl: 'https://shop.example/l/{lid}',
      allowedOrigins: ['https://shop.example'],
      doubleOptIn: true,
      customItems: false,
    });

    await row('First key').getByText('This session').waitFor();
    await click(button('Create key'));
    await fill(dialog().getByLabel('Name'), 'Till');
    await click(button('Create', dialog()));
    const shown = dialog().getByLabel('API key');
    const apiKey = await shown.inputValue();
    expect(await statusOf({ ...own, apiKey })).toBe(200);
    await click(button('Done'));
    await gone(shown);
    const left = await page.evaluate(() => [
      document.documentElement.outerHTML,
      ...[...document.querySelectorAll('input')].map(({ value }) => value),
    ]);
    expect(left.filter((text) => text.includes(apiKey))).toEqual([]);

    await row('Till').waitFor();
    const hint = apiKey.slice(-4);
    await click(button(`Rename the key ending in ${hint}`));
    await fill(dialog().getByLabel('Name'), 'Back end');
    await click(button('Save', dialog()));
    await row('Back end').waitFor();
    await click(button(`Revoke the key ending in ${hint}`));
    await click(button('Revoke', dialog()));
    await gone(row('Back end'));
    expect(await statusOf({ ...own, apiKey })).toBe(401);
  });

  test('an operator makes a store and works in it, switches to another, and finds its way after a reload and from a closed store', async () => {
    const { key } = await addOperatorKey(service.services, 'Browser');
    await seedStore(service, 'Nordlicht');
    await enter({ pid: 'operator', apiKey: key });
    await click(button('Create store'));
    await fill(dialog().getByLabel('Name'), 'Aurora');
    await click(button('Create store', dialog()));
    const created = page.getByRole('dialog', { name: 'Aurora created' });
    const pid = await created.getByLabel('Store id (pid)').inputValue();
    const own = { pid, apiKey: await created.getByLabel('First API key').inputValue() };
    expect(await statusOf(own)).toBe(200);
    await click(button('Open store', created));
    await page.getByRole('banner').getByText('Aurora').waitFor();

    await click(button('Switch store'));
    await fill(dialog().getByLabel('Search'), 'nordli');
    await click(dialog().getByRole('button', { name: 'Nordlicht' }));
    await page.getByRole('banner').getByText('Nordlicht').waitFor();
    await openPage(page, 'Products');
    await page.reload();
    await row('Walnut desk lamp').waitFor();
    await page.getByRole('banner').getByText('Nordlicht').waitFor();

    await openPage(page, 'Stores');
    await fill(page.getByLabel('Search'), 'Aurora');
    await click(button('Close Aurora'));
    await click(button('Close for maintenance', dialog()));
    await button('Reopen Aurora').waitFor();
    expect(await statusOf(own)).toBe(503);
    await click(button('Open Aurora'));
    await page.getByRole('alert').first().waitFor();
    await page.reload();
    await click(button('Reopen Aurora'));
    await click(button('Reopen', dialog()));
    await button('Close Aurora').waitFor();
    expect(await statusOf(own)).toBe(200);
  });

  test('the page of a shopper follows its lists as they change, also while it loads; support restores a deleted list, exports the data, and erases it only after the address was typed', async () => {
    const own = await service.createStore();
    const { db } = service.services;
    const ada = await newAccount(service, own, 'ada@example.com');
    const { lid } = await ada.create('Birthday');
    await ada.add(lid, item(1));
    await ada.ok('lists/delete-list', { lid });
    await ada.create('First');
    await db.query(
      `INSERT INTO mailing_answer (pid, medium, value, acceptmarketing, signuptime, acceptsource)
       SELECT $1, 'email', who || '@example.com', true, now(), 'subscription' FROM unnest($2::text[]) AS who`,
      [own.pid, ['ada', 'bea']],
    );
    let ask = (): void => undefined;
    const held = new Promise<void>((resolve) => (ask = resolve));
    await page.route('**/graphql', async (route) => {
      if (/query WatchShopper\b/.test(route.request().postData() ?? '')) await held;
      await route.fallback();
    });
    await enter(own, 'shoppers?view=mailing-list');
    await page.getByText('2 contacts.').waitFor();
    await openPage(page, 'Shoppers');
    await fill(page.getByLabel('Search'), 'nobody@example.com');
    await page.getByText('No shoppers found').waitFor();
    await openShopper(page, 'ada@example.com');
    expect(page.url()).not.toContain('ada');
    const lists = page.locator('dl.facts div', { hasText: /^Lists/ }).locator('dd');
    await eventually(() => lists.textContent(), '1');
    await ada.create('Second');
    ask();
    await eventually(() => lists.textContent(), '2');
    await ada.create('Third');
    await eventually(() => lists.textContent(), '3');

    await page.getByText(/^[\d.]+ k?B of 32 MB$/).waitFor();
    await click(button('Restore Birthday'));
    await page.getByText('No deleted lists.').waitFor();
    expect((await ada.contents(lid)).list.cnt).toBe(1);
    const saved = await save('Export as JSON');
    expect(JSON.parse(saved)).toMatchObject({ exportedAt: expect.any(Number), data: expect.any(Object) });
    expect(saved).toContain('Birthday');
    await click(button('Erase…'));
    expect(await button('Erase permanently').isDisabled()).toBe(true);
    await fill(page.getByLabel('Type ada@example.com to confirm'), 'ada@example.com');
    await click(button('Erase permanently'));
    await page.getByText('No shoppers yet').waitFor();
    expect(await db.query('SELECT 1 FROM shopper WHERE pid = $1 AND em IS NOT NULL', [own.pid])).toEqual([]);
    await click(button('Mailing list'));
    await page.getByText('1 contact.').waitFor();
    expect(await save('Export CSV')).toMatch(/^[^\n]+\n[^\n]*bea@example.com[^\n]*\s*$/);
    await click(button('Audit log'));
    await eventually(() => page.getByRole('table', { name: 'Audit log' }).getByRole('row').count(), 3);
  });

  test('a webhook is added with its secret shown once, changed, tested, sent again and deleted; providers name their state', async () => {
    const receiver = await startHttp();
    const url = `${receiver.url}/hook`;
    const { db } = service.services;
    try {
      const own = await service.createStore();
      await enter(own, 'integrations');
      await page.getByRole('row', { name: /SMTP.*Not set up/ }).waitFor();
      await page.getByText('add your own mail server').waitFor();
      await page.getByRole('row', { name: /File outbox.*In use/ }).waitFor();
      await click(button('Add webhook'));
      await fill(dialog().getByLabel('URL'), url);
      await click(button('Add', dialog()));
      const shown = dialog().getByLabel('Signing secret');
      expect((await shown.inputValue()).length).toBeGreaterThan(20);
      await click(button('Done'));
      await gone(shown);
      const webhooks = page.getByRole('table', { name: 'Webhooks' });
      await click(button(`Edit: ${url}`));
      await tick(page.getByLabel('subscription.created'));
      await click(button('Save webhook'));
      await webhooks.getByText('Subscription created').waitFor();

      receiver.answer = () => ({ status: 500 });
      await click(button(`Send test event: ${url}`));
      await dialog().getByLabel('Payload').getByText('"type": "webhook.test"').waitFor();
      await service.runTasks();
      const attempts = page.getByRole('table', { name: 'Attempts' });
      await attempts.getByText('500').waitFor();
      await page.getByText('Next attempt:').waitFor();
      await db.query(`UPDATE outbox SET due_at = now() + interval '1 day' WHERE pid = $1`, [own.pid]);
      receiver.answer = () => ({ status: 204 });
      await click(button('Send again'));
      await eventually(async () => {
        await service.runTasks();
        return receiver.received.length;
      }, 2);
      await attempts.getByText('204').waitFor();
      await click(button('All deliveries'));
      await dialog().getByRole('row', { name: 'webhook.test' }).getByText('sent').waitFor();
      await page.keyboard.press('Escape');
      await webhooks.getByText('healthy').waitFor();

      await click(button(`Delete: ${url}`));
      await click(button('Delete', dialog()));
      await page.getByText('No webhooks yet').waitFor();
    } finally {
      await receiver.close();
    }
  });

  test('the notice of the demo store is closed for this tab, on all pages and after a reload; the store says that it has no webhooks', async () => {
    await enter(service.demo!);
    const notice = page.getByRole('complementary', { name: 'About the demo store' });
    await click(button('Close this notice', notice));
    await gone(notice);
    expect(await isFocused(heading('Overview'))).toBe(true);
    await openPage(page, 'Integrations');
    await page.reload();
    await page.getByText('The demo store can’t have webhooks').waitFor();
    expect([await notice.count(), await button('Add webhook').count()]).toEqual([0, 0]);
  });

  test('search, order, filter and page of the catalogue are in the address: a reload and Back find them; its stock is set, and all of it is a file', async () => {
    const own = await seedStore(service, 'Catalogue');
    await service.services.db.query(
      `INSERT INTO product (pid, epi, empi, du, dt, stk) SELECT $1, (9000 + n)::text, '9000', '/p', 'Walnut ' || lpad(n::text, 2, '0'), n FROM generate_series(1, 30) n`,
      [own.pid],
    );
    const setStock = async (stock: string): Promise<void> => {
      await click(button('Set stock of Walnut 01'));
      await submit(page.getByLabel('Units in stock'), stock);
      await gone(dialog());
    };
    await enter(own, 'products');
    await row('Walnut 30').waitFor();
    await fill(page.getByLabel('Search'), 'walnut');
    await page.getByText('31 variants').waitFor();
    await click(page.getByRole('columnheader', { name: 'Stock', exact: true }).getByRole('button'));
    await row('Walnut 01').waitFor();
    await click(button('Next'));
    await row('Walnut 26').waitFor();
    await page.reload();
    await row('Walnut 26').waitFor();
    expect(await page.getByLabel('Search').inputValue()).toBe('walnut');
    await page.goBack();
    await row('Walnut 01').waitFor();
    await page.goForward();
    await row('Walnut 26').waitFor();
    await click(button('Previous'));
    await row('Walnut 01').waitFor();
    expect((await save('Export CSV')).trimEnd().split('\r\n')).toHaveLength(32);

    await setStock('0');
    await click(button('Sold out'));
    await page.getByText('1 variant', { exact: true }).waitFor();
    await click(page.getByRole('link', { name: 'Walnut 01' }));
    await page.getByText('No subscribers yet').waitFor();
    await row('1 → 0').getByText('sold out').waitFor();
    await setStock('8');
    await row('0 → 8').getByText('in stock').waitFor();
    await page.getByRole('img', { name: /^Stock since .*: maximum 8, minimum 0$/ }).waitFor();
  });

  test('an empty store is led to its first alert: steps have room on every screen, the currency is asked for until it is set, and done steps are ticked', async () => {
    const own = await service.createStore({ name: 'New' });
    await enter(own);
    for (const [lang, note] of Object.entries({ de: '0 von 6', en: '0 of 6' })) {
      await page.goto(`${service.url}/dashboard?lang=${lang}`);
      await page.getByText(note).waitFor();
      const steps = page.locator('.checklist li > span:last-child');
      for (const width of [390, 768, 1280, 1600]) {
        await page.setViewportSize({ width, height: 900 });
        const shown = () =>
          steps.evaluateAll((found) => ({
            width: innerWidth,
            count: found.length,
            hasRoom: found.every((step) => step.getBoundingClientRect().width > 200),
          }));
        await eventually(shown, { width, count: 6, hasRoom: true });
      }
    }

    await click(page.getByRole('link', { name: 'Choose your currency' }));
    const notice = page.getByText('Your store has no currency: prices in emails show no currency sign.');
    await notice.waitFor();
    await choose(page.getByLabel('Currency'), 'EUR');
    await gone(notice);
    const brand = page.getByRole('region', { name: 'Brand' });
    await click(button('Save', brand));
    await brand.getByText('All changes saved.').waitFor();
    await (await newAccount(service, own, 'ada@example.com')).create('First');
    await openPage(page, 'Overview');
    await page.getByText('3 of 6 steps done').waitFor();
    const done = ['Choose your currency (done)', 'Identify a shopper (done)', '(done)'];
    await eventually(
      () => page.locator('.checklist .is-done').allTextContents(),
      done.map((text) => expect.stringContaining(text)),
    );
  });
});
