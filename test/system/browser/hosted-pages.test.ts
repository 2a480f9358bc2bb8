import type { Page } from 'playwright-core';
import { encryptLink, unsubscribeUrl } from '../../../src/shoppers/contacts/link.rules.ts';
import { item, newAccount } from '../../api/list-kit.ts';
import { useService } from '../../harness.ts';
import { seedSubscription } from '../../alerts/kit.ts';
import { isLong } from '../../tier.ts';
import { allFindings, describeInBrowser, secondFindings, useBrowser } from './chromium.ts';

const PICTURE = Buffer.from(
  '<svg xmlns="http://www.w3.org/2000/svg" width="88" height="88"><rect width="88" height="88" fill="teal"/></svg>',
);

describeInBrowser('the pages behind links', () => {
  const browser = useBrowser();
  // As the world sees it: on a developer's machine pictures come over http, too.
  const service = useService({ publicUrl: 'https://wishes.example', hasPublicUrl: true });
  const paths: Record<string, string> = {};

  beforeAll(async () => {
    const { db } = service.services;
    const store = await service.createStore({
      name: 'Kettles & Co',
      logoUrl: 'https://shop.example/logo.svg',
      colour: '#ffd400',
      currency: 'EUR',
      allowedOrigins: ['https://shop.example'],
    });
    const products = [
      { epi: 1, empi: 1, du: '/p/1', dt: 'Kettle', iu: 'https://shop.example/fine.svg', pr: 49.9, stk: 2 },
      {
        epi: 2,
        empi: 2,
        du: 'https://shop.example/p/2',
        dt: 'Teapot',
        iu: 'https://gone.example/x.png',
        pr: 1234.5,
        stk: 0,
      },
      {
        epi: 3,
        empi: 3,
        du: 'https://shop.example/p/3',
        dt: 'Very '.repeat(60),
        iu: 'http://shop.example/insecure.png',
        stk: 9,
      },
    ];
    await service.post('/storeadmin/v3/products/upsert', { products }, { store }).expect(200);
    const owner = await newAccount(service, store);
    const { lid } = await owner.create('Wedding');
    await owner.add(lid, item(1, { note: 'blue' }), item(2), item(3));
    await owner.ok('lists/markPublic', { lid });
    const [row] = await db.query<{ secret: Buffer }>('SELECT secret FROM store WHERE pid = $1', [store.pid]);
    const sealed = { pid: store.pid, secret: row!.secret, tokenKeys: [] };
    await seedSubscription(service, store, { epi: '1', value: 'a@example.com' });
    paths['list'] = `/shared/${lid}`;
    paths['gone'] = '/go/nothing';
    const claim = {
      scope: 'product',
      medium: 'email',
      value: 'a@example.com',
      topic: 'pricedrop',
      epi: '1',
    } as const;
    paths['leave'] = unsubscribeUrl('', sealed, claim);
    paths['preferences'] = paths['leave'].replace('unsubscribe', 'preferences');
    paths['leave in Arabic letters'] = `${paths['leave']}?lang=ar-XB`;
    paths['confirm'] =
      `/confirm/${encryptLink(sealed, 'confirm', ['email', 'a@example.com', String(service.services.now().getTime()), ''])}`;
  });

  async function open(width: number): Promise<{ page: Page; asked: string[] }> {
    const context = await browser.newContext({ viewport: { width, height: 800 } });
    const page = await context.newPage();
    const asked: string[] = [];
    await context.route(/^https?:\/\/(shop|gone)\.example\//, (route) => {
      const url = route.request().url();
      asked.push(url);
      return url.includes('gone.example')
        ? route.abort()
        : route.fulfill({ contentType: 'image/svg+xml', body: PICTURE });
    });
    return { page, asked };
  }

  test.each(['list', 'gone', 'leave', 'leave in Arabic letters', 'preferences', 'confirm'])(
    'the page of %s is accessible in light and in dark colours, has nothing beyond the edge, and the brand on it',
    async (name) => {
      const { page } = await open(1440);
      await page.goto(service.url + paths[name]!);
      if (name !== 'gone') expect(await page.getByRole('img', { name: 'Kettles & Co' }).count()).toBe(1);
      expect(await allFindings(page)).toEqual([]);
      for (const width of [1440, 390, 320]) {
        await page.setViewportSize({ width, height: 800 });
        const beyond = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
        expect({ width, beyond }).toEqual({ width, beyond: 0 });
        if (width === 390 || (isLong && width === 320)) expect(await secondFindings(page)).toEqual([]);
      }
    },
  );

  test('a shared list shows price, stock and a way to buy; a picture that fails or is not on https leaves no broken one', async () => {
    const { page, asked } = await open(800);
    await page.goto(service.url + paths['list']!);
    const rows = page.getByRole('listitem');
    const kettle = rows.filter({ hasText: 'Kettle' });
    await kettle.getByText('€49.90').waitFor();
    expect(await kettle.getByText('Only 2 left').count()).toBe(1);
    expect(await kettle.getByRole('link', { name: 'Buy Kettle' }).getAttribute('href')).toBe(
      'https://shop.example/p/1?variant=1',
    );
    const teapot = rows.filter({ hasText: 'Teapot' });
    expect(await teapot.getByText('Sold out').count()).toBe(1);
    expect(await teapot.getByText('€1,234.50').count()).toBe(1);
    await page.waitForFunction(() => [...document.images].every(({ complete }) => complete));
    // What failed has no text of its own and no picture: the sign behind it shows.
    const seen = await page.evaluate(() =>
      [...document.querySelectorAll<HTMLImageElement>('li img')].map(
        ({ naturalWidth, alt, parentElement }) =>
          naturalWidth > 0 ||
          (alt === '' && getComputedStyle(parentElement!).backgroundImage.startsWith('url("data:image/svg')),
      ),
    );
    expect(seen).toEqual([true, true]);
    expect(asked.sort()).toEqual([
      'https://gone.example/x.png',
      'https://shop.example/fine.svg',
      'https://shop.example/logo.svg',
    ]);
  });

  test('leaving says the topic in words, and its buttons work without a script', async () => {
    const { page } = await open(390);
    await page.goto(service.url + paths['leave']!);
    await page.getByRole('radio', { name: 'Alerts for Kettle' }).waitFor();
    await page.getByRole('radio', { name: 'All “Price drop” alerts' }).check();
    await page.getByRole('button', { name: 'Unsubscribe' }).click();
    expect(await page.getByRole('status').textContent()).toContain(
      "You won't receive “Price drop” alerts from Kettles & Co",
    );
    await page.getByRole('button', { name: 'Undo' }).click();
    await page.getByRole('heading', { name: 'You can get alerts again' }).waitFor();
    const back = page.getByRole('link', { name: 'Continue shopping' });
    expect(await back.getAttribute('href')).toBe('https://shop.example/');
  });
});
