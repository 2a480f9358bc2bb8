import { randomUUID } from 'node:crypto';
import type { Page } from 'playwright-core';
import { createClient, newAccount, stock } from '../../api/list-kit.ts';
import { useService, useStore } from '../../harness.ts';
import type { TestShopper } from '../../harness.ts';
import { allFindings, describeInBrowser, eventually, useBrowser } from './chromium.ts';
import { eventsOf, remove, save, useElementsShop } from './elements-page.ts';

const heart = (epi: number, title: string, more = ''): string =>
  `<wishgate-heart epi="${epi}" empi="900" du="/p/900" title="${title}" ${more}></wishgate-heart>`;

describeInBrowser('the elements', () => {
  const browser = useBrowser();
  const service = useService();
  const store = useStore(service, { currency: 'EUR' });
  const shop = useElementsShop(service);

  const guest = (): Promise<TestShopper> => service.guest(store);
  const listsOf = async (shopper: TestShopper) =>
    (await createClient(service, shopper).ok('lists/fetch-lists')) as {
      lid: string;
      lname: string;
      cnt: number;
      listcontents: Record<string, unknown>[];
    }[];
  const countOf = async (shopper: TestShopper): Promise<number> =>
    (await listsOf(shopper)).reduce((sum, { cnt }) => sum + cnt, 0);
  const written = (page: Page) =>
    page.waitForResponse((response) => response.url().includes('/lists/update-ctx'));

  test('a heart saves what its attributes say, all hearts of a variant agree, and a reload shows the same', async () => {
    const me = await guest();
    const more = 'price="18.5" image="/mug.jpg"';
    const body = `${heart(1, 'Mug', more)}${heart(1, 'Mug')}${heart(2, 'Vase')}<wishgate-count></wishgate-count>`;
    const page = await shop.open(await browser.newContext(), me, body);
    await save(page, 'Mug').first().click();
    await remove(page, 'Mug').nth(1).waitFor();
    await page.getByText('Saved items: 1').waitFor();
    await eventually(async () => (await eventsOf(page)).map(([name]) => name).join(), 'save,saved');
    const [{ lname, listcontents }] = (await listsOf(me)) as [Awaited<ReturnType<typeof listsOf>>[0]];
    expect(lname).toBe('My Wishlist');
    expect(listcontents[0]).toMatchObject({
      epi: 1,
      empi: 900,
      du: '/p/900',
      dt: 'Mug',
      pr: 18.5,
      iu: '/mug.jpg',
    });
    await page.reload();
    await remove(page, 'Mug').first().click();
    await save(page, 'Mug').nth(1).waitFor();
    await eventually(() => countOf(me), 0);
    expect(await save(page, 'Vase').count()).toBe(1);
  });

  test('a tap before the library has loaded is not lost', async () => {
    const me = await guest();
    const context = await browser.newContext();
    let letThrough = (): void => undefined;
    const tapped = new Promise<void>((done) => (letThrough = done));
    await context.route('**/client/wishgate.mjs', async (route) => {
      await tapped;
      await route.continue();
    });
    const page = await shop.open(context, me, heart(1, 'Mug'), { listName: 'Wishes' });
    await save(page, 'Mug').click();
    await remove(page, 'Mug').waitFor();
    expect(await countOf(me)).toBe(0);
    letThrough();
    await eventually(
      async () => (await listsOf(me)).map(({ lname, cnt }) => `${lname} ${cnt}`).join(),
      'Wishes 1',
    );
  });

  test('the script tag alone makes hearts work on a static page, as soon as the store allows its origin', async () => {
    const { pid } = await service.createStore({ allowedOrigins: [shop.url] });
    const context = await browser.newContext();
    const body = `${heart(1, 'Mug')}<wishgate-list></wishgate-list>`;
    const page = await shop.openPlain(context, pid, body);
    await save(page, 'Mug').click();
    await page.getByRole('heading', { level: 2, name: 'Wishes' }).waitFor();
    await page.reload();
    await remove(page, 'Mug').waitFor();
    const other = await shop.openPlain(context, pid, body);
    await remove(other, 'Mug').click();
    await save(page, 'Mug').waitFor();
  });

  test('quick taps show the last wish at once and end with it, in the order of the taps', async () => {
    const me = await guest();
    const context = await browser.newContext();
    const page = await shop.open(context, me, heart(1, 'Mug'));
    await save(page, 'Mug').waitFor();
    const calls: string[] = [];
    let release = (): void => undefined;
    const held = new Promise<void>((done) => (release = done));
    await context.route('**/lists/update-ctx*', async (route) => {
      calls.push(/[&?]?\b([ad])=/.exec(route.request().postData()!)![1]!);
      await held;
      await route.continue();
    });
    for (const tap of [save, remove, save, remove]) await tap(page, 'Mug').click();
    await save(page, 'Mug').waitFor();
    await eventually(async () => calls.length, 1);
    release();
    await eventually(async () => (await eventsOf(page)).filter(([name]) => name === 'removed').length, 1);
    expect(calls).toEqual(['a', 'd']);
    expect(await countOf(me)).toBe(0);
    expect(await save(page, 'Mug').count()).toBe(1);
  });

  test('a save that is refused is taken back, and the shopper reads why', async () => {
    const context = await browser.newContext();
    const page = await shop.open(context, await guest(), heart(1, 'Mug'));
    await context.route('**/lists/*', (route) =>
      route.fulfill({
        status: 429,
        headers: { 'access-control-allow-origin': '*' },
        json: { error: true, type: 'rate-limited', msg: 'Too many calls' },
      }),
    );
    await save(page, 'Mug').click();
    await page.getByText('Too many attempts').waitFor();
    await save(page, 'Mug').waitFor();
    expect((await eventsOf(page)).map(([name]) => name)).toEqual(['save', 'error']);
    // A page may forbid the save before it begins, to ask for a login for example.
    await context.unroute('**/lists/*');
    await page.evaluate("addEventListener('wishgate-save', (event) => event.preventDefault())");
    await save(page, 'Mug').click();
    expect(await save(page, 'Mug').count()).toBe(1);
  });

  test('two tabs and another device show the same hearts and counts without a reload', async () => {
    const me = await guest();
    const context = await browser.newContext();
    const body = `${heart(1, 'Mug')}<wishgate-count hide-empty></wishgate-count>`;
    const [here, there] = [await shop.open(context, me, body), await shop.open(context, me, body)];
    const device = await shop.open(await browser.newContext(), me, body);
    expect(await here.locator('wishgate-count').isVisible()).toBe(false);
    await save(there, 'Mug').waitFor();
    await save(here, 'Mug').click();
    for (const page of [there, device]) {
      await remove(page, 'Mug').waitFor();
      await page.getByText('Saved items: 1').waitFor();
    }
    await remove(device, 'Mug').click();
    for (const page of [here, there]) await save(page, 'Mug').waitFor();
  });

  test('one read serves all hearts, also those that come later, and lists that are too long for it', async () => {
    const me = createClient(service, await guest());
    const { lid } = await me.create('Everything');
    const items = Array.from({ length: 500 }, (_, at) => ({ epi: at + 1, empi: 1, du: '/p' }));
    await me.ok('lists/update-ctx', { lid, a: items });
    await me.add(lid, { epi: 501, empi: 1, du: '/p' });
    const context = await browser.newContext();
    const reads: string[] = [];
    context.on('request', (request) => {
      if (request.postData()?.includes('isInLists')) reads.push(request.postData()!);
    });
    const hearts = [1, 2, 501, 502].map((epi) => heart(epi, `No. ${epi}`)).join('');
    const page = await shop.open(context, me.shopper, hearts);
    for (const epi of [1, 2, 501]) await remove(page, `No. ${epi}`).waitFor();
    await save(page, 'No. 502').waitFor();
    expect(reads.length).toBeLessThanOrEqual(2);
    await page.evaluate(
      `document.querySelector('main').insertAdjacentHTML('beforeend', ${JSON.stringify(heart(3, 'No. 3'))})`,
    );
    await remove(page, 'No. 3').click();
    await save(page, 'No. 3').waitFor();
    await eventually(() => countOf(me.shopper), 500);
  });

  test('the elements speak the language around them, and follow when it changes', async () => {
    const me = await guest();
    await stock(service, store, '77', { dt: 'Kanne', pr: 1234.5 });
    const { lid } = await createClient(service, me).create('Küche');
    await createClient(service, me).add(lid, { epi: 77, empi: 900, du: '/p/900' });
    const body = `${heart(1, 'Mug')}<div lang="fr">${heart(2, 'Vase')}</div><wishgate-list></wishgate-list>`;
    const page = await shop.open(await browser.newContext({ locale: 'es-ES' }), me, body);
    await save(page, 'Mug').waitFor();
    await page.getByRole('button', { name: 'Enregistrer Vase' }).waitFor();
    await page.getByText('€1,234.50').waitFor();
    await page.evaluate("document.documentElement.lang = 'de-AT'");
    await page.getByRole('button', { name: 'Mug merken' }).waitFor();
    await page.getByRole('button', { name: 'Entfernen: Kanne' }).waitFor();
    await page.getByText(/€.1\.234,50|1\.234,50.€|€.1.234,50/).waitFor();
    // A language that the elements do not have: the browser's.
    await page.evaluate("document.documentElement.lang = 'it'");
    await page.getByRole('button', { name: 'Guardar Mug' }).waitFor();
  });

  test('a list shows prices, drops and what is sold out, in pages, and what is removed comes back by Undo', async () => {
    const me = createClient(service, await guest());
    const { lid } = await me.create('Kitchen');
    for (const epi of [11, 12, 13]) {
      await stock(service, store, String(epi), { dt: `Pot ${epi}`, pr: 20, stk: 5 });
      await me.add(lid, { epi, empi: 900, du: 'https://shop.example/p/900', qty: epi === 13 ? 2 : 1 });
    }
    await stock(service, store, '12', { dt: 'Pot 12', pr: 15, stk: 0 });
    const page = await shop.open(
      await browser.newContext(),
      me.shopper,
      '<wishgate-list page-size="2"></wishgate-list>',
    );
    const rows = page.getByRole('listitem');
    await page.getByRole('heading', { level: 2, name: 'Kitchen' }).waitFor();
    expect(await rows.count()).toBe(2);
    expect(await rows.nth(0).textContent()).toMatch(/Pot 13× 2€20\.00Add to cart/);
    expect(await rows.nth(1).textContent()).toMatch(/Pot 12€15\.00Price drop: was €20\.00Sold outRemove/);
    await page.getByRole('button', { name: 'Show more' }).click();
    await rows.nth(2).waitFor();
    await page.getByRole('button', { name: 'Add to cart: Pot 13' }).click();
    expect((await eventsOf(page)).at(-1)).toMatchObject(['add-to-cart', { item: { epi: 13, qty: 2 } }]);

    const gone = written(page);
    await page.getByRole('button', { name: 'Remove: Pot 12' }).click();
    await page.getByText('Pot 12 removed').waitFor();
    expect(await page.evaluate("document.querySelector('wishgate-list').shadowRoot.activeElement.id")).toBe(
      'undo',
    );
    await gone;
    await eventually(() => countOf(me.shopper), 2);
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Remove: Pot 12' }).waitFor();
    expect(await page.evaluate("document.querySelector('wishgate-list').shadowRoot.activeElement.id")).toBe(
      'remove:12',
    );
    await eventually(() => countOf(me.shopper), 3);
    expect(await rows.allTextContents()).toEqual(
      [/13/, /12/, /11/].map((name) => expect.stringMatching(name)),
    );
  });

  test('a shared link is read by a stranger until sharing stops, and a list of several is chosen', async () => {
    const me = createClient(service, await guest());
    for (const name of ['Kitchen', 'Garden']) {
      const { lid } = await me.create(name);
      await me.add(lid, { epi: 1, empi: 1, du: '/p', dt: `${name} shovel` });
    }
    const page = await shop.open(await browser.newContext(), me.shopper, '<wishgate-list></wishgate-list>');
    await page.getByRole('link', { name: 'Garden shovel' }).waitFor();
    await page.getByLabel('List', { exact: true }).selectOption('Kitchen');
    await page.getByRole('link', { name: 'Kitchen shovel' }).waitFor();
    await page.getByRole('button', { name: 'Share' }).click();
    const link = await page.getByRole('textbox', { name: 'Link to this list' }).inputValue();
    const { lid } = (await listsOf(me.shopper)).find(({ lname }) => lname === 'Kitchen')!;
    expect(link).toBe(`${service.url}/shared/${lid}?pid=${encodeURIComponent(store.pid)}`);
    expect((await service.http.get(link.slice(service.url.length)).expect(200)).text).toContain(
      'Kitchen shovel',
    );

    const body = `<wishgate-list lid="${lid}"></wishgate-list>`;
    const theirs = await shop.open(await browser.newContext(), await guest(), body);
    await theirs.getByRole('heading', { name: 'Kitchen' }).waitFor();
    await theirs.getByRole('button', { name: 'Add to cart: Kitchen shovel' }).waitFor();
    expect(await theirs.getByRole('button', { name: /Remove|Share/ }).count()).toBe(0);
    await page.getByRole('button', { name: 'Stop sharing' }).click();
    await page.getByRole('button', { name: 'Share', exact: true }).waitFor();
    await theirs.reload();
    await theirs.getByRole('alert').getByText('List not found').waitFor();
  });

  test('save for later takes from the page and from a list, and gives to the cart', async () => {
    const me = createClient(service, await guest());
    const { lid } = await me.create('Kitchen');
    await me.add(lid, { epi: 1, empi: 1, du: '/p', dt: 'Shovel' });
    const body =
      '<wishgate-list for-later></wishgate-list><wishgate-save-for-later></wishgate-save-for-later>';
    const page = await shop.open(await browser.newContext(), me.shopper, body);
    const later = page.locator('wishgate-save-for-later');
    await later.getByText('This list is empty').waitFor();
    await page.evaluate(
      "document.querySelector('wishgate-save-for-later').add({ epi: 2, empi: 2, du: '/p', dt: 'Rake', qty: 3 })",
    );
    await later.getByText('Rake').waitFor();
    await page.evaluate(
      "document.dispatchEvent(new CustomEvent('wishgate-save-for-later', { detail: { item: { epi: 3, empi: 2, du: '/p', dt: 'Hoe' } } }))",
    );
    await later.getByText('Hoe').waitFor();
    await page.getByRole('button', { name: 'Save for later: Shovel' }).click();
    await later.getByText('Shovel').waitFor();
    await page.locator('wishgate-list').getByText('This list is empty').waitFor();

    await later.getByRole('button', { name: 'Move to cart: Rake' }).click();
    await later.getByText('Rake').waitFor({ state: 'detached' });
    const added = async () => (await eventsOf(page)).find(([name]) => name === 'add-to-cart');
    await eventually(async () => (await added()) !== undefined, true);
    const [, detail] = (await added())!;
    expect(detail).toMatchObject({ item: { epi: 2, qty: 3, dt: 'Rake' } });
    const items = async () =>
      ((await me.ok('lists/sfl/create', {})) as { items: { epi: number }[] }).items
        .map(({ epi }) => epi)
        .sort();
    await eventually(async () => (await items()).join(), '1,3');
    await later.getByRole('button', { name: 'Remove: Hoe' }).click();
    await later.getByRole('button', { name: 'Undo: Hoe' }).click();
    await later.getByRole('button', { name: 'Remove: Hoe' }).waitFor();
    await eventually(async () => (await items()).join(), '1,3');
  });

  test('notify me asks a guest for an address and says what is missing; an account needs one tap', async () => {
    await stock(service, store, '31', { dt: 'Lamp', stk: 0 });
    const body = '<wishgate-notify epi="31" empi="900" du="/p/900" title="Lamp"></wishgate-notify>';
    const page = await shop.open(await browser.newContext(), await guest(), body);
    const button = page.getByRole('button', { name: 'Notify me: Lamp' });
    await button.click();
    const field = page.getByLabel('Email address');
    await field.fill('nobody');
    await button.click();
    await page.getByRole('alert').getByText('Please enter a valid email address').waitFor();
    expect(await field.getAttribute('aria-invalid')).toBe('true');
    await field.fill(`${randomUUID()}@example.com`);
    await page.keyboard.press('Enter');
    await page.getByText('Please check your inbox and confirm').waitFor();
    expect((await eventsOf(page)).at(-1)).toMatchObject(['subscribed', { epi: '31', confirmed: false }]);

    const { shopper } = await newAccount(service, store);
    const mine = await shop.open(await browser.newContext(), shopper, body);
    await mine.getByRole('button', { name: 'Notify me: Lamp' }).click();
    await mine.getByText("We'll email you").waitFor();
    expect(await mine.getByLabel('Email address').isVisible()).toBe(false);
  });

  test('everything is accessible in light and dark colours, from right to left, and nothing moves as it loads', async () => {
    const me = createClient(service, await guest());
    const { lid } = await me.create('Kitchen');
    await me.add(lid, { epi: 1, empi: 1, du: '/p', dt: 'Shovel', iu: '/none.jpg' });
    await me.ok('lists/markPublic', { lid });
    const context = await browser.newContext();
    await context.addInitScript(() => {
      const page = globalThis as unknown as { moved: number };
      page.moved = 0;
      new PerformanceObserver((list) => {
        for (const entry of list.getEntries() as (PerformanceEntry & { value: number })[])
          page.moved += entry.value;
      }).observe({ type: 'layout-shift', buffered: true });
    });
    const still = await shop.open(
      context,
      me.shopper,
      `<p>Shovel ${heart(1, 'Shovel')} and more</p><p>Text</p>`,
    );
    await remove(still, 'Shovel').waitFor();
    expect(await still.evaluate('moved')).toBe(0);

    const body = `${heart(1, 'Shovel')}${heart(2, 'Rake')}<p>Saved: <wishgate-count></wishgate-count></p><wishgate-list for-later></wishgate-list>
      <wishgate-save-for-later></wishgate-save-for-later><wishgate-notify open epi="1" title="Shovel"></wishgate-notify>`;
    const page = await shop.open(await browser.newContext(), me.shopper, body);
    await page.getByRole('button', { name: 'Stop sharing' }).waitFor();
    await page.locator('wishgate-save-for-later').getByText('This list is empty').waitFor();
    expect(await allFindings(page)).toEqual([]);
    await page.setViewportSize({ width: 320, height: 700 });
    await page.evaluate("document.documentElement.dir = 'rtl'");
    expect(await page.evaluate('document.documentElement.scrollWidth - innerWidth')).toBe(0);
    const small = await page.evaluate(`[...document.querySelectorAll('main *')].flatMap((element) =>
      [...(element.shadowRoot?.querySelectorAll('button, a, input') ?? [])].filter((target) => {
        const { width, height } = target.getBoundingClientRect();
        return width > 0 && Math.min(width, height) < 24;
      }).map(({ outerHTML }) => outerHTML))`);
    expect(small).toEqual([]);
  });
});
