import { randomUUID } from 'node:crypto';
import { encryptLink } from '../../src/shoppers/contacts/link.rules.ts';
import { findStore } from '../../src/stores/store.repo.ts';
import type { NewStore } from '../../src/stores/store.service.ts';
import type { Caller, TestShopper } from '../harness.ts';
import { until } from '../until.ts';
import { saveTopic, setStock, useReceivers } from './kit.ts';

const { service, smtp } = useReceivers();
let store: NewStore;

const START = new Date('2026-03-01T09:00:00Z');
const DAY = 86_400_000;
const ANN = 'ann@example.com';
const BOB = 'bob@example.com';

beforeEach(async () => {
  later(0);
  store = await service.createStore({ doubleOptIn: true });
});

function later(ms: number): void {
  service.setNow(new Date(START.getTime() + ms));
}

async function subscribe(
  caller: Caller,
  mediumvalue: string,
  epi: number | string = 1,
  topic = 'backinstock',
): Promise<unknown> {
  const input = {
    medium: 'email',
    mediumvalue,
    products: [{ epi, empi: 1, du: 'https://shop.example/p/1' }],
    topics: [topic],
  };
  const { body } = await service.graphql(
    'mutation($input: SubscribeInput!) { subscribe(input: $input) { message products { epi dt stk } topics } }',
    { input },
    caller,
  );
  expect(body.errors).toBeUndefined();
  return body.data.subscribe;
}

type Shown = { total: number; subscriptions: { epi: number; confirmed: boolean; mediumvalue: string }[] };

async function fetchSubs(shopper: TestShopper): Promise<Shown> {
  return (await service.post('/api/v3/subscriptions/fetch-subs', {}, { shopper }).expect(200)).body;
}

const shows = async (shopper: TestShopper): Promise<[number, boolean][]> =>
  (await fetchSubs(shopper)).subscriptions.map(({ epi, confirmed }) => [epi, confirmed]);

async function unsubscribe(shopper: TestShopper, fields: object = {}): Promise<object> {
  return (await service.post('/api/v3/subscriptions/unsubscribe', { ...fields }, { shopper }).expect(200))
    .body;
}

/** The links of the confirming mails that an address has got from the store, as they arrived. */
async function links(address: string): Promise<string[]> {
  await service.runTasks();
  return linksTo(address);
}

function linksTo(address: string): string[] {
  const ours = `/confirm/${Buffer.from(store.pid).toString('base64url')}.`;
  return smtp.received
    .filter(({ to, mail }) => to === address && mail.subject?.startsWith('Please confirm'))
    .map(({ mail }) => new URL(/https:\/\/\S+\/confirm\/\S+/.exec(mail.text!)![0]).pathname)
    .filter((path) => path.startsWith(ours));
}

/** Subscribes, and returns the link that confirms it: confirming mails that are sent together arrive in any order. */
async function subscribeForLink(caller: Caller, address: string, epi = 1): Promise<string | undefined> {
  const before = new Set(linksTo(address));
  await subscribe(caller, address, epi);
  return (await links(address)).find((link) => !before.has(link));
}

async function press(link: string | undefined): Promise<void> {
  await service.http.post(link!).expect(200);
}

/** Who hears when stock comes back. */
async function restock(epi: number | string = 1): Promise<string[]> {
  await setStock(service, store, String(epi), 0, { dt: 'Shirt' });
  await setStock(service, store, String(epi), 3);
  return alerted();
}

async function alerted(): Promise<string[]> {
  await service.runTasks();
  return smtp.received
    .filter(({ mail }) => mail.subject === 'Shirt is back in stock')
    .map(({ to }) => to)
    .sort();
}

test('a guest who typed an address cannot end what its owner asked for as another guest and confirmed', async () => {
  const [stranger, owner] = [await service.guest(store), await service.guest(store)];
  expect(await subscribeForLink({ shopper: stranger }, ANN)).toBeDefined();
  await press(await subscribeForLink({ shopper: owner }, ANN));
  expect(await shows(owner)).toEqual([[1, true]]);
  expect(await shows(stranger)).toEqual([[1, false]]);
  expect(await unsubscribe(stranger)).toEqual({ msg: 'Unsubscribed', removed: 1 });
  expect(await shows(stranger)).toEqual([]);
  expect(await restock()).toEqual([ANN]);
});

test('a guest who typed an address cannot end what its owner asked for with an account, whichever of the two mails the owner answers', async () => {
  for (const answered of [0, 1]) {
    store = await service.createStore({ doubleOptIn: true });
    smtp.received.length = 0;
    const [stranger, owner] = [await service.guest(store), await service.account(store, ANN)];
    const mails = [
      await subscribeForLink({ shopper: owner }, ANN),
      await subscribeForLink({ shopper: stranger }, ANN),
    ];
    await press(mails[answered]);
    expect(await unsubscribe(stranger, { epi: 1 })).toEqual({ msg: 'Unsubscribed', removed: 1 });
    expect(await shows(owner)).toEqual([[1, true]]);
    expect(await restock()).toEqual([ANN]);
  }
});

test('a guest who typed an address cannot end a subscription that was there before, nor one that the store made', async () => {
  const stranger = await service.guest(store);
  await subscribe({ store }, ANN);
  await press((await links(ANN))[0]);
  await subscribe({ shopper: stranger }, ANN);
  expect(await unsubscribe(stranger)).toEqual({ msg: 'Unsubscribed', removed: 1 });
  expect(await restock()).toEqual([ANN]);
});

test('a guest ends on its own device what it asked for and confirmed there', async () => {
  const guest = await service.guest(store);
  await subscribe({ shopper: guest }, ANN);
  await press((await links(ANN))[0]);
  expect(await unsubscribe(guest)).toEqual({ msg: 'Unsubscribed', removed: 1 });
  expect(await unsubscribe(guest)).toEqual({ msg: 'No matching subscriptions', removed: 0 });
  expect(await restock()).toEqual([]);
});

test('what is left to somebody who has not confirmed waits again', async () => {
  const [first, second] = [await service.guest(store), await service.guest(store)];
  const firstLink = await subscribeForLink({ shopper: first }, ANN);
  const secondLink = await subscribeForLink({ shopper: second }, ANN);
  await press(firstLink);
  await unsubscribe(first);
  expect(await restock()).toEqual([]);
  await press(secondLink);
  expect(await alerted()).toEqual([ANN]);
});

/** Everything that a guest can see of its sign-ups for an address, without what differs by nature. */
async function observe(guest: TestShopper, address: string, act: () => Promise<void>): Promise<unknown[]> {
  const seen: unknown[] = [];
  const look = async (): Promise<void> => {
    const { total, subscriptions } = await fetchSubs(guest);
    const nodes = (
      await service.graphql(
        '{ subscriptions(topic: "backinstock") { edges { node { epi empi du extras confirmed cts mediumvalue } } } }',
        {},
        { shopper: guest },
      )
    ).body.data.subscriptions;
    const same = subscriptions.map((row) => ({ ...row, id: null, mediumvalue: null }));
    seen.push(total, same, JSON.stringify(nodes).replaceAll(/.\*\*\*@/g, '***@'));
  };
  seen.push(await subscribe({ shopper: guest }, address, 1), await subscribe({ shopper: guest }, address, 2));
  await look();
  await act();
  await look();
  seen.push(await subscribe({ shopper: guest }, address, 1));
  await look();
  seen.push(await unsubscribe(guest, { epi: 1 }), await unsubscribe(guest, { epi: 1 }));
  await look();
  seen.push(await unsubscribe(guest));
  return seen;
}

test.each([
  ['with', true],
  ['without', false],
])(
  '%s double opt-in a guest is answered the same for an address that has subscribed as for one that is unknown',
  async (_, doubleOptIn) => {
    store = await service.createStore({ doubleOptIn });
    const owner = await service.account(store, ANN);
    await subscribe({ shopper: owner }, ANN, 1);
    await subscribe({ store }, ANN, 2);
    for (const link of await links(ANN)) await press(link);
    const known = await observe(await service.guest(store), ANN, async () => {
      expect(await restock(1)).toEqual([ANN]);
      expect(await unsubscribe(owner)).toMatchObject({ removed: 1 });
    });
    const unknown = await observe(await service.guest(store), BOB, async () => undefined);
    // The restock put the product into the catalogue; what the catalogue has is no secret.
    const plain = (seen: unknown[]): string =>
      JSON.stringify(seen).replaceAll(
        /"(dt|stk|uri|pr|iu|bt|sku|vi|empi|cts|uts|du)":("[^"]*"|\d+|null),?/g,
        '',
      );
    expect(plain(known)).toBe(plain(unknown));
  },
);

test('how much others asked for does not use up what a guest may ask for', async () => {
  const many = Array.from({ length: 100 }, (_, epi) => ({ epi, empi: 1, du: '/p' }));
  const create = (products: object[], fields: object = {}) =>
    service.post(
      '/storeadmin/bispa/subscriptions/create',
      { medium: 'email', mediumvalue: ANN, topics: ['backinstock'], products, ...fields },
      { store },
    );
  for (let call = 0; call < 2; call += 1) await create(many, { topics: [`t${call}`] }).expect(200);
  await create(many).expect(429);
  const guest = await service.guest(store);
  await subscribe({ shopper: guest }, ANN);
  expect(await shows(guest)).toEqual([[1, false]]);
});

test('requests of many guests for one address at once leave a subscription exactly while somebody asks for it', async () => {
  const guests = await Promise.all(Array.from({ length: 6 }, () => service.guest(store)));
  const rounds = guests.map(async (shopper, index) => {
    for (let round = 0; round < 4; round += 1) {
      await subscribe({ shopper }, ANN, 'r');
      if (index > 0 || round < 3) await unsubscribe(shopper);
    }
  });
  await Promise.all(rounds);
  const count = async (): Promise<object[]> =>
    service.services.db.query(
      `SELECT (SELECT count(*)::int FROM subscription WHERE pid = $1) AS subscriptions,
         (SELECT count(*)::int FROM subscription_request WHERE pid = $1) AS requests`,
      [store.pid],
    );
  expect(await count()).toEqual([{ subscriptions: 1, requests: 1 }]);
  await unsubscribe(guests[0]!);
  expect(await count()).toEqual([{ subscriptions: 0, requests: 0 }]);
});

test('a guest that leaves while its contact confirms leaves nothing that nobody asks for', async () => {
  const pairs = await Promise.all(
    Array.from({ length: 12 }, async (_, index) => {
      const shopper = await service.guest(store);
      await subscribe({ shopper }, `p${index}@example.com`);
      return { shopper, address: `p${index}@example.com` };
    }),
  );
  await service.runTasks();
  await Promise.all(
    pairs.map(async ({ shopper, address }) => {
      const [link] = linksTo(address);
      await Promise.all([press(link), unsubscribe(shopper)]);
    }),
  );
  expect(await restock()).toEqual([]);
  const left = await service.services.db.query('SELECT value FROM subscription WHERE pid = $1', [store.pid]);
  expect(left).toEqual([]);
});

test('a link still works after its guest has logged in, and proves nothing for the next visitor of the device', async () => {
  const uuid = randomUUID();
  await subscribe({ shopper: await service.guest(store, uuid) }, BOB, 1);
  const login = { uuid, useremail: ANN, useragenttype: 'test' };
  await service.post('/storeadmin/v3/user/generate-regid', login, { store }).expect(200);
  await press((await links(BOB))[0]);
  const next = await service.guest(store, uuid);
  expect(await shows(next)).toEqual([]);
  await subscribe({ shopper: next }, BOB, 2);
  expect(await shows(next)).toEqual([[2, false]]);
  expect(await restock(1)).toEqual([BOB]);
});

test("what a guest confirmed is its account's after a login, once if both asked for it, and no longer the device's", async () => {
  const uuid = randomUUID();
  const [guest, account] = [await service.guest(store, uuid), await service.account(store, ANN)];
  await subscribeForLink({ shopper: account }, ANN, 1);
  const guestLink = await subscribeForLink({ shopper: guest }, ANN, 1);
  await press(await subscribeForLink({ shopper: guest }, BOB, 2));
  await press(guestLink);
  const login = { uuid, useremail: ANN, useragenttype: 'test' };
  await service.post('/storeadmin/v3/user/generate-regid', login, { store }).expect(200);
  expect(await shows(account)).toEqual([[1, true]]);
  const next = await service.guest(store, uuid);
  await subscribe({ shopper: next }, BOB, 3);
  expect(await shows(next)).toEqual([[3, false]]);
  await subscribe({ store, shopper: account }, BOB, 4);
  const { body } = await service.graphql(
    '{ subscriptions { edges { node { epi confirmed } } } }',
    {},
    { store },
  );
  expect(body.data.subscriptions.edges.map((edge: { node: object }) => edge.node)).toEqual([
    { epi: 4, confirmed: true },
    { epi: 3, confirmed: false },
    { epi: 2, confirmed: true },
    { epi: 1, confirmed: true },
  ]);
});

test('a contact that confirmed once need not again: for the same guest, its account and the store, nobody else', async () => {
  const [guest, stranger] = [await service.guest(store), await service.guest(store)];
  await subscribe({ shopper: guest }, ANN, 1);
  await press((await links(ANN))[0]);
  expect(await restock(1)).toEqual([ANN]);
  await subscribe({ shopper: guest }, ANN, 2);
  expect(await shows(guest)).toEqual([[2, true]]);
  await subscribe({ store }, ANN, 3);
  const account = await service.account(store, ANN);
  await subscribe({ shopper: account }, ANN, 4);
  expect(await links(ANN)).toHaveLength(1);
  await subscribe({ shopper: stranger }, ANN, 5);
  await subscribe({ store, shopper: stranger }, ANN, 6);
  expect(await shows(stranger)).toEqual([
    [6, false],
    [5, false],
  ]);
  expect(await shows(account)).toEqual([
    [6, false],
    [5, false],
    [4, true],
    [3, true],
    [2, true],
  ]);
});

test("a guest's link confirms what the same guest asks for later: no wish of a day is lost", async () => {
  const [guest, stranger] = [await service.guest(store), await service.guest(store)];
  const first = await subscribeForLink({ shopper: guest }, ANN, 1);
  for (const epi of [2, 3, 4, 5]) {
    await subscribe({ shopper: guest }, ANN, epi);
    later(epi * 1_000);
  }
  await subscribe({ shopper: stranger }, ANN, 6);
  expect(await links(ANN)).toHaveLength(3);
  await press(first);
  expect((await shows(guest)).map(([, isConfirmed]) => isConfirmed)).toEqual(Array(5).fill(true));
  expect(await shows(stranger)).toEqual([[6, false]]);
});

test('the fourth wish of a day that the store makes gets its mail when the day is over', async () => {
  for (const epi of [1, 2, 3, 4, 5]) {
    await subscribe({ store }, ANN, epi);
    later(epi * 1_000);
  }
  expect(await links(ANN)).toHaveLength(3);
  later(DAY - 1);
  expect(await links(ANN)).toHaveLength(3);
  later(DAY);
  const all = await links(ANN);
  expect(all).toHaveLength(4);
  await press(all[3]);
  for (const epi of [4, 5]) expect(await restock(epi)).toContain(ANN);
});

test('three strangers do not keep the store from writing, and a fourth guest gets its mail a day later', async () => {
  for (let index = 0; index < 3; index += 1)
    await subscribe({ shopper: await service.guest(store) }, ANN, index);
  const guest = await service.guest(store);
  await subscribe({ shopper: guest }, ANN, 7);
  expect(await links(ANN)).toHaveLength(3);
  await subscribe({ store }, ANN, 8);
  expect(await links(ANN)).toHaveLength(4);
  later(DAY);
  await press((await links(ANN))[4]);
  expect(await shows(guest)).toEqual([[7, true]]);
});

test('a link from before links named a requester confirms what had been asked for, and proves nothing for a guest', async () => {
  const guest = await service.guest(store);
  await subscribe({ shopper: guest }, ANN, 1);
  const row = (await findStore(service.services.db, store.pid))!;
  await press(`/confirm/${encryptLink(row, 'confirm', ['email', ANN, String(START.getTime())])}`);
  await subscribe({ shopper: guest }, ANN, 2);
  expect(await shows(guest)).toEqual([
    [2, false],
    [1, true],
  ]);
});

test('who confirms after the restock, while stock is there, hears of it once', async () => {
  const guest = await service.guest(store);
  await subscribe({ shopper: guest }, ANN);
  await subscribe({ store }, BOB);
  const [link] = await links(ANN);
  await press((await links(BOB))[0]);
  expect(await restock()).toEqual([BOB]);
  await press(link);
  expect(await alerted()).toEqual([ANN, BOB]);
  await press(link);
  expect(await alerted()).toEqual([ANN, BOB]);
});

test('everybody who confirms while alerts are being queued hears once', async () => {
  const people = Array.from({ length: 15 }, (_, index) => `q${100 + index}@example.com`);
  for (const person of people) await subscribe({ store }, person);
  await service.runTasks();
  await setStock(service, store, '1', 0, { dt: 'Shirt' });
  await setStock(service, store, '1', 3);
  await Promise.all([service.runTasks(), ...people.map((person) => press(linksTo(person)[0]))]);
  expect(await alerted()).toEqual(people);
});

test('who confirms in the moment in which the queueing ends still hears', async () => {
  const { db } = service.services;
  await subscribe({ store }, ANN);
  const [link] = await links(ANN);
  expect(await restock()).toEqual([]);
  await db.query(`UPDATE restock SET state = 'open' WHERE pid = $1`, [store.pid]);
  let isAnswered = false;
  const { pressed } = await db.transaction(async (tx) => {
    await tx.query(`UPDATE restock SET state = 'done' WHERE pid = $1`, [store.pid]);
    const answer = press(link).then(() => (isAnswered = true));
    const blocked = `SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`;
    await until(async () => isAnswered || (await db.query(blocked)).length > 0);
    return { pressed: answer };
  });
  await pressed;
  expect(await alerted()).toEqual([ANN]);
});

test('confirming brings no alert when stock has gone again, or for what was asked for after the restock', async () => {
  await subscribe({ store }, ANN, 1);
  expect(await restock(1)).toEqual([]);
  await setStock(service, store, '1', 0);
  await press((await links(ANN))[0]);
  await subscribe({ store }, BOB, 2);
  await restock(2);
  const guest = await service.guest(store);
  await subscribe({ shopper: guest }, 'late@example.com', 2);
  await press((await links('late@example.com'))[0]);
  expect(await alerted()).toEqual([]);
});

/** Makes the topic `sale`, which listens to the tag of that name; its alerts have the subject that `alerted` looks for. */
async function addTagTopic(): Promise<void> {
  const input = {
    name: 'sale',
    trigger: 'tag',
    tag: 'sale',
    subject: '{{ product.title }} is back in stock',
  };
  await saveTopic(service, store, input);
}

const setTags = (...tags: string[]) => setStock(service, store, '1', null, { dt: 'Shirt', tags });

test('who confirms after the product got the tag, while it has it, hears of it once', async () => {
  await addTagTopic();
  await subscribe({ store }, ANN, 1, 'sale');
  await subscribe({ store }, BOB, 1, 'sale');
  await press((await links(BOB))[0]);
  await setTags();
  await setTags('Sale');
  expect(await alerted()).toEqual([BOB]);
  await setTags('Sale', 'new');
  await press((await links(ANN))[0]);
  expect(await alerted()).toEqual([ANN, BOB]);
  await press(linksTo(ANN)[0]);
  expect(await alerted()).toEqual([ANN, BOB]);
});

test('who confirms when the tag is gone again, or after a send by hand, hears nothing of it', async () => {
  await addTagTopic();
  await subscribe({ store }, ANN, 1, 'sale');
  await setTags();
  await setTags('Sale');
  await alerted();
  await setTags();
  await press((await links(ANN))[0]);
  await subscribe({ store }, BOB, 1, 'sale');
  const send = 'mutation { triggerTopic(topic: "sale", epis: ["1"]) { opened } }';
  await service.graphql(send, {}, { store }).expect(200);
  expect(await alerted()).toEqual([ANN]);
  await press((await links(BOB))[0]);
  expect(await alerted()).toEqual([ANN]);
});

test('an alert for somebody who confirms late counts for the units that arrived', async () => {
  await saveTopic(service, store, { shoppersPerUnit: 1 });
  const people = ['p1@example.com', 'p2@example.com'];
  for (const person of people) await subscribe({ store }, person);
  await setStock(service, store, '1', 0, { dt: 'Shirt' });
  await setStock(service, store, '1', 1);
  expect(await alerted()).toEqual([]);
  for (const person of people) {
    await press((await links(person))[0]);
    await service.runTasks();
  }
  expect(await alerted()).toEqual([people[0]]);
});

test('subscribing again renews a wish that would expire; the time of its making and its place stay', async () => {
  store = await service.createStore();
  await saveTopic(service, store, { expiryDays: 10 });
  const account = await service.account(store, ANN);
  await subscribe({ shopper: account }, ANN);
  await subscribe({ store }, BOB);
  const made = await fetchSubs(account);
  later(8 * DAY);
  await subscribe({ shopper: account }, ANN);
  expect(await fetchSubs(account)).toEqual(made);
  later(12 * DAY);
  await service.runTasks();
  expect(await shows(account)).toEqual([[1, true]]);
  expect(await restock()).toEqual([ANN]);
  await subscribe({ shopper: account }, ANN, 2);
  later(23 * DAY);
  await service.runTasks();
  expect(await shows(account)).toEqual([]);
});

test('a stranger who signs an address up does not renew what its owner confirmed', async () => {
  await saveTopic(service, store, { expiryDays: 10 });
  await subscribe({ store }, ANN);
  await press((await links(ANN))[0]);
  later(8 * DAY);
  await subscribe({ shopper: await service.guest(store) }, ANN);
  later(12 * DAY);
  expect(await restock()).toEqual([]);
});

// Last in its file: background work that ran in a far future has nothing to do for as long.
test('whoever has left everything, or has not been heard of for a year, confirms again', async () => {
  const guest = await service.guest(store);
  await subscribe({ shopper: guest }, ANN, 1);
  await press((await links(ANN))[0]);
  await restock(1);
  const footer = /https:\/\/\S+\/unsubscribe\/[\w.-]+/.exec(smtp.received.at(-1)!.mail.text!)![0];
  await service.http.post(new URL(footer).pathname).type('form').send({ scope: 'all' }).expect(200);
  await subscribe({ shopper: guest }, ANN, 2);
  expect(await shows(guest)).toEqual([[2, false]]);
  await press((await links(ANN)).at(-1));
  later(364 * DAY);
  await service.runTasks();
  await subscribe({ shopper: guest }, ANN, 3);
  later(366 * DAY);
  await service.runTasks();
  await subscribe({ shopper: guest }, ANN, 4);
  later(800 * DAY);
  await service.runTasks();
  await subscribe({ shopper: guest }, ANN, 5);
  expect(await shows(guest)).toEqual([
    [5, false],
    [4, true],
    [3, true],
    [2, true],
  ]);
});
