import type { NewStore } from '../../src/domain/store/store.service.ts';
import { startService } from '../harness.ts';
import type { TestService } from '../harness.ts';

let service: TestService;
let store: NewStore;
const start = new Date('2030-05-05T12:00:00Z');
const PER_CONTACT = 120;
const PER_ADDRESS = 120;

beforeAll(async () => {
  service = await startService();
});
beforeEach(async () => {
  service.setNow(start);
  store = await service.createStore({ doubleOptIn: true });
});
afterAll(() => service.close());

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
