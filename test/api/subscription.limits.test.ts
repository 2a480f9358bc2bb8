import { findStore } from '../../src/stores/store.repo.ts';
import type { NewStore } from '../../src/stores/store.service.ts';
import { consume } from '../../src/stores/usage-window.repo.ts';
import { USAGE_LIMITS, usageKey } from '../../src/stores/usage-window.rules.ts';
import { useService } from '../harness.ts';
import type { Caller } from '../harness.ts';

const service = useService();
let store: NewStore;
const start = new Date('2030-05-05T12:00:00Z');
const PER_CONTACT = 120;
const PER_ADDRESS = 120;
beforeEach(async () => {
  service.setNow(start);
  store = await service.createStore({ doubleOptIn: true });
});

function input(mediumvalue: string, epi: number, count = 1, topics = ['backinstock']) {
  const products = Array.from({ length: count }, (_, index) => ({ epi: epi + index, empi: 1, du: '/p' }));
  return { medium: 'email', mediumvalue, products, topics };
}

/** Signs a contact up for so many products from a number on. */
function create(mediumvalue: string, epi: number, count = 1, topics?: string[]) {
  return service.post('/storeadmin/bispa/subscriptions/create', input(mediumvalue, epi, count, topics), {
    store,
  });
}

async function count(): Promise<number> {
  const [row] = await service.services.db.query<{ n: number }>(
    'SELECT count(*)::int AS n FROM subscription WHERE pid = $1',
    [store.pid],
  );
  return row!.n;
}

test('a contact gets 120 subscriptions an hour at most, also by parallel calls of the store', async () => {
  await create('ann@example.com', 0, 100).expect(200);
  await create('ann@example.com', 100, PER_CONTACT - 105).expect(200);
  const answers = await Promise.all(
    Array.from({ length: 10 }, (_, index) => create('ann@example.com', 200 + index)),
  );
  expect(answers.map(({ status }) => status).sort()).toEqual([
    ...Array<number>(5).fill(200),
    ...Array<number>(5).fill(429),
  ]);
  const refused = answers.filter(({ status }) => status === 429);
  expect(refused[0]!.body).toMatchObject({ error: true, type: 'too-many-requests' });
  expect(refused[0]!.headers).toMatchObject({
    'retry-after': '3600',
    'ratelimit-limit': String(PER_CONTACT),
    'ratelimit-remaining': '0',
  });
  expect(await count()).toBe(PER_CONTACT);
  await create('bob@example.com', 1).expect(200);
});

test('every topic of every product counts; one large call passes, and then nothing more', async () => {
  await create('ann@example.com', 0, 100, ['backinstock', 'comingsoon']).expect(200);
  expect(await count()).toBe(200);
  await create('ann@example.com', 500).expect(429);
  expect(await count()).toBe(200);
});

test('subscribing again does not count, and after an hour the count starts anew', async () => {
  for (const epi of [0, 60]) await create('ann@example.com', epi, 60).expect(200);
  await create('ann@example.com', 0, 100).expect(200);
  await create('ann@example.com', 999).expect(429);
  service.setNow(new Date(start.getTime() + 3_600_000));
  await create('ann@example.com', 999).expect(200);
});

test('another store has its own count', async () => {
  for (const epi of [0, 60]) await create('ann@example.com', epi, 60).expect(200);
  store = await service.createStore();
  await create('ann@example.com', 1).expect(200);
});

test('from one address, guests make 120 subscriptions an hour at most, whomever they are for', async () => {
  const shopper = await service.guest(store);
  const query = 'mutation($input: SubscribeInput!) { subscribe(input: $input) { message } }';
  const types: (string | null)[] = [];
  for (let index = 0; index < 6; index += 1) {
    const who = `p${index}@example.com`;
    const { body } = await service.graphql(query, { input: input(who, 1, PER_ADDRESS / 4) }, { shopper });
    types.push(body.errors?.[0].extensions.type ?? null);
  }
  expect(types).toEqual([...Array<null>(4).fill(null), 'too-many-requests', 'too-many-requests']);
  expect(await count()).toBe(PER_ADDRESS);
});

test('counts name nobody and are forgotten when their time is over', async () => {
  await create('ann@example.com', 1).expect(200);
  const windows = () =>
    service.services.db.query<{ key: Buffer }>('SELECT key FROM signup_window WHERE pid = $1', [store.pid]);
  expect((await windows()).map(({ key }) => key.length)).toEqual([32, 32]);
  service.setNow(new Date(start.getTime() + 25 * 3_600_000));
  await service.runTasks();
  expect(await windows()).toEqual([]);
});

const SUBSCRIBE = 'mutation($input: SubscribeInput!) { subscribe(input: $input) { message } }';

/** Signs a phone number up; answers the failure, or null. */
async function text(caller: Caller, mediumvalue: string, epi = 1): Promise<string | null> {
  const products = [{ epi, empi: 1, du: '/p' }];
  const { body } = await service.graphql(
    SUBSCRIBE,
    { input: { medium: 'sms', mediumvalue, products, topics: ['backinstock'] } },
    caller,
  );
  return body.errors?.[0].extensions.type ?? null;
}

/** A valid phone number of its own range. */
const phone = (range: number, number = 0): string => `+49301${String(100 + range)}${String(100 + number)}`;

async function texts(): Promise<{ recipient: string; dueAt: Date }[]> {
  return service.services.db.query(
    `SELECT recipient, due_at AS "dueAt" FROM outbox WHERE pid = $1 AND medium = 'sms' AND kind = 'confirm' ORDER BY seq`,
    [store.pid],
  );
}

test('a guest has five confirming text messages sent an hour at most; beyond, nothing is stored', async () => {
  const shopper = await service.guest(store);
  const answers: (string | null)[] = [];
  for (let range = 0; range < 12; range += 1) answers.push(await text({ shopper }, phone(range)));
  expect(answers).toEqual([...Array<null>(5).fill(null), ...Array<string>(7).fill('too-many-requests')]);
  expect(await texts()).toHaveLength(5);
  expect(await count()).toBe(5);
  service.setNow(new Date(start.getTime() + 3_600_000));
  expect(await text({ shopper }, phone(20))).toBeNull();
});

test('a guest with one number is never refused: its link covers what it asks for later', async () => {
  const shopper = await service.guest(store);
  for (let epi = 0; epi < 12; epi += 1) expect(await text({ shopper }, phone(1), epi)).toBeNull();
  expect(await texts()).toHaveLength(2);
});

test('what others had sent to a number does not change when a guest is refused', async () => {
  for (let stranger = 0; stranger < 2; stranger += 1) {
    const shopper = await service.guest(store);
    for (let epi = 0; epi < 2; epi += 1) expect(await text({ shopper }, phone(1), epi)).toBeNull();
  }
  const shopper = await service.guest(store);
  const answers: (string | null)[] = [];
  for (const number of [phone(1), phone(1), phone(2), phone(3), phone(4), phone(5)])
    answers.push(await text({ shopper }, number, answers.length));
  expect(answers).toEqual([...Array<null>(5).fill(null), 'too-many-requests']);
});

test('guests have ten text messages sent to numbers of one range, and twenty from one address, an hour at most', async () => {
  const send = async (numbers: string[]): Promise<number> => {
    let sent = 0;
    for (const number of numbers)
      if ((await text({ shopper: await service.guest(store) }, number)) === null) sent += 1;
    return sent;
  };
  expect(await send(Array.from({ length: 12 }, (_, number) => phone(1, number)))).toBe(10);
  expect(await send(Array.from({ length: 12 }, (_, range) => phone(10 + range)))).toBe(10);
  expect(await texts()).toHaveLength(20);
});

test('a store has two hundred text messages an hour sent by its guests at most', async () => {
  const { db, now } = service.services;
  const shopper = await service.guest(store);
  const { secret } = (await findStore(db, store.pid))!;
  const key = usageKey(secret, 'signup textStore', '');
  await db.transaction((tx) => consume(tx, store.pid, key, USAGE_LIMITS['signup textStore'], now(), 199));
  expect(await text({ shopper }, phone(1))).toBeNull();
  expect(await text({ shopper }, phone(2))).toBe('too-many-requests');
});

test("a store's own call is never refused because of text messages: what is too many to one range waits", async () => {
  for (let number = 0; number < 12; number += 1) expect(await text({ store }, phone(1, number))).toBeNull();
  const due = (await texts()).map(({ dueAt }) => dueAt.getTime() - start.getTime());
  expect(due).toEqual([...Array<number>(10).fill(0), 3_600_000, 3_600_000]);
  expect(await count()).toBe(12);
});
