import { createHmac } from 'node:crypto';
import { outboxOf, seedSubscription, setStock, useReceivers } from '../alerts/kit.ts';
import { startService } from '../harness.ts';

const { service, provider } = useReceivers({ mail: null });

const URL_OF_HOOK = 'https://alerts.example/webhooks/sms';
const START = new Date('2026-06-01T09:00:00Z');

beforeEach(() => {
  service.setNow(START);
});

type Fields = Record<string, string>;

function sign(fields: Fields, url = URL_OF_HOOK, token = 'secret'): string {
  const names = Object.keys(fields).sort();
  return createHmac('sha1', token)
    .update(url + names.map((name) => name + fields[name]!).join(''))
    .digest('base64');
}

let sids = 0;
const numbered = (): string => `SM${(sids += 1)}`;

/** What the provider sends when somebody answers. */
const send = (fields: Fields, signature = sign(fields), path = '/webhooks/sms') =>
  service.http
    .post(path)
    .set('X-Twilio-Signature', signature)
    .type('form')
    .send(new URLSearchParams(fields).toString());

const say = async (From: string, Body: string, MessageSid = numbered()) => {
  const answer = await send({ From, To: '+4930999', Body, MessageSid }).expect(200);
  expect(answer.headers['content-type']).toContain('text/xml');
  expect(answer.text).toBe('<?xml version="1.0" encoding="UTF-8"?><Response/>');
};

const isStopped = async (value: string): Promise<boolean> =>
  (await service.services.db.query('SELECT 1 FROM stop WHERE value = $1 AND is_stopped', [value])).length > 0;

test('STOP ends the texts of all stores and their mailing lists, and START brings back what still waits, but nobody to a list', async () => {
  const stores = [await service.createStore({ name: 'One' }), await service.createStore({ name: 'Two' })];
  const to = '+4915100000101';
  for (const store of stores) {
    await service
      .post(
        '/storeadmin/bispa/subscriptions/create',
        {
          medium: 'sms',
          mediumvalue: to,
          products: [
            { epi: 1, empi: 1, du: 'https://shop.example/p' },
            { epi: 2, empi: 1, du: 'https://shop.example/p' },
          ],
          topics: ['backinstock'],
          addtomailinglist: 1,
        },
        { store },
      )
      .expect(200);
    await seedSubscription(service, store, { epi: '1', medium: 'sms', value: '+4915100000102' });
  }
  await say('+49 151 00000101', ' stop. ');
  for (const store of stores) await setStock(service, store, '1', 5, { dt: 'Boots' });
  await service.runTasks();
  expect(provider.received.map(({ body }) => new URLSearchParams(body).get('To'))).toEqual(
    Array(2).fill('+4915100000102'),
  );
  for (const store of stores) {
    const { body } = await service.graphql(
      '{ alerts { edges { node { state value error } } } }',
      {},
      { store },
    );
    const nodes = body.data.alerts.edges.map(({ node }: { node: object }) => node);
    expect(nodes).toContainEqual({ state: 'withheld', value: to, error: 'the contact replied STOP' });
    const list = await service.graphql(
      '{ mailingList(acceptmarketing: false) { edges { node { mediumvalue acceptsource } } } }',
      {},
      { store },
    );
    expect(list.body.data.mailingList.edges).toEqual([{ node: { mediumvalue: to, acceptsource: 'stop' } }]);
  }

  await say(to, 'START');
  provider.received.length = 0;
  for (const store of stores) await setStock(service, store, '2', 5, { dt: 'Shoes' });
  await service.runTasks();
  expect(provider.received.map(({ body }) => new URLSearchParams(body).get('To'))).toEqual([to, to]);
  const { body } = await service.graphql('{ mailingList { totalCount } }', {}, { store: stores[0] });
  expect(body.data.mailingList.totalCount).toBe(0);
});

test('a new sign-up does not lift a STOP: neither its confirmation nor its alert is sent', async () => {
  const store = await service.createStore({ doubleOptIn: true });
  const to = '+4915100000110';
  await say(to, 'STOPALL');
  await service
    .post(
      '/storeadmin/bispa/subscriptions/create',
      {
        medium: 'sms',
        mediumvalue: to,
        products: [{ epi: 1, empi: 1, du: 'https://shop.example/p' }],
        topics: ['backinstock'],
      },
      { store },
    )
    .expect(200);
  await service.runTasks();
  expect(provider.received).toEqual([]);
  expect(await outboxOf(service, store.pid)).toMatchObject([
    { kind: 'confirm', state: 'withheld', error: 'the contact replied STOP' },
  ]);
});

test.each(['Stop', 'STOP ALL', 'unsubscribe', 'CANCEL', 'End', 'QUIT', 'Stopp!', 'Arrêt', 'ALTO'])(
  'the answer %s ends text messages',
  async (word) => {
    const to = `+491510002${String(sids).padStart(4, '0')}`;
    await say(to, word);
    expect(await isStopped(to)).toBe(true);
  },
);

test.each(['START', 'unstop', 'Yes'])('the answer %s lets text messages come again', async (word) => {
  const to = `+491510003${String(sids).padStart(4, '0')}`;
  await say(to, 'STOP');
  await say(to, word);
  expect(await isStopped(to)).toBe(false);
});

test.each(['HELP', 'Please stop by tomorrow', 'no', '', 'STOP START'])(
  'the answer “%s” changes nothing',
  async (text) => {
    const [free, stopped] = [
      `+491510004${String(sids).padStart(4, '0')}`,
      `+491510005${String(sids).padStart(4, '0')}`,
    ];
    await say(stopped, 'STOP');
    await say(free, text);
    await say(stopped, text);
    expect([await isStopped(free), await isStopped(stopped)]).toEqual([false, true]);
  },
);

test('what the provider itself made of an answer counts', async () => {
  const fields = {
    From: '+4915100000140',
    Body: 'Bitte nichts mehr',
    OptOutType: 'STOP',
    MessageSid: numbered(),
  };
  await send(fields).expect(200);
  expect(await isStopped(fields.From)).toBe(true);
});

test('a repeat changes nothing, also when it comes after the contact said something else', async () => {
  const to = '+4915100000150';
  await say(to, 'STOP', 'SMa');
  await Promise.all([say(to, 'STOP', 'SMa'), say(to, 'STOP', 'SMa')]);
  await say(to, 'START', 'SMb');
  await say(to, 'STOP', 'SMa');
  expect(await isStopped(to)).toBe(false);
  await say(to, 'STOP', 'SMc');
  await say(to, 'START', 'SMb');
  expect(await isStopped(to)).toBe(true);
});

test('answers of numbers that nobody knows, or that are none, are answered alike and leave no trace of a START', async () => {
  await say('+4915100000160', 'START');
  await say('12345', 'STOP');
  await say('', 'STOP');
  const rows = await service.services.db.query(
    `SELECT value FROM stop WHERE value IN ('+4915100000160', '12345', '')`,
  );
  expect(rows).toEqual([]);
});

test('whoever is not the provider learns nothing and changes nothing', async () => {
  const fields = { From: '+4915100000170', Body: 'STOP', MessageSid: numbered() };
  const refusals = [
    send(fields, 'nonsense'),
    send(fields, sign(fields, URL_OF_HOOK, 'guess')),
    send(fields, sign({ ...fields, Body: 'START' })),
    send(fields, sign(fields, 'https://elsewhere.example/webhooks/sms')),
    service.http.post('/webhooks/sms').type('form').send('From=%2B4915100000170&Body=STOP'),
    service.http
      .post('/webhooks/sms')
      .auth('AC1', 'guess')
      .type('form')
      .send('From=%2B4915100000170&Body=STOP'),
  ];
  const bodies = new Set<string>();
  for (const refusal of refusals) bodies.add((await refusal.expect(401)).text);
  expect(bodies.size).toBe(1);
  await service.http.post('/webhooks/sms').type('json').send({ From: '+4915100000170' }).expect(400);
  expect(await isStopped('+4915100000170')).toBe(false);
});

test('a provider that does not sign shows the login by which messages are sent; the query is part of what is signed', async () => {
  await service.http
    .post('/webhooks/sms')
    .auth('AC1', 'secret')
    .type('form')
    .send('From=%2B4915100000180&Body=STOP')
    .expect(200);
  expect(await isStopped('+4915100000180')).toBe(true);
  const fields = { From: '+4915100000181', Body: 'STOP', MessageSid: numbered() };
  await send(fields, sign(fields, `${URL_OF_HOOK}?via=1`), '/webhooks/sms?via=1').expect(200);
  expect(await isStopped('+4915100000181')).toBe(true);
});

test('without a provider of text messages, answers from anybody are refused', async () => {
  const bare = await startService({}, undefined, service);
  try {
    await bare.http
      .post('/webhooks/sms')
      .auth('', '')
      .type('form')
      .send('From=%2B4915100000190&Body=STOP')
      .expect(401);
    const fields = { From: '+4915100000190', Body: 'STOP' };
    const signature = sign(fields, `${bare.services.config.publicUrl}/webhooks/sms`, '');
    await bare.http
      .post('/webhooks/sms')
      .set('X-Twilio-Signature', signature)
      .type('form')
      .send(new URLSearchParams(fields).toString())
      .expect(401);
  } finally {
    await bare.close();
  }
  expect(await isStopped('+4915100000190')).toBe(false);
});

test('an export shows a STOP and an erasure keeps it, because other stores must heed it; who started again is forgotten in a month', async () => {
  const store = await service.createStore();
  const to = '+4915100000200';
  const useremail = 'stopped@example.com';
  const shopper = await service.account(store, useremail);
  const call = async (query: string, variables: object) => {
    const { body } = await service.graphql(query, variables, { store });
    expect(body.errors).toBeUndefined();
    return body.data;
  };
  const m = 'mutation ($m: String!) { updateShopper(input: { m: $m }) { regid } }';
  await service.graphql(m, { m: to }, { store, shopper });
  await say(to, 'STOP');
  const EXPORT = 'mutation ($useremail: String) { exportShopper(useremail: $useremail) { data } }';
  const { exportShopper } = await call(EXPORT, { useremail });
  expect(exportShopper.data.stops).toEqual([
    { medium: 'sms', value: to, is_stopped: true, uts: expect.any(String) },
  ]);
  await call('mutation ($useremail: String) { eraseShopper(useremail: $useremail) { id } }', { useremail });
  expect(await isStopped(to)).toBe(true);
  await say('+4915100000201', 'STOP');
  await say('+4915100000201', 'START');
  service.setNow(new Date(START.getTime() + 31 * 24 * 3_600_000));
  await service.runTasks();
  const rows = await service.services.db.query(
    `SELECT value FROM stop WHERE value IN ('+4915100000200', '+4915100000201')`,
  );
  expect(rows).toEqual([{ value: to }]);
});
