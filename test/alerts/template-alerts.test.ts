import { newAccount } from '../api/list-kit.ts';
import { outboxOf, saveTopic, seedSubscription, setStock, useReceivers } from './kit.ts';

const { service, smtp } = useReceivers();

const START = new Date('2026-03-01T09:00:00Z');
const later = (hours: number) => new Date(START.getTime() + hours * 3_600_000);

beforeEach(() => {
  service.setNow(START);
});

/** Markup whose reading takes seconds, for one product only: saving it shows nothing. */
const TRAP = `{% if product.title == "Trap" %}<p>{% for i in (1..1200) %}<b id={{ i }}>{% endfor %}${'<p>x'.repeat(8_000)}{% endif %}`;

test('alerts whose template ends its process are dead letters after three tries, and other stores hear in time', async () => {
  const store = await service.createStore();
  const other = await service.createStore();
  await saveTopic(service, store, { html: TRAP });
  for (const n of [1, 2, 3])
    await seedSubscription(service, store, { epi: '1', value: `trap${n}@example.com` });
  await seedSubscription(service, other, { epi: '1', value: 'other@example.com' });
  await setStock(service, store, '1', 5, { dt: 'Trap' });
  await setStock(service, other, '1', 5, { dt: 'Shirt' });
  await service.runTasks();
  expect(smtp.received.map(({ to }) => to)).toEqual(['other@example.com']);
  // Until the template is looked at again no try is used up.
  service.setNow(later(0.9 / 60));
  await service.runTasks();
  const once = { state: 'queued', attempts: 1 };
  expect(await outboxOf(service, store.pid)).toMatchObject([once, once, once]);
  for (const hours of [1, 2, 3]) {
    service.setNow(later(hours));
    await service.runTasks();
  }
  const error = expect.stringMatching(
    /^failed on attempt 3: the template could not be rendered: html is not a valid template: rendering takes too /,
  );
  const dead = { state: 'failed', attempts: 3, error };
  expect(await outboxOf(service, store.pid)).toMatchObject([dead, dead, dead]);
  await service.http.get('/healthz').expect(200);
});

test('the same store hears again as soon as its template is mended', async () => {
  const store = await service.createStore();
  await saveTopic(service, store, { html: TRAP });
  await seedSubscription(service, store, {
    epi: '1',
    value: 'shopper@example.com',
  });
  await setStock(service, store, '1', 5, { dt: 'Trap' });
  await service.runTasks();
  expect(smtp.received).toEqual([]);
  await saveTopic(service, store, { html: '<p>{{ product.title }}</p>' });
  service.setNow(later(1));
  await service.runTasks();
  expect(smtp.received.map(({ to }) => to)).toEqual(['shopper@example.com']);
  expect(smtp.received[0]!.mail.html).toContain('<p>Trap</p>');
});

test('no mail has characters in its subject or sender that turn or hide what is read', async () => {
  const store = await service.createStore({ name: 'Sh\u202eop \u2066A\u200f' });
  await seedSubscription(service, store, { epi: '1', value: 'shopper@example.com' });
  await service.graphql('mutation { updateStore(input: { doubleOptIn: true }) { pid } }', {}, { store });
  await service
    .post(
      '/storeadmin/bispa/subscriptions/create',
      {
        medium: 'email',
        mediumvalue: 'new@example.com',
        products: [{ epi: 2, empi: 1, du: 'https://shop.example/p/1' }],
        topics: ['backinstock'],
      },
      { store },
    )
    .expect(200);
  const sender = await newAccount(service, store);
  const { lid } = await sender.create('Wi\u202eshes');
  await sender.ok('lists/emailList', { lid, toemail: 'friend@example.com', fromname: 'A\u2067nn\u200b' });
  await setStock(service, store, '1', 5, { dt: 'Hat\u202d\u2028\u061c' });
  await service.runTasks();
  const lines = new Map(smtp.received.map(({ to, mail }) => [to, [mail.from?.name, mail.subject]]));
  expect(lines.get('new@example.com')).toEqual(['Shop A', 'Please confirm your alerts from Shop A']);
  expect(lines.get('friend@example.com')).toEqual(['Shop A', 'Ann shared the list “Wishes” with you']);
  expect(lines.get('shopper@example.com')).toEqual(['Shop A', 'Hat  is back in stock']);
});

test.each([
  ['shows it as it is', '<p>[{{ unsubscribe_url }}]</p>', (url: string) => `<p>[${url}]</p>`],
  ['changes it', '<p>{{ unsubscribe_url | upcase }}</p>', (url: string) => `<p>${url.toUpperCase()}</p>`],
  [
    'keeps it for later',
    '{% capture out %}{{ unsubscribe_url }}{% endcapture %}<p>{{ out | upcase }}</p>',
    (url: string) => `<p>${url.toUpperCase()}</p>`,
  ],
  [
    'names it in a roundabout way',
    '{% assign name = "unsubscribe" | append: "_url" %}<p>{{ [name] | upcase }}</p>',
    (url: string) => `<p>${url.toUpperCase()}</p>`,
  ],
  ['asks for its length', '<p>{{ unsubscribe_url.size }}</p>', (url: string) => `<p>${url.length}</p>`],
])('everyone gets a link of their own, also where the template %s', async (_how, html, shown) => {
  const store = await service.createStore();
  await saveTopic(service, store, { html, subject: '{{ unsubscribe_url }}' });
  const contacts = ['a', 'bb', 'ccc'].map((name) => `${name}@example.com`);
  for (const value of contacts) await seedSubscription(service, store, { epi: '1', value });
  await setStock(service, store, '1', 5);
  await service.runTasks();
  expect(smtp.received.map(({ to }) => to).sort()).toEqual(contacts);
  const links = smtp.received.map(({ mail }) => {
    const [, url] = /Unsubscribe: (\S+)/.exec(mail.text!)!;
    expect(mail.html).toContain(shown(url!));
    expect(mail.html).toContain(`<a href="${url!}">Unsubscribe</a>`);
    expect(mail.subject).toBe(url!.slice(0, 200));
    return url;
  });
  expect(new Set(links).size).toBe(3);
});

test('a product that changes between two restocks is shown as it is', async () => {
  const store = await service.createStore();
  for (const [index, dt] of ['Old name', 'New name'].entries()) {
    await seedSubscription(service, store, {
      epi: '1',
      value: `${index}@example.com`,
    });
    await setStock(service, store, '1', 0);
    await setStock(service, store, '1', 5, { dt });
    await service.runTasks();
  }
  expect(smtp.received.map(({ mail }) => mail.subject)).toEqual([
    'Old name is back in stock',
    'New name is back in stock',
  ]);
});
