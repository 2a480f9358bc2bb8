import type { NewStore } from '../../src/stores/store.service.ts';
import { useService } from '../harness.ts';

const service = useService();
let store: NewStore;
const start = new Date('2030-05-05T12:00:00Z');
beforeEach(async () => {
  service.setNow(start);
  store = await service.createStore({ doubleOptIn: true });
});

function create(fields: object = {}) {
  const valid = {
    medium: 'email',
    mediumvalue: 'ann@example.com',
    products: [{ epi: 1, empi: 1, du: '/p' }],
    topics: ['backinstock'],
  };
  return service.post('/storeadmin/bispa/subscriptions/create', { ...valid, ...fields }, { store });
}

function later(ms: number): void {
  service.setNow(new Date(start.getTime() + ms));
}

type Mail = { medium: string; recipient: string; payload: { subject?: string; html?: string; text: string } };

async function messages(): Promise<Mail[]> {
  return service.services.db.query<Mail>(
    `SELECT medium, recipient, payload FROM outbox WHERE pid = $1 AND kind = 'confirm' ORDER BY seq`,
    [store.pid],
  );
}

/** The path of the confirmation link in the newest message. */
async function link(): Promise<string> {
  const text = (await messages()).at(-1)!.payload.text;
  return new URL(/https?:\/\/\S+\/(?:confirm|c)\/\S+/.exec(text)![0]).pathname;
}

async function confirmed(): Promise<boolean[]> {
  const rows = await service.services.db.query<{ ok: boolean }>(
    'SELECT confirmed_at IS NOT NULL AS ok FROM subscription WHERE pid = $1 ORDER BY epi',
    [store.pid],
  );
  return rows.map(({ ok }) => ok);
}

test('a new subscription waits until the button of its mailed page is pressed; following the link does nothing', async () => {
  const { body } = await create().expect(200);
  expect(body.message).toContain('confirm');
  const [mail, ...more] = await messages();
  expect(more).toEqual([]);
  expect(mail).toMatchObject({
    medium: 'email',
    recipient: 'ann@example.com',
    payload: { subject: 'Please confirm your alerts from Test store' },
  });
  const path = await link();
  expect(Buffer.from(path.split(/[/.]/).join(''), 'base64url').toString('latin1')).not.toContain(
    'ann@example.com',
  );
  expect(path).not.toContain('example.com');
  for (const follow of [service.http.get(path), service.http.head(path), service.http.get(path)])
    await follow.expect(200);
  expect(await confirmed()).toEqual([false]);
  const page = await service.http.get(path).expect('content-type', /html/);
  expect(page.text).toContain('<form method="post">');
  expect(page.text).toContain('a***@example.com');
  await service.http.post(path).expect(200);
  expect(await confirmed()).toEqual([true]);
  await service.http.post(path).expect(200);
});

test('a subscription that waits is not alerted, one that was confirmed is', async () => {
  await create().expect(200);
  await create({ mediumvalue: 'bob@example.com' }).expect(200);
  const path = await link();
  await service.http.post(path).expect(200);
  const products = [{ epi: 1, empi: 1, du: '/p', stk: 4 }];
  await service.post('/storeadmin/v3/products/upsert', { products }, { store }).expect(200);
  await service.runTasks();
  const alerts = await service.services.db.query(
    `SELECT recipient FROM outbox WHERE pid = $1 AND lane = 'alert' AND medium = 'email'`,
    [store.pid],
  );
  expect(alerts).toEqual([{ recipient: 'bob@example.com' }]);
});

test('a text message carries the link to a phone', async () => {
  await create({ medium: 'sms', mediumvalue: '+49301234567' }).expect(200);
  expect(await messages()).toMatchObject([{ medium: 'sms', recipient: '+49301234567' }]);
  await service.http.post(await link()).expect(200);
  expect(await confirmed()).toEqual([true]);
});

test('a link confirms what was asked for before it was sent, not what others add later', async () => {
  await create().expect(200);
  const path = await link();
  later(1_000);
  await create({ products: [{ epi: 2, empi: 1, du: '/p' }] }).expect(200);
  await service.http.post(path).expect(200);
  expect(await confirmed()).toEqual([true, false]);
});

test('subscribing again sends the link again, but three times a day at most', async () => {
  for (let call = 0; call < 6; call += 1) await create().expect(200);
  expect(await messages()).toHaveLength(3);
  later(24 * 3_600_000);
  await create().expect(200);
  expect(await messages()).toHaveLength(4);
  await service.http.post(await link()).expect(200);
  await create().expect(200);
  expect(await messages()).toHaveLength(4);
});

test('the answer about the mailing list counts only once it is confirmed', async () => {
  await create({ addtomailinglist: 1 }).expect(200);
  const consent = async () =>
    service.services.db.query(
      `SELECT prefs -> 'Mediums' -> 'email' ->> 'acceptmarketing' AS accepts FROM shopper WHERE pid = $1`,
      [store.pid],
    );
  expect(await consent()).toEqual([]);
  later(5_000);
  await service.http.post(await link()).expect(200);
  expect(await consent()).toEqual([{ accepts: 'true' }]);
});

async function consents(): Promise<object[]> {
  return service.services.db.query(
    `SELECT prefs -> 'Mediums' -> 'email' -> 'acceptmarketing' AS accepts, acc_mkt FROM shopper WHERE pid = $1`,
    [store.pid],
  );
}

test('the last answer about the mailing list counts, wherever the rows lie', async () => {
  await create({ products: [{ epi: 2, empi: 1, du: '/p' }], addtomailinglist: 0 }).expect(200);
  await create({ products: [{ epi: 1, empi: 1, du: '/p' }], addtomailinglist: 1 }).expect(200);
  // Any write moves a row behind the others; in the order of the index the first answer comes last anyway.
  await service.services.db.query(
    `UPDATE subscription_request SET extras = 'moved' WHERE pid = $1 AND epi = '2'`,
    [store.pid],
  );
  await service.http.post(await link()).expect(200);
  expect(await consents()).toEqual([{ accepts: true, acc_mkt: true }]);
});

test('a no to the mailing list counts also for a subscription that waits already', async () => {
  await create({ addtomailinglist: 1 }).expect(200);
  await create({ addtomailinglist: 0 }).expect(200);
  await service.http.post(await link()).expect(200);
  expect(await consents()).toEqual([{ accepts: false, acc_mkt: false }]);
});

test('links that are altered, of another store, for another purpose or a week old do not work', async () => {
  await create().expect(200);
  const path = await link();
  const other = await service.createStore({ doubleOptIn: true });
  const moved = path.replace(/[^/]+\./, `${Buffer.from(other.pid).toString('base64url')}.`);
  for (const bad of [
    `${path.slice(0, -12)}xxxxxxxxxxxx`,
    moved,
    '/confirm/x',
    `/confirm/${'a'.repeat(5000)}`,
    '/confirm/%00',
  ]) {
    await service.http.get(bad).expect(404);
    await service.http.post(bad).expect(404);
  }
  await service.http
    .post(path.replace('/confirm/', '/unsubscribe/'))
    .expect((res) => expect(res.status).toBeGreaterThanOrEqual(400));
  later(7 * 24 * 3_600_000 + 1);
  await service.http.post(path).expect(404);
  expect(await confirmed()).toEqual([false]);
});

test('what nobody confirms within 30 days is forgotten; what was confirmed stays', async () => {
  await create().expect(200);
  await service.http.post(await link()).expect(200);
  await create({ mediumvalue: 'bob@example.com' }).expect(200);
  later(31 * 24 * 3_600_000);
  await service.runTasks();
  expect(await confirmed()).toEqual([true]);
});
