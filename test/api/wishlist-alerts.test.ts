import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import PostalMime from 'postal-mime';
import type { NewStore } from '../../src/stores/store.service.ts';
import { queueNextPortion } from '../../src/alerts/events/event.service.ts';
import { claimMessages } from '../../src/alerts/queue/outbox.repo.ts';
import { outboxOf } from '../alerts/kit.ts';
import { useService } from '../harness.ts';
import type { Caller } from '../harness.ts';
import { item, newAccount, newGuest } from './list-kit.ts';
import type { Client } from './list-kit.ts';

// Alerts of prices and stock for subscribers and for those who have the product in a list. The rules over random histories are in
// test/domain/wishlist-alert-model.test.ts.

const service = useService();
let store: NewStore;
const START = Date.UTC(2026, 5, 1);
const MINUTE = 60_000;
const at = (minutes: number): void => service.setNow(new Date(START + minutes * MINUTE));
beforeEach(async () => {
  at(0);
  store = await service.createStore();
});

const ask = (query: string, variables: object = {}, caller: Caller = { store }) =>
  service.graphql(query, variables, caller);
async function data(query: string, variables: object = {}, caller: Caller = { store }) {
  const { body } = await ask(query, variables, caller);
  expect(body.errors).toBeUndefined();
  return body.data;
}
const FIELDS = 'name trigger dropPercent lowStock delaySeconds listHolders isBuiltIn';
const SAVE = `mutation ($input: SaveTopicInput!) { saveTopic(input: $input) { ${FIELDS} } }`;
const save = async (input: object) => (await data(SAVE, { input })).saveTopic;
const upsert = (fields: object, epi = 1) =>
  service
    .post(
      '/storeadmin/v3/products/upsert',
      { products: [{ epi, empi: 9, du: '/p/9', dt: 'Shirt', ...fields }] },
      { store },
    )
    .expect(200);
const subscribe = (email: string, topic: string, more: object = {}) =>
  service
    .post(
      '/storeadmin/bispa/subscriptions/create',
      {
        ...{
          medium: 'email',
          mediumvalue: email,
          topics: [topic],
          products: [{ epi: 1, empi: 9, du: '/p/9' }],
        },
        ...more,
      },
      { store },
    )
    .expect(200);
/** An account that accepts marketing, with the product in so many lists. */
async function holder(email: string, lists = 1, epi = 1): Promise<Client & { lids: string[] }> {
  const client = await newAccount(service, store, email);
  await subscribe(email, 'news', { addtomailinglist: 1, products: [{ epi: 99, empi: 9, du: '/p' }] });
  const lids: string[] = [];
  for (let list = 0; list < lists; list += 1) {
    lids.push((await client.create(`List ${list}`)).lid);
    await client.add(lids.at(-1)!, item(epi));
  }
  return { ...client, lids };
}
const alerts = async () => (await outboxOf(service, store.pid)).filter(({ lane }) => lane === 'alert');
async function told(): Promise<string[]> {
  await service.runTasks();
  return (await alerts())
    .filter(({ state }) => state === 'sent')
    .map(({ recipient }) => recipient.split('@')[0]!)
    .sort();
}
async function withheld(): Promise<(string | null)[]> {
  await service.runTasks();
  return (await alerts()).filter(({ state }) => state === 'withheld').map(({ error }) => error);
}
/** The newest alert to an address, as it left. */
async function mailTo(email: string) {
  const sent = (await alerts()).filter(({ recipient, state }) => recipient === email && state === 'sent');
  const file = join(service.services.config.dataDir, 'outbox', `${sent.at(-1)!.id}.eml`);
  return PostalMime.parse(await readFile(file, 'utf8'));
}
const pathIn = (text: string | undefined): string =>
  new URL(/https?:\/\/[^\s>]+\/unsubscribe\/[^\s>]+/.exec(text ?? '')![0]).pathname;

const EXPORT = 'mutation ($useremail: String) { exportShopper(useremail: $useremail) { data } }';
const ERASE = 'mutation ($useremail: String) { eraseShopper(useremail: $useremail) { action } }';

describe('settings', () => {
  test('the built-in topics have the documented ones, and a topic of the store can have others', async () => {
    const { topics } = await data(`{ topics { ${FIELDS} } triggers { name label } }`);
    const standard = { dropPercent: 5, lowStock: 3, delaySeconds: 0, listHolders: false, isBuiltIn: true };
    expect(topics.slice(2)).toEqual([
      { name: 'pricedrop', trigger: 'pricedrop', ...standard },
      { name: 'lowstock', trigger: 'lowstock', ...standard },
      { name: 'wishlistrestock', trigger: 'automatic', ...standard },
    ]);
    const own = { trigger: 'pricedrop', dropPercent: 30, lowStock: 1, delaySeconds: 600, listHolders: true };
    expect(await save({ name: 'bigsale', ...own })).toEqual({ name: 'bigsale', ...own, isBuiltIn: false });
    expect(await save({ name: 'bigsale', delaySeconds: 0 })).toMatchObject({ ...own, delaySeconds: 0 });
  });

  test.each([
    [{ name: 'pricedrop', dropPercent: 0 }, /^dropPercent must be a whole number from 1 to 99$/],
    [{ name: 'pricedrop', dropPercent: 100 }, /^dropPercent/],
    [{ name: 'pricedrop', dropPercent: null }, /^dropPercent/],
    [{ name: 'lowstock', lowStock: 0 }, /^lowStock/],
    [{ name: 'lowstock', delaySeconds: 86_401 }, /^delaySeconds must be a whole number from 0 to 86400$/],
    [{ name: 'lowstock', delaySeconds: -1 }, /^delaySeconds/],
    [{ name: 'lowstock', listHolders: null }, /^listHolders must be true or false$/],
    [{ name: 'backinstock', listHolders: true }, /^listHolders must be false for backinstock/],
  ])('%j is refused by name and changes nothing', async (input, message) => {
    const before = await data(`{ topics { ${FIELDS} } }`);
    const { body } = await ask(SAVE, { input });
    expect(body.errors[0].extensions.type).toBe('invalid-request');
    expect(body.errors[0].message).toMatch(message);
    expect(await data(`{ topics { ${FIELDS} } }`)).toEqual(before);
  });
});

test('subscribers of a price hear once that it fell, with both prices, and holders do not unless the store turns it on', async () => {
  await upsert({ pr: 100, stk: 9 });
  await subscribe('sub@example.com', 'pricedrop');
  await holder('held@example.com');
  await upsert({ pr: 96 });
  expect(await told()).toEqual([]);
  await upsert({ pr: 92.5 });
  expect(await told()).toEqual(['sub']);
  const mail = await mailTo('sub@example.com');
  expect(mail.subject).toBe('Shirt – price drop: now 92.50 (was 100.00)');
  expect(mail.text).toContain('Shirt – price drop: now 92.50 (was 100.00)');
  await upsert({ pr: 50 });
  expect(await told()).toEqual(['sub']);
});

test('subscribers of low stock hear how much is left', async () => {
  await upsert({ stk: 9 });
  await subscribe('low@example.com', 'lowstock');
  await upsert({ stk: 4 });
  expect(await told()).toEqual([]);
  await upsert({ stk: 2 });
  expect(await told()).toEqual(['low']);
  expect((await mailTo('low@example.com')).subject).toBe('Shirt is almost sold out: only 2 left');
});

test('a restock tells subscribers on backinstock and list holders on wishlistrestock, who has it in three lists and subscribed, once each', async () => {
  await save({ name: 'wishlistrestock', listHolders: true });
  await upsert({ stk: 0 });
  await holder('three@example.com', 3);
  await holder('both@example.com', 2);
  await subscribe('both@example.com', 'wishlistrestock');
  await subscribe('sub@example.com', 'backinstock');
  await holder('variant@example.com', 1, 2);
  const guest = await newGuest(service, store);
  await guest.add((await guest.create('Mine')).lid, item(1));
  await newAccount(service, store, 'silent@example.com').then(async (client) =>
    client.add((await client.create('Mine')).lid, item(1)),
  );
  await upsert({ stk: 3 });
  expect(await told()).toEqual(['both', 'sub', 'three']);
  expect((await mailTo('three@example.com')).subject).toBe('Shirt from your list is back in stock');
  const { alerts: page } = await data(
    '{ alerts(topic: "wishlistrestock") { totalCount edges { node { state value epi } } } }',
  );
  expect(page).toMatchObject({
    totalCount: 2,
    edges: [{ node: { state: 'sent', epi: 1 } }, { node: { state: 'sent' } }],
  });
  // Nobody is used up: the next restock tells the holders again, after the cool-down.
  at(2 * 24 * 60);
  await upsert({ stk: 0 });
  await upsert({ stk: 1 });
  expect(await told()).toEqual(['both', 'both', 'sub', 'three', 'three']);
});

test('who holds a product by a confirmed phone number hears by text message, and who said no by e-mail does not', async () => {
  await save({ name: 'lowstock', listHolders: true });
  const client = await newAccount(service, store, 'phone@example.com');
  await client.add((await client.create('Mine')).lid, item(1));
  const input = {
    ...{ medium: 'sms', mediumvalue: '+49301234567', addtomailinglist: 1, topics: ['news'] },
    products: [{ epi: 99, empi: 9, du: '/p' }],
  };
  await data(
    'mutation ($input: SubscribeInput!) { subscribe(input: $input) { message } }',
    { input },
    {
      store,
      headers: { 'x-regid': client.shopper.regid },
    },
  );
  await upsert({ stk: 9 });
  await upsert({ stk: 1 });
  expect(await told()).toEqual(['+49301234567']);
});

describe('a delay', () => {
  beforeEach(async () => {
    await save({ name: 'pricedrop', listHolders: true, delaySeconds: 300 });
    await upsert({ pr: 100, stk: 5 });
    await holder('held@example.com');
    await subscribe('sub@example.com', 'pricedrop');
  });

  test('mails nobody of a price that was typed wrong and corrected meanwhile', async () => {
    await upsert({ pr: 10 });
    at(1);
    expect(await told()).toEqual([]);
    await upsert({ pr: 100 });
    at(60);
    expect(await told()).toEqual([]);
    expect(await alerts()).toEqual([]);
  });

  test('mails everybody once it is over, with the price of then, also when a first correction was not the last', async () => {
    await upsert({ pr: 10 });
    at(1);
    await upsert({ pr: 90 });
    at(4);
    expect(await told()).toEqual([]);
    at(5);
    expect(await told()).toEqual(['held', 'sub']);
    expect((await mailTo('held@example.com')).subject).toBe('Shirt – price drop: now 90.00 (was 100.00)');
  });

  test('of a price that was corrected to a small reduction, counts the next fall from the price that people know', async () => {
    await upsert({ pr: 90 });
    at(1);
    expect(await told()).toEqual([]);
    await upsert({ pr: 97 });
    at(10);
    expect(await told()).toEqual([]);
    await upsert({ pr: 94 });
    at(20);
    expect(await told()).toEqual(['held', 'sub']);
  });

  test('does not hold up a send by hand', async () => {
    const { triggerTopic } = await data(
      'mutation { triggerTopic(topic: "pricedrop", epis: [1]) { opened audience listHolders } }',
    );
    expect(triggerTopic).toEqual({ opened: 1, audience: 1, listHolders: 1 });
    expect(await told()).toEqual(['held', 'sub']);
  });
});

describe('between queueing and sending', () => {
  /** Queued, and held back until tomorrow by a cool-down. */
  async function queueHeld(): Promise<Client & { lids: string[] }> {
    await save({ name: 'pricedrop', listHolders: true, coolDownSeconds: 86_400 });
    await upsert({ pr: 100, stk: 5 });
    const held = await holder('held@example.com', 2);
    await upsert({ pr: 90 });
    expect(await told()).toEqual(['held']);
    await upsert({ pr: 80 });
    expect(await told()).toEqual(['held']);
    expect((await alerts()).map(({ state }) => state)).toEqual(['sent', 'queued']);
    return held;
  }
  const tomorrow = () => at(25 * 60);

  test.each([
    [
      'the last list loses the product',
      'the product is no longer in a list of the contact',
      async (held: Client & { lids: string[] }) => {
        for (const lid of held.lids) await held.ok('lists/update-ctx', { lid, d: [item(1)] });
      },
    ],
    [
      'the contact says no to marketing',
      'the contact no longer accepts marketing',
      () => subscribe('held@example.com', 'news', { addtomailinglist: 0 }),
    ],
    [
      'the store turns it off',
      'the topic no longer alerts shoppers who have the product in a list',
      () => save({ name: 'pricedrop', listHolders: false }),
    ],
    ['the price is up again', 'the price went up again', () => upsert({ pr: 100 })],
    [
      'one click leaves the topic',
      'the contact has unsubscribed',
      async () => {
        const { headers } = await mailTo('held@example.com');
        const link = headers.find(({ key }) => key === 'list-unsubscribe')!.value;
        await service.http.post(pathIn(link)).type('form').send('List-Unsubscribe=One-Click').expect(200);
      },
    ],
  ] as [string, string, (held: Client & { lids: string[] }) => Promise<unknown>][])(
    '%s: it is withheld, and the log says why',
    async (_what, reason, change) => {
      const held = await queueHeld();
      await change(held);
      tomorrow();
      expect(await withheld()).toEqual([reason]);
      expect(await told()).toEqual(['held']);
    },
  );

  test('one of several lists loses the product, or nothing happens: it is sent at the end of the cool-down', async () => {
    const held = await queueHeld();
    await held.ok('lists/update-ctx', { lid: held.lids[0], d: [item(1)] });
    tomorrow();
    expect(await told()).toEqual(['held', 'held']);
  });

  test('the person is erased: nothing of it is left, and nothing is sent', async () => {
    await queueHeld();
    await service.http
      .post(pathIn((await mailTo('held@example.com')).text))
      .type('form')
      .send({ scope: 'product' })
      .expect(200);
    const { exportShopper } = await data(EXPORT, { useremail: 'held@example.com' });
    expect(exportShopper.data.alertsLeft).toMatchObject([
      { medium: 'email', value: 'held@example.com', topic: '', epi: '1' },
    ]);
    await data(ERASE, { useremail: 'held@example.com' });
    tomorrow();
    await told();
    expect(await alerts()).toEqual([]);
    const rows = await service.services.db.query('SELECT 1 FROM alert_mute WHERE pid = $1', [store.pid]);
    expect(rows).toEqual([]);
  });
});

test.each([
  ['product', ['pricedrop 2']],
  ['topic', ['lowstock 1']],
  ['all', []],
] as [string, string[]][])(
  'a holder who leaves by the choice %s hears nothing more of that, and again after a new yes',
  async (scope, rest) => {
    await save({ name: 'pricedrop', listHolders: true, coolDownSeconds: 0 });
    await save({ name: 'lowstock', listHolders: true, coolDownSeconds: 0 });
    await upsert({ pr: 100, stk: 9 });
    await upsert({ pr: 100, stk: 9 }, 2);
    const held = await holder('held@example.com');
    await held.add(held.lids[0]!, item(2));
    await upsert({ pr: 90 });
    expect(await told()).toEqual(['held']);
    const path = pathIn((await mailTo('held@example.com')).text);
    await service.http.post(path).type('form').send({ scope }).expect(200);
    const heard = async (): Promise<string[]> => {
      const before = (await alerts()).length;
      await upsert({ pr: 100 });
      await upsert({ pr: 80, stk: 1 });
      await service.runTasks();
      await upsert({ pr: 80, stk: 9 });
      await upsert({ pr: 100, stk: 9 }, 2);
      await upsert({ pr: 80 }, 2);
      await service.runTasks();
      const rows = await service.services.db.query<{ topic: string; epi: string }>(
        `SELECT topic, epi FROM outbox WHERE pid = $1 AND lane = 'alert' AND state = 'sent' ORDER BY seq OFFSET $2`,
        [store.pid, before],
      );
      return rows.map(({ topic, epi }) => `${topic} ${epi}`).sort();
    };
    expect(await heard()).toEqual(rest);
    await subscribe('held@example.com', 'news', {
      addtomailinglist: 1,
      products: [{ epi: 99, empi: 9, du: '/p' }],
    });
    expect(await heard()).toEqual(['lowstock 1', 'pricedrop 1', 'pricedrop 2']);
  },
);

test('dead letters of holders are tried again, the newest of a contact only, and one of many lists is still told once', async () => {
  await save({ name: 'pricedrop', listHolders: true, coolDownSeconds: 0 });
  await upsert({ pr: 100, stk: 5 });
  await holder('held@example.com', 2);
  const { db } = service.services;
  for (const pr of [90, 80]) {
    await upsert({ pr });
    await service.runTasks();
  }
  await db.query(`UPDATE outbox SET state = 'failed', error = 'x' WHERE pid = $1 AND lane = 'alert'`, [
    store.pid,
  ]);
  expect(await data('mutation { retryAlerts }')).toEqual({ retryAlerts: 1 });
  expect(await told()).toEqual(['held']);
  const rows = await alerts();
  expect(rows.map(({ state }) => state)).toEqual(['failed', 'sent']);
});

test('holders take the places of batches after the subscribers, who saved it first before others', async () => {
  await save({ name: 'wishlistrestock', listHolders: true, batchSize: 2, batchIntervalSeconds: 60 });
  await upsert({ stk: 0 });
  for (const name of ['h1', 'h2', 'h3', 'h4']) await holder(`${name}@example.com`, 2);
  await subscribe('s1@example.com', 'wishlistrestock');
  await upsert({ stk: 9 });
  expect(await told()).toEqual(['h1', 's1']);
  at(1);
  expect(await told()).toEqual(['h1', 'h2', 'h3', 's1']);
  at(2);
  expect(await told()).toEqual(['h1', 'h2', 'h3', 'h4', 's1']);
});

test('a product that is removed and added again goes on to tell those holders who had not heard, and nobody twice', async () => {
  await save({
    name: 'wishlistrestock',
    listHolders: true,
    batchSize: 1,
    batchIntervalSeconds: 3_600,
    coolDownSeconds: 0,
  });
  await upsert({ stk: 0 });
  for (const name of ['h1', 'h2']) await holder(`${name}@example.com`);
  await upsert({ stk: 9 });
  expect(await told()).toEqual(['h1']);
  await data('mutation { removeProducts(epis: [1]) { removed } }');
  await holder('late@example.com');
  at(1);
  await upsert({ stk: 9 });
  await told();
  at(70);
  await told();
  at(140);
  expect(await told()).toEqual(['h1', 'h2']);
});

test('no store hears of the lists of another, and a store can ask how many would hear', async () => {
  await save({ name: 'pricedrop', listHolders: true });
  await upsert({ pr: 100, stk: 5 });
  const other = await service.createStore();
  const own = store;
  store = other;
  await save({ name: 'pricedrop', listHolders: true });
  await upsert({ pr: 100, stk: 5 });
  await holder('elsewhere@example.com');
  store = own;
  await upsert({ pr: 50 });
  expect(await told()).toEqual([]);
  await holder('here@example.com');
  const { audience } = await data('{ audience(topic: "pricedrop", epi: 1) { count listHolders } }');
  expect(audience).toEqual({ count: 0, listHolders: 1 });
  expect((await data('{ audience(topic: "pricedrop") { listHolders } }')).audience).toEqual({
    listHolders: null,
  });
  await subscribe('here@example.com', 'pricedrop');
  await subscribe('other@example.com', 'pricedrop');
  const both = '{ audience(topic: "pricedrop", epi: 1) { count listHolders reach { people messages } } }';
  expect((await data(both)).audience).toEqual({
    count: 2,
    listHolders: 1,
    reach: { people: 2, messages: 2 },
  });
  expect((await data('{ audience(topic: "lowstock", epi: 1) { listHolders } }')).audience).toEqual({
    listHolders: 0,
  });
  expect(
    (await ask('{ audience(topic: "pricedrop", epi: 1) { listHolders } }', {}, {})).body.errors[0].extensions
      .type,
  ).toBe('unauthorised');
});

describe('an alert that may have arrived when its process died, and was withheld', () => {
  const OCCASIONS = [
    ['pricedrop', { pr: 100, stk: 9 }, { pr: 90 }],
    ['lowstock', { pr: 100, stk: 9 }, { stk: 2 }],
    ['wishlistrestock', { pr: 100, stk: 0 }, { stk: 9 }],
  ] as const;
  const key = { lane: 'alert', medium: 'email' } as const;
  /** A process takes what is due and is not heard of again; its lease ends. Answers the ids by which receivers know what they got. */
  async function dieSending(): Promise<string[]> {
    const { services } = service;
    while (await queueNextPortion(services));
    const shares = [{ pid: store.pid, recipient: '', most: 100 }];
    const leaseMs = services.config.dispatchLeaseMs;
    const messages = await claimMessages(services.db, key, shares, leaseMs, services.now());
    at(10);
    return messages.map(({ id }) => id).sort();
  }
  const ids = async (state: string): Promise<string[]> => {
    await service.runTasks();
    return (await alerts())
      .filter((alert) => alert.state === state)
      .map(({ id }) => id)
      .sort();
  };

  test.each(OCCASIONS)(
    'leaves at the next occasion of %s under its own id, to subscribers and to list holders',
    async (topic, before, occasion) => {
      await save({ name: topic, listHolders: true });
      await upsert(before);
      await holder('held@example.com', 2);
      await subscribe('sub@example.com', topic);
      await upsert(occasion);
      const arrived = await dieSending();
      expect(arrived).toHaveLength(2);
      await upsert(before);
      expect(await ids('withheld')).toEqual(arrived);
      await upsert(occasion);
      expect(await told()).toEqual(['held', 'sub']);
      expect(await ids('sent')).toEqual(arrived);
      expect(await alerts()).toHaveLength(2);
    },
  );

  test('keeps its id for who is no subscriber any more and has the product in a list', async () => {
    await save({ name: 'wishlistrestock', listHolders: true });
    await upsert({ stk: 0 });
    const held = await holder('held@example.com');
    await subscribe('held@example.com', 'wishlistrestock');
    await upsert({ stk: 9 });
    const arrived = await dieSending();
    await upsert({ stk: 0 });
    await held.ok('subscriptions/unsubscribe', { topic: 'wishlistrestock', epi: 1 });
    expect(await ids('withheld')).toEqual(arrived);
    await upsert({ stk: 9 });
    expect(await ids('sent')).toEqual(arrived);
  });

  test('is another one after the cool-down, when a list holder hears anew in any case', async () => {
    await save({ name: 'wishlistrestock', listHolders: true });
    await upsert({ stk: 0 });
    await holder('held@example.com');
    await upsert({ stk: 9 });
    const arrived = await dieSending();
    await upsert({ stk: 0 });
    expect(await ids('withheld')).toEqual(arrived);
    at(2 * 24 * 60);
    await upsert({ stk: 9 });
    expect(await told()).toEqual(['held']);
    expect(await ids('withheld')).toEqual(arrived);
  });

  test('has all its tries at the next occasion, and keeps its id when stock goes once more', async () => {
    await save({ name: 'wishlistrestock', listHolders: true });
    await upsert({ stk: 0 });
    await holder('held@example.com');
    await upsert({ stk: 9 });
    const arrived = await dieSending();
    await service.services.db.query('UPDATE outbox SET attempts = 14 WHERE id = ANY ($1)', [arrived]);
    for (let times = 0; times < 2; times += 1) {
      await upsert({ stk: 0 });
      expect(await ids('withheld')).toEqual(arrived);
      await upsert({ stk: 9 });
      while (await queueNextPortion(service.services));
      expect((await alerts()).map(({ id, state, attempts }) => ({ id, state, attempts }))).toEqual([
        { id: arrived[0], state: 'queued', attempts: 1 },
      ]);
    }
  });
});
