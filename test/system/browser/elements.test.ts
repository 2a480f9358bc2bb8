import { newAccount, newGuest, stock } from '../../api/list-kit.ts';
import type { Client } from '../../api/list-kit.ts';
import { useNewStore, useService } from '../../harness.ts';
import { choose, click, submit } from './act.ts';
import { allFindings, describeInBrowser, eventually, useBrowser } from './chromium.ts';
import { eventOf, heartsOf, useElementsShop } from './elements-page.ts';

const heart = (epi: number, title: string, more = ''): string =>
  `<wishgate-heart epi="${epi}" empi="900" du="/p/900" title="${title}" ${more}></wishgate-heart>`;

type Lists = { lid: string; lname: string; cnt: number; listcontents: Record<string, unknown>[] }[];

describeInBrowser('the elements', () => {
  const browser = useBrowser();
  const service = useService();
  const store = useNewStore(service, { currency: 'EUR' });
  const shop = useElementsShop(service);

  const guest = (): Promise<Client> => newGuest(service, store);
  const listsOf = (me: Client): Promise<Lists> => me.ok('lists/fetch-lists');
  const countsOf = async (me: Client) => (await listsOf(me)).map(({ lname, cnt }) => `${lname}: ${cnt}`);

  test('a heart takes a tap before the library has loaded, saves what it says, and is the same after a reload', async () => {
    const me = await guest();
    const context = await browser.newContext();
    let letThrough = (): void => undefined;
    const tapped = new Promise<void>((done) => (letThrough = done));
    await context.route('**/client/wishgate.mjs', async (route) => {
      await tapped;
      await route.continue();
    });
    const body = `${heart(1, 'Mug', 'price="18.5" image="/mug.jpg"')}${heart(1, 'Mug')}${heart(2, 'Vase')}<wishgate-count></wishgate-count>`;
    const page = await shop.open(context, me.shopper, body, { listName: 'Wishes' });
    const mug = page.getByRole('button', { name: 'Save Mug' });
    await click(mug.first());
    await eventually(() => heartsOf(page), ['Save Mug: true', 'Save Mug: true', 'Save Vase: false']);
    expect(await countsOf(me)).toEqual([]);
    letThrough();
    await page.getByText('Saved items: 1').waitFor();
    const item = { epi: 1, empi: 900, du: '/p/900', dt: 'Mug', pr: 18.5, iu: '/mug.jpg' };
    expect(await listsOf(me)).toMatchObject([{ lname: 'Wishes', listcontents: [item] }]);
    await page.reload();
    await eventually(() => heartsOf(page), ['Save Mug: true', 'Save Mug: true', 'Save Vase: false']);
    await click(mug.nth(1));
    await eventually(() => heartsOf(page), ['Save Mug: false', 'Save Mug: false', 'Save Vase: false']);
    await eventually(() => countsOf(me), ['Wishes: 0']);
  });

  test('the script tag alone makes hearts work on a static page, as soon as the store allows its origin', async () => {
    const { pid } = await service.createStore({ allowedOrigins: [shop.url] });
    const context = await browser.newContext();
    const body = `${heart(1, 'Mug')}<wishgate-list></wishgate-list>`;
    const page = await shop.openPlain(context, pid, body);
    await click(page.getByRole('button', { name: 'Save Mug' }));
    await page.getByRole('heading', { level: 2, name: 'Wishes' }).waitFor();
    await page.reload();
    await eventually(() => heartsOf(page), ['Save Mug: true']);
    const other = await shop.openPlain(context, pid, body);
    await eventually(() => heartsOf(other), ['Save Mug: true']);
    await click(other.getByRole('button', { name: 'Save Mug' }));
    for (const one of [other, page]) await eventually(() => heartsOf(one), ['Save Mug: false']);
  });

  test('two tabs and another device show the same hearts and counts without a reload', async () => {
    const { shopper } = await guest();
    const context = await browser.newContext();
    const body = `${heart(1, 'Mug')}<wishgate-count hide-empty></wishgate-count>`;
    const [here, there] = [await shop.open(context, shopper, body), await shop.open(context, shopper, body)];
    const device = await shop.open(await browser.newContext(), shopper, body);
    const pages = [here, there, device];
    for (const page of pages) await eventually(() => heartsOf(page), ['Save Mug: false']);
    await eventually(() => here.locator('wishgate-count').isVisible(), false);
    await click(here.getByRole('button', { name: 'Save Mug' }));
    for (const page of pages) {
      await eventually(() => heartsOf(page), ['Save Mug: true']);
      await page.getByText('Saved items: 1').waitFor();
    }
    await click(device.getByRole('button', { name: 'Save Mug' }));
    for (const page of pages) await eventually(() => heartsOf(page), ['Save Mug: false']);
  });

  test('the elements speak the language around them, and follow when it changes', async () => {
    const me = await guest();
    await stock(service, store, '77', { dt: 'Kanne', pr: 1234.5 });
    const { lid } = await me.create('Küche');
    await me.add(lid, { epi: 77, empi: 900, du: '/p/900' });
    const body = `${heart(1, 'Mug')}<div lang="fr">${heart(2, 'Vase')}</div><wishgate-list></wishgate-list>`;
    const page = await shop.open(await browser.newContext({ locale: 'es-ES' }), me.shopper, body);
    await eventually(() => heartsOf(page), ['Save Mug: false', 'Enregistrer Vase: false']);
    await page.getByText('€1,234.50').waitFor();
    await page.evaluate("document.documentElement.lang = 'de-AT'");
    await eventually(() => heartsOf(page), ['Mug merken: false', 'Enregistrer Vase: false']);
    await page.getByRole('button', { name: 'Entfernen: Kanne' }).waitFor();
    await page.getByText(/€.1\.234,50|1\.234,50.€|€.1.234,50/).waitFor();
    // A language that the elements do not have: the browser's.
    await page.evaluate("document.documentElement.lang = 'it'");
    await eventually(() => heartsOf(page), ['Guardar Mug: false', 'Enregistrer Vase: false']);
  });

  test('a list shows prices, drops and what is sold out, in pages, and what is removed comes back by Undo', async () => {
    const me = await guest();
    const { lid } = await me.create('Kitchen');
    for (const epi of [11, 12, 13]) {
      await stock(service, store, String(epi), { dt: `Pot ${epi}`, pr: 20, stk: 5 });
      await me.add(lid, { epi, empi: 900, du: 'https://shop.example/p/900', qty: epi === 13 ? 2 : 1 });
    }
    await stock(service, store, '12', { dt: 'Pot 12', pr: 15, stk: 0 });
    const body = '<wishgate-list page-size="2"></wishgate-list>';
    const page = await shop.open(await browser.newContext(), me.shopper, body);
    const rows = (...texts: RegExp[]): Promise<void> =>
      eventually(
        () => page.getByRole('listitem').allTextContents(),
        texts.map((text) => expect.stringMatching(text)),
      );
    const focused = (id: string): Promise<void> =>
      eventually(
        () => page.evaluate("document.querySelector('wishgate-list').shadowRoot.activeElement?.id"),
        id,
      );
    await page.getByRole('heading', { level: 2, name: 'Kitchen' }).waitFor();
    await rows(/Pot 13× 2€20\.00Add to cart/, /Pot 12€15\.00Price drop: was €20\.00Sold outRemove/);
    await click(page.getByRole('button', { name: 'Show more' }));
    await rows(/Pot 13/, /Pot 12/, /Pot 11/);
    await click(page.getByRole('button', { name: 'Add to cart: Pot 13' }));
    expect(await eventOf(page, 'add-to-cart')).toMatchObject({ item: { epi: 13, qty: 2 } });

    await click(page.getByRole('button', { name: 'Remove: Pot 12' }));
    await rows(/Pot 13/, /Pot 12 removed/, /Pot 11/);
    await focused('undo');
    await eventually(() => countsOf(me), ['Kitchen: 2']);
    await page.keyboard.press('Enter');
    await rows(/Pot 13/, /Pot 12€15\.00/, /Pot 11/);
    await focused('remove:12');
    await eventually(() => countsOf(me), ['Kitchen: 3']);
  });

  test('a shared link is read by a stranger until sharing stops, and a list of several is chosen', async () => {
    const me = await guest();
    for (const name of ['Kitchen', 'Garden']) {
      const { lid } = await me.create(name);
      await me.add(lid, { epi: 1, empi: 1, du: '/p', dt: `${name} shovel` });
    }
    const page = await shop.open(await browser.newContext(), me.shopper, '<wishgate-list></wishgate-list>');
    await page.getByRole('link', { name: 'Garden shovel' }).waitFor();
    await choose(page.getByLabel('List', { exact: true }), { label: 'Kitchen' });
    await page.getByRole('link', { name: 'Kitchen shovel' }).waitFor();
    await click(page.getByRole('button', { name: 'Share' }));
    const link = await page.getByRole('textbox', { name: 'Link to this list' }).inputValue();
    const { lid } = (await listsOf(me)).find(({ lname }) => lname === 'Kitchen')!;
    expect(link).toBe(`${service.url}/shared/${lid}?pid=${encodeURIComponent(store.pid)}`);
    const { text } = await service.http.get(link.slice(service.url.length)).expect(200);
    expect(text).toContain('Kitchen shovel');

    const { shopper } = await guest();
    const theirs = await shop.open(
      await browser.newContext(),
      shopper,
      `<wishgate-list lid="${lid}"></wishgate-list>`,
    );
    await theirs.getByRole('heading', { name: 'Kitchen' }).waitFor();
    await theirs.getByRole('button', { name: 'Add to cart: Kitchen shovel' }).waitFor();
    expect(await theirs.getByRole('button', { name: /Remove|Share/ }).count()).toBe(0);
    await click(page.getByRole('button', { name: 'Stop sharing' }));
    await page.getByRole('button', { name: 'Share', exact: true }).waitFor();
    await theirs.reload();
    await theirs.getByRole('alert').getByText('List not found').waitFor();
  });

  test('save for later takes from the page and from a list, and gives to the cart', async () => {
    const me = await guest();
    const { lid } = await me.create('Kitchen');
    await me.add(lid, { epi: 1, empi: 1, du: '/p', dt: 'Shovel' });
    const body =
      '<wishgate-list for-later></wishgate-list><wishgate-save-for-later></wishgate-save-for-later>';
    const page = await shop.open(await browser.newContext(), me.shopper, body);
    const later = page.locator('wishgate-save-for-later');
    const shown = () => later.getByRole('link').allTextContents();
    const stored = async () => {
      const { items } = (await me.ok('lists/sfl/create')) as { items: { epi: number }[] };
      return items.map(({ epi }) => epi);
    };
    await later.getByText('This list is empty').waitFor();
    await page.evaluate(
      "document.querySelector('wishgate-save-for-later').add({ epi: 2, empi: 2, du: '/p', dt: 'Rake', qty: 3 })",
    );
    await eventually(shown, ['Rake']);
    await page.evaluate(
      "document.dispatchEvent(new CustomEvent('wishgate-save-for-later', { detail: { item: { epi: 3, empi: 2, du: '/p', dt: 'Hoe' } } }))",
    );
    await eventually(shown, ['Hoe', 'Rake']);
    await click(page.getByRole('button', { name: 'Save for later: Shovel' }));
    await eventually(shown, ['Shovel', 'Hoe', 'Rake']);
    await page.locator('wishgate-list').getByText('This list is empty').waitFor();

    await click(later.getByRole('button', { name: 'Move to cart: Rake' }));
    await eventually(shown, ['Shovel', 'Hoe']);
    const added = { item: expect.objectContaining({ epi: 2, qty: 3, dt: 'Rake' }) };
    await eventually(() => eventOf(page, 'add-to-cart'), added);
    await eventually(stored, [1, 3]);
    await click(later.getByRole('button', { name: 'Remove: Hoe' }));
    await eventually(stored, [1]);
    await click(later.getByRole('button', { name: 'Undo: Hoe' }));
    await eventually(shown, ['Shovel', 'Hoe']);
    await eventually(stored, expect.arrayContaining([1, 3]));
  });

  test('notify me asks a guest for an address and says what is missing; an account needs one tap', async () => {
    await stock(service, store, '31', { dt: 'Lamp', stk: 0 });
    const body = '<wishgate-notify epi="31" empi="900" du="/p/900" title="Lamp"></wishgate-notify>';
    const page = await shop.open(await browser.newContext(), (await guest()).shopper, body);
    await page.evaluate('isStarted');
    await click(page.getByRole('button', { name: 'Notify me: Lamp' }));
    const field = page.getByLabel('Email address');
    await submit(field, 'nobody');
    await page.getByRole('alert').getByText('Please enter a valid email address').waitFor();
    expect(await field.getAttribute('aria-invalid')).toBe('true');
    await submit(field, 'guest@example.com');
    await page.getByText('Please check your inbox and confirm').waitFor();
    const subscribed = expect.objectContaining({ epi: '31', confirmed: false });
    await eventually(() => eventOf(page, 'subscribed'), subscribed);

    const { shopper } = await newAccount(service, store);
    const mine = await shop.open(await browser.newContext(), shopper, body);
    await mine.evaluate('isStarted');
    await click(mine.getByRole('button', { name: 'Notify me: Lamp' }));
    await mine.getByText("We'll email you").waitFor();
    expect(await mine.getByLabel('Email address').isVisible()).toBe(false);
  });

  test('everything is accessible in light and dark colours, from right to left, and nothing moves as it loads', async () => {
    const me = await guest();
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
    await eventually(() => heartsOf(still), ['Save Shovel: true']);
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
