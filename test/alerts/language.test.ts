import type { NewStore } from '../../src/stores/store.service.ts';
import { startService } from '../harness.ts';
import type { StoreAccess, TestService } from '../harness.ts';
import { setStock } from './kit.ts';
import { startHttp, startSmtp } from './receivers.ts';
import type { TestHttp, TestSmtp } from './receivers.ts';

let service: TestService;
let smtp: TestSmtp;
let provider: TestHttp;

const START = new Date('2026-05-01T09:00:00Z');

beforeAll(async () => {
  smtp = await startSmtp();
  provider = await startHttp();
  service = await startService({
    publicUrl: 'https://alerts.example',
    channels: {
      email: { smtpUrl: smtp.url, from: 'alerts@store.example', connections: 3, dkim: null },
      sms: { baseUrl: provider.url, account: 'AC1', token: 'secret', from: '+4930999' },
    },
  });
});
afterAll(async () => {
  await service.close();
  await smtp.close();
  await provider.close();
});
beforeEach(() => {
  smtp.received.length = 0;
  provider.received.length = 0;
  service.setNow(START);
});

type SignUp = { epi?: number; value?: string; medium?: string; language?: string; topic?: string };

/** Signs up over REST; the store alone asks, or a shopper. */
async function signUp(store: StoreAccess, { epi = 1, value = 'a@example.com', ...rest }: SignUp) {
  const { medium = 'email', language, topic = 'backinstock' } = rest;
  const products = JSON.stringify([{ epi, empi: 1, du: 'https://shop.example/p/1' }]);
  const fields = { medium, mediumvalue: value, products, topics: JSON.stringify([topic]), language };
  await service.post('/storeadmin/bispa/subscriptions/create', fields, { store }).expect(200);
}

const saveTopic = async (store: NewStore, input: object): Promise<void> => {
  const { body } = await service.graphql(
    'mutation ($input: SaveTopicInput!) { saveTopic(input: $input) { name } }',
    { input: { name: 'backinstock', ...input } },
    { store },
  );
  expect(body.errors).toBeUndefined();
};

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
  await saveTopic(store, { subject: 'Own English: {{ product.title }}' });
  await saveTopic(store, { language: 'de', texts: [{ part: 'headline', text: 'Eigene Überschrift' }] });
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
  await saveTopic(store, { texts: [{ part: 'button', text: 'Hin da' }] });
  await saveTopic(store, { language: 'fr', texts: [{ part: 'button', text: 'Par ici' }] });
  let topic = await read();
  expect([...topic.languages].sort()).toEqual(['de', 'fr']);
  expect(buttonIn(topic.de)).toEqual({ part: 'button', text: 'Hin da', isStandard: false });
  expect(buttonIn(topic.fr)).toEqual({ part: 'button', text: 'Par ici', isStandard: false });
  await service.graphql('mutation { updateStore(input: { locale: "fr" }) { pid } }', {}, { store });
  await saveTopic(store, { language: 'de', texts: [{ part: 'button', text: null }] });
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
  const fields = new URLSearchParams(provider.received[0]!.body);
  expect(fields.get('Body')).toMatch(/^Laden: Hose 1 ist wieder verfügbar\. https:\S+ \S+: https:\S+$/);
});
