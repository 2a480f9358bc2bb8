import { encryptLink, unsubscribeUrl } from '../../src/shoppers/contacts/link.rules.ts';
import type { Scope } from '../../src/shoppers/contacts/link.rules.ts';
import { findStore } from '../../src/stores/store.repo.ts';
import type { NewStore } from '../../src/stores/store.service.ts';
import { seedSubscription, setStock } from '../alerts/kit.ts';
import { useService } from '../harness.ts';

// The pages behind the links of messages: whose language they speak, what an undo restores, and the preferences.

const service = useService();
const ME = 'me@example.com';
const NOW = new Date('2026-05-01T10:00:00Z');
const HOUR = 3_600_000;

let store: NewStore;
beforeEach(async () => {
  service.setNow(NOW);
  store = await service.createStore({
    name: 'Kessel',
    locale: 'de-DE',
    allowedOrigins: ['https://shop.example'],
  });
});

const row = async (pid = store.pid) => (await findStore(service.services.db, pid))!;

async function linkFor(scope: Scope, lang: string | null = null, value = ME): Promise<string> {
  const claim = { scope, medium: 'email', value, topic: 'backinstock', epi: '1' };
  return unsubscribeUrl('', await row(), claim, lang);
}

const textOf = async (path: string): Promise<string> => (await service.get(path).expect(200)).text;
const send = (path: string, fields: object | string) => service.http.post(path).type('form').send(fields);

/** Everything that is stored about the contact, apart from the times of change. */
async function stateOf(pid = store.pid): Promise<unknown> {
  const tables = {
    subscription: 'value = $2',
    subscription_request: 'value = $2',
    suppression: 'value = $2',
    alert_mute: 'value = $2',
    contact_proof: 'value = $2',
    mailing_answer: 'value = $2',
    shopper: 'em = $2',
  };
  const rows = Object.entries(tables).map(async ([table, where]) => {
    const found = await service.services.db.query<{ row: object }>(
      `SELECT to_jsonb(t) - 'uts' AS row FROM ${table} t WHERE pid = $1 AND ${where} ORDER BY 1`,
      [pid, ME],
    );
    return [table, found.map((one) => one.row)];
  });
  return Object.fromEntries((await Promise.all(rows)) as [string, object[]][]);
}

async function seed(): Promise<void> {
  await setStock(service, store, '1', 0, { dt: 'Kettle' });
  await setStock(service, store, '2', 0, { dt: 'Teapot' });
  await service.account(store, ME);
  await seedSubscription(service, store, { epi: '1', value: ME, addtomailinglist: 1 });
  await seedSubscription(service, store, { epi: '2', value: ME });
  await seedSubscription(service, store, { epi: '1', value: ME, topic: 'pricedrop' });
  await seedSubscription(service, store, { epi: '1', value: 'other@example.com' });
}

const undoIn = (html: string) => {
  const [, action] = /action="([^"]+\/undo[^"]*)"/.exec(html) ?? [];
  const [, undo] = /name="undo" value="([^"]+)"/.exec(html) ?? [];
  return { action: action!, undo: undo! };
};

describe('the language of a page', () => {
  const setLanguage = (table: string, language: string, more = '') =>
    service.services.db.query(`UPDATE ${table} SET language = $2 WHERE pid = $1 ${more}`, [
      store.pid,
      language,
    ]);

  test('is that of the link, else of the newest subscription, else of the account, else of the store', async () => {
    await service.account(store, ME);
    const path = await linkFor('all');
    expect(await textOf(path)).toContain('<html lang="de" dir="ltr">');
    await setLanguage('shopper', 'fr-FR');
    expect(await textOf(path)).toContain('<html lang="fr" dir="ltr">');
    for (const [epi, language, days] of [
      ['1', 'es', 1],
      ['2', 'ja', 2],
    ] as const) {
      service.setNow(new Date(NOW.getTime() + days * 24 * HOUR));
      await seedSubscription(service, store, { epi, value: ME });
      for (const table of ['subscription', 'subscription_request'])
        await setLanguage(table, language, `AND epi = '${epi}'`);
    }
    const page = await textOf(path);
    expect(page).toContain('<html lang="ja" dir="ltr">');
    expect(page).toContain('<title>配信停止</title>');
    expect(await textOf(`${path}?lang=en`)).toContain('<title>Unsubscribe</title>');
  });

  test("is not what a stranger's unconfirmed request says", async () => {
    await seedSubscription(service, store, { epi: '1', value: ME });
    await setLanguage('subscription', 'fr');
    await seedSubscription(service, store, { epi: '2', value: ME, isConfirmed: false });
    await setLanguage('subscription_request', 'ja', 'AND confirmed_at IS NULL');
    expect(await textOf(await linkFor('all'))).toContain('<html lang="fr"');
  });

  test.each(['%%%', 'x'.repeat(50), '"><script>', 'de-', 'tlh'])('lang=%s is ignored', async (lang) => {
    const page = await textOf(`${await linkFor('all')}?lang=${encodeURIComponent(lang)}`);
    expect(page).toContain('<html lang="de" dir="ltr">');
    expect(page).not.toContain('<script>');
  });

  test('stays the same from page to page', async () => {
    await seed();
    const page = await textOf(await linkFor('topic', 'es'));
    const [, manage] = /href="(\/preferences\/[^"]+)"/.exec(page)!;
    expect(await textOf(manage!)).toContain('<html lang="es"');
    const [, tracking] = /action="(\/unsubscribe\/[^"]+do-not-measure[^"]+)"/.exec(page)!;
    expect((await send(tracking!, {}).expect(200)).text).toContain('<html lang="es"');
  });
});

test('a page names the way back to the shop', async () => {
  expect(await textOf(await linkFor('all', 'en'))).toContain(
    '<a href="https://shop.example/" rel="noreferrer">Continue shopping</a>',
  );
});

test("an expired link has the store's name and language, another store's stays unnamed", async () => {
  const old = String(NOW.getTime() - 30 * 24 * HOUR);
  const token = encryptLink(await row(), 'confirm', ['email', ME, old, '']);
  const { text } = await service.get(`/confirm/${token}`).expect(404);
  expect(text).toContain('<html lang="de"');
  expect(text).toContain('Kessel');
  expect(text).toContain('Dieser Link ist abgelaufen');
  expect(text).not.toContain('me@');
  const unknown = await service.get(
    `/confirm/${Buffer.from('nobody').toString('base64url')}.${'x'.repeat(60)}`,
  );
  expect([unknown.status, unknown.text.includes('Kessel')]).toEqual([404, false]);
  // Stores' numbers can be counted through, so a short link names its store only if it is ours.
  const short = await service.get(`/u/${'A'.repeat(36)}.${(await row()).linkNo.toString(36)}`).expect(404);
  expect(short.text).not.toContain('Kessel');
});

describe('undo', () => {
  test.each(['product', 'topic', 'all'] as const)(
    'restores exactly what leaving by %s removed, however often it is pressed',
    async (scope) => {
      await seed();
      const before = await stateOf();
      const path = await linkFor(scope, 'en');
      const page = await send(path, { scope }).expect(200);
      expect(page.text).toContain('You&#39;re unsubscribed');
      expect(await stateOf()).not.toEqual(before);
      const { action, undo } = undoIn(page.text);
      service.setNow(new Date(NOW.getTime() + HOUR - 1));
      for (let time = 0; time < 2; time += 1) {
        expect((await send(action, { undo }).expect(200)).text).toContain('You can get alerts again');
        expect(await stateOf()).toEqual(before);
      }
      // Repeating the way out finds nothing more to undo than what it removes itself.
      await send(path, { scope }).expect(200);
      expect(undoIn((await send(path, { scope }).expect(200)).text).undo).toBeUndefined();
    },
  );

  test('keeps what waits for a confirmation waiting', async () => {
    await seedSubscription(service, store, { epi: '1', value: ME, isConfirmed: false });
    const before = await stateOf();
    const { action, undo } = undoIn((await send(await linkFor('product'), '').expect(200)).text);
    await send(action, { undo }).expect(200);
    expect(await stateOf()).toEqual(before);
  });

  test('tells webhooks that the subscription is there again', async () => {
    await seed();
    const url = 'https://hooks.example/in';
    await service.services.db.query(
      `INSERT INTO webhook (pid, id, url, events, secret, cts, uts) VALUES ($1, 'w', $2, '{subscription.removed,subscription.created}', 's', now(), now())`,
      [store.pid, url],
    );
    const { action, undo } = undoIn((await send(await linkFor('product'), '').expect(200)).text);
    await send(action, { undo }).expect(200);
    const sent = await service.services.db.query<{ kind: string }>(
      `SELECT kind FROM outbox WHERE pid = $1 AND lane = 'webhook' ORDER BY seq`,
      [store.pid],
    );
    const kinds = ['subscription.removed', 'subscription.created'].flatMap((kind) => [kind, kind]);
    expect(sent.map(({ kind }) => kind)).toEqual(kinds);
  });

  test('a later sign-up stays as it is', async () => {
    await seed();
    const { action, undo } = undoIn((await send(await linkFor('all'), '').expect(200)).text);
    await seedSubscription(service, store, { epi: '1', value: ME });
    const [again] = await service.services.db.query<{ id: string }>(
      `SELECT id FROM subscription WHERE pid = $1 AND value = $2`,
      [store.pid, ME],
    );
    await send(action, { undo }).expect(200);
    const rows = await service.services.db.query<{ id: string; epi: string; topic: string }>(
      `SELECT id, epi, topic FROM subscription WHERE pid = $1 AND value = $2 ORDER BY topic, epi`,
      [store.pid, ME],
    );
    expect(rows.map(({ epi, topic }) => `${epi} ${topic}`)).toEqual([
      '1 backinstock',
      '2 backinstock',
      '1 pricedrop',
    ]);
    expect(rows[0]!.id).toBe(again!.id);
  });

  test('is refused after an hour, for another contact, and with a token that is not ours', async () => {
    await seed();
    const { action, undo } = undoIn((await send(await linkFor('all', 'en'), '').expect(200)).text);
    const left = await stateOf();
    const other = `${(await linkFor('all', null, 'other@example.com')).replace(/\?.*/, '')}/undo?lang=en`;
    const mine = await row();
    const foreign = encryptLink(
      { ...(await row((await service.createStore()).pid)), pid: mine.pid },
      'undo',
      [...['email', ME, String(NOW.getTime()), '{}']],
    );
    const wrongs: [string, string][] = [
      [other, undo],
      [action, foreign],
      [action, encryptLink(mine, 'unsubscribe', ['all', 'email', ME, '', ''])],
      [action, ''],
    ];
    for (const [path, token] of wrongs)
      expect((await send(path, { undo: token }).expect(200)).text).toContain('This can&#39;t be undone');
    service.setNow(new Date(NOW.getTime() + HOUR + 1));
    expect((await send(action, { undo }).expect(200)).text).toContain('This can&#39;t be undone');
    expect(await stateOf()).toEqual(left);
    await send('/unsubscribe/x/undo', { undo }).expect(404);
  });
});

describe('preferences', () => {
  const page = async (lang = 'en') => (await linkFor('all', lang)).replace('/unsubscribe/', '/preferences/');
  const topics = async () => {
    const rows = await service.services.db.query<{ topic: string }>(
      'SELECT DISTINCT topic FROM subscription WHERE pid = $1 AND value = $2 ORDER BY topic',
      [store.pid, ME],
    );
    return rows.map(({ topic }) => topic);
  };

  test('show the masked contact, its medium, topics and products, and change nothing', async () => {
    await seed();
    const before = await stateOf();
    const text = await textOf(await page());
    expect(text).toContain('Email from Kessel to');
    expect(text).not.toContain(ME);
    expect(text.match(/type="checkbox" name="keep" value="[a-z]+" checked/g)).toHaveLength(2);
    expect(text).toContain('Back in stock<br><span class="quiet">2 products: Teapot and Kettle</span>');
    expect(text).toContain('Price drop<br><span class="quiet">1 product: Kettle</span>');
    expect(text).toContain('Don&#39;t track my clicks');
    expect(await stateOf()).toEqual(before);
  });

  test('saving unsubscribes from what is not checked, and can be undone', async () => {
    await seed();
    const before = await stateOf();
    const saved = await send(await page(), 'shown=backinstock&shown=pricedrop&keep=pricedrop').expect(200);
    expect(saved.text).toContain('You won&#39;t receive “Back in stock” alerts from Kessel');
    expect(await topics()).toEqual(['pricedrop']);
    const { action, undo } = undoIn(saved.text);
    await send(action, { undo }).expect(200);
    expect(await stateOf()).toEqual(before);
  });

  test('saving leaves what the page did not show, and other contacts', async () => {
    await seed();
    await send(await page(), 'shown=pricedrop&shown=nonsense').expect(200);
    expect(await topics()).toEqual(['backinstock']);
    const muted = await service.services.db.query<{ topic: string }>(
      'SELECT topic FROM alert_mute WHERE pid = $1',
      [store.pid],
    );
    expect(muted.map(({ topic }) => topic)).toEqual(['pricedrop']);
    const same = await send(await page(), 'shown=backinstock&keep=backinstock').expect(200);
    expect(same.text).toContain('the same alerts as before');
    expect(undoIn(same.text).undo).toBeUndefined();
  });

  test('one button unsubscribes from everything, another from click tracking', async () => {
    await seed();
    const text = await textOf(await page());
    const [, everything] = /action="([^"]+)"><button class="button" name="scope" value="all">/.exec(text)!;
    const [, tracking] = /action="([^"]+do-not-measure[^"]*)"/.exec(text)!;
    await send(tracking!, {}).expect(200);
    expect(await textOf(await page())).toContain('Kessel doesn&#39;t track your clicks.');
    await send(everything!, { scope: 'all' }).expect(200);
    expect(await textOf(await page())).toContain('You have no alerts from Kessel.');
  });

  test('show no name that somebody typed for a topic', async () => {
    await seedSubscription(service, store, { epi: '1', value: ME, topic: 'free-money-at-evil' });
    const text = await textOf(await page());
    expect(text).toContain('Other alerts');
    expect(text.replaceAll('value="free-money-at-evil"', '')).not.toContain('evil');
  });
});
