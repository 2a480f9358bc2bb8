import { queueNextPortion } from '../../src/alerts/events/event.service.ts';
import { outboxOf, seedSubscribers, seedSubscription } from '../alerts/kit.ts';
import { useNewStore, useService } from '../harness.ts';
import type { Caller } from '../harness.ts';

const service = useService();
const store = useNewStore(service);
beforeEach(async () => {
  await save('launch');
});

async function call(query: string, caller: Caller = { store }): Promise<Record<string, unknown>> {
  const { body } = await service.graphql(query, {}, caller);
  expect(body.errors).toBeUndefined();
  return body.data;
}

const save = (name: string): Promise<unknown> =>
  call(`mutation { saveTopic(input: { name: ${JSON.stringify(name)} }) { name } }`);

/** Deletes a topic; answers how many subscriptions ended, or the type of the failure. */
async function remove(name: string, caller: Caller = { store }): Promise<unknown> {
  const query = 'mutation($name: String!) { deleteTopic(name: $name) { name subscriptions } }';
  const { body } = await service.graphql(query, { name }, caller);
  if (body.errors) return body.errors[0].extensions.type;
  expect(body.data.deleteTopic.name).toBe(name);
  return body.data.deleteTopic.subscriptions;
}

const names = async (): Promise<string[]> =>
  ((await call('{ topics { name } }'))['topics'] as { name: string }[]).map(({ name }) => name);

async function rows(table: 'subscription' | 'subscription_request', pid = store.pid): Promise<number> {
  const [row] = await service.services.db.query<{ n: number }>(
    `SELECT count(*)::int AS n FROM ${table} WHERE pid = $1`,
    [pid],
  );
  return row!.n;
}

function subscribe(mediumvalue: string, epi: string, topics: string[], caller: Caller = { store }) {
  const input = { medium: 'email', mediumvalue, products: [{ epi, empi: 1, du: '/p' }], topics };
  const query = 'mutation($input: SubscribeInput!) { subscribe(input: $input) { message } }';
  return service.graphql(query, { input }, caller).expect(({ body }) => expect(body.errors).toBeUndefined());
}

const trigger = (epi: string): Promise<unknown> =>
  call(`mutation { triggerTopic(topic: "launch", epis: ["${epi}"]) { opened } }`);

/** How many alerts of the store are in each state. */
async function alerts(): Promise<Record<string, number>> {
  const states: Record<string, number> = {};
  for (const { lane, state } of await outboxOf(service, store.pid))
    if (lane === 'alert') states[state] = (states[state] ?? 0) + 1;
  return states;
}

test('a topic goes with its subscriptions, those that wait for a confirmation among them, and nothing else does', async () => {
  const guest = await service.guest(store);
  await subscribe('ann@example.com', 'a', ['launch', 'backinstock']);
  await subscribe('bob@example.com', 'a', ['launch']);
  await subscribe('eve@example.com', 'a', ['launch', 'comingsoon'], { shopper: guest });
  const other = await service.createStore();
  await seedSubscription(service, other, { epi: 'a', topic: 'launch' });
  expect(await remove('launch')).toBe(3);
  expect(await names()).toEqual(['backinstock', 'comingsoon', 'pricedrop', 'lowstock', 'wishlistrestock']);
  expect(await rows('subscription')).toBe(2);
  expect(await rows('subscription_request')).toBe(2);
  expect(await rows('subscription', other.pid)).toBe(1);
  const shown = await service.post('/api/v3/subscriptions/fetch-subs', {}, { shopper: guest }).expect(200);
  expect(shown.body.subscriptions).toMatchObject([{ topic: 'comingsoon' }]);
  expect(await remove('launch')).toBe('not-found');
});

test('a link that confirms after the topic was deleted brings nothing of it back', async () => {
  await subscribe('eve@example.com', 'a', ['launch'], { shopper: await service.guest(store) });
  const [mail] = await outboxOf(service, store.pid);
  const { text } = mail!.payload as { text: string };
  await remove('launch');
  await service.http.post(new URL(/https?:\/\/\S+\/confirm\/\S+/.exec(text)![0]).pathname).expect(200);
  expect(await rows('subscription')).toBe(0);
});

test('alerts that are queued but not sent yet are withheld, also when a new topic has the name', async () => {
  const { db } = service.services;
  for (const again of [false, true]) {
    if (again) await save('launch');
    await seedSubscribers(db, store.pid, 'a', 3, 'launch');
    await trigger('a');
    while (await queueNextPortion(service.services));
    expect(await remove('launch')).toBe(3);
    if (again) await save('launch');
    await service.runTasks();
    expect(await alerts()).toEqual({ withheld: again ? 6 : 3 });
  }
  await seedSubscription(service, store, { epi: 'a', topic: 'launch' });
  await trigger('a');
  await service.runTasks();
  expect(await alerts()).toEqual({ withheld: 6, sent: 1 });
});

test('an occasion whose subscribers are not queued yet ends with its topic', async () => {
  await seedSubscribers(service.services.db, store.pid, 'a', 3, 'launch');
  await trigger('a');
  expect(await remove('launch')).toBe(3);
  await service.runTasks();
  expect(await alerts()).toEqual({});
  const open = await service.services.db.query(
    `SELECT state FROM restock WHERE pid = $1 AND topic = 'launch'`,
    [store.pid],
  );
  expect(open).toEqual([{ state: 'stopped' }]);
});

test('while alerts are sent, a deletion leaves each of them either sent or withheld, and nobody waiting', async () => {
  await seedSubscribers(service.services.db, store.pid, 'a', 300, 'launch');
  await trigger('a');
  while (await queueNextPortion(service.services));
  const [ended] = await Promise.all([remove('launch'), service.runTasks()]);
  await service.runTasks();
  const { sent = 0, withheld = 0, ...others } = await alerts();
  expect(others).toEqual({});
  expect(sent + withheld).toBe(300);
  expect(ended).toEqual(expect.any(Number));
  expect(await rows('subscription')).toBe(0);
});

test('sign-ups and confirmations at the same time neither fail nor hold the deletion up', async () => {
  const people = Array.from({ length: 12 }, (_, index) => `p${index}@example.com`);
  for (const who of people) await subscribe(who, 'a', ['launch', 'comingsoon']);
  const [ended] = await Promise.all([
    remove('launch'),
    ...people.map((who) => subscribe(who, 'b', ['comingsoon', 'launch'])),
  ]);
  expect(ended).toEqual(expect.any(Number));
  const left = await service.services.db.query<{ epi: string; topic: string }>(
    `SELECT DISTINCT epi, topic FROM subscription WHERE pid = $1 AND (epi = 'a' OR topic = 'comingsoon') ORDER BY epi`,
    [store.pid],
  );
  expect(left).toEqual([
    { epi: 'a', topic: 'comingsoon' },
    { epi: 'b', topic: 'comingsoon' },
  ]);
  expect(await names()).not.toContain('launch');
});

test('more subscriptions than one portion end with one call; of two calls at once one is told that there is none', async () => {
  await seedSubscribers(service.services.db, store.pid, 'a', 5_001, 'launch');
  const answers = await Promise.all([remove('launch'), remove('launch')]);
  expect(answers.filter((answer) => answer === 'not-found')).toHaveLength(1);
  expect(await rows('subscription')).toBe(0);
  await save('launch');
  await seedSubscribers(service.services.db, store.pid, 'b', 5_001, 'launch');
  expect(await remove('launch')).toBe(5_001);
});

test('the built-in topics stay, changed or not, with their subscriptions', async () => {
  await call('mutation { saveTopic(input: { name: "comingsoon", subject: "Ours" }) { name } }');
  await subscribe('ann@example.com', 'a', ['backinstock', 'comingsoon']);
  for (const name of ['backinstock', 'comingsoon', 'pricedrop']) expect(await remove(name)).toBe('forbidden');
  expect(await call('{ topics { name isBuiltIn } }')).toEqual({
    topics: [
      { name: 'backinstock', isBuiltIn: true },
      { name: 'comingsoon', isBuiltIn: true },
      { name: 'pricedrop', isBuiltIn: true },
      { name: 'lowstock', isBuiltIn: true },
      { name: 'wishlistrestock', isBuiltIn: true },
      { name: 'launch', isBuiltIn: false },
    ],
  });
  expect(await rows('subscription')).toBe(2);
});

test('unknown names, shoppers, strangers and other stores delete nothing', async () => {
  await subscribe('ann@example.com', 'a', ['launch', 'nameless']);
  for (const name of ['nothing', 'nameless', '', 'a\u0000', 'x'.repeat(5000)])
    expect(await remove(name)).toBe('not-found');
  const shopper = await service.account(store, 'ann@example.com');
  expect(await remove('launch', { shopper })).toBe('forbidden');
  expect(await remove('launch', {})).toBe('unauthorised');
  expect(await remove('launch', { store: { ...store, apiKey: 'x' } })).toBe('unauthorised');
  expect(await remove('launch', { store: await service.createStore() })).toBe('not-found');
  expect(await names()).toContain('launch');
  expect(await rows('subscription')).toBe(2);
});
