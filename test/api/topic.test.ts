import { outboxOf, seedSubscription, setStock } from '../alerts/kit.ts';
import type { SeedSubscription } from '../alerts/kit.ts';
import { useNewStore, useService } from '../harness.ts';
import type { NewStore } from '../../src/stores/store.service.ts';

const service = useService({ publicUrl: 'https://alerts.example' });
const store = useNewStore(service, { name: 'Test & Co' });

const FIELDS =
  'name trigger tag subject html text sms minStock batchSize batchIntervalSeconds shoppersPerUnit coolDownSeconds expiryDays';
const save = (input: object, as: NewStore | undefined = store) =>
  service.graphql(
    `mutation ($input: SaveTopicInput!) { saveTopic(input: $input) { ${FIELDS} } }`,
    { input },
    as && { store: as },
  );
const topics = async (as = store) =>
  (await service.graphql(`{ topics { ${FIELDS} } }`, {}, { store: as })).body.data.topics;
/** A subscription that was made so many days ago. */
const seedOld = async (days: number, seed: SeedSubscription) => {
  service.setNow(new Date(Date.now() - days * 86_400_000));
  await seedSubscription(service, store, seed);
  service.resetClock();
};
const failure = (body: { errors: { message: string; extensions: { type: string } }[] }) => [
  body.errors[0]!.extensions.type,
  body.errors[0]!.message,
];

test('every store has the built-in topics with the documented rules', async () => {
  const [backinstock, comingsoon, ...rest] = await topics();
  expect(backinstock).toMatchObject({
    name: 'backinstock',
    trigger: 'automatic',
    minStock: 1,
    coolDownSeconds: 86_400,
    batchSize: null,
    shoppersPerUnit: null,
    expiryDays: null,
  });
  expect(comingsoon).toMatchObject({ name: 'comingsoon', trigger: 'manual', tag: null });
  expect(rest).toEqual([
    expect.objectContaining({ name: 'pricedrop', trigger: 'pricedrop' }),
    expect.objectContaining({ name: 'lowstock', trigger: 'lowstock' }),
    expect.objectContaining({ name: 'wishlistrestock', trigger: 'automatic' }),
  ]);
});

test('a topic keeps what a change leaves out, and belongs to its store alone', async () => {
  await save({ name: 'backinstock', subject: 'Back: {{ product.title }}' });
  await save({ name: 'backinstock', minStock: 3, batchSize: 10, batchIntervalSeconds: 60 });
  expect((await topics())[0]).toMatchObject({
    subject: 'Back: {{ product.title }}',
    minStock: 3,
    batchSize: 10,
    batchIntervalSeconds: 60,
    trigger: 'automatic',
  });
  const other = await service.createStore();
  expect((await topics(other))[0]).toMatchObject({ minStock: 1, batchSize: null });
  const { body } = await save({
    name: 'backinstock',
    batchSize: null,
    batchIntervalSeconds: null,
    shoppersPerUnit: 2,
  });
  expect(body.data.saveTopic).toMatchObject({ batchSize: null, shoppersPerUnit: 2 });
});

test('a custom topic can be made and appears behind the built-in ones', async () => {
  const { body } = await save({
    name: 'price drop',
    trigger: 'manual',
    subject: 'Cheaper',
    html: '<p>{{ product.title }}</p>',
    text: 'Cheaper',
    sms: 'Cheaper',
  });
  expect(body.data.saveTopic).toMatchObject({ name: 'price drop', coolDownSeconds: 86_400 });
  expect((await topics()).map(({ name }: { name: string }) => name)).toEqual([
    'backinstock',
    'comingsoon',
    'pricedrop',
    'lowstock',
    'wishlistrestock',
    'price drop',
  ]);
});

test.each([
  [
    'an open tag',
    { name: 'backinstock', html: '<p>{% if product %}' },
    /^html is not a valid template: .*not closed/,
  ],
  [
    'an unknown filter',
    { name: 'backinstock', subject: '{{ product.title | nonsense }}' },
    /^subject is not a valid template: .*nonsense/,
  ],
  ['an unknown tag', { name: 'backinstock', text: '{% nonsense %}' }, /^text is not a valid template/],
  [
    'a file to include',
    { name: 'backinstock', html: '{% include "/etc/passwd" %}' },
    /^html is not a valid template/,
  ],
  [
    'an endless loop',
    { name: 'backinstock', text: '{% for i in (1..100000000) %}x{% endfor %}' },
    /^text is not a valid template/,
  ],
  [
    'a filter that runs an expression for each entry',
    {
      name: 'backinstock',
      text: '{% assign a = (1..3500) %}{% assign b = a | where_exp: "x", "a contains x" %}',
    },
    /^text is not a valid template: undefined filter: where_exp/,
  ],
  [
    'a condition that searches a list thousands of times',
    {
      name: 'backinstock',
      text: `{% assign a = (1..2000) %}{% if a contains 0${' or a contains 0'.repeat(3_000)} %}x{% endif %}`,
    },
    /^text is not a valid template: .*limit exceeded/,
  ],
  [
    'a text that doubles itself',
    {
      name: 'backinstock',
      text: '{% assign x = "12345678" %}{% for i in (1..24) %}{% capture x %}{{ x }}{{ x }}{% endcapture %}{% endfor %}{{ x }}',
    },
    /^text is not a valid template: .*limit exceeded/,
  ],
  [
    'an address that is encoded over and over',
    {
      name: 'backinstock',
      text: `{% capture x %}{% for i in (1..20000) %}%{% endfor %}{% endcapture %}{{ x ${'| url_encode'.repeat(1_000)} }}`,
    },
    /^text is not a valid template: .*limit exceeded/,
  ],
  [
    'a long text in a loop',
    { name: 'backinstock', html: `{% for i in (1..10000) %}${'x'.repeat(40_000)}{% endfor %}` },
    /^html is not a valid template: .*limit exceeded/,
  ],
  [
    'a text of 50,001 characters',
    { name: 'backinstock', html: 'x'.repeat(50_001) },
    /^html must have 1 to 50000/,
  ],
  ['an empty text', { name: 'backinstock', text: ' ' }, /^text must have/],
  ['a minimum of 0', { name: 'backinstock', minStock: 0 }, /^minStock must be/],
  ['half a batch rule', { name: 'backinstock', batchSize: 5 }, /batchSize and batchIntervalSeconds together/],
  [
    'both limits',
    { name: 'backinstock', batchSize: 5, batchIntervalSeconds: 60, shoppersPerUnit: 1 },
    /not both/,
  ],
  ['a tag trigger without a tag', { name: 'comingsoon', trigger: 'tag' }, /^tag is required/],
  ['an empty tag', { name: 'comingsoon', trigger: 'tag', tag: ' ' }, /^tag must have/],
  ['half a character as a tag', { name: 'comingsoon', trigger: 'tag', tag: 'new \ud800' }, /^tag must have/],
  ['a tag without its trigger', { name: 'comingsoon', tag: 'x' }, /^tag is required/],
])('%s is refused with its reason and nothing is stored', async (_what, input, reason) => {
  const { body } = await save(input);
  const [type, message] = failure(body);
  expect(type).toBe('invalid-request');
  expect(message).toMatch(reason);
  expect(await service.services.db.query('SELECT 1 FROM topic WHERE pid = $1', [store.pid])).toEqual([]);
});

test('a topic name with a line break is refused', async () => {
  const { body } = await save({ name: 'a\nb' });
  expect(failure(body)[0]).toBe('invalid-topics');
});

test('every call of topics needs a store key', async () => {
  const queries = [
    '{ topics { name } }',
    '{ previewTopic(topic: "backinstock") { subject } }',
    '{ audience(topic: "backinstock") { count } }',
    '{ sendProgress(topic: "backinstock", epis: [1]) { sent } }',
    '{ templateVariables { name } }',
    'mutation { saveTopic(input: { name: "x" }) { name } }',
    'mutation { triggerTopic(topic: "backinstock", epis: [1]) { opened } }',
    'mutation { sendTestAlert(topic: "backinstock", to: "a@example.com") { id } }',
  ];
  for (const query of queries) {
    const { body } = await service.graphql(query, {}, { shopper: await service.guest(store) });
    expect(body.errors[0].extensions.type).toBe('forbidden');
  }
});

test('a preview shows the sample or a product, escaped in HTML even where the template asks for raw output', async () => {
  await setStock(service, store, '5', 2, { dt: '<script>alert(1)</script>' });
  const query =
    'query ($epi: VariantId, $html: String) { previewTopic(topic: "backinstock", epi: $epi, html: $html) { subject html text sms } }';
  const sample = await service.graphql(query, {}, { store });
  expect(sample.body.data.previewTopic.subject).toBe('Linen shirt is back in stock');
  expect(sample.body.data.previewTopic.html).not.toMatch(/<s[ >]/);
  const german = '{ previewTopic(topic: "pricedrop", language: "de") { subject html } }';
  const preview = (await service.graphql(german, {}, { store })).body.data.previewTopic;
  expect(preview.subject).toMatch(/^Leinenhemd – Preis gesenkt/);
  expect(preview.html).toMatch(/Beispielmarke · Blau \/ M[^]*<s [^>]*>59[,.]90/);
  const real = await service.graphql(
    query,
    { epi: 5, html: '<b>{{ product.title | raw }}</b>{{ store.name }}' },
    { store },
  );
  const { html, text } = real.body.data.previewTopic;
  expect(html).toContain('<b>&lt;script&gt;alert(1)&lt;/script&gt;</b>Test &amp; Co');
  expect(html).toContain('https://alerts.example/unsubscribe/sample');
  expect(text).toContain('Unsubscribe: https://alerts.example/unsubscribe/sample');
  const broken = await service.graphql(query, { html: '{{ product.title' }, { store });
  expect(failure(broken.body)[0]).toBe('invalid-request');
  const long = await service.graphql(query, { html: 'x'.repeat(50_001) }, { store });
  expect(failure(long.body)).toEqual(['invalid-request', 'html must have 1 to 50000 characters']);
  const unknown = await service.graphql(query, { epi: 99 }, { store });
  expect(unknown.body).toEqual({ data: { previewTopic: null } });
});

test('every variable that templates can name is told, and its sample is what a template shows', async () => {
  const { body } = await service.graphql('{ templateVariables { name meaning sample } }', {}, { store });
  const variables: { name: string; meaning: string; sample: string }[] = body.data.templateVariables;
  expect(variables.map(({ name }) => name)).toEqual(expect.arrayContaining(['product.title', 'store.name']));
  expect(variables.every(({ meaning }) => meaning.length > 3)).toBe(true);
  const shown = variables.filter(({ name }) => name.startsWith('product.'));
  const text = shown.map(({ name }) => `${name}={{ ${name} }}`).join('|');
  const query = 'query ($text: String) { previewTopic(topic: "pricedrop", text: $text) { text } }';
  const preview = await service.graphql(query, { text }, { store });
  for (const { name, sample } of shown)
    expect(preview.body.data.previewTopic.text).toContain(`${name}=${sample}`);
});

test('the audience counts confirmed subscribers of one variant, of some or of all', async () => {
  await seedSubscription(service, store, { epi: '1' });
  await seedSubscription(service, store, { epi: '1', medium: 'sms', value: '+4915100000001' });
  await seedSubscription(service, store, { epi: '2' });
  await seedSubscription(service, store, { epi: '1', isConfirmed: false });
  const query = 'query ($epi: VariantId) { audience(topic: "backinstock", epi: $epi) { count email sms } }';
  expect((await service.graphql(query, { epi: 1 }, { store })).body.data.audience).toEqual({
    count: 2,
    email: 1,
    sms: 1,
  });
  expect((await service.graphql(query, {}, { store })).body.data.audience).toEqual({
    count: 3,
    email: 2,
    sms: 1,
  });
  const some =
    'query ($epis: [VariantId!]) { audience(topic: "backinstock", epis: $epis) { count media { medium count } listHolders } }';
  await seedSubscription(service, store, { epi: '3' });
  expect((await service.graphql(some, { epis: ['1', 2, '2'] }, { store })).body.data.audience).toEqual({
    count: 3,
    media: expect.arrayContaining([
      { medium: 'email', count: 2 },
      { medium: 'sms', count: 1 },
    ]),
    listHolders: 0,
  });
  const stranger = await service.createStore();
  expect((await service.graphql(some, { epis: [1] }, { store: stranger })).body.data.audience.count).toBe(0);
  expect(failure((await service.graphql(some, { epis: [] }, { store })).body)[0]).toBe('invalid-products');
  const both = '{ audience(topic: "backinstock", epi: 1, epis: [2]) { count } }';
  expect(failure((await service.graphql(both, {}, { store })).body)[0]).toBe('invalid-request');
});

test('a send says how many people it reaches: who waits for two of the products is one', async () => {
  const ann = 'ann@example.com';
  for (const epi of ['1', '2', '3']) await seedSubscription(service, store, { epi, value: ann });
  await seedSubscription(service, store, { epi: '1', value: 'ben@example.com' });
  await seedSubscription(service, store, { epi: '2', medium: 'sms', value: '+4915100000001' });
  await seedSubscription(service, store, { epi: '1', value: 'no@example.com', isConfirmed: false });
  await seedSubscription(service, store, { epi: '1', value: 'else@example.com', topic: 'comingsoon' });
  const query =
    'query ($epis: [VariantId!]) { audience(topic: "backinstock", epis: $epis) { count reach { people messages media { medium count } } } }';
  const audience = async (epis: unknown, as = store) =>
    (await service.graphql(query, { epis }, { store: as })).body.data.audience;
  expect(await audience([1, 2])).toEqual({
    count: 4,
    reach: {
      people: 3,
      messages: 4,
      media: [
        { medium: 'email', count: 2 },
        { medium: 'sms', count: 1 },
      ],
    },
  });
  expect((await audience([9])).reach).toEqual({ people: 0, messages: 0, media: [] });
  expect((await audience([1, 2], await service.createStore())).reach.people).toBe(0);
  expect(await audience(null)).toEqual({ count: 5, reach: null });
  await service.graphql(
    'mutation { saveTopic(input: { name: "backinstock", expiryDays: 30 }) { name } }',
    {},
    { store },
  );
  await seedOld(31, { epi: '1', value: 'old@example.com' });
  expect((await audience([1, 2])).reach).toMatchObject({ people: 3, messages: 4 });
});

test('the audience leaves out those whose subscription has expired, as sending does', async () => {
  const save = 'mutation { saveTopic(input: { name: "comingsoon", expiryDays: 30 }) { expiryDays } }';
  expect((await service.graphql(save, {}, { store })).body.data.saveTopic.expiryDays).toBe(30);
  await seedOld(31, { epi: '1', topic: 'comingsoon' });
  await seedOld(29, { epi: '1', topic: 'comingsoon' });
  const query = '{ audience(topic: "comingsoon") { count email sms } }';
  expect((await service.graphql(query, {}, { store })).body.data.audience).toEqual({
    count: 1,
    email: 1,
    sms: 0,
  });
  const trigger = 'mutation { triggerTopic(topic: "comingsoon", epis: [1]) { audience } }';
  expect((await service.graphql(trigger, {}, { store })).body.data.triggerTopic.audience).toBe(1);
});

test('a manual send alerts the subscribers of the named variants, whatever their stock', async () => {
  await seedSubscription(service, store, { epi: '1', topic: 'comingsoon', value: 'yes@example.com' });
  await seedSubscription(service, store, { epi: '2', topic: 'comingsoon', value: 'no@example.com' });
  await seedSubscription(service, store, { epi: '1', value: 'stock@example.com' });
  await setStock(service, store, '1', 0);
  const { body } = await service.graphql(
    'mutation { triggerTopic(topic: "comingsoon", epis: [1, "1", 3]) { opened audience } }',
    {},
    { store },
  );
  expect(body.data.triggerTopic).toEqual({ opened: 1, audience: 1 });
  const progress = async (as = store, epis: unknown[] = [1, 3]) => {
    const query =
      'query ($epis: [VariantId!]!) { sendProgress(topic: "comingsoon", epis: $epis) { isQueueing queued sent failed withheld } }';
    return (await service.graphql(query, { epis }, { store: as })).body;
  };
  const nothing = { isQueueing: false, queued: 0, sent: 0, failed: 0, withheld: 0 };
  expect((await progress()).data.sendProgress).toEqual({ ...nothing, isQueueing: true });
  await setStock(service, store, '1', 0);
  await service.runTasks();
  expect((await outboxOf(service, store.pid)).map(({ recipient, state }) => [recipient, state])).toEqual([
    ['yes@example.com', 'sent'],
  ]);
  expect((await progress()).data.sendProgress).toEqual({ ...nothing, sent: 1 });
  expect((await progress(await service.createStore())).data.sendProgress).toEqual(nothing);
  expect(failure(await progress(store, []))[0]).toBe('invalid-products');
});

test('a manual send of an unknown topic or of no variant is refused', async () => {
  const unknown = await service.graphql(
    'mutation { triggerTopic(topic: "nope", epis: [1]) { opened } }',
    {},
    { store },
  );
  expect(failure(unknown.body)[0]).toBe('not-found');
  const none = await service.graphql(
    'mutation { triggerTopic(topic: "comingsoon", epis: []) { opened } }',
    {},
    { store },
  );
  expect(failure(none.body)[0]).toBe('invalid-products');
  const broken = await service.graphql(
    'mutation ($epis: [VariantId!]!) { triggerTopic(topic: "comingsoon", epis: $epis) { opened } }',
    { epis: ['1', '\ud800'] },
    { store },
  );
  expect(failure(broken.body)).toEqual(['invalid-products', expect.stringContaining('epis[1]')]);
});

test('each trigger names the settings of a topic that it reads', async () => {
  const { body } = await service.graphql('{ triggers { name settings } }', {}, { store });
  expect(body.data.triggers).toEqual([
    { name: 'automatic', settings: ['minStock'] },
    { name: 'manual', settings: [] },
    { name: 'tag', settings: ['tag'] },
    { name: 'pricedrop', settings: ['dropPercent'] },
    { name: 'lowstock', settings: ['lowStock'] },
  ]);
});

test('a tag that is added to a product starts the topics that wait for it, once', async () => {
  const { body } = await save({ name: 'comingsoon', trigger: 'tag', tag: ' launched\t' });
  expect(body.data.saveTopic.tag).toBe('launched');
  await seedSubscription(service, store, { epi: '1', topic: 'comingsoon', value: 'tag@example.com' });
  await setStock(service, store, '1', 0, { tags: ['other'] });
  await service.runTasks();
  expect(await outboxOf(service, store.pid)).toEqual([]);
  await setStock(service, store, '1', 0, { tags: ['other', 'launched'] });
  await setStock(service, store, '1', 0, { tags: ['other', 'launched'] });
  await service.runTasks();
  expect((await outboxOf(service, store.pid)).map(({ recipient, state }) => [recipient, state])).toEqual([
    ['tag@example.com', 'sent'],
  ]);
});

test('a test alert goes to the given address only, consumes nothing and is marked', async () => {
  const { db } = service.services;
  await seedSubscription(service, store, { epi: '1', value: 'shopper@example.com' });
  const { body } = await service.graphql(
    'mutation { sendTestAlert(topic: "backinstock", to: "Me@Example.com") { id } }',
    {},
    { store },
  );
  expect(await outboxOf(service, store.pid)).toMatchObject([
    {
      id: body.data.sendTestAlert.id,
      lane: 'message',
      medium: 'email',
      recipient: 'me@example.com',
      payload: { subject: '[Test] Linen shirt is back in stock' },
    },
  ]);
  await service.runTasks();
  expect(await db.query('SELECT 1 FROM subscription WHERE pid = $1', [store.pid])).toHaveLength(1);
  const bad = await service.graphql(
    'mutation { sendTestAlert(topic: "backinstock", to: "nobody") { id } }',
    {},
    { store },
  );
  expect(failure(bad.body)[0]).toBe('invalid-mediumvalue');
});

test('subscriptions older than the expiry are neither alerted nor kept', async () => {
  await save({ name: 'backinstock', expiryDays: 30 });
  await seedOld(31, { epi: '1', value: 'old@example.com' });
  await seedSubscription(service, store, { epi: '1', value: 'young@example.com' });
  await setStock(service, store, '1', 1);
  await service.runTasks();
  expect((await outboxOf(service, store.pid)).map(({ recipient }) => recipient)).toEqual([
    'young@example.com',
  ]);
});
