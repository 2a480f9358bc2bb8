import { fc } from '../chance.ts';
import { destinationOf, longToken, alertToken } from '../../src/stores/revenue/click.rules.ts';
import type { LinkStore } from '../../src/shoppers/contacts/link.rules.ts';
import type { NewStore } from '../../src/stores/store.service.ts';
import { outboxOf, seedSubscription, setStock } from '../alerts/kit.ts';
import { times } from '../tier.ts';
import { DAY, NOON, after, useRevenueKit } from './revenue-kit.ts';

const { kit, store } = useRevenueKit();

const ADA = 'ada@example.com';
const PAGE = 'https://shop.example/p/1?variant=7';

async function secretOf({ pid }: NewStore): Promise<LinkStore> {
  const [row] = await kit.service.services.db.query<{ secret: Uint8Array }>(
    'SELECT secret FROM store WHERE pid = $1',
    [pid],
  );
  return { pid, secret: row!.secret, tokenKeys: [] };
}
const clicks = () =>
  kit.service.services.db.query<{ alert_id: string; first_at: Date; last_at: Date }>(
    'SELECT alert_id, first_at, last_at FROM alert_click WHERE pid = $1',
    [store.pid],
  );

test('the link in a mail leads to the product with the token of the click, quietly; repeats are one clicked alert', async () => {
  const { link, path } = await kit.alert(store, ADA, '7');
  expect(link).toMatch(/\/go\/[\w.-]+$/);
  const { headers, text } = await kit.service.http.get(path).expect(302);
  expect(headers).toMatchObject({ 'cache-control': 'no-store', 'referrer-policy': 'no-referrer' });
  expect(headers['set-cookie']).toBeUndefined();
  expect(text).toBe('');
  expect(headers['location']).toMatch(/^https:\/\/shop\.example\/p\/1\?variant=7&wg=[\w-]{38}$/);
  kit.service.setNow(after(DAY));
  await kit.click(path);
  expect(await clicks()).toEqual([
    { alert_id: (await outboxOf(kit.service, store.pid))[0]!.id, first_at: NOON, last_at: after(DAY) },
  ]);
  const { clicked, topics, days } = await kit.revenue(store);
  expect([clicked, topics]).toEqual([1, [{ topic: 'backinstock', clicked: 1, totals: [] }]]);
  expect(days.at(-2)).toMatchObject({ day: '2026-03-10', clicked: 1, sent: 1 });
  const mail = kit.smtp.received.findLast(({ to }) => to === ADA)!.raw;
  expect(mail).not.toMatch(/<img/i);
});

test('what a template writes behind the link goes along, and the parameters of the shop stay as they are', async () => {
  const { path } = await kit.alert(store, ADA, '7', { uri: 'https://shop.example/p?a=b%20c&flag#top' });
  const { headers } = await kit.service.http.get(`${path}?utm_source=mail&x=%2F`).expect(302);
  expect(headers['location']).toMatch(
    /^https:\/\/shop\.example\/p\?a=b%20c&flag&utm_source=mail&x=%2F&wg=[\w-]{38}#top$/,
  );
});

test('who only looks is led on and not counted: HEAD and every kind of prefetching', async () => {
  const { path } = await kit.alert(store, ADA, '7');
  await kit.service.http.head(path).expect(302).expect('location', PAGE);
  for (const header of [
    { Purpose: 'prefetch' },
    { 'Sec-Purpose': 'prefetch;prerender' },
    { 'X-Purpose': 'preview' },
    { 'X-Moz': 'prefetch' },
  ])
    await kit.service.http.get(path).set(header).expect(302).expect('location', PAGE);
  expect(await clicks()).toEqual([]);
});

test('the link in a text message has 38 characters behind /go/ and leads where the catalogue says', async () => {
  await seedSubscription(kit.service, store, {
    epi: '7',
    medium: 'sms',
    value: '+4915123456789',
  });
  await setStock(kit.service, store, '7', 5);
  await kit.service.runTasks();
  const { id } = (await outboxOf(kit.service, store.pid))[0]!;
  const path = `/go/${alertToken(await secretOf(store), id)}`;
  expect(path).toHaveLength('/go/'.length + 38);
  expect((await kit.click(path)).location.startsWith(`${PAGE}&wg=`)).toBe(true);
  expect(await clicks()).toHaveLength(1);
  await kit.service.services.db.query('DELETE FROM product WHERE pid = $1', [store.pid]);
  await kit.service.http.get(path).expect(404);
  await kit.service.services.db.query('DELETE FROM outbox WHERE pid = $1', [store.pid]);
  await kit.service.http.get(path).expect(404);
});

test('a forged, foreign or altered link answers one and the same 404 page; it and an old one lead nowhere and count nothing', async () => {
  const { path } = await kit.alert(store, ADA, '7');
  const { id } = (await outboxOf(kit.service, store.pid))[0]!;
  const own = await secretOf(store);
  const other = { ...(await secretOf(await kit.service.createStore())), pid: store.pid };
  const parts = path.slice('/go/'.length).split('.');
  const evil = Buffer.from('https://evil.example/').toString('base64url');
  const old = [
    `/go/${longToken(own, id, PAGE, after(-401 * DAY))}`,
    `/go/${longToken(own, id, 'javascript:alert(1)', NOON)}`,
  ];
  const wrong = [
    `/go/${alertToken(other, id)}`,
    `/go/${longToken(other, id, 'https://evil.example/', NOON)}`,
    `/go/${[...parts.slice(0, 3), evil, parts[4]].join('.')}`,
    `/go/${parts.slice(0, 4).join('.')}.${'A'.repeat(16)}`,
    `/go/${[Buffer.from('nobody').toString('base64url'), ...parts.slice(1)].join('.')}`,
    '/go/x',
    `/go/https:%2F%2Fevil.example`,
    `/go/${'x'.repeat(38)}`,
  ];
  const pages = new Set<string>();
  for (const address of [...wrong, ...old]) {
    const answer = await kit.service.http.get(address).expect(404);
    expect(answer.headers['location']).toBeUndefined();
    if (wrong.includes(address)) pages.add(answer.text);
    else expect(answer.text).toContain('<header class="brand">');
  }
  expect(pages.size).toBe(1);
  expect(await clicks()).toEqual([]);
});

test('no token that we did not sign leads anywhere, whatever it is made of', async () => {
  const { path } = await kit.alert(store, ADA, '7');
  const token = path.slice('/go/'.length);
  const letter = fc.constantFrom(...'abcXYZ019-_.%/:@?#&=\\ '.split(''));
  const rubbish = fc.oneof(
    fc.string({ unit: letter, minLength: 1, maxLength: 60 }),
    // One character of a right one exchanged.
    fc
      .tuple(fc.nat(token.length - 1), fc.constantFrom(...'abcXYZ019-_'.split('')))
      .map(([at, by]) => token.slice(0, at) + by + token.slice(at + 1)),
  );
  await fc.assert(
    fc.asyncProperty(rubbish, async (made) => {
      fc.pre(made !== token && made !== '.' && made !== '..');
      const { status, headers } = await kit.service.http.get(`/go/${encodeURIComponent(made)}`);
      const { location } = headers as { location?: string };
      // The last bits of a packed text can differ without a meaning: it is the right link then.
      if (status === 302) expect(location!.startsWith(`${PAGE}&wg=`)).toBe(true);
      else expect([status, location]).toEqual([404, undefined]);
    }),
    { numRuns: times(150) },
  );
});

test('a destination has the host of its product, whatever stands behind the link', () => {
  fc.assert(
    fc.property(fc.webUrl({ withQueryParameters: true, withFragments: true }), fc.string(), (url, query) => {
      const { origin, pathname, protocol } = new URL(destinationOf(url, query, 'token')!);
      expect([origin, pathname, protocol]).toEqual([
        new URL(url).origin,
        new URL(url).pathname,
        'https:' === protocol ? 'https:' : 'http:',
      ]);
    }),
  );
  for (const url of ['javascript:alert(1)', 'data:text/html,x', 'ftp://x/', '//evil.example', 'x', ''])
    expect(destinationOf(url, '', null)).toBeNull();
});

test('while the database is away, links of a store that was seen lead on, and the click is not counted', async () => {
  const { path } = await kit.alert(store, ADA, '7');
  const token = path.slice('/go/'.length);
  const { db } = kit.service.services;
  await kit.service.http.head(path).expect(302);
  const { query } = db;
  const asked: (() => void)[] = [];
  const gone = new Error('connect ECONNREFUSED');
  for (const away of [
    () => Promise.reject(gone),
    // One that does not answer: whoever asks gives up at some time.
    () => new Promise<never>((_resolve, reject) => asked.push(() => reject(gone))),
  ]) {
    db.query = away;
    try {
      const answer = await kit.service.http.get(`/go/${token}`).expect(302);
      expect(answer.headers['location']).toBe(PAGE);
      await kit.service.http.get(`/go/${token.slice(0, -1)}${token.endsWith('A') ? 'B' : 'A'}`).expect(404);
    } finally {
      db.query = query;
      for (const giveUp of asked) giveUp();
    }
  }
  expect(await clicks()).toEqual([]);
  await kit.click(path);
  expect(await clicks()).toHaveLength(1);
});

test('a store that does not measure sends plain links, and its earlier ones lead on without counting', async () => {
  const { path } = await kit.alert(store, ADA, '7');
  await kit.service
    .graphql('mutation { updateStore(input: { measureAlerts: false }) { measureAlerts } }', {}, { store })
    .expect(200);
  expect((await kit.alert(store, 'bob@example.com', '8')).link).toBe('https://shop.example/p/1?variant=8');
  expect(await kit.click(path)).toEqual({ location: PAGE, token: null });
  expect(await clicks()).toEqual([]);
});
