import type { NewStore } from '../../src/stores/store.service.ts';
import type { Caller, StoreAccess } from '../harness.ts';
import { saveTopic, seedSubscription, setStock, useReceivers } from './kit.ts';

// From sign-up to unsubscribe in the recipient's language, as messages arrive and pages show it.

const { service, smtp, provider } = useReceivers();

const START = new Date('2026-05-01T09:00:00Z');
beforeEach(() => {
  service.setNow(START);
});

const ME = 'me@example.com';
const PRODUCT = { epi: 1, empi: 1, du: '/p/1', dt: 'Kettle', iu: '/kettle.jpg', pr: 49.9, stk: 0 };
const IMPRINT = { postalAddress: 'Kessel GmbH\nHauptstr. 1', imprintUrl: 'https://shop.example/legal' };

const newStore = (settings: object = {}) =>
  service.createStore({
    ...{ name: 'Kessel', doubleOptIn: true, allowedOrigins: ['https://shop.example'], currency: 'EUR' },
    ...IMPRINT,
    ...settings,
  });

const upsert = (store: NewStore, ...products: object[]) =>
  service.post('/storeadmin/v3/products/upsert', { products }, { store }).expect(200);

type Asked = { epis?: string[]; topics?: string[]; language?: string; medium?: string; value?: string };

async function subscribe(caller: Caller, asked: Asked = {}): Promise<void> {
  const { epis = ['1'], topics = ['backinstock'], language, medium = 'email', value = ME } = asked;
  const products = epis.map((epi) => ({ epi, empi: '1', du: 'https://evil.example/typed' }));
  const { body } = await service.graphql(
    'mutation ($input: SubscribeInput!) { subscribe(input: $input) { confirmed } }',
    { input: { medium, mediumvalue: value, products, topics, language } },
    caller,
  );
  expect(body).toEqual({ data: { subscribe: { confirmed: false } } });
  await service.runTasks();
}

const lastMail = () => smtp.received.at(-1)!.mail;
const lastSms = () => new URLSearchParams(provider.received.at(-1)!.body.toString()).get('Body')!;

/** The link in a text, below the public URL. */
const pathIn = (text: string, page: string): string => {
  const [, path] = new RegExp(`https://alerts\\.example(/${page}/[^\\s"<]+)`).exec(text)!;
  return path!.replaceAll('&amp;', '&');
};

const WALKS = [
  {
    locale: 'de-DE',
    lang: 'de',
    confirm: 'Bitte bestätigen: Kettle bei Kessel',
    ask: 'Bitte bestätigen Sie, dass Kessel Sie per E-Mail informieren soll, sobald Kettle wieder verfügbar ist.',
    thanks: 'Anmeldung bestätigt',
    next: 'Sie erhalten eine E-Mail an m***@example.com, sobald Kettle wieder verfügbar ist.',
    alert: 'Kettle ist wieder verfügbar',
    title: 'Abbestellen',
    undo: 'Rückgängig machen',
    undone: 'Sie können wieder Benachrichtigungen erhalten',
  },
  {
    locale: 'ja-JP',
    lang: 'ja',
    confirm: '【Kessel】お知らせ登録のご確認：Kettle',
    ask: 'Kettleが再入荷した際に、Kesselからメールでお知らせします。下のボタンを押して、登録を完了してください。',
    thanks: '登録が完了しました',
    next: 'Kettleが再入荷した際に、m***@example.comにメールでお知らせします。',
    alert: 'Kettleが再入荷しました',
    title: '配信停止',
    undo: '元に戻す',
    undone: '配信を再開しました',
  },
];

test.each(WALKS)('a store in $lang speaks it from the confirmation to the undo', async (walk) => {
  const store = await newStore({ locale: walk.locale });
  await upsert(store, PRODUCT);
  await subscribe({ store });
  const confirmation = lastMail();
  expect(confirmation.subject).toBe(walk.confirm);
  expect(confirmation.html).toContain(`<html lang="${walk.lang}" dir="ltr">`);
  for (const part of [confirmation.html, confirmation.text]) expect(part).toContain(walk.ask);
  const link = pathIn(confirmation.text!, 'confirm');
  expect(link).toContain(`?lang=${walk.lang}`);
  expect((await service.get(link).expect(200)).text).toContain(walk.ask);
  const confirmed = (await service.http.post(link).expect(200)).text;
  for (const words of [walk.thanks, walk.next]) expect(confirmed).toContain(words);

  await upsert(store, { ...PRODUCT, stk: 3 });
  await service.runTasks();
  expect(lastMail().subject).toBe(walk.alert);
  const out = pathIn(lastMail().html!, 'unsubscribe');
  expect((await service.get(out).expect(200)).text).toContain(`<title>${walk.title}</title>`);
  await seedSubscription(service, store, { epi: '2', value: ME });
  const page = (await service.http.post(out).type('form').send({ scope: 'topic' }).expect(200)).text;
  expect(page).toContain(walk.undo);
  const [, action] = /action="([^"]+undo[^"]*)"/.exec(page)!;
  const [, undo] = /name="undo" value="([^"]+)"/.exec(page)!;
  const undone = await service.http.post(action!).type('form').send({ undo }).expect(200);
  expect(undone.text).toContain(walk.undone);
});

test("a call's language counts before the store's, for the email, its page and its footer", async () => {
  const store = await newStore({ locale: 'de' });
  await upsert(store, PRODUCT);
  await subscribe({ store }, { language: 'fr-CA' });
  const { subject, html, text } = lastMail();
  expect(subject).toBe('Veuillez confirmer\u00a0: Kettle chez Kessel');
  expect(html).toContain('Mentions légales');
  expect(text).toContain('Se désabonner');
  expect((await service.get(pathIn(text!, 'confirm')).expect(200)).text).toContain('<html lang="fr"');
});

test('without a shop URL, the pages after a confirmation and an undo lead to the product', async () => {
  const store = await newStore({ allowedOrigins: [] });
  await upsert(store, { ...PRODUCT, du: 'https://kessel.example/p/1' });
  await subscribe({ store });
  const back = '<a href="https://kessel.example/p/1?variant=1" rel="noreferrer">Continue shopping</a>';
  expect((await service.http.post(pathIn(lastMail().text!, 'confirm')).expect(200)).text).toContain(back);
  await upsert(store, { ...PRODUCT, du: 'https://kessel.example/p/1', stk: 3 });
  await service.runTasks();
  const out = pathIn(lastMail().html!, 'unsubscribe');
  await seedSubscription(service, store, { epi: '2', value: ME });
  const page = (await service.http.post(out).type('form').send({ scope: 'topic' }).expect(200)).text;
  expect(page).toContain(back);
  const [, action] = /action="([^"]+undo[^"]*)"/.exec(page)!;
  const [, undo] = /name="undo" value="([^"]+)"/.exec(page)!;
  expect((await service.http.post(action!).type('form').send({ undo })).text).toContain(back);
});

test('a confirmation shows the picture as a link, the preheader, postal address and legal notice', async () => {
  const store = await newStore();
  await upsert(store, PRODUCT);
  await subscribe({ store });
  const { html, text, subject } = lastMail();
  expect(subject).toBe('Please confirm: Kettle at Kessel');
  const ask = "Please confirm that you'd like Kessel to email you when Kettle is back.";
  expect(text).toContain(ask);
  expect(html).toMatch(
    /<div style="display:none[^>]*>Please confirm that you&#39;d like Kessel to email you/,
  );
  expect(html).toMatch(
    /<a href="https:\/\/shop\.example\/p\/1\?variant=1"[^>]*><img src="https:\/\/shop\.example\/kettle\.jpg" alt="Kettle"/,
  );
  expect(html).toContain('Kessel GmbH<br>Hauptstr. 1');
  expect(html).toContain('<a href="https://shop.example/legal">Legal notice</a>');
  expect(text).toContain('Kessel GmbH\nHauptstr. 1');
  expect(html).not.toMatch(/text-align:center|<td[^>]* align="center"[^>]*>(?!\s*(<!--|<a ))/);
});

test.each([
  ['pricedrop', 'when the price of Kettle drops.'],
  ['lowstock', 'when Kettle is almost sold out.'],
  ['comingsoon', 'when Kettle is available.'],
])('a confirmation of %s says what it is about', async (topic, words) => {
  const store = await newStore();
  await upsert(store, PRODUCT);
  await subscribe({ store }, { topics: [topic] });
  expect(lastMail().text).toContain(`Please confirm that you'd like Kessel to email you ${words}`);
});

test('a confirmation of several products names the newest and their number', async () => {
  const store = await newStore();
  await upsert(store, PRODUCT, { ...PRODUCT, epi: 2, dt: 'Teapot' }, { ...PRODUCT, epi: 3, dt: 'Cup' });
  await subscribe({ store }, { epis: ['1', '2', '3'] });
  const { subject, text } = lastMail();
  expect(subject).toMatch(/^Please confirm: (Kettle|Teapot|Cup) and 2 more products at Kessel$/);
  expect(text).toMatch(/to email you about (Kettle|Teapot|Cup) and 2 more products\./);
});

test('a confirmation and its page contain nothing that a stranger typed', async () => {
  const store = await newStore();
  const guest = await service.guest(store);
  await subscribe(
    { shopper: guest },
    { epis: ['evil-product'], topics: ['evil-topic'], language: 'en-evil123' },
  );
  const { subject, html, text } = lastMail();
  expect(subject).toBe('Please confirm your alerts from Kessel');
  const page = (await service.get(pathIn(text!, 'confirm')).expect(200)).text;
  for (const part of [subject, html, text, page]) expect(part).not.toContain('evil');
});

test('an insecure picture is left out', async () => {
  const store = await newStore();
  await upsert(store, { ...PRODUCT, iu: 'http://shop.example/kettle.jpg' });
  await subscribe({ store });
  expect(lastMail().html).not.toContain('kettle.jpg');
});

test('a confirmation by SMS names the product within one message, and its short link finds the language', async () => {
  const store = await newStore();
  const long = 'Kettle with a very long name – 1.5 l, brushed steel, “Classic” edition';
  await upsert(store, { ...PRODUCT, dt: long }, { ...PRODUCT, epi: 2, dt: 'ケトル' });
  await subscribe({ store }, { medium: 'sms', value: '+4915112345678', language: 'es' });
  const text = lastSms();
  expect(text).toMatch(
    /^Kessel: confirme el aviso de Kettle with a very long.*: https:\/\/alerts\.example\/c\/\S+ ¿No fue usted\?/,
  );
  expect(text.length).toBeLessThanOrEqual(160);
  expect((await service.get(pathIn(text, 'c')).expect(200)).text).toContain('<html lang="es"');
  // A name that would make the message longer than one is left out.
  await subscribe({ store }, { medium: 'sms', value: '+4915112345679', epis: ['2'] });
  expect(lastSms()).toMatch(/^Kessel: confirm your product alerts: https:/);
});

type SignUp = { epi?: number; value?: string; medium?: string; language?: string; topic?: string };

/** Signs up over REST; the store alone asks, or a shopper. */
async function signUp(store: StoreAccess, { epi = 1, value = 'a@example.com', ...rest }: SignUp) {
  const { medium = 'email', language, topic = 'backinstock' } = rest;
  const products = JSON.stringify([{ epi, empi: 1, du: 'https://shop.example/p/1' }]);
  const fields = { medium, mediumvalue: value, products, topics: JSON.stringify([topic]), language };
  await service.post('/storeadmin/bispa/subscriptions/create', fields, { store }).expect(200);
}

async function restock(store: NewStore, ...epis: string[]): Promise<void> {
  for (const epi of epis) await setStock(service, store, epi, 5, { dt: `Hose ${epi}` });
  await service.runTasks();
}

const subjects = (): (string | undefined)[] => smtp.received.map(({ mail }) => mail.subject);

const languagesOf = async (store: NewStore): Promise<(string | null)[]> =>
  (
    await service.graphql('{ subscriptions { edges { node { language } } } }', {}, { store })
  ).body.data.subscriptions.edges.map(({ node }: { node: { language: string | null } }) => node.language);

test.each([
  ['de', 'Hose 1 ist wieder verfügbar', 'ltr', 'Abbestellen'],
  ['de_CH', 'Hose 1 ist wieder verfügbar', 'ltr', 'Abbestellen'],
  ['ja-JP', expect.stringContaining('Hose 1'), 'ltr', '配信停止'],
  ['pt-BR', 'Hose 1 is back in stock', 'ltr', 'Unsubscribe'],
])(
  'an alert speaks the language %s of its sign-up, or the standard one',
  async (language, subject, dir, out) => {
    const store = await service.createStore();
    await signUp(store, { language });
    await restock(store, '1');
    expect(subjects()).toEqual([subject]);
    const { html, text } = smtp.received[0]!.mail;
    expect(html).toContain(`dir="${dir}"`);
    expect(html).toContain(`>${out}</a>`);
    expect(text).toContain(`${out}: https://alerts.example/unsubscribe/`);
  },
);

test("without a language, the account's counts, then the store's; prices follow", async () => {
  const store = await service.createStore({ locale: 'de-AT', currency: 'EUR' });
  await service
    .post(
      '/storeadmin/v3/user/generate-regid',
      { useremail: 'french@example.com', useragenttype: 'web', language: 'fr' },
      { store },
    )
    .expect(200);
  await signUp(store, { value: 'french@example.com' });
  await signUp(store, { value: 'nobody@example.com' });
  await setStock(service, store, '1', 5, { dt: 'Hose', pr: 1234.5 });
  await service.runTasks();
  const mailTo = (value: string) => smtp.received.find(({ to }) => to === value)!.mail;
  expect(mailTo('french@example.com').html).toMatch(/lang="fr"[\s\S]*1\u202f234,50\u00a0€/);
  expect(mailTo('nobody@example.com').html).toMatch(/lang="de"[\s\S]*€\u00a01[\u00a0.]234,50/);
});

test('an unreadable language is ignored, and a repeated sign-up updates the language, over REST and GraphQL', async () => {
  const store = await service.createStore();
  await signUp(store, { language: 'not a language!' });
  expect(await languagesOf(store)).toEqual([null]);
  await signUp(store, { language: 'es' });
  expect(await languagesOf(store)).toEqual(['es']);
  await signUp(store, {});
  await signUp(store, { language: '*' });
  expect(await languagesOf(store)).toEqual(['es']);
});

test("a stranger's pending sign-up does not change the language of a confirmed one", async () => {
  const store = await service.createStore();
  await signUp(store, { language: 'de' });
  const input = {
    medium: 'email',
    mediumvalue: 'a@example.com',
    products: [{ epi: 1, empi: 1, du: 'https://shop.example/p/1' }],
    topics: ['backinstock'],
    language: 'ja',
  };
  const shopper = await service.guest(store);
  const { body } = await service.graphql(
    'mutation ($input: SubscribeInput!) { subscribe(input: $input) { confirmed } }',
    { input },
    { shopper },
  );
  expect(body).toEqual({ data: { subscribe: { confirmed: false } } });
  expect(await languagesOf(store)).toEqual(['de']);
});

test("a topic's own texts count by language: the reader's, then the store's, and no message mixes two", async () => {
  const store = await service.createStore();
  await saveTopic(service, store, { subject: 'Own English: {{ product.title }}' });
  await saveTopic(service, store, {
    language: 'de',
    texts: [{ part: 'headline', text: 'Eigene Überschrift' }],
  });
  for (const [index, language] of ['en', 'de', 'fr'].entries())
    await signUp(store, { value: `${index}@example.com`, language });
  await restock(store, '1');
  const mails = [0, 1, 2].map((n) => smtp.received.find(({ to }) => to === `${n}@example.com`)!.mail);
  expect(mails.map(({ subject }) => subject)).toEqual([
    'Own English: Hose 1',
    'Hose 1 ist wieder verfügbar',
    'Own English: Hose 1',
  ]);
  expect(mails[1]!.html).toContain('Eigene Überschrift');
  expect(mails[2]!.html).toContain('>Unsubscribe</a>');
});

test('saving one language leaves the others; null brings the standard text back', async () => {
  const store = await service.createStore({ locale: 'de-DE' });
  const read = async () => {
    const query = `{ topics { name languages de: texts { part text isStandard } fr: texts(language: "fr") { part text isStandard } } }`;
    const { body } = await service.graphql(query, {}, { store });
    return body.data.topics.find(({ name }: { name: string }) => name === 'backinstock');
  };
  const buttonIn = (texts: { part: string }[]) => texts.find(({ part }) => part === 'button');
  await saveTopic(service, store, { texts: [{ part: 'button', text: 'Hin da' }] });
  await saveTopic(service, store, { language: 'fr', texts: [{ part: 'button', text: 'Par ici' }] });
  let topic = await read();
  expect([...topic.languages].sort()).toEqual(['de', 'fr']);
  expect(buttonIn(topic.de)).toEqual({ part: 'button', text: 'Hin da', isStandard: false });
  expect(buttonIn(topic.fr)).toEqual({ part: 'button', text: 'Par ici', isStandard: false });
  await service.graphql('mutation { updateStore(input: { locale: "fr" }) { pid } }', {}, { store });
  await saveTopic(service, store, { language: 'de', texts: [{ part: 'button', text: null }] });
  topic = await read();
  expect(topic.languages).toEqual(['fr']);
  expect(buttonIn(topic.fr)).toEqual({ part: 'button', text: 'Par ici', isStandard: false });
  const refused = await service.graphql(
    'mutation { saveTopic(input: { name: "backinstock", language: "?", subject: "x" }) { name } }',
    {},
    { store },
  );
  expect(refused.body.errors[0].message).toMatch(/^language must be a BCP 47 tag/);
});

test("a digest speaks its newest subscription's language", async () => {
  const store = await service.createStore({ digestSeconds: 60, postalAddress: '1 High Street\nLondon' });
  await signUp(store, { epi: 1, language: 'en' });
  service.setNow(new Date(START.getTime() + 1_000));
  await signUp(store, { epi: 2, language: 'de' });
  await restock(store, '1', '2');
  service.setNow(new Date(START.getTime() + 120_000));
  await service.runTasks();
  expect(subjects()).toEqual(['Hose 1 und 1 weiterer Artikel']);
  const { html } = smtp.received[0]!.mail;
  expect(html!.match(/wieder verfügbar/g)!.length).toBeGreaterThanOrEqual(2);
  expect(html).not.toContain('back in stock');
  expect(html).toContain('1 High Street<br>London');
});

test('an SMS speaks the language, too', async () => {
  const store = await service.createStore({ name: 'Laden' });
  await signUp(store, { medium: 'sms', value: '+4915123456789', language: 'de' });
  await restock(store, '1');
  const text = new URLSearchParams(provider.received[0]!.body).get('Body');
  expect(text).toMatch(/^Laden: Hose 1 ist wieder verfügbar\. https:\S+ \S+: https:\S+$/);
  // The subscription has ended with its alert.
  const [, link] = /(\/u\/\S+)$/.exec(text!)!;
  expect((await service.get(link!).expect(200)).text).toContain('<html lang="de"');
});
