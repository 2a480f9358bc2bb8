import { readFile, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import PostalMime from 'postal-mime';
import type { Email } from 'postal-mime';
import { useService, useStore } from '../harness.ts';
import { item, newAccount, newGuest, useNewAccount } from './list-kit.ts';

const service = useService();
const store = useStore(service, { name: 'Kettles & Co' });
const me = useNewAccount(service, store);
let lid: string;
beforeEach(async () => {
  ({ lid } = await me.create('Wishes'));
});

let recipients = 0;
const newRecipient = () => `friend${(recipients += 1)}@example.com`;

/** The mails that were really sent to an address. */
async function mailsTo(address: string): Promise<Email[]> {
  await service.runTasks();
  const folder = join(service.services.config.dataDir, 'outbox');
  const names = await readdir(folder).catch(() => []);
  const mails = await Promise.all(
    names
      .filter((name) => name.endsWith('.eml'))
      .map(async (name) => PostalMime.parse(await readFile(join(folder, name)))),
  );
  return mails.filter(({ to }) => to?.some((entry) => entry.address === address));
}

async function queued(): Promise<number> {
  return (
    await service.services.db.query(`SELECT 1 FROM outbox WHERE kind = 'list-share' AND pid = $1`, [
      store.pid,
    ])
  ).length;
}

test('emailList sends a mail whose link opens the list', async () => {
  await me.add(lid, item(1, { dt: 'Tea <pot>', du: 'https://shop.example/pot' }));
  const toemail = newRecipient();
  const body = await me.ok('lists/emailList', { lid, toemail, fromname: 'Ann', note: 'Look <here>\nplease' });
  expect(body).toMatchObject({ msg: expect.any(String), listinfo: { lid, lname: 'Wishes', anonRead: true } });
  const [mail, ...more] = await mailsTo(toemail);
  expect(more).toEqual([]);
  expect(mail!.subject).toBe('Ann shared the list “Wishes” with you');
  expect(mail!.html).toContain('Look &lt;here&gt;<br>please');
  expect(mail!.text).toContain('Look <here>');
  const [link] = /http\S+/.exec(mail!.text!)!;
  expect(link).toBe(
    `${service.services.config.publicUrl}/shared/${lid}?pid=${encodeURIComponent(store.pid)}&lang=en`,
  );
  const page = await service.http.get(link.slice(service.services.config.publicUrl.length)).expect(200);
  expect(page.text).toContain('<h1><bdi>Wishes</bdi></h1>');
  expect(page.text).toContain('Tea &lt;pot&gt;');
});

test('the mail shows ten items with the picture, link, price and stock of the catalogue and their quantity, and the number of the others', async () => {
  const own = await service.createStore({
    allowedOrigins: ['https://shop.example'],
    currency: 'EUR',
    locale: 'de-DE',
  });
  const products = [
    { epi: 1, empi: 1, du: '/p/1', dt: 'Kettle', iu: '/kettle.jpg', vi: 'Blue', pr: 49.9, stk: 0 },
  ];
  await service.post('/storeadmin/v3/products/upsert', { products }, { store: own }).expect(200);
  const account = await newAccount(service, own);
  const list = await account.create('Wishes');
  const typed = { dt: 'Typed', iu: 'https://evil.example/pixel.png', du: 'https://evil.example/login' };
  for (let epi = 12; epi > 1; epi -= 1)
    await account.add(list.lid, item(epi, { ...typed, dt: `Typed ${epi}` }));
  await account.add(list.lid, item(1, { qty: 2 }));
  const toemail = newRecipient();
  await account.ok('lists/emailList', { lid: list.lid, toemail, fromname: 'Ann', note: 'Hallo' });
  const { subject, html, text } = (await mailsTo(toemail))[0]!;
  expect(subject).toBe('Ann hat die Liste „Wishes“ mit Ihnen geteilt');
  expect(html).toMatch(
    /<a href="https:\/\/shop\.example\/p\/1\?variant=1"[^>]*><img src="https:\/\/shop\.example\/kettle\.jpg" alt="Kettle"/,
  );
  const details = 'Blue · 49,90\u00a0€ · Menge: 2 · Ausverkauft';
  expect(html).toContain(details);
  expect(text).toContain(`- Kettle – ${details}`);
  expect(html!.match(/<strong dir="auto">Typed \d+<\/strong>/g)).toHaveLength(9);
  expect(text).toContain('und 2 weitere');
  expect(text).toContain('Abbestellen');
  // The sender chose these URLs: the recipient is led to the list instead.
  expect(html).not.toContain('evil.example');
  expect(html).toContain(`/shared/${list.lid}?pid=${encodeURIComponent(own.pid)}&amp;lang=de`);
});

test.each([
  ['the call', 'fr', 'es', /^Ann a partagé/],
  ['the account', null, 'es', /^Ann ha compartido/],
  ['the account, where the call is unreadable', '???', 'es', /^Ann ha compartido/],
  ['the store', null, null, /^Ann hat die Liste/],
])('the mail has the language of %s', async (_whose, language, ofAccount, subject) => {
  const own = await service.createStore({ locale: 'de' });
  const account = await newAccount(service, own);
  await service.services.db.query('UPDATE shopper SET language = $2 WHERE pid = $1', [own.pid, ofAccount]);
  const { lid: list } = await account.create('Wishes');
  const toemail = newRecipient();
  await account.ok('lists/emailList', { lid: list, toemail, fromname: 'Ann', language });
  expect((await mailsTo(toemail))[0]!.subject).toMatch(subject);
});

test.each([
  ['toEmailId and fromName', (to: string) => ({ toEmailId: to, fromName: 'Ben' }), 'Ben'],
  ['empty own names', (to: string) => ({ toemail: '', toEmailId: to, fromname: '', fromName: 'Ben' }), 'Ben'],
  [
    'both, of which the own ones count',
    (to: string) => ({ toemail: to, toEmailId: 'other@example.com', fromname: 'Ann', fromName: 'Ben' }),
    'Ann',
  ],
])('emailList takes %s', async (_what, fieldsFor, sender) => {
  const to = newRecipient();
  await me.ok('lists/emailList', { lid, ...fieldsFor(to) });
  expect((await mailsTo(to)).map(({ subject }) => subject)).toEqual([
    `${sender} shared the list “Wishes” with you`,
  ]);
  expect(await mailsTo('other@example.com')).toEqual([]);
});

test('emailList without an address under either name says so', async () => {
  const { body } = await me.call('lists/emailList', { lid, toEmailId: ' ' }).expect(400);
  expect(body).toMatchObject({ type: 'invalid-useremail', msg: expect.stringContaining('toemail') });
});

test('the link is made from the share address of the store', async () => {
  const own = await service.createStore({ shareUrl: 'https://shop.example/list/{lid}?from=mail' });
  const account = await newAccount(service, own);
  const list = await account.create('Wishes');
  const toemail = newRecipient();
  await account.ok('lists/emailList', { lid: list.lid, toemail });
  expect((await mailsTo(toemail))[0]!.text).toContain(`https://shop.example/list/${list.lid}?from=mail`);
});

test.each([
  ['no address', undefined],
  ['no e-mail address', 'friend'],
  ['two addresses', 'a@example.com,b@example.com'],
  ['an address with a line break', 'a@example.com\r\nBcc: b@example.com'],
  ['a named address', 'Ann <a@example.com>'],
])('toemail that is %s is refused and nothing is sent or opened', async (_what, toemail) => {
  const before = await queued();
  expect(await me.failure(400, 'lists/emailList', { lid, toemail })).toBe('invalid-useremail');
  expect(await queued()).toBe(before);
  expect((await me.contents(lid)).list.anonRead).toBe(false);
});

test.each([
  ['a sender with a line break', { fromname: 'Ann\r\nBcc: evil@example.com' }],
  ['a sender of 101 characters', { fromname: 'x'.repeat(101) }],
  ['a note of 1,001 characters', { note: 'x'.repeat(1_001) }],
  ['a note with NUL', { note: 'a\u0000' }],
])('%s is refused', async (_what, fields) => {
  const before = await queued();
  expect(await me.failure(400, 'lists/emailList', { lid, toemail: newRecipient(), ...fields })).toBe(
    'invalid-request',
  );
  expect(await queued()).toBe(before);
});

test('nothing that people typed becomes a header or markup of the mail', async () => {
  const list = await me.create('<img src=x> "q"');
  const toemail = newRecipient();
  await me.ok('lists/emailList', {
    lid: list.lid,
    toemail,
    fromname: '<script>=?utf-8?q?',
    note: 'x\r\n\r\nBcc: evil@example.com',
  });
  const [mail] = await mailsTo(toemail);
  expect(mail!.html).not.toMatch(/<script|<img/);
  expect(mail!.bcc ?? []).toEqual([]);
  expect(mail!.to).toEqual([{ address: toemail, name: '' }]);
});

test('a shopper sends at most 20 lists an hour', async () => {
  for (let index = 0; index < 20; index += 1)
    await me.ok('lists/emailList', { lid, toemail: newRecipient() });
  const before = await queued();
  const { body, headers } = await me.call('lists/emailList', { lid, toemail: newRecipient() }).expect(429);
  expect(body.type).toBe('too-many-requests');
  expect(Number(headers['retry-after'])).toBeGreaterThan(3_000);
  expect(await queued()).toBe(before);
});

test('a recipient gets at most 5 lists a day from all shoppers together', async () => {
  const toemail = newRecipient();
  for (let index = 0; index < 5; index += 1) {
    const sender = await newAccount(service, store);
    await sender.ok('lists/emailList', { lid: (await sender.create('Mine')).lid, toemail });
  }
  expect(await me.failure(429, 'lists/emailList', { lid, toemail: toemail.toUpperCase() })).toBe(
    'too-many-requests',
  );
  await me.ok('lists/emailList', { lid, toemail: newRecipient() });
});

describe('reportShare', () => {
  const shares = async () =>
    (await me.graphql('query ($lid: ID!) { list(lid: $lid) { shares } }', { lid })).body.data.list.shares;

  test('answers the list and the medium, from which clients make their links, to owner and readers alike', async () => {
    const expected = { msg: expect.any(String), lid, lname: 'Wishes', medium: 'whatsapp' };
    expect(await me.ok('lists/reportShare', { lid: ` ${lid} `, medium: ' whatsapp ' })).toEqual(expected);
    await me.ok('lists/markPublic', { lid });
    const reader = await newGuest(service, store);
    expect(await reader.ok('lists/reportShare', { lid, medium: 'whatsapp' })).toEqual(expected);
  });

  test('counts the shares of owner and readers', async () => {
    await me.ok('lists/reportShare', { lid, fromname: 'Ann', medium: 'link' });
    await me.ok('lists/markPublic', { lid });
    const reader = await newGuest(service, store);
    await Promise.all(
      Array.from({ length: 5 }, () => reader.ok('lists/reportShare', { lid, medium: 'facebook' })),
    );
    expect(await shares()).toBe(6);
  });

  const BY_GRAPHQL =
    'mutation ($lid: ID) { reportShare(lid: $lid, medium: "link") { msg lid lname medium } }';

  test("without a lid answers and counts for the shopper's newest active list, over REST and GraphQL alike", async () => {
    const { lid: newest } = await me.create('Newest');
    await me.ok('lists/sfl/create');
    const { lid: archived } = await me.create('Archived');
    await me.ok('lists/markArchived', { lid: archived });
    const expected = { msg: 'Share recorded', lid: newest, lname: 'Newest', medium: 'link' };
    for (const sent of [{}, { lid: '' }, { lid: '  ' }]) {
      expect(await me.ok('lists/reportShare', { ...sent, medium: 'link' })).toEqual(expected);
      expect((await me.graphql(BY_GRAPHQL, sent)).body.data.reportShare).toEqual(expected);
    }
    const { body } = await me.graphql('query ($lid: ID!) { list(lid: $lid) { shares } }', { lid: newest });
    expect(body.data.list.shares).toBe(6);
    expect(await shares()).toBe(0);
    expect(await me.failure(400, 'lists/reportShare', {})).toBe('invalid-medium');
  });

  test('without a lid means the save-for-later list only where there is no other', async () => {
    const guest = await newGuest(service, store);
    const { list } = await guest.ok('lists/sfl/create');
    expect((await guest.ok('lists/reportShare', { medium: 'link' })).lid).toBe(list.lid);
    const { lid: own } = await guest.create('Own');
    expect((await guest.ok('lists/reportShare', { medium: 'link' })).lid).toBe(own);
  });

  test('without a lid and without a list is list-not-found, over REST and GraphQL alike', async () => {
    const guest = await newGuest(service, store);
    expect(await guest.failure(404, 'lists/reportShare', { medium: 'link' })).toBe('list-not-found');
    const { body } = await guest.graphql(BY_GRAPHQL);
    expect(body.errors[0].extensions).toMatchObject({ type: 'list-not-found', status: 404 });
  });

  test.each([
    [{}, 'invalid-medium'],
    [{ medium: 'x'.repeat(51) }, 'invalid-medium'],
    [{ medium: 'a\nb' }, 'invalid-medium'],
    [{ medium: 'link', fromname: 'a\nb' }, 'invalid-request'],
  ])('%p is refused and not counted', async (fields, type) => {
    expect(await me.failure(400, 'lists/reportShare', { lid, ...fields })).toBe(type);
    expect(await shares()).toBe(0);
  });
});

describe('the page of a shared list', () => {
  const open = (list: string, pid = store.pid) =>
    service.http.get(`/shared/${list}?pid=${encodeURIComponent(pid)}`);

  test('shows a public list without scripts, escaped, and names nobody', async () => {
    await me.add(
      lid,
      item(1, {
        dt: '<script>alert(1)</script>',
        du: 'https://shop.example/"onmouseover="x',
        iu: 'https://cdn.example/a.jpg',
        note: '"><img src=x onerror=1>',
      }),
      item(2, { du: '/relative' }),
    );
    await me.ok('lists/markPublic', { lid });
    const { text, headers } = await open(lid).expect(200);
    expect(text).not.toMatch(/<script|onerror=1>|"onmouseover/);
    expect(text).not.toContain('/relative');
    expect(text).not.toContain('@example.com');
    expect(headers['content-security-policy']).toContain("script-src 'none'");
    expect(headers['referrer-policy']).toBe('no-referrer');
    expect(headers['cache-control']).toBe('no-store');
    expect(headers['content-type']).toBe('text/html; charset=utf-8');
  });

  test("says an account's first name and nothing more, in the language of the link or the store", async () => {
    await me.ok('lists/markPublic', { lid });
    const { regid } = me.shopper;
    const names = `fname = 'Ada <b>', lname = 'Lovelace', em = 'ada.l@example.com', m = '+4915112345678'`;
    await service.services.db.query(`UPDATE shopper SET ${names} WHERE pid = $1 AND regid = $2`, [
      store.pid,
      regid,
    ]);
    const { text } = await open(lid).expect(200);
    expect(text).toContain('Ada &lt;b&gt;&#39;s list · A list at');
    expect(text).not.toMatch(/Lovelace|ada\.l|4915112345678/);
    const german = await service.http.get(`/shared/${lid}?pid=${encodeURIComponent(store.pid)}&lang=de-AT`);
    expect(german.text).toContain('<html lang="de" dir="ltr">');
    expect(german.text).toContain('Liste von Ada &lt;b&gt;');
  });

  test("says nothing of a guest's name", async () => {
    const guest = await newGuest(service, store);
    const list = await guest.create('Mine');
    await guest.ok('lists/markPublic', { lid: list.lid });
    await service.services.db.query(`UPDATE shopper SET fname = 'Grace' WHERE pid = $1 AND regid = $2`, [
      ...[store.pid, guest.shopper.regid],
    ]);
    expect((await open(list.lid).expect(200)).text).not.toContain('Grace');
  });

  test('a logo whose host would add to the content security policy is not shown', async () => {
    await me.ok('lists/markPublic', { lid });
    // As a store may have kept it from before its host was checked.
    const logo = 'https://a.example;script-src/logo.png';
    await service.services.db.query('UPDATE store SET logo_url = $2 WHERE pid = $1', [store.pid, logo]);
    const { text, headers } = await open(lid).expect(200);
    await service.services.db.query('UPDATE store SET logo_url = NULL WHERE pid = $1', [store.pid]);
    expect(text).not.toContain('a.example');
    expect(headers['content-security-policy']).toContain('img-src https: http: data:;');
    expect(headers['content-security-policy']).not.toContain('a.example');
  });

  test.each([
    ['a private list', async () => open(lid)],
    [
      'a deleted list',
      async () => (
        await me.ok('lists/markPublic', { lid }),
        await me.ok('lists/delete-list', { lid }),
        open(lid)
      ),
    ],
    [
      "another store's list",
      async () => (await me.ok('lists/markPublic', { lid }), open(lid, (await service.createStore()).pid)),
    ],
    ['an empty store', async () => (await me.ok('lists/markPublic', { lid }), open(lid, ''))],
    [
      'two stores',
      async () => (await me.ok('lists/markPublic', { lid }), service.http.get(`/shared/${lid}?pid=a&pid=b`)),
    ],
    ['nonsense', async () => open('%00', '\u0000')],
  ])('answers 404 for %s', async (_what, call) => {
    const { status, text } = await call();
    expect(status).toBe(404);
    expect(text).toContain('List not found');
  });
});
