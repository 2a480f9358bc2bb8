import { randomUUID } from 'node:crypto';
import { unsubscribeUrl } from '../../src/shoppers/contacts/link.rules.ts';
import type { Scope } from '../../src/shoppers/contacts/link.rules.ts';
import { findStore } from '../../src/stores/store.repo.ts';
import type { NewStore } from '../../src/stores/store.service.ts';
import type { TestShopper } from '../harness.ts';
import { until } from '../until.ts';
import { outboxOf, seedSubscription, setStock, unsubscribe, useReceivers } from './kit.ts';

const { service, smtp } = useReceivers();
const START = new Date('2026-06-01T09:00:00Z');
const HOUR = 3_600_000;
const [OLD, NEW] = ['old@example.com', 'new@example.com'];

let store: NewStore;
let account: TestShopper;
beforeEach(async () => {
  service.setNow(START);
  store = await service.createStore({ measureAlerts: true });
  account = await service.account(store, OLD);
  for (const epi of ['1', '2', '3']) await setStock(service, store, epi, 0);
});

const move = async (email = NEW): Promise<void> =>
  void (await service
    .post('/storeadmin/v3/user/update', { regid: account.regid, email }, { store })
    .expect(200));

const rows = (table: string, columns: string): Promise<Record<string, unknown>[]> =>
  service.services.db.query(
    `SELECT ${columns} FROM ${table} WHERE pid = $1 ORDER BY ${columns
      .split(', ')
      .map((_, index) => index + 1)
      .join()}`,
    [store.pid],
  );
const subscriptions = () => rows('subscription', 'value, epi, confirmed_at IS NOT NULL AS confirmed');
const confirmed = (value: string, epi: string) => ({ value, epi, confirmed: true });

/** What a shopper sees of its own subscriptions. */
async function seen(shopper: TestShopper): Promise<string[]> {
  const { body } = await service
    .post('/api/v3/subscriptions/fetch-subs', { limit: 100 }, { shopper })
    .expect(200);
  return body.subscriptions.map(({ epi }: { epi: number }) => String(epi)).sort();
}

async function subscribe(shopper: TestShopper, epi: string, mediumvalue = OLD): Promise<boolean> {
  const products = [{ epi, empi: 1, du: '/p' }];
  const { body } = await service.graphql(
    'mutation ($input: SubscribeInput!) { subscribe(input: $input) { confirmed } }',
    { input: { medium: 'email', mediumvalue, products, topics: ['backinstock'] } },
    { shopper },
  );
  return body.data.subscribe.confirmed;
}

test('subscriptions of every requester move, and a newcomer at the old address sees and gets nothing', async () => {
  await subscribe(account, '1');
  await seedSubscription(service, store, { epi: '2', value: OLD });
  await move();
  expect(await subscriptions()).toEqual([confirmed(NEW, '1'), confirmed(NEW, '2')]);
  expect(await rows('subscription_request', 'value, epi')).toEqual([
    { value: NEW, epi: '1' },
    { value: NEW, epi: '2' },
  ]);
  const newcomer = await service.account(store, OLD);
  expect(newcomer.regid).not.toBe(account.regid);
  expect(await seen(newcomer)).toEqual([]);
  expect(await seen(account)).toEqual(['1', '2']);
  await setStock(service, store, '1', 5);
  await setStock(service, store, '2', 5);
  await service.runTasks();
  expect(smtp.received.map(({ to }) => to)).toEqual([NEW, NEW]);
});

test('an alert that is queued goes to the new address, once', async () => {
  await subscribe(account, '1');
  await setStock(service, store, '1', 5);
  smtp.refuse = () => ({ code: 451, text: 'Try later' });
  await service.runTasks();
  expect(await outboxOf(service, store.pid)).toMatchObject([{ recipient: OLD, state: 'queued' }]);
  await move();
  smtp.refuse = () => null;
  service.setNow(new Date(START.getTime() + HOUR));
  await service.runTasks();
  expect(smtp.received.map(({ to }) => to)).toEqual([NEW]);
  // The cool-down counts from it, although the shopper asks again.
  await subscribe(account, '1', NEW);
  await setStock(service, store, '1', 0);
  await setStock(service, store, '1', 5);
  await service.runTasks();
  expect(smtp.received).toHaveLength(1);
});

test('an alert that is being queued while the account moves goes to the new address', async () => {
  await subscribe(account, '1');
  const { db } = service.services;
  await db.query(
    `INSERT INTO restock (pid, id, topic, epi, cause, cut_seq, opened_at) VALUES ($1, 'e', 'backinstock', '1', 'automatic', 0, now())`,
    [store.pid],
  );
  const moving = await db.transaction(async (tx) => {
    await tx.query('SELECT FROM restock WHERE pid = $1 FOR UPDATE', [store.pid]);
    const moved = move();
    const blocked = 'SELECT FROM pg_locks WHERE NOT granted';
    await until(async () => (await db.query(blocked)).length > 0);
    await tx.query(
      `INSERT INTO outbox (pid, id, lane, medium, kind, recipient, restock_id, subscription_id, topic, epi, due_at, cts)
       SELECT pid, $2, 'alert', medium, 'alert', value, 'e', id, topic, epi, now(), now() FROM subscription WHERE pid = $1`,
      [store.pid, randomUUID()],
    );
    return { moved };
  });
  await moving.moved;
  expect(await outboxOf(service, store.pid)).toMatchObject([{ recipient: NEW }]);
});

test('a subscription that the new address has already is not doubled, and stays confirmed', async () => {
  await subscribe(account, '1');
  await subscribe(account, '2');
  const guest = await service.guest(store);
  expect(await subscribe(guest, '1', NEW)).toBe(false);
  await seedSubscription(service, store, { epi: '2', value: NEW });
  expect(await subscribe(account, '3', NEW)).toBe(false);
  await move();
  expect(await subscriptions()).toEqual([
    confirmed(NEW, '1'),
    confirmed(NEW, '2'),
    { value: NEW, epi: '3', confirmed: false },
  ]);
  const requests = await rows(
    'subscription_request',
    "epi, regid = '' AS stores, subscription_id IS NULL AS apart",
  );
  expect(requests).toEqual([
    { epi: '1', stores: false, apart: false },
    { epi: '1', stores: false, apart: true },
    { epi: '2', stores: false, apart: false },
    { epi: '2', stores: true, apart: false },
    { epi: '3', stores: false, apart: true },
  ]);
  await unsubscribe(service, store, NEW);
  expect(await subscriptions()).toEqual([]);
});

test("a stranger's request that waits for the old mailbox stays there, unseen by the account that moved", async () => {
  await seedSubscription(service, store, { epi: '1', value: OLD, isConfirmed: false });
  await move();
  expect(await subscriptions()).toEqual([]);
  expect(await rows('subscription_request', 'value, epi')).toEqual([{ value: OLD, epi: '1' }]);
  expect(await seen(account)).toEqual([]);
});

test('the new address has to confirm where the store asks for double opt-in, and so does a newcomer at the old one', async () => {
  store = await service.createStore({ doubleOptIn: true });
  account = await service.account(store, OLD);
  const { db } = service.services;
  await db.query(
    `INSERT INTO contact_proof (pid, medium, value, regid, used_at) VALUES ($1, 'email', $2, $3, now()), ($1, 'email', $2, '', now())`,
    [store.pid, OLD, account.regid],
  );
  expect(await subscribe(account, '1')).toBe(true);
  await move();
  expect(await subscriptions()).toEqual([confirmed(NEW, '1')]);
  expect(await subscribe(account, '2', NEW)).toBe(false);
  expect(await subscribe(await service.account(store, OLD), '2')).toBe(false);
  const messages = await outboxOf(service, store.pid);
  expect(messages.map(({ kind, recipient }) => [kind, recipient])).toEqual([
    ['confirm', NEW],
    ['confirm', OLD],
  ]);
});

const choices = () => rows('mailing_answer', 'value, acceptmarketing, regid');
const accepts = async (): Promise<boolean> =>
  (await service.graphql('{ shopper { userinfo { acc_mkt } } }', {}, { shopper: account })).body.data.shopper
    .userinfo.acc_mkt;

async function linkOf(scope: Scope, value: string): Promise<string> {
  const row = (await findStore(service.services.db, store.pid))!;
  const claim = { scope, medium: 'email', value, topic: 'backinstock', epi: '1' };
  return new URL(unsubscribeUrl('https://x.example', row, claim)).pathname;
}
const leave = async (scope: Scope, value: string) =>
  service.http
    .post(await linkOf(scope, value))
    .type('form')
    .send({ scope })
    .expect(200);

test('consent to the mailing list moves, and the webhooks hear of both addresses', async () => {
  const { db } = service.services;
  await db.query(
    `INSERT INTO webhook (pid, id, url, events, secret, cts, uts)
     VALUES ($1, 'w', 'https://x.example', '{contact.optedin,contact.optedout}', 'whsec_AAAA', now(), now())`,
    [store.pid],
  );
  await seedSubscription(service, store, { epi: '1', value: OLD, addtomailinglist: 1 });
  await move();
  expect(await choices()).toEqual([{ value: NEW, acceptmarketing: true, regid: account.regid }]);
  expect(await accepts()).toBe(true);
  const events = (await outboxOf(service, store.pid)).filter(({ lane }) => lane === 'webhook');
  expect(
    events.map(({ kind, payload }) => [kind, (payload as { data: { value: string } }).data.value]),
  ).toEqual([
    ['contact.optedin', OLD],
    ['contact.optedout', OLD],
    ['contact.optedin', NEW],
  ]);
});

test('an opt-out goes along and stays: neither address is on the mailing list', async () => {
  await seedSubscription(service, store, { epi: '1', value: OLD, addtomailinglist: 1 });
  await leave('all', OLD);
  await move();
  expect(await choices()).toEqual([
    { value: NEW, acceptmarketing: false, regid: account.regid },
    { value: OLD, acceptmarketing: false, regid: '' },
  ]);
  expect(await rows('suppression', 'value')).toEqual([{ value: NEW }, { value: OLD }]);
  expect(await accepts()).toBe(false);
});

test('mutes of a topic or product and declined click tracking go along', async () => {
  await subscribe(account, '1');
  await leave('topic', OLD);
  await leave('product', OLD);
  await service.services.db.query(
    `INSERT INTO unmeasured (pid, medium, value, cts) VALUES ($1, 'email', $2, now())`,
    [store.pid, OLD],
  );
  await move();
  expect(await rows('alert_mute', 'value, topic, epi')).toEqual([
    { value: NEW, topic: '', epi: '1' },
    { value: NEW, topic: 'backinstock', epi: '' },
    { value: OLD, topic: '', epi: '1' },
    { value: OLD, topic: 'backinstock', epi: '' },
  ]);
  expect(await rows('unmeasured', 'value')).toEqual([{ value: NEW }, { value: OLD }]);
});

test('an opt-out that somebody left at the new address before stays valid', async () => {
  await seedSubscription(service, store, { epi: '1', value: OLD, addtomailinglist: 1 });
  await leave('all', NEW);
  await move();
  expect(await choices()).toEqual([{ value: NEW, acceptmarketing: false, regid: account.regid }]);
  expect(await rows('suppression', 'value')).toEqual([{ value: NEW }]);
  expect(await accepts()).toBe(false);
});

test('a bounce of the old mailbox is no opt-out of the person', async () => {
  await seedSubscription(service, store, { epi: '1', value: OLD, addtomailinglist: 1 });
  await service.services.db.query(
    `UPDATE mailing_answer SET acceptmarketing = false, acceptsource = 'bounce' WHERE pid = $1`,
    [store.pid],
  );
  await move();
  expect(await choices()).toEqual([{ value: OLD, acceptmarketing: false, regid: '' }]);
});

test('an unsubscribe link of an earlier message still unsubscribes the person, shows nothing of the account, and can be undone', async () => {
  await subscribe(account, '1');
  await subscribe(account, '2');
  await move();
  const page = await service.http.get(await linkOf('all', OLD)).expect(200);
  expect(page.text).not.toContain('n***');
  const { text } = await leave('all', OLD);
  expect(await subscriptions()).toEqual([]);
  expect(await rows('suppression', 'value')).toEqual([{ value: NEW }, { value: OLD }]);
  const undo = /name="undo" value="([^"]+)"/.exec(text)![1]!;
  await service.http
    .post(`${await linkOf('all', OLD)}/undo`)
    .type('form')
    .send({ undo });
  expect(await subscriptions()).toEqual([confirmed(NEW, '1'), confirmed(NEW, '2')]);
  expect(await rows('suppression', 'value')).toEqual([]);
});

test('once another account has the old address, its links concern that account alone', async () => {
  await subscribe(account, '1');
  await move();
  const newcomer = await service.account(store, OLD);
  await subscribe(newcomer, '2');
  await leave('all', OLD);
  expect(await subscriptions()).toEqual([confirmed(NEW, '1')]);
});

test('orders, clicks, cool-downs and lists that the store made for the account move; an erasure finds them all', async () => {
  const { db } = service.services;
  const other = await service.account(store);
  await service
    .post('/api/v3/lists/create', { lname: 'For you', cfor: OLD, regid: other.regid }, { store })
    .expect(200);
  const order = {
    orderId: randomUUID(),
    currency: 'EUR',
    useremail: OLD,
    lines: [{ epi: '1', quantity: 1, price: '5' }],
  };
  const reported = await service.graphql(
    'mutation ($input: ReportOrderInput!) { reportOrder(input: $input) { orderId } }',
    { input: order },
    { store },
  );
  expect(reported.body.errors).toBeUndefined();
  await db.query(
    `INSERT INTO alert_seen (pid, medium, value, epi, topic, sent_at) VALUES ($1, 'email', $2, '1', 't', $4), ($1, 'email', $3, '1', 't', $5)`,
    [store.pid, OLD, NEW, START, new Date(START.getTime() - HOUR)],
  );
  await db.query(
    `INSERT INTO alert_click (pid, alert_id, topic, epi, medium, value, first_at, last_at) VALUES ($1, 'a', 't', '1', 'email', $2, $3, $3)`,
    [store.pid, OLD, START],
  );
  await move();
  expect(await rows('list', 'cfor')).toEqual([{ cfor: NEW }]);
  expect(await rows('order_report', 'email')).toEqual([{ email: NEW }]);
  expect(await rows('alert_seen', 'value, sent_at')).toEqual([{ value: NEW, sent_at: START }]);
  expect(await rows('alert_click', 'value')).toEqual([{ value: NEW }]);
  await leave('all', OLD);
  await service.graphql(
    'mutation ($e: String) { eraseShopper(useremail: $e) { id } }',
    { e: NEW },
    { store },
  );
  for (const table of ['suppression', 'alert_seen', 'alert_click', 'mailing_answer', 'former_address'])
    expect(await rows(table, 'pid')).toEqual([]);
  expect(await rows('list', 'cfor')).toEqual([{ cfor: null }]);
  expect(await rows('order_report', 'email')).toEqual([{ email: null }]);
});

test('an erasure of the account that moved leaves what a newcomer has at the old address', async () => {
  await move();
  const newcomer = await service.account(store, OLD);
  await subscribe(newcomer, '1');
  await service.graphql(
    'mutation ($e: String) { eraseShopper(useremail: $e) { id } }',
    { e: NEW },
    { store },
  );
  expect(await seen(newcomer)).toEqual(['1']);
});

test('sign-ups for the old address that run while the account moves are never lost or shown to a newcomer', async () => {
  const epis = Array.from({ length: 20 }, (_, index) => String(index + 10));
  await Promise.all([...epis.map((epi) => subscribe(account, epi)), move()]);
  const newcomer = await service.account(store, OLD);
  const own = (await rows('subscription', 'value, confirmed_at IS NOT NULL AS confirmed')).filter(
    (row) => row['confirmed'],
  );
  expect(own.every(({ value }) => value === NEW)).toBe(true);
  // One that came after the move was for an address that is not the account's: it waits for the mailbox, as anybody's would.
  expect(await rows('subscription_request', `value, confirmed_at IS NOT NULL AS confirmed`)).toHaveLength(20);
  expect((await seen(newcomer)).length + own.length).toBe(20);
});
