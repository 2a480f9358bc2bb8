import { findStore } from '../../src/stores/store.repo.ts';
import { encryptLink, unsubscribeUrl } from '../../src/shoppers/contacts/link.rules.ts';
import type { Scope } from '../../src/shoppers/contacts/link.rules.ts';
import { enqueueMail, outboxOf, seedSubscription, setStock } from '../alerts/kit.ts';
import { useNewStore, useService } from '../harness.ts';

const service = useService();
const store = useNewStore(service, { name: 'A <b>Store</b>' });
const ME = 'me@example.com';
beforeEach(async () => {
  for (const [epi, topic] of [
    ['1', 'backinstock'],
    ['1', 'comingsoon'],
    ['2', 'backinstock'],
  ]) {
    await seedSubscription(service, store, { epi: epi!, topic: topic!, value: ME });
  }
  await seedSubscription(service, store, { epi: '1', value: 'other@example.com' });
});

async function pathFor(scope: Scope): Promise<string> {
  const row = (await findStore(service.services.db, store.pid))!;
  const claim = { scope, medium: 'email', value: ME, topic: 'backinstock', epi: '1' };
  return new URL(unsubscribeUrl('https://x.example', row, claim)).pathname;
}

const left = async () => {
  const rows = await service.services.db.query<{ value: string; epi: string; topic: string }>(
    'SELECT value, epi, topic FROM subscription WHERE pid = $1 ORDER BY seq',
    [store.pid],
  );
  return rows.map(({ value, epi, topic }) => `${value.split('@')[0]} ${epi} ${topic}`);
};
const ALL = ['me 1 backinstock', 'me 1 comingsoon', 'me 2 backinstock', 'other 1 backinstock'];

test('opening the link shows a page with three choices and changes nothing', async () => {
  await setStock(service, store, '1', 0, { dt: 'Shirt "X"' });
  const answer = await service.get(await pathFor('topic')).expect(200);
  expect(answer.headers['content-type']).toMatch(/^text\/html/);
  expect(answer.headers['cache-control']).toBe('no-store');
  expect(answer.headers['referrer-policy']).toBe('no-referrer');
  expect(answer.headers['content-security-policy']).toContain("script-src 'none'");
  expect(answer.text).not.toMatch(/<script|<b>Store/);
  expect(answer.text.match(/<input type="radio" name="scope" value="(product|topic|all)"/g)).toHaveLength(3);
  expect(answer.text).toMatch(/<title>Unsubscribe<\/title>[^]*<button [^>]*>Unsubscribe<\/button>/);
  expect(answer.text).not.toContain(ME);
  expect(await left()).toEqual(ALL);
  await service.http.head(await pathFor('all')).expect(200);
  expect(await left()).toEqual(ALL);
});

test.each([
  ['product', ['me 2 backinstock', 'other 1 backinstock']],
  ['topic', ['me 1 comingsoon', 'other 1 backinstock']],
  ['all', ['other 1 backinstock']],
] as [Scope, string[]][])(
  'the choice %s ends exactly the subscriptions it names, however often it is sent',
  async (scope, rest) => {
    const path = await pathFor('topic');
    for (let time = 0; time < 2; time += 1) {
      const answer = await service.http.post(path).type('form').send({ scope }).redirects(0);
      expect(answer.status).toBe(200);
      expect(answer.text).toContain('role="status"');
      expect(await left()).toEqual(rest);
    }
  },
);

test("a mail program's one click, url-encoded or multipart, does what the link stands for without a redirect", async () => {
  await service.http
    .post(await pathFor('product'))
    .type('form')
    .send('List-Unsubscribe=One-Click')
    .redirects(0)
    .expect(200);
  expect(await left()).toEqual(['me 2 backinstock', 'other 1 backinstock']);
  await service.http
    .post(await pathFor('topic'))
    .field('List-Unsubscribe', 'One-Click')
    .redirects(0)
    .expect(200);
  expect(await left()).toEqual(['other 1 backinstock']);
});

test('a choice sent as multipart counts', async () => {
  await service.http
    .post(await pathFor('product'))
    .field('scope', 'all')
    .expect(200);
  expect(await left()).toEqual(['other 1 backinstock']);
});

test('leaving everything stops shared lists and marketing, and a new subscription is a new wish', async () => {
  const { db } = service.services;
  await service.account(store, ME);
  await service.http
    .post(await pathFor('all'))
    .type('form')
    .send('List-Unsubscribe=One-Click')
    .expect(200);
  const [shopper] = await db.query<{ acc_mkt: boolean; prefs: object }>(
    'SELECT acc_mkt, prefs FROM shopper WHERE pid = $1 AND em = $2',
    [store.pid, ME],
  );
  expect(shopper).toMatchObject({
    acc_mkt: false,
    prefs: { Mediums: { email: { acceptmarketing: false, acceptsource: 'unsubscribe' } } },
  });
  await db.transaction((tx) =>
    enqueueMail(
      tx,
      { pid: store.pid, kind: 'list-share', to: 'Me@Example.com', subject: 's', html: 'h', text: 't' },
      new Date(),
    ),
  );
  await db.transaction((tx) =>
    enqueueMail(
      tx,
      { pid: store.pid, kind: 'confirm', to: ME, subject: 's', html: 'h', text: 't' },
      new Date(),
    ),
  );
  await service.runTasks();
  await seedSubscription(service, store, { epi: '9', value: ME });
  await setStock(service, store, '9', 1);
  await service.runTasks();
  expect((await outboxOf(service, store.pid)).map(({ kind, state }) => `${kind} ${state}`)).toEqual([
    'list-share withheld',
    'confirm sent',
    'alert sent',
  ]);
});

test('a wrong, foreign or altered token learns nothing and changes nothing', async () => {
  const path = await pathFor('all');
  const other = (await findStore(service.services.db, (await service.createStore()).pid))!;
  const mine = (await findStore(service.services.db, store.pid))!;
  const foreign = encryptLink({ ...other, pid: store.pid }, 'unsubscribe', ['all', 'email', ME, '', '']);
  const confirm = encryptLink(mine, 'confirm', ['all', 'email', ME, '', '']);
  const altered = path.slice(0, -2) + (path.endsWith('AA') ? 'BB' : 'AA');
  const nameless = [
    altered,
    `/unsubscribe/${foreign}`,
    '/unsubscribe/x',
    `/unsubscribe/${'a'.repeat(5_000)}`,
    '/unsubscribe/%00.%00',
  ];
  const pagesOf = async (wrong: string): Promise<string[]> => [
    (await service.get(wrong).expect(404)).text,
    (await service.http.post(wrong).type('form').send({ scope: 'all' }).expect(404)).text,
    (await service.get(wrong.replace('/unsubscribe/', '/preferences/')).expect(404)).text,
  ];
  const named = new Set(await pagesOf(`/unsubscribe/${confirm}`));
  // The store made this link, if for another page.
  expect([...named]).toEqual([expect.stringContaining('A &lt;b&gt;Store&lt;/b&gt;')]);
  const others = new Set((await Promise.all(nameless.map(pagesOf))).flat());
  expect([...others]).toEqual([expect.not.stringContaining('Store')]);
  expect(await left()).toEqual(ALL);
});

test('a body that is no form, or an unknown choice, is refused and changes nothing', async () => {
  const path = await pathFor('all');
  const json = await service.http.post(path).send({ scope: 'all' }).expect(400);
  expect(json.body.type).toBe('unsupported-content-type');
  const unknown = await service.http.post(path).type('form').send({ scope: 'world' }).expect(400);
  expect(unknown.body.type).toBe('invalid-request');
  expect(await left()).toEqual(ALL);
});

test('a link that is about no product cannot leave one', async () => {
  const row = (await findStore(service.services.db, store.pid))!;
  const claim = { scope: 'all' as const, medium: 'email', value: ME, topic: '', epi: '' };
  const path = new URL(unsubscribeUrl('https://x.example', row, claim)).pathname;
  expect((await service.get(path).expect(200)).text.match(/type="radio"/g)).toHaveLength(1);
  for (const scope of ['product', 'topic']) {
    const { body } = await service.http.post(path).type('form').send({ scope }).expect(400);
    expect(body.type).toBe('invalid-request');
  }
  expect(await left()).toEqual(ALL);
});
