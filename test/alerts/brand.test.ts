import { parse } from 'parse5';
import type { NewStore } from '../../src/stores/store.service.ts';
import { useReceivers } from './kit.ts';
import type { ReceivedMail } from './receivers.ts';

// What shoppers receive from a store with a brand, as it arrives.

const { service, smtp, provider } = useReceivers({
  publicUrl: 'https://wishes.shop.example',
  mail: { from: 'alerts@service.example' },
});

const BRAND = {
  logoUrl: 'https://shop.example/logo.png',
  colour: '#ffd400',
  senderName: 'Kettles & Co',
  senderAddress: 'hello@shop.example',
  currency: 'EUR',
  locale: 'de-DE',
};
const PRODUCT = {
  epi: 7,
  empi: 1,
  du: 'https://shop.example/p/1',
  iu: 'https://shop.example/kettle.jpg',
  dt: 'Kettle',
  pr: 1234567.5,
  stk: 0,
};

const upsert = (store: NewStore, product: object) =>
  service
    .post('/storeadmin/v3/products/upsert', { products: [{ ...PRODUCT, ...product }] }, { store })
    .expect(200);

const subscribe = (store: NewStore, medium: string, mediumvalue: string, topics = ['backinstock']) =>
  service
    .post(
      '/storeadmin/bispa/subscriptions/create',
      { medium, mediumvalue, products: [{ epi: 7, empi: 1, du: PRODUCT.du }], topics },
      { store },
    )
    .expect(200);

/** Restocks the product and answers the mail that comes of it. */
async function restock(store: NewStore, product: object = {}): Promise<ReceivedMail> {
  await upsert(store, product);
  await subscribe(store, 'email', 'a@example.com');
  await upsert(store, { ...product, stk: 2 });
  await service.runTasks();
  expect(smtp.received).toHaveLength(1);
  return smtp.received[0]!;
}

function mistakesIn(html: string): string[] {
  const mistakes: string[] = [];
  parse(html, { onParseError: ({ code, startLine }) => mistakes.push(`${code} in line ${startLine}`) });
  return mistakes;
}

const headerOf = ({ mail }: ReceivedMail, name: string) =>
  mail.headers.find(({ key }) => key === name)?.value;

test('a mail is valid, from the sender of the brand, with logo, readable button, picture text and price in both parts', async () => {
  const received = await restock(await service.createStore({ name: 'Kettles', ...BRAND }));
  const { mail } = received;
  expect(mail.from).toEqual({ name: 'Kettles & Co', address: 'alerts@service.example' });
  expect(mail.replyTo).toEqual([{ name: '', address: 'hello@shop.example' }]);
  expect(headerOf(received, 'auto-submitted')).toBe('auto-generated');
  expect(headerOf(received, 'list-id')).toMatch(/^<alerts\.[\da-f]{16}\.service\.example>$/);
  expect(mistakesIn(mail.html!)).toEqual([]);
  expect(mail.html).toMatch(/^<!doctype html>\s<html lang="de" dir="ltr">/);
  for (const part of [
    '<meta charset="utf-8">',
    'name="viewport"',
    '<title>Kettle ist wieder verfügbar</title>',
  ])
    expect(mail.html).toContain(part);
  expect(mail.html).toContain('prefers-color-scheme:dark');
  expect(mail.html).toContain('<img src="https://shop.example/logo.png" alt="Kettles"');
  expect(mail.html).toContain('<img src="https://shop.example/kettle.jpg" alt="Kettle"');
  // Black on yellow: white could not be read.
  expect(mail.html).toMatch(/bgcolor="#ffd400".*color:#000000;[^>]*>Artikel ansehen<\/a>/);
  expect(mail.html).toContain('1.234.567,50\u00a0€');
  expect(mail.text).toContain('Preis: 1.234.567,50\u00a0€');
});

test('without a brand the store’s name stands for it, and a price is a number with two decimals', async () => {
  const received = await restock(await service.createStore({ name: 'Plain' }), { pr: 49.9 });
  const { mail } = received;
  expect(mail.from!.name).toBe('Plain');
  expect(mail.replyTo).toEqual([{ name: '', address: 'alerts@service.example' }]);
  expect(mail.html).toContain('<strong>49.90</strong>');
  expect(mail.text).toContain('Price: 49.90\n');
  expect(mail.html).not.toContain('logo.png');
});

test('the news survives a title of 500 characters, in standard texts and in those that a store wrote before', async () => {
  const store = await service.createStore({ name: 'Kettles' });
  const dt = 'Très long 🫖 '.repeat(41).trim();
  const { mail } = await restock(store, { dt });
  expect(mail.subject).toMatch(/^Très long.*… is back in stock$/);
  expect(mail.subject!.length).toBeLessThan(90);
  expect(mail.subject!.isWellFormed()).toBe(true);
  const own =
    'mutation { saveTopic(input: { name: "backinstock", subject: "{{ product.title }} kam zurück" }) { name } }';
  expect((await service.graphql(own, {}, { store })).body.errors).toBeUndefined();
  smtp.received.length = 0;
  await upsert(store, { dt, stk: 0 });
  await subscribe(store, 'email', 'b@example.com');
  await upsert(store, { dt, stk: 3 });
  await service.runTasks();
  expect(smtp.received[0]!.mail.subject).toMatch(/… kam zurück$/);
});

test('a price that fell shows what it was, and several alerts in one mail have one header', async () => {
  const store = await service.createStore({ name: 'Kettles', ...BRAND, digestSeconds: 60 });
  await upsert(store, { pr: 100, stk: 0 });
  await subscribe(store, 'email', 'a@example.com', ['backinstock', 'pricedrop']);
  await upsert(store, { pr: 80, stk: 5 });
  const now = service.services.now();
  await service.runTasks();
  service.setNow(new Date(now.getTime() + 120_000));
  await service.runTasks();
  expect(smtp.received).toHaveLength(1);
  const { html = '', text = '' } = smtp.received[0]!.mail;
  expect(mistakesIn(html)).toEqual([]);
  expect(html.match(/logo\.png/g)).toHaveLength(1);
  expect(html).toMatch(/<s [^>]*>100,00(?:&nbsp;|\u00a0)€<\/s>/);
  expect(text).toContain('Preis: 80,00\u00a0€ (bisher 100,00\u00a0€)');
});

/** A page behind a link of ours. */
const pathOf = (url: string): string => url.replace('https://wishes.shop.example', '');
const textsSent = (): string[] => provider.received.map(({ body }) => new URLSearchParams(body).get('Body')!);

test('a text message is one of 160 characters whose links lead to the product and out, and prove themselves', async () => {
  const store = await service.createStore({ name: 'Kettle', ...BRAND });
  const phone = '+4915123456789';
  for (const dt of ['Kettle', 'Copper kettle with “whistle” – '.repeat(16)]) {
    // After the topic's cool-down.
    service.setNow(new Date(service.services.now().getTime() + 2 * 86_400_000));
    await upsert(store, { dt, stk: 0 });
    await subscribe(store, 'sms', phone);
    await upsert(store, { dt, stk: 2 });
    await service.runTasks();
  }
  const [kettle = '', long = ''] = textsSent();
  for (const text of [kettle, long]) {
    expect(text.length).toBeLessThanOrEqual(160);
    expect(text).toMatch(/ ist wieder verfügbar\. https:\/\/\S+ Stopp: https:\/\/\S+$/);
    expect(text).toMatch(/^[\x20-\x7eü]+$/);
  }
  expect(kettle).toMatch(/^Kettle: Kettle ist wieder verfügbar\. /);
  const [product = '', out = ''] = [...kettle.matchAll(/https:\/\/\S+/g)].map(([url]) => pathOf(url));
  const led = await service.http.get(product).expect(302);
  expect(led.headers['location']).toMatch(/^https:\/\/shop\.example\/p\/1\?variant=7&wg=/);

  const page = await service.http.get(out).expect(200);
  expect(page.text).toContain('Wieder verfügbar');
  expect(page.text).toContain('<img src="https://shop.example/logo.png" alt="Kettle">');
  expect(page.headers['content-security-policy']).toContain('img-src https://shop.example;');
  const other = await service.createStore({ name: 'Other' });
  const altered = [
    out.replace(/u\/./, (start) => (start === 'u/A' ? 'u/B' : 'u/A')),
    out.replace(/\.\w+$/, '.zzzz'),
    product.replace(/go\/./, (start) => (start === 'go/A' ? 'go/B' : 'go/A')),
    out.replace('/u/', '/c/'),
  ];
  for (const path of altered) await service.http.get(path).expect(404);
  expect(other.pid).not.toBe(store.pid);

  const rows = () =>
    service.services.db.query<{ topic: string; epi: string }>(
      'SELECT topic, epi FROM alert_mute WHERE pid = $1 AND value = $2',
      [store.pid, phone],
    );
  expect(await rows()).toEqual([]);
  await service.http.post(`${out.replace('/u/', '/unsubscribe/')}/do-not-measure`).expect(200);
  await service.http.post(out).type('form').send({ scope: 'topic' }).expect(200);
  expect(await rows()).toEqual([{ topic: 'backinstock', epi: '' }]);

  // The alert is forgotten after a month; the way out is not.
  await service.services.db.query(`DELETE FROM outbox WHERE pid = $1`, [store.pid]);
  await service.http.get(product).expect(404);
  expect((await service.http.get(out).expect(200)).text).not.toContain('back-in-stock');
  await service.http.post(out).expect(200);
  const suppressed = await service.services.db.query('SELECT value FROM suppression WHERE pid = $1', [
    store.pid,
  ]);
  expect(suppressed).toEqual([{ value: phone }]);
});

test('a confirmation by text message fits into one, and its link confirms what its requester asked for', async () => {
  const store = await service.createStore({ name: 'Kettle shop', doubleOptIn: true });
  await upsert(store, {});
  await subscribe(store, 'sms', '+4915123456789');
  await service.runTasks();
  const [text = ''] = textsSent();
  expect(text).toMatch(
    /^Kettle shop: confirm alerts for Kettle: https:\/\/\S+ Not you\? Just ignore this\.$/,
  );
  expect(text.length).toBeLessThanOrEqual(160);
  const path = pathOf(/https:\/\/\S+/.exec(text)![0]);
  const asked = await service.http.get(path).expect(200);
  expect(asked.text).toContain('Kettle shop to send you an SMS when Kettle is back.');
  await service.http.post(path).expect(200);
  const rows = await service.services.db.query(
    'SELECT confirmed_at IS NOT NULL AS ok FROM subscription WHERE pid = $1',
    [store.pid],
  );
  expect(rows).toEqual([{ ok: true }]);
});
