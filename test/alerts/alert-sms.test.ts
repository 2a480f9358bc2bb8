import { chmod, mkdir, readFile, readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import PostalMime from 'postal-mime';
import { enqueueMail, outboxOf, seedSubscription, setStock, useReceivers } from './kit.ts';

const { service, provider } = useReceivers({ mail: null });

const START = new Date('2026-03-01T09:00:00Z');
const later = (ms: number) => new Date(START.getTime() + ms);

beforeEach(() => {
  service.setNow(START);
});

test('a subscriber by text message gets one over the provider, under the alert id', async () => {
  const store = await service.createStore({ name: 'Shoes', measureAlerts: false });
  await service
    .post(
      '/storeadmin/bispa/subscriptions/create',
      {
        medium: 'sms',
        mediumvalue: '+49 151 23456789',
        products: [{ epi: 5, empi: 1, du: 'https://shop.example/p/1' }],
        topics: ['backinstock'],
      },
      { store },
    )
    .expect(200);
  await setStock(service, store, '5', 2, { dt: 'Boots' });
  await service.runTasks();
  const [row] = await outboxOf(service, store.pid);
  expect(provider.received).toHaveLength(1);
  const [{ path, headers, body }] = provider.received as [(typeof provider.received)[0]];
  expect(path).toBe('/2010-04-01/Accounts/AC1/Messages.json');
  expect(headers.authorization).toBe(`Basic ${Buffer.from('AC1:secret').toString('base64')}`);
  expect(headers['idempotency-key']).toBe(row!.id);
  const fields = new URLSearchParams(body);
  expect(fields.get('To')).toBe('+4915123456789');
  expect(fields.get('From')).toBe('+4930999');
  expect(fields.get('Body')).toMatch(
    /^Shoes: Boots is back in stock\. https:\/\/shop\.example\/p\/1\?variant=5 Opt out: https:\/\/alerts\.example\/u\/[\w-]{27}\.\w+$/,
  );
});

test('Retry-After of the provider is respected, then the message goes with the same id', async () => {
  const store = await service.createStore();
  await seedSubscription(service, store, { epi: '1', medium: 'sms', value: '+4915100000001' });
  provider.answer = () => ({ status: 429, headers: { 'retry-after': '1800' } });
  await setStock(service, store, '1', 1);
  await service.runTasks();
  service.setNow(later(1_700_000));
  await service.runTasks();
  expect(provider.received).toHaveLength(1);
  provider.answer = () => ({ status: 201 });
  service.setNow(later(1_801_000));
  await service.runTasks();
  expect(provider.received.map(({ headers }) => headers['x-alert-id'])).toEqual([
    provider.received[0]!.headers['x-alert-id'],
    provider.received[0]!.headers['x-alert-id'],
  ]);
  expect(await outboxOf(service, store.pid)).toMatchObject([{ state: 'sent', attempts: 2 }]);
});

test("a number that the provider refuses is a dead letter with the provider's words", async () => {
  const store = await service.createStore();
  await seedSubscription(service, store, { epi: '1', medium: 'sms', value: '+4915100000002' });
  provider.answer = () => ({
    status: 400,
    body: JSON.stringify({ code: 21211, message: "The 'To' number is not valid." }),
  });
  await setStock(service, store, '1', 1);
  await service.runTasks();
  expect(await outboxOf(service, store.pid)).toMatchObject([
    { state: 'failed', error: "the receiver returned 400: The 'To' number is not valid." },
  ]);
});

test.each([
  [21211, 0],
  [21610, 0],
  [21606, 1],
  [20003, 1],
])(
  'the provider’s code %i leaves %i subscription: numbers that cannot be reached end theirs, mistakes of ours do not',
  async (code, left) => {
    const store = await service.createStore();
    const { db } = service.services;
    await seedSubscription(service, store, { epi: '1', medium: 'sms', value: '+4915100000004' });
    provider.answer = () => ({ status: 400, body: JSON.stringify({ code, message: 'No' }) });
    await setStock(service, store, '1', 1);
    await service.runTasks();
    expect(await outboxOf(service, store.pid)).toMatchObject([{ state: 'failed' }]);
    expect(await db.query('SELECT 1 FROM subscription WHERE pid = $1', [store.pid])).toHaveLength(left);
  },
);

test('without a mail server mails become files, written whole', async () => {
  const { pid } = await service.createStore({ name: 'Files' });
  const { db, config } = service.services;
  const id = await db.transaction((tx) =>
    enqueueMail(
      tx,
      { pid, kind: 'list-share', to: 'friend@example.com', subject: 'A list', html: '<p>Hi</p>', text: 'Hi' },
      START,
    ),
  );
  await service.runTasks();
  const names = await readdir(join(config.dataDir, 'outbox'));
  expect(names).toContain(`${id}.eml`);
  expect(names.filter((name) => name.startsWith(id!) && name.endsWith('.new'))).toEqual([]);
  const mail = await PostalMime.parse(await readFile(join(config.dataDir, 'outbox', `${id}.eml`)));
  expect(mail.subject).toBe('A list');
  expect(mail.headers.find(({ key }) => key === 'list-unsubscribe-post')?.value).toBe(
    'List-Unsubscribe=One-Click',
  );
});

test('a mail in a file says what it was given, whatever characters and however long lines that has', async () => {
  const { pid } = await service.createStore({ name: 'Käse & "Brot", Inc.' });
  const { db, config } = service.services;
  const subject = `Schöne Grüße ${'ä'.repeat(80)} 🎁`;
  const html = `<!doctype html><p>ü${'x'.repeat(3_000)}</p>`;
  const text = `.\nFrom here\n--\n=3D é\n`;
  const id = await db.transaction((tx) =>
    enqueueMail(tx, { pid, kind: 'list-share', to: 'friend@example.com', subject, html, text }, START),
  );
  await service.runTasks();
  const mail = await PostalMime.parse(await readFile(join(config.dataDir, 'outbox', `${id}.eml`)));
  expect(mail.from?.name).toBe('Käse & "Brot", Inc.');
  expect(mail.to).toEqual([{ name: '', address: 'friend@example.com' }]);
  expect(mail.subject).toBe(subject);
  expect(mail.html).toContain(html);
  expect(mail.text).toContain(text.trimEnd());
  expect(mail.messageId).toBe(`<${id}@wishgate.invalid>`);
  expect(mail.headers.find(({ key }) => key === 'x-alert-id')?.value).toBe(id);
});

test('a message that cannot be written is tried again, and those beside it are written', async () => {
  const { pid } = await service.createStore();
  const { db, config } = service.services;
  const mail = { pid, kind: 'list-share', subject: 's', html: 'h', text: 't' };
  const ids = await db.transaction(async (tx) => [
    await enqueueMail(tx, { ...mail, to: 'a@example.com' }, START),
    await enqueueMail(tx, { ...mail, to: 'b@example.com' }, START),
  ]);
  await mkdir(join(config.dataDir, 'outbox', `${ids[0]}.eml`), { recursive: true });
  await service.runTasks();
  expect(await outboxOf(service, pid)).toMatchObject([
    { state: 'queued', attempts: 1, error: expect.stringMatching(/EISDIR|ENOTEMPTY|directory/) },
    { state: 'sent', error: null },
  ]);
});

test('the folder of messages is for its owner only, also one that was open before', async () => {
  const { pid } = await service.createStore();
  const { db, config } = service.services;
  const dir = join(config.dataDir, 'outbox');
  const write = async (): Promise<number> => {
    const mail = { pid, kind: 'list-share', to: 'x@example.com', subject: 's', html: 'h', text: 't' };
    await db.transaction((tx) => enqueueMail(tx, mail, START));
    await service.runTasks();
    return (await stat(dir)).mode & 0o777;
  };
  await rm(dir, { recursive: true, force: true });
  expect(await write()).toBe(0o700);
  await chmod(dir, 0o755);
  expect(await write()).toBe(0o700);
});

test("the demo store's text messages never leave the machine", async () => {
  const store = await service.createStore();
  await seedSubscription(service, store, { epi: '1', medium: 'sms', value: '+4915100000003' });
  await setStock(service, store, '1', 1);
  // Only now: where the demo is off, no call of its store is taken.
  await service.services.db.query('UPDATE store SET is_demo = true WHERE pid = $1', [store.pid]);
  await service.runTasks();
  expect(provider.received).toEqual([]);
  const [row] = await outboxOf(service, store.pid);
  const text = await readFile(join(service.services.config.dataDir, 'outbox', `${row!.id}.json`), 'utf8');
  expect(JSON.parse(text)).toMatchObject({ id: row!.id, to: '+4915100000003' });
});

test('a mail whose key was queued before is not queued again', async () => {
  const { pid } = await service.createStore();
  const mail = {
    pid,
    kind: 'list-share',
    to: 'x@example.com',
    subject: 's',
    html: 'h',
    text: 't',
    dedupeKey: 'once',
  };
  expect(await service.services.db.transaction((tx) => enqueueMail(tx, mail, START))).not.toBeNull();
  expect(await service.services.db.transaction((tx) => enqueueMail(tx, mail, START))).toBeNull();
});
