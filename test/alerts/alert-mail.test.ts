import { generateKeyPairSync } from 'node:crypto';
import { saveTopic } from '../../src/alerts/topics/topic.repo.ts';
import { BUILT_IN_TOPICS } from '../../src/alerts/topics/topic.rules.ts';
import { createLogger } from '../../src/platform/log.ts';
import { startService } from '../harness.ts';
import {
  enqueueMail,
  outboxOf,
  seedSubscription,
  setStock,
  unsubscribe,
  useReceivers,
  saveTopic as save,
} from './kit.ts';

const { service, smtp } = useReceivers();

const START = new Date('2026-03-01T09:00:00Z');
const later = (ms: number) => new Date(START.getTime() + ms);
const HOUR = 3_600_000;

beforeEach(() => {
  service.setNow(START);
});

const recipients = () => smtp.received.map(({ to }) => to).sort();

test('subscribing over REST and restocking over GraphQL brings each subscriber exactly one well-formed mail', async () => {
  const store = await service.createStore({ name: 'Müller & Söhne', measureAlerts: false });
  const { pid } = store;
  const subscribe = (mediumvalue: string, epi: number) =>
    service
      .post(
        '/storeadmin/bispa/subscriptions/create',
        {
          medium: 'email',
          mediumvalue,
          products: [{ epi, empi: 1, du: 'https://shop.example/p/1' }],
          topics: ['backinstock'],
        },
        { store },
      )
      .expect(200);
  const products = [7, 8].map((epi) => ({
    epi,
    empi: 1,
    du: 'https://shop.example/p/1',
    uri: `https://shop.example/p/1?variant=${epi}`,
    dt: 'Blaue "Hose" <M>',
    stk: 0,
  }));
  const upserted = await service.post('/storeadmin/v3/products/upsert', { products }, { store });
  expect(upserted.status).toBe(200);
  await subscribe('a@example.com', 7);
  await subscribe('a@example.com', 7);
  await subscribe('b@example.com', 7);
  await subscribe('c@example.com', 8);
  const { body } = await service.graphql(
    'mutation { setStock(stocks: [{ epi: 7, stk: 3 }]) { products { stk } } }',
    {},
    { store },
  );
  expect(body.errors).toBeUndefined();
  await service.runTasks();

  expect(recipients()).toEqual(['a@example.com', 'b@example.com']);
  const rows = await outboxOf(service, pid);
  for (const { to, from, mail } of smtp.received) {
    const header = (name: string) => mail.headers.find(({ key }) => key === name)?.value;
    const { id } = rows.find(({ recipient }) => recipient === to)!;
    expect(from).toBe('alerts@store.example');
    expect(mail.from).toEqual({ name: 'Müller & Söhne', address: 'alerts@store.example' });
    expect(mail.to).toEqual([{ name: '', address: to }]);
    expect(mail.subject).toBe('Blaue "Hose" <M> is back in stock');
    expect(mail.messageId).toBe(`<${id}@store.example>`);
    expect(header('x-alert-id')).toBe(id);
    expect(header('list-unsubscribe')).toMatch(
      /^<https:\/\/alerts\.example\/unsubscribe\/[\w.-]+\?lang=en>$/,
    );
    expect(header('list-unsubscribe-post')).toBe('List-Unsubscribe=One-Click');
    expect(mail.html).toContain('Blaue &#34;Hose&#34; &lt;M&gt;');
    expect(mail.html).toContain('href="https://shop.example/p/1?variant=7"');
    expect(mail.html).toMatch(/<a href="https:\/\/alerts\.example\/unsubscribe\/[\w.-]+\?lang=en">/);
    expect(mail.text).toContain('https://shop.example/p/1?variant=7');
    expect(mail.text).toMatch(/Unsubscribe: https:\/\/alerts\.example\/unsubscribe\//);
  }
  const left = await service.services.db.query('SELECT value FROM subscription WHERE pid = $1', [pid]);
  expect(left).toEqual([{ value: 'c@example.com' }]);
});

test('a price edit, the same stock again and a further delivery mail nobody', async () => {
  const store = await service.createStore();
  await setStock(service, store, '1', 5, { dt: 'Shirt' });
  await seedSubscription(service, store, { epi: '1' });
  await setStock(service, store, '1', 5);
  await setStock(service, store, '1', 9);
  await service.runTasks();
  expect(smtp.received).toEqual([]);
});

test('the first sighting of a product in stock reaches those who subscribed before', async () => {
  const store = await service.createStore();
  await seedSubscription(service, store, { epi: 'new', value: 'early@example.com' });
  await setStock(service, store, 'new', 1, { dt: 'Fresh' });
  await seedSubscription(service, store, { epi: 'new', value: 'late@example.com' });
  await service.runTasks();
  expect(recipients()).toEqual(['early@example.com']);
});

test('an unconfirmed subscription is not mailed and not consumed', async () => {
  const store = await service.createStore();
  await seedSubscription(service, store, { epi: '1', isConfirmed: false });
  await service.runTasks();
  smtp.received.length = 0;
  await setStock(service, store, '1', 1);
  await service.runTasks();
  expect(smtp.received).toEqual([]);
  expect(
    await service.services.db.query('SELECT 1 FROM subscription WHERE pid = $1', [store.pid]),
  ).toHaveLength(1);
});

test('alerts that are queued when stock goes again are withheld, and the next restock brings them', async () => {
  const store = await service.createStore();
  await seedSubscription(service, store, { epi: '1', value: 'w@example.com' });
  smtp.refuse = () => ({ code: 451, text: 'Try later' });
  await setStock(service, store, '1', 5);
  await service.runTasks();
  await setStock(service, store, '1', 0);
  smtp.refuse = () => null;
  service.setNow(later(HOUR));
  await service.runTasks();
  expect(smtp.received).toEqual([]);
  expect(await outboxOf(service, store.pid)).toMatchObject([
    { state: 'withheld', error: 'the product is out of stock again' },
  ]);
  await setStock(service, store, '1', 2);
  await service.runTasks();
  expect(recipients()).toEqual(['w@example.com']);
});

test('stock that flaps while an alert waits for its retry mails once', async () => {
  const store = await service.createStore();
  await seedSubscription(service, store, { epi: '1', value: 'f@example.com' });
  smtp.refuse = () => ({ code: 421, text: 'Busy' });
  await setStock(service, store, '1', 5);
  await service.runTasks();
  await setStock(service, store, '1', 0);
  await setStock(service, store, '1', 5);
  await service.runTasks();
  smtp.refuse = () => null;
  service.setNow(later(HOUR));
  await service.runTasks();
  expect(recipients()).toEqual(['f@example.com']);
  expect(await outboxOf(service, store.pid)).toMatchObject([{ state: 'sent', attempts: 2 }]);
});

test('a contact that subscribes again inside the cool-down hears at its end, if stock is still there', async () => {
  const store = await service.createStore();
  const again = () => seedSubscription(service, store, { epi: '1', value: 'cool@example.com' });
  await again();
  await setStock(service, store, '1', 5);
  await service.runTasks();
  await again();
  service.setNow(later(HOUR));
  await setStock(service, store, '1', 0);
  await setStock(service, store, '1', 5);
  await service.runTasks();
  expect(recipients()).toEqual(['cool@example.com']);
  service.setNow(later(25 * HOUR));
  await service.runTasks();
  expect(recipients()).toEqual(['cool@example.com', 'cool@example.com']);
});

test('a temporary refusal is tried again with the same id, a final one becomes a dead letter', async () => {
  const store = await service.createStore();
  await seedSubscription(service, store, { epi: '1', value: 'busy@example.com' });
  await seedSubscription(service, store, { epi: '1', value: 'gone@example.com' });
  smtp.refuse = (to) =>
    to === 'gone@example.com' ? { code: 550, text: 'No such user' } : { code: 450, text: 'Greylisted' };
  await setStock(service, store, '1', 5);
  await service.runTasks();
  const [busy, gone] = await outboxOf(service, store.pid);
  expect(busy).toMatchObject({ state: 'queued', attempts: 1 });
  expect(gone).toMatchObject({ state: 'failed', attempts: 1 });
  expect(gone!.error).toContain('No such user');
  smtp.refuse = () => null;
  service.setNow(later(HOUR));
  await service.runTasks();
  expect(smtp.received.map(({ mail }) => mail.messageId)).toEqual([`<${busy!.id}@store.example>`]);
});

test('an address that does not exist ends all its subscriptions in the store, and a new sign-up begins anew', async () => {
  const { db } = service.services;
  const store = await service.createStore();
  const { pid } = store;
  const other = await service.createStore();
  const value = 'gone@example.com';
  await db.query(
    `INSERT INTO webhook (pid, id, url, events, secret, cts, uts)
     VALUES ($1, 'w', 'http://127.0.0.1/', '{alert.failed,subscription.removed}', 'whsec_AAAA', now(), now())`,
    [pid],
  );
  for (const epi of ['1', '2']) await seedSubscription(service, store, { epi, value, addtomailinglist: 1 });
  await seedSubscription(service, other, { epi: '1', value, addtomailinglist: 1 });
  smtp.refuse = () => ({ code: 550, text: 'No such user' });
  await setStock(service, store, '1', 5);
  await service.runTasks();
  const left = await db.query<{ pid: string }>('SELECT pid FROM subscription WHERE value = $1', [value]);
  expect(left).toEqual([{ pid: other.pid }]);
  const rows = await outboxOf(service, pid);
  expect(rows.filter(({ lane }) => lane === 'alert')).toMatchObject([{ state: 'failed', attempts: 1 }]);
  const told = rows.filter(({ lane }) => lane === 'webhook').map(({ payload }) => payload);
  expect(told).toEqual(
    expect.arrayContaining([
      expect.objectContaining({ type: 'alert.failed', data: expect.objectContaining({ value }) }),
      ...['1', '2'].map((epi) =>
        expect.objectContaining({
          type: 'subscription.removed',
          data: expect.objectContaining({ value, epi }),
        }),
      ),
    ]),
  );
  expect(told).toHaveLength(3);
  const answers = await db.query(
    'SELECT pid, acceptmarketing, acceptsource FROM mailing_answer WHERE value = $1',
    [value],
  );
  expect(answers).toEqual(
    expect.arrayContaining([
      { pid, acceptmarketing: false, acceptsource: 'bounce' },
      { pid: other.pid, acceptmarketing: true, acceptsource: 'subscription' },
    ]),
  );

  smtp.refuse = () => null;
  await seedSubscription(service, store, { epi: '1', value });
  await setStock(service, store, '1', 0);
  await setStock(service, store, '1', 5);
  await service.runTasks();
  expect(recipients()).toEqual([value]);
});

test.each([
  ['at the recipient', { code: 554, text: '5.7.1 Client host blocked' }],
  ['at the recipient', { code: 550, text: '5.7.1 Relaying denied' }],
  ['at the recipient', { code: 550, text: 'relay not permitted' }],
  ['at the recipient', { code: 550, text: '5.1.8 Sender address rejected: Domain not found' }],
  ['at the recipient', { code: 552, text: '5.2.2 Mailbox full' }],
  ['at the end of the mail', { code: 550, text: 'No such user' }],
  ['at the end of the mail', { code: 550, text: '5.1.1 User unknown' }],
])('a refusal %s that may be about us ends nobody’s subscription: %j', async (where, refusal) => {
  const { db } = service.services;
  const store = await service.createStore();
  await seedSubscription(service, store, { epi: '1' });
  if (where === 'at the recipient') smtp.refuse = () => refusal;
  else smtp.refuseData = () => refusal;
  await setStock(service, store, '1', 5);
  await service.runTasks();
  expect(await outboxOf(service, store.pid)).toMatchObject([{ state: 'failed' }]);
  expect(await db.query('SELECT 1 FROM subscription WHERE pid = $1', [store.pid])).toHaveLength(1);
});

test.each([
  ['units', { shoppersPerUnit: 1 }],
  ['batches', { batchSize: 1, batchIntervalSeconds: 3_600 }],
])('with %s, a place that nobody hears of goes to the next in line at once', async (_name, rules) => {
  const { db } = service.services;
  const store = await service.createStore();
  await saveTopic(db, { ...store, locale: 'en' }, { ...BUILT_IN_TOPICS[0]!, ...rules }, START);
  await setStock(service, store, '1', 0);
  const at = ['cooling', 'bounced', 'refused', 'first', 'second'].map((name) => `${name}@example.com`);
  await seedSubscription(service, store, { epi: '1', value: at[0] });
  await setStock(service, store, '1', 1);
  await service.runTasks();
  expect(recipients()).toEqual(['cooling@example.com']);
  smtp.received.length = 0;
  await setStock(service, store, '1', 0);
  for (const value of at) await seedSubscription(service, store, { epi: '1', value });
  smtp.refuse = (to) => {
    if (to === at[1]) return { code: 550, text: '5.1.1 No such user' };
    return to === at[2] ? { code: 554, text: '5.7.1 Refused' } : null;
  };
  await setStock(service, store, '1', 1);
  await service.runTasks();
  expect(recipients()).toEqual(['first@example.com']);
  service.setNow(later(HOUR - 1));
  await service.runTasks();
  expect(recipients()).toEqual(['first@example.com']);
  service.setNow(later(HOUR));
  if ('shoppersPerUnit' in rules) await setStock(service, store, '1', 2);
  await service.runTasks();
  expect(recipients()).toEqual(['first@example.com', 'second@example.com']);
  service.setNow(later(25 * HOUR));
  await service.runTasks();
  expect(recipients()).toEqual(['cooling@example.com', 'first@example.com', 'second@example.com']);
});

test('a message that is refused for hours is given up after its last try', async () => {
  const store = await service.createStore();
  await seedSubscription(service, store, { epi: '1' });
  smtp.refuse = () => ({ code: 451, text: 'Try later' });
  await setStock(service, store, '1', 5);
  for (let hour = 0; hour < 20; hour += 1) {
    service.setNow(later(hour * HOUR));
    await service.runTasks();
  }
  expect(await outboxOf(service, store.pid)).toMatchObject([{ state: 'failed', attempts: 15 }]);
});

test('a product title with line breaks adds no header to the mail', async () => {
  const store = await service.createStore();
  await seedSubscription(service, store, { epi: '1', value: 'victim@example.com' });
  await setStock(service, store, '1', 5, { dt: 'Shirt\r\nBcc: everyone@example.com\r\n\r\nInjected body' });
  await service.runTasks();
  const [{ mail, to, raw }] = smtp.received as [(typeof smtp.received)[0]];
  expect(to).toBe('victim@example.com');
  expect(mail.bcc).toBeUndefined();
  expect(raw.split(/\r?\n\r?\n/)[0]).not.toMatch(/^bcc:/im);
  expect(mail.subject).toBe('Shirt Bcc: everyone@example.com Injected body is back in stock');
});

test('one that unsubscribes between queueing and sending gets nothing', async () => {
  const store = await service.createStore();
  await seedSubscription(service, store, { epi: '1', value: 'leaving@example.com' });
  smtp.refuse = () => ({ code: 451, text: 'Try later' });
  await setStock(service, store, '1', 5);
  await service.runTasks();
  await unsubscribe(service, store, 'leaving@example.com');
  smtp.refuse = () => null;
  service.setNow(later(HOUR));
  await service.runTasks();
  expect(smtp.received).toEqual([]);
  expect(await outboxOf(service, store.pid)).toMatchObject([{ state: 'withheld' }]);
});

test('mails are signed with DKIM where a key is configured', async () => {
  const { privateKey } = generateKeyPairSync('rsa', {
    modulusLength: 2_048,
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
    publicKeyEncoding: { type: 'spki', format: 'pem' },
  });
  const dkim = { domainName: 'store.example', keySelector: 'wishes', privateKey };
  const signing = await startService({
    channels: { email: { smtpUrl: smtp.url, from: 'alerts@store.example', connections: 1, dkim } },
  });
  try {
    const { pid } = await signing.createStore();
    await signing.services.db.transaction((tx) =>
      enqueueMail(
        tx,
        { pid, kind: 'confirm', to: 'd@example.com', subject: 's', html: 'h', text: 't' },
        new Date(),
      ),
    );
    await signing.runTasks();
  } finally {
    await signing.close();
  }
  const signature = smtp.received[0]!.mail.headers.find(({ key }) => key === 'dkim-signature')!.value;
  expect(signature).toMatch(/d=store\.example;.*s=wishes;/s);
  const signed = /\bh=([^;]+);/.exec(signature.replace(/\s/g, ''))![1]!.toLowerCase().split(':');
  expect(signed).toEqual(expect.arrayContaining(['from', 'list-unsubscribe', 'list-unsubscribe-post']));
});

test('a due message that somebody else holds makes nobody look again and again', async () => {
  const { db } = service.services;
  const { pid } = await service.createStore();
  await db.transaction((tx) =>
    enqueueMail(tx, { pid, kind: 'test', to: 'x@example.com', subject: 's', html: 'h', text: 't' }, START),
  );
  const other = await db.pool.connect();
  await other.query('BEGIN');
  await other.query('SELECT 1 FROM outbox WHERE pid = $1 FOR UPDATE', [pid]);
  await service.runTasks();
  expect(smtp.received).toEqual([]);
  await other.query('ROLLBACK');
  other.release();
  await service.runTasks();
  expect(recipients()).toEqual(['x@example.com']);
});

test("one store's storm of mails does not hold up another store's mail", async () => {
  const [big, small] = [await service.createStore(), await service.createStore()];
  const mailOf = (pid: string, to: string) => ({ pid, kind: 'test', to, subject: 's', html: 'h', text: 't' });
  await service.services.db.transaction(async (tx) => {
    for (let n = 0; n < 60; n += 1) await enqueueMail(tx, mailOf(big.pid, `b${n}@example.com`), START);
    await enqueueMail(tx, mailOf(small.pid, 'small@example.com'), later(1_000));
  });
  service.setNow(later(1_000));
  await service.runTasks();
  const order = smtp.received.map(({ to }) => to);
  expect(order).toHaveLength(61);
  expect(order.indexOf('small@example.com')).toBeLessThan(20);
});

test.each([
  ['a higher minimum', { minStock: 5 }],
  ['another trigger', { trigger: 'manual' }],
])(
  'the rest of a batch is not mailed once stock is gone, also when the topic got %s meanwhile',
  async (_what, change) => {
    const store = await service.createStore();
    await save(service, store, { batchSize: 1, batchIntervalSeconds: 60 });
    for (const n of [1, 2, 3])
      await seedSubscription(service, store, { epi: '1', value: `${n}@example.com` });
    await setStock(service, store, '1', 3);
    await service.runTasks();
    await save(service, store, change);
    await setStock(service, store, '1', 0);
    for (const minutes of [1, 2, 3, 4]) {
      service.setNow(later(minutes * 60_000));
      await service.runTasks();
    }
    expect(recipients()).toEqual(['1@example.com']);
  },
);

test('mails that are no alerts can be left too: with one click and by a link in their footer', async () => {
  const store = await service.createStore({ name: 'Hats & Co', doubleOptIn: true });
  await service
    .post(
      '/storeadmin/bispa/subscriptions/create',
      {
        medium: 'email',
        mediumvalue: 'new@example.com',
        products: [{ epi: 1, empi: 1, du: 'https://shop.example/p/1' }],
        topics: ['backinstock'],
      },
      { store },
    )
    .expect(200);
  await service.graphql(
    'mutation { sendTestAlert(topic: "backinstock", to: "me@example.com") { id } }',
    {},
    { store },
  );
  const { pid } = store;
  const shared = { pid, kind: 'list-share', to: 'friend@example.com' };
  await service.services.db.transaction((tx) =>
    enqueueMail(tx, { ...shared, subject: 's', html: '<body><p>h</p></body>', text: 't' }, START),
  );
  await service.runTasks();
  expect(recipients()).toEqual(['friend@example.com', 'me@example.com', 'new@example.com']);
  for (const { mail } of smtp.received) {
    const header = (name: string) => mail.headers.find(({ key }) => key === name)?.value ?? '';
    const [, path] = /^<https:\/\/alerts\.example(\/unsubscribe\/[\w.-]+\?lang=en)>$/.exec(
      header('list-unsubscribe'),
    )!;
    expect(header('list-unsubscribe-post')).toBe('List-Unsubscribe=One-Click');
    const links = mail.html!.match(
      /<a href="https:\/\/alerts\.example\/unsubscribe\/[\w.-]+\?lang=en">Unsubscribe<\/a>/g,
    );
    expect(links).toHaveLength(1);
    expect(
      mail.text!.match(/^Unsubscribe: https:\/\/alerts\.example\/unsubscribe\/[\w.-]+\?lang=en$/gm),
    ).toHaveLength(1);
    await service.http.post(path!).type('form').send('List-Unsubscribe=One-Click').expect(200);
  }
  const left = await service.services.db.query('SELECT 1 FROM subscription WHERE pid = $1', [pid]);
  expect(left).toEqual([]);
});

test('what a mail server says of a recipient reaches the store, but not the log', async () => {
  const lines: string[] = [];
  const logging = await startService(
    { channels: { email: { smtpUrl: smtp.url, from: 'alerts@store.example', connections: 1, dkim: null } } },
    createLogger('info', { write: (line: string) => void lines.push(line) }),
  );
  try {
    const { pid } = await logging.createStore();
    smtp.refuse = (to) => ({ code: 550, text: `<${to}> or +49 151 0000 0001: no such user` });
    const mail = { pid, kind: 'test', to: 'secret.person@example.com', subject: 's', html: 'h', text: 't' };
    await logging.services.db.transaction((tx) => enqueueMail(tx, mail, START));
    await logging.runTasks();
    const [row] = await outboxOf(logging, pid);
    expect(row!.error).toContain('secret.person@example.com');
    const line = lines.find((text) => text.includes('failed for good'))!;
    expect(line).toContain('no such user');
    expect(lines.join()).not.toMatch(/secret\.person|0000 0001/);
  } finally {
    await logging.close();
  }
});
