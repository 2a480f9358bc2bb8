import { createDispatchTasks } from '../../src/alerts/dispatch/dispatcher.ts';
import type { Task } from '../../src/alerts/queue/worker.ts';
import type { NewStore } from '../../src/stores/store.service.ts';
import { startService } from '../harness.ts';
import type { TestService } from '../harness.ts';
import { outboxOf, saveTopic, seedSubscription, setStock, unsubscribe } from './kit.ts';
import { startHttp, startSmtp } from './receivers.ts';
import type { ReceivedMail, TestHttp, TestSmtp } from './receivers.ts';

let service: TestService;
let beside: TestService;
let smtp: TestSmtp;
let provider: TestHttp;

const START = new Date('2026-06-01T09:00:00Z');
const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const later = (ms: number) => new Date(START.getTime() + ms);

beforeAll(async () => {
  smtp = await startSmtp();
  provider = await startHttp();
  const settings = {
    publicUrl: 'https://alerts.example',
    channels: {
      email: { smtpUrl: smtp.url, from: 'alerts@store.example', connections: 4, dkim: null },
      sms: { baseUrl: provider.url, account: 'AC1', token: 'secret', from: '+4930999' },
    },
  };
  service = await startService(settings);
  beside = await startService(settings, undefined, service);
});
afterAll(async () => {
  await beside.close();
  await service.close();
  await smtp.close();
  await provider.close();
});
beforeEach(() => {
  smtp.received.length = 0;
  smtp.refuse = () => null;
  smtp.refuseData = () => null;
  smtp.beforeAnswer = async () => undefined;
  provider.received.length = 0;
  service.setNow(START);
  beside.setNow(START);
});

const runAt = async (time: Date): Promise<void> => {
  service.setNow(time);
  beside.setNow(time);
  await service.runTasks();
};

/** Both processes at once, until neither has anything to do. */
async function runBothAt(time: Date): Promise<void> {
  service.setNow(time);
  beside.setNow(time);
  const each = async (tasks: Task[]): Promise<boolean> => {
    const worked = await Promise.all(tasks.map((task) => task.run()));
    return worked.some(Boolean);
  };
  const [left, right] = [createDispatchTasks(service.services), createDispatchTasks(beside.services)];
  while ((await Promise.all([each(left), each(right)])).some(Boolean));
  for (const task of [...left, ...right]) task.close?.();
}

const mailsTo = (value: string): ReceivedMail[] => smtp.received.filter(({ to }) => to === value);
const idOf = ({ mail }: ReceivedMail): string => mail.headers.find(({ key }) => key === 'x-alert-id')!.value;
const seed = (store: NewStore, epi: string, value: string, topic = 'backinstock', medium = 'email') =>
  seedSubscription(service, store, { epi, value, topic, medium });
const trigger = (store: NewStore, name: string, epis: string[]) =>
  service
    .graphql(
      'mutation ($name: String!, $epis: [VariantId!]!) { triggerTopic(topic: $name, epis: $epis) { opened } }',
      { name, epis },
      { store },
    )
    .expect(({ body }) => expect(body.errors).toBeUndefined());
const statesOf = async (pid: string) =>
  (await outboxOf(service, pid)).map(({ recipient, state, error }) => ({ recipient, state, error }));
const clicksOf = (pid: string) =>
  service.services.db.query('SELECT topic, epi, value FROM alert_click WHERE pid = $1', [pid]);
const queuedOf = async (pid: string) =>
  service.services.db.query<{ due_at: Date; attempts: number; error: string; has_place: boolean }>(
    `SELECT due_at, attempts, error, has_place FROM outbox WHERE pid = $1 AND state = 'queued' ORDER BY seq`,
    [pid],
  );

describe('a digest', () => {
  test('three variants and two topics restocked in one call are one mail a contact, with every product and a way out of both topics', async () => {
    const store = await service.createStore({ name: 'Shoes', digestSeconds: 600 });
    const { pid } = store;
    const epis = ['1', '2', '3'];
    const products = epis.map((epi) => ({
      epi,
      empi: 1,
      dt: `Boot ${epi}`,
      du: 'https://shop.example/p',
      uri: `https://shop.example/p/${epi}`,
      stk: 0,
    }));
    const save = (stk: number) =>
      service
        .graphql(
          'mutation ($p: [ProductInput!]!) { upsertProducts(products: $p) { epi } }',
          { p: products.map((one) => ({ ...one, stk })) },
          { store },
        )
        .expect(({ body }) => expect(body.errors).toBeUndefined());
    await save(0);
    for (const epi of epis) {
      await seed(store, epi, 'six@example.com');
      await seed(store, epi, 'six@example.com', 'comingsoon');
      await seed(store, epi, 'three@example.com');
    }
    await seed(store, '1', 'one@example.com');
    await save(5);
    await trigger(store, 'comingsoon', epis);
    await runAt(START);
    expect(smtp.received).toEqual([]);
    expect(
      (await queuedOf(pid)).every(
        ({ attempts, error }) => attempts === 0 && error === 'waiting for the digest window to end',
      ),
    ).toBe(true);

    await runAt(later(600_000));
    expect(smtp.received.map(({ to }) => to).sort()).toEqual([
      'one@example.com',
      'six@example.com',
      'three@example.com',
    ]);
    const [six] = mailsTo('six@example.com');
    const { subject, html = '', text = '' } = six!.mail;
    expect(subject).toBe('Boot 1 and 2 more products');
    expect(html.match(/<h1[^>]*>[^<]*/g)!.map((one) => one.replace(/<[^>]*>/, ''))).toEqual([
      '3 products you were waiting for',
    ]);
    expect(html.match(/<h2/g)).toHaveLength(3);
    expect(text).toMatch(/^3 products you were waiting for\n/);
    for (const body of [html, text]) expect(body).not.toContain('You asked us to let you know');
    for (const body of [html, text])
      for (const epi of epis) expect(body.split(`Boot ${epi} is back in stock`)).toHaveLength(2);
    for (const body of [html, text]) for (const epi of epis) expect(body).toContain(`Boot ${epi} is here`);
    expect(html.match(/>Unsubscribe<|^Unsubscribe: /gm)).toHaveLength(1);
    expect(html.match(/<body/g)).toHaveLength(1);
    expect(text.match(/>Unsubscribe<|^Unsubscribe: /gm)).toHaveLength(1);
    expect(mailsTo('one@example.com')[0]!.mail.subject).toBe('Boot 1 is back in stock');
    // Each product has one card with one link, whose click counts for the first alert about it.
    const links = [...new Set(html.match(/https:\/\/alerts\.example\/go\/[^"\s]+/g))];
    expect(links).toHaveLength(3);
    await service.http.get(new URL(links[0]!).pathname).expect(302);
    expect(await clicksOf(pid)).toEqual([{ topic: 'backinstock', epi: '1', value: 'six@example.com' }]);
    // The oldest of its alerts lends it its id.
    const rows = await outboxOf(service, pid);
    expect(rows.every(({ state, attempts }) => state === 'sent' && attempts === 1)).toBe(true);
    expect(rows.find(({ id }) => id === idOf(six!))?.recipient).toBe('six@example.com');
    expect(await service.services.db.query('SELECT 1 FROM subscription WHERE pid = $1', [pid])).toEqual([]);

    // One click leaves both topics, and nothing else.
    await seed(store, '1', 'six@example.com');
    await seed(store, '1', 'six@example.com', 'comingsoon');
    await seed(store, '1', 'six@example.com', 'other');
    const link = six!.mail.headers.find(({ key }) => key === 'list-unsubscribe')!.value.slice(1, -1);
    const page = await service.http.get(new URL(link).pathname).expect(200);
    expect(page.text).toContain('All “Back in stock” and “Coming soon” alerts');
    expect(page.text).not.toContain('value="product"');
    await service.http
      .post(new URL(link).pathname)
      .type('form')
      .send('List-Unsubscribe=One-Click')
      .expect(200);
    const left = await service.services.db.query('SELECT topic FROM subscription WHERE pid = $1', [pid]);
    expect(left).toEqual([{ topic: 'other' }]);
    // What its lists hold tells it nothing of these topics, either.
    const mutes = await service.services.db.query(
      'SELECT topic, epi FROM alert_mute WHERE pid = $1 ORDER BY topic',
      [pid],
    );
    expect(mutes).toEqual([
      { topic: 'backinstock', epi: '' },
      { topic: 'comingsoon', epi: '' },
    ]);
  });

  test('about one product is one card with the news of each topic; a topic whose template does not show others keeps its own', async () => {
    const store = await service.createStore({ name: 'Shoes', digestSeconds: 60 });
    const to = 'lamp@example.com';
    const own = { name: 'own', trigger: 'manual', html: '<b>Own: {{ product.title }}</b>' };
    await saveTopic(service, store, own);
    await setStock(service, store, '1', 0, { dt: 'Lamp' });
    for (const topic of ['backinstock', 'comingsoon', 'own']) await seed(store, '1', to, topic);
    await setStock(service, store, '1', 5);
    for (const topic of ['comingsoon', 'own']) await trigger(store, topic, ['1']);
    await runAt(START);
    await runAt(later(MINUTE));
    const [{ mail }] = mailsTo(to) as [ReturnType<typeof mailsTo>[number]];
    expect(mail.subject).toBe('Lamp is back in stock');
    expect(mail.html!.match(/<h1/g)).toHaveLength(1);
    expect(mail.html).toMatch(/<h1[^>]*>Lamp is back in stock<\/h1>[^]*>Lamp is here<[^]*<b>Own: Lamp<\/b>/);
    expect(mail.text).toContain('Lamp is back in stock\nLamp is here\n');
  });

  test('leaves out what ended or was unsubscribed meanwhile, each withheld with its own reason; a single one that is left is an ordinary alert', async () => {
    const store = await service.createStore({ digestSeconds: 600 });
    const to = 'some@example.com';
    for (const epi of ['1', '2', '3', '4']) {
      await setStock(service, store, epi, 0, { dt: `Shirt ${epi}` });
      await seed(store, epi, to);
      await setStock(service, store, epi, 5);
    }
    await seed(store, '3', 'two@example.com');
    await runAt(START);
    await setStock(service, store, '1', 0);
    await unsubscribe(service, store, to, '2');
    await setStock(service, store, '4', 0);
    await runAt(later(600_000));
    expect(mailsTo(to).map(({ mail }) => mail.subject)).toEqual(['Shirt 3 is back in stock']);
    expect(mailsTo(to)[0]!.mail.html).toContain('You asked Test store to tell you about this product.');
    const rows = await outboxOf(service, store.pid);
    expect(rows.map(({ state, error }) => [state, error])).toEqual([
      ['withheld', 'the product is out of stock again'],
      ['withheld', 'the subscription has ended'],
      ['sent', null],
      ['withheld', 'the product is out of stock again'],
    ]);
    expect(idOf(mailsTo(to)[0]!)).toBe(rows[2]!.id);
  });

  test('waits as long as the first alert said: what comes later joins it, and what comes after it left begins anew', async () => {
    const store = await service.createStore({ digestSeconds: 600 });
    const to = 'wait@example.com';
    for (const epi of ['1', '2', '3']) {
      await setStock(service, store, epi, 0, { dt: `Cap ${epi}` });
      await seed(store, epi, to);
    }
    await setStock(service, store, '1', 1);
    await runAt(START);
    await runAt(later(9 * MINUTE));
    await setStock(service, store, '2', 1);
    await runAt(later(9 * MINUTE));
    await runAt(later(10 * MINUTE));
    await setStock(service, store, '3', 1);
    await runAt(later(11 * MINUTE));
    await runAt(later(20 * MINUTE));
    expect(mailsTo(to).map(({ mail }) => mail.subject)).toEqual(['Cap 1 and 1 more product']);
    await runAt(later(21 * MINUTE));
    expect(mailsTo(to).map(({ mail }) => mail.subject)).toEqual([
      'Cap 1 and 1 more product',
      'Cap 3 is back in stock',
    ]);
  });

  test('is tried again as a whole under the same id; what comes meanwhile is not in it; and its alerts are dead letters together, which are retried by hand', async () => {
    const store = await service.createStore({ digestSeconds: 60 });
    const { pid } = store;
    const to = 'again@example.com';
    for (const epi of ['1', '2']) {
      await seed(store, epi, to);
      await setStock(service, store, epi, 5, { dt: `Hat ${epi}` });
    }
    await runAt(START);
    smtp.refuseData = () => ({ code: 451, text: 'Later' });
    await runAt(later(MINUTE));
    const first = await queuedOf(pid);
    expect(first.map(({ attempts, error }) => [attempts, error])).toEqual(
      Array(2).fill([1, expect.stringContaining('Later')]),
    );
    expect(new Set(first.map(({ due_at }) => due_at.getTime())).size).toBe(1);
    await seed(store, '3', to);
    await setStock(service, store, '3', 5, { dt: 'Hat 3' });
    smtp.refuseData = () => ({ code: 554, text: 'No' });
    await runAt(later(MINUTE + 10_000));
    const rows = await outboxOf(service, pid);
    expect(rows.map(({ state }) => state)).toEqual(['failed', 'failed', 'queued']);
    smtp.refuseData = () => null;
    const retry = await service.graphql('mutation { retryAlerts }', {}, { store });
    expect(retry.body.data.retryAlerts).toBe(2);
    await runAt(later(2 * MINUTE + 20_000));
    expect(mailsTo(to).map(({ mail }) => mail.subject)).toEqual(['Hat 1 and 2 more products']);
    expect((await outboxOf(service, pid)).every(({ state }) => state === 'sent')).toBe(true);
  });

  test('a mail that was sent by a dispatcher which died before it could record it is repeated with the same alerts and the same id, whatever came meanwhile', async () => {
    const store = await service.createStore({ digestSeconds: 60 });
    const { db, config } = service.services;
    const to = 'died@example.com';
    for (const epi of ['1', '2']) {
      await seed(store, epi, to);
      await setStock(service, store, epi, 5, { dt: `Sock ${epi}` });
    }
    await runAt(START);
    // As if nothing of what came after the sending had happened: the rows are as they were when the mail was on its way.
    let kept: unknown = null;
    smtp.beforeAnswer = async () => {
      kept = (
        await db.query<{ rows: unknown }>(`SELECT json_agg(o)::text AS rows FROM outbox o WHERE pid = $1`, [
          store.pid,
        ])
      )[0]!.rows;
    };
    const subscriptions = await db.query<{ rows: string }>(
      'SELECT json_agg(s)::text AS rows FROM subscription s WHERE pid = $1',
      [store.pid],
    );
    await runAt(later(MINUTE));
    smtp.beforeAnswer = async () => undefined;
    await db.query('DELETE FROM outbox WHERE pid = $1', [store.pid]);
    await db.query('DELETE FROM alert_seen WHERE pid = $1', [store.pid]);
    await db.query('INSERT INTO outbox SELECT * FROM json_populate_recordset(NULL::outbox, $1)', [kept]);
    await db.query('INSERT INTO subscription SELECT * FROM json_populate_recordset(NULL::subscription, $1)', [
      subscriptions[0]!.rows,
    ]);

    await seed(store, '3', to);
    await setStock(service, store, '3', 5, { dt: 'Sock 3' });
    await runAt(later(MINUTE + config.dispatchLeaseMs - 1));
    expect(mailsTo(to)).toHaveLength(1);
    await runAt(later(MINUTE + config.dispatchLeaseMs));
    await runAt(later(3 * MINUTE + config.dispatchLeaseMs));
    const [sent, repeat, next] = mailsTo(to);
    expect(mailsTo(to)).toHaveLength(3);
    expect(idOf(repeat!)).toBe(idOf(sent!));
    expect(repeat!.mail.text).toContain('Sock 1');
    expect(repeat!.mail.text).toContain('Sock 2');
    expect(repeat!.mail.text).not.toContain('Sock 3');
    expect([next!.mail.subject, idOf(next!) === idOf(sent!)]).toEqual(['Sock 3 is back in stock', false]);
    expect((await outboxOf(service, store.pid)).map(({ state }) => state)).toEqual(['sent', 'sent', 'sent']);
  });

  test('of several text messages is one within its length, with one way out', async () => {
    const store = await service.createStore({ name: 'Shoes', digestSeconds: 60, measureAlerts: false });
    const to = '+4915112345678';
    for (const epi of ['1', '2', '3']) {
      await seed(store, epi, to, 'backinstock', 'sms');
      const uri = `https://shop.example/p/1?variant=${epi}${epi === '1' ? '' : `&x=${'x'.repeat(700)}`}`;
      await setStock(service, store, epi, 5, { dt: epi === '1' ? 'Boot' : `Boot ${'x'.repeat(490)}`, uri });
    }
    await runAt(START);
    await runAt(later(MINUTE));
    expect(provider.received).toHaveLength(1);
    const body = new URLSearchParams(provider.received[0]!.body).get('Body')!;
    expect(body.length).toBeLessThanOrEqual(1_600);
    expect(body.split('\n')[0]).toBe('Shoes: Boot is back in stock. https://shop.example/p/1?variant=1');
    expect(body).toMatch(/\n\(and 1 more\) Opt out: https:\/\/alerts\.example\/u\/\S+$/);
    expect(body.match(/Opt out: /g)).toHaveLength(1);
  });

  test('two dispatchers at once send each contact one mail, with all of its alerts', async () => {
    const store = await service.createStore({ digestSeconds: 60 });
    const contacts = Array.from({ length: 12 }, (_, index) => `both${index}@example.com`);
    for (const epi of ['1', '2', '3', '4', '5']) {
      for (const to of contacts) await seed(store, epi, to);
      await setStock(service, store, epi, 5, { dt: `Glove ${epi}` });
    }
    await runBothAt(START);
    await runBothAt(later(MINUTE));
    expect(smtp.received.map(({ to }) => to).sort()).toEqual([...contacts].sort());
    for (const { mail } of smtp.received) expect(mail.subject).toBe('Glove 1 and 4 more products');
    expect((await outboxOf(service, store.pid)).every(({ state }) => state === 'sent')).toBe(true);
  });

  test('whose address does not exist ends all its alerts and subscriptions', async () => {
    const store = await service.createStore({ digestSeconds: 60 });
    for (const epi of ['1', '2', '9']) await seed(store, epi, 'gone@example.com');
    for (const epi of ['1', '2']) await setStock(service, store, epi, 5);
    await runAt(START);
    smtp.refuse = () => ({ code: 550, text: '5.1.1 No such user' });
    await runAt(later(MINUTE));
    expect((await outboxOf(service, store.pid)).map(({ state }) => state)).toEqual(['failed', 'failed']);
    expect(await service.services.db.query('SELECT 1 FROM subscription WHERE pid = $1', [store.pid])).toEqual(
      [],
    );
  });

  test('that was begun goes on as it is when the store turns digests off; what only waited leaves alone', async () => {
    const store = await service.createStore({ digestSeconds: 60 });
    const to = 'off@example.com';
    for (const epi of ['1', '2']) {
      await seed(store, epi, to);
      await setStock(service, store, epi, 5, { dt: `Scarf ${epi}` });
    }
    await runAt(START);
    smtp.refuseData = () => ({ code: 451, text: 'Later' });
    await runAt(later(MINUTE));
    smtp.refuseData = () => null;
    await seed(store, '3', to);
    await setStock(service, store, '3', 5, { dt: 'Scarf 3' });
    await service.graphql('mutation { updateStore(input: { digestSeconds: 0 }) { pid } }', {}, { store });
    await runAt(later(2 * MINUTE));
    expect(
      mailsTo(to)
        .map(({ mail }) => mail.subject)
        .sort(),
    ).toEqual(['Scarf 1 and 1 more product', 'Scarf 3 is back in stock']);
  });

  test('has every alert of a contact that a unit of stock allows, and gives back the places of those that ended', async () => {
    const store = await service.createStore({ digestSeconds: 60 });
    const { pid } = store;
    await saveTopic(service, store, { shoppersPerUnit: 1 });
    await setStock(service, store, '1', 0, { dt: 'Ring' });
    await seed(store, '1', 'a@example.com');
    await seed(store, '1', 'b@example.com');
    await setStock(service, store, '1', 1);
    await runAt(START);
    expect(await statesOf(pid)).toMatchObject([{ recipient: 'a@example.com', state: 'queued' }]);
    await unsubscribe(service, store, 'a@example.com');
    await runAt(later(MINUTE));
    await runAt(later(2 * MINUTE));
    expect(smtp.received.map(({ to }) => to)).toEqual(['b@example.com']);
  });
});

describe('quiet hours', () => {
  const berlin = { quietFrom: '22:00', quietTo: '07:30', timeZone: 'Europe/Berlin' };

  test.each([
    ['in summer, over midnight', '2026-06-01T21:30:00Z', '2026-06-02T05:30:00Z'],
    ['before the clocks go forward', '2026-03-28T23:00:00Z', '2026-03-29T05:30:00Z'],
    ['before the clocks go back', '2026-10-24T21:00:00Z', '2026-10-25T06:30:00Z'],
  ])('%s: an alert waits for their end, and a confirmation does not', async (_when, at, end) => {
    const store = await service.createStore(berlin);
    const { pid } = store;
    service.setNow(new Date(at));
    await seed(store, '1', 'night@example.com');
    await setStock(service, store, '1', 5, { dt: 'Lamp' });
    await service.graphql('mutation { updateStore(input: { doubleOptIn: true }) { pid } }', {}, { store });
    await service
      .post(
        '/storeadmin/bispa/subscriptions/create',
        {
          medium: 'email',
          mediumvalue: 'new@example.com',
          products: [{ epi: 2, empi: 1, du: 'https://shop.example/p' }],
          topics: ['backinstock'],
        },
        { store },
      )
      .expect(200);
    await runAt(new Date(at));
    expect(smtp.received.map(({ to }) => to)).toEqual(['new@example.com']);
    expect(await queuedOf(pid)).toEqual([
      { due_at: new Date(end), attempts: 0, error: 'waiting for the quiet hours to end', has_place: true },
    ]);
    await runAt(new Date(Date.parse(end) - 1));
    expect(mailsTo('night@example.com')).toEqual([]);
    await runAt(new Date(end));
    expect(mailsTo('night@example.com')).toHaveLength(1);
  });

  test('end for each alert as it is judged then: what is gone by morning is withheld', async () => {
    const store = await service.createStore(berlin);
    const night = new Date('2026-06-01T22:30:00Z');
    service.setNow(night);
    for (const epi of ['1', '2']) {
      await seed(store, epi, 'dawn@example.com');
      await setStock(service, store, epi, 5, { dt: `Cup ${epi}` });
    }
    await runAt(night);
    await setStock(service, store, '1', 0);
    await runAt(new Date('2026-06-02T05:30:00Z'));
    expect(mailsTo('dawn@example.com').map(({ mail }) => mail.subject)).toEqual(['Cup 2 is back in stock']);
    expect((await statesOf(store.pid)).map(({ state }) => state)).toEqual(['withheld', 'sent']);
  });
});

describe('a daily cap', () => {
  test('lets the others wait until there is room again, a digest counts as one, and nothing is lost', async () => {
    const store = await service.createStore({ dailyCap: 2 });
    const to = 'cap@example.com';
    for (const epi of ['1', '2', '3', '4', '5']) {
      await seed(store, epi, to);
      await setStock(service, store, epi, 5, { dt: `Pen ${epi}` });
    }
    await seed(store, '1', 'free@example.com');
    await runAt(START);
    expect(mailsTo(to)).toHaveLength(2);
    // While those two were under way nobody knew how they would end.
    await runAt(later(10 * MINUTE));
    expect((await queuedOf(store.pid)).map(({ due_at, error }) => [due_at, error])).toEqual(
      Array(3).fill([later(24 * HOUR), 'waiting, because the contact has reached the daily limit']),
    );
    await runAt(later(24 * HOUR - 1));
    expect(mailsTo(to)).toHaveLength(2);
    await runAt(later(24 * HOUR));
    expect(mailsTo(to)).toHaveLength(4);
    await runAt(later(48 * HOUR));
    expect(
      mailsTo(to)
        .map(({ mail }) => mail.subject)
        .sort(),
    ).toEqual(['1', '2', '3', '4', '5'].map((epi) => `Pen ${epi} is back in stock`));

    const grouped = await service.createStore({ dailyCap: 1, digestSeconds: 60 });
    for (const epi of ['1', '2', '3']) {
      await seed(grouped, epi, to);
      await setStock(service, grouped, epi, 5, { dt: `Ink ${epi}` });
    }
    await runAt(later(49 * HOUR));
    await runAt(later(49 * HOUR + MINUTE));
    expect(mailsTo(to).at(-1)!.mail.subject).toBe('Ink 1 and 2 more products');
  });

  test('is exact with two dispatchers, also while messages are under way', async () => {
    const store = await service.createStore({ dailyCap: 3 });
    const contacts = ['x@example.com', 'y@example.com'];
    for (const to of contacts) for (let epi = 1; epi <= 8; epi += 1) await seed(store, String(epi), to);
    for (let epi = 1; epi <= 8; epi += 1) await setStock(service, store, String(epi), 5);
    for (const [day, most] of [
      [0, 3],
      [1, 6],
      [2, 8],
    ] as const) {
      await runBothAt(later(day * 24 * HOUR));
      for (const to of contacts) expect(mailsTo(to)).toHaveLength(most);
    }
    expect((await outboxOf(service, store.pid)).map(({ state }) => state)).toEqual(Array(16).fill('sent'));
  });

  test('gives the place of who must wait to the next in line', async () => {
    const store = await service.createStore({ dailyCap: 1 });
    await saveTopic(service, store, { shoppersPerUnit: 1 });
    for (const epi of ['1', '2']) await setStock(service, store, epi, 0, { dt: `Bag ${epi}` });
    await seed(store, '1', 'full@example.com');
    await seed(store, '2', 'full@example.com');
    await seed(store, '2', 'next@example.com');
    await setStock(service, store, '1', 1);
    await runAt(START);
    await setStock(service, store, '2', 1);
    await runAt(later(HOUR));
    expect(smtp.received.map(({ to, mail }) => [to, mail.subject])).toEqual([
      ['full@example.com', 'Bag 1 is back in stock'],
      ['next@example.com', 'Bag 2 is back in stock'],
    ]);
    await runAt(later(24 * HOUR));
    expect(mailsTo('full@example.com')).toHaveLength(2);
  });
});

test('a store that paces nothing leaves no trace of pacing, and each alert leaves alone and at once', async () => {
  const store = await service.createStore();
  for (const epi of ['1', '2']) {
    await seed(store, epi, 'plain@example.com');
    await setStock(service, store, epi, 5);
  }
  await runAt(START);
  expect(mailsTo('plain@example.com')).toHaveLength(2);
  const rows = await service.services.db.query('SELECT leaves_at, parcel_id FROM outbox WHERE pid = $1', [
    store.pid,
  ]);
  expect(rows).toEqual(Array(2).fill({ leaves_at: null, parcel_id: null }));
});
