import { randomUUID } from 'node:crypto';
import { fc } from '../chance.ts';
import type { NewStore } from '../../src/stores/store.service.ts';
import { item, createClient, stock } from '../api/list-kit.ts';
import type { Client } from '../api/list-kit.ts';
import { startService, useService } from '../harness.ts';
import type { TestService, TestShopper } from '../harness.ts';
import { inFull, times } from '../tier.ts';

// Two processes keep answers over one database, a third keeps none. Whatever is written by whichever of them, all three answer the same.

const RUNS = times(3);
const STEPS = inFull(50, 25);
const VARIANTS = 4;
const SHOPPERS = 2;

const fresh = useService({ responseCacheBytes: 0, rateLimits: false });
let keeping: TestService[];

beforeAll(async () => {
  keeping = [
    await startService({ rateLimits: false }, undefined, fresh),
    await startService({ rateLimits: false }, undefined, fresh),
  ];
});
afterAll(async () => {
  for (const service of keeping) await service.close();
});

const ACTIONS = [
  'add',
  'change',
  'remove',
  'createList',
  'rename',
  'deleteList',
  'stock',
  'removeProduct',
  'profile',
  'merge',
  'erase',
] as const;

type Step = {
  action: (typeof ACTIONS)[number];
  /** Which process does it, for which shopper. */
  process: number;
  shopper: number;
  epi: number;
  value: number;
};

const anyStep: fc.Arbitrary<Step> = fc.record({
  // Most of what a catalogue does concerns nobody, so there is more of it.
  action: fc.constantFrom(...ACTIONS, 'add', 'stock', 'stock', 'removeProduct'),
  process: fc.nat(1),
  shopper: fc.nat(SHOPPERS - 1),
  epi: fc.integer({ min: 1, max: VARIANTS }),
  value: fc.integer({ min: 1, max: 9 }),
});

const READS: ((client: Client, lid: string, alias: string) => Promise<unknown>)[] = [
  async (client) => (await client.call('lists/fetch-lists')).body,
  async (client, lid) => (await client.call('lists/fetch-list-with-contents', { lid })).body,
  async (client) =>
    (
      await client.graphql(
        '{ shopper { userinfo { fname } storage { used } } lists { totalCount edges { node { lname cnt items { edges { node { epi qty stk dt } } } } } } }',
      )
    ).body,
  async (client, _lid, alias) =>
    (await client.graphql('query ($lid: ID!) { shopper { list(lid: $lid) { lid cnt } } }', { lid: alias }))
      .body,
  async (client) => (await client.graphql('{ isInLists(epis: [1, 2, 3]) { epi lids } }')).body,
];

/** `alias` is the lid of the guest's list that was merged last, whether it joined another one or moved. */
type World = { store: NewStore; emails: string[]; shoppers: TestShopper[]; alias: string };

const isGone = async (client: Client): Promise<boolean> =>
  (await client.call('lists/fetch-lists')).status !== 200;

/** Does a step; what cannot be done in this state of things is refused, and that is an answer, too. */
async function run({ action, process, shopper, epi, value }: Step, world: World): Promise<void> {
  const service = keeping[process]!;
  const { store } = world;
  const client = createClient(service, world.shoppers[shopper]!);
  const [list] = (await client.call('lists/fetch-lists')).body as { lid: string }[];
  const lid = list?.lid ?? 'none';
  const asStore = (query: string, who?: TestShopper) => service.graphql(query, {}, { store, shopper: who });
  switch (action) {
    case 'add':
      return void (await client.call('lists/update-ctx', { lid, a: [item(epi, { qty: value })] }));
    case 'change':
      return void (await client.call('lists/update-ctx', { lid, u: [{ epi, qty: value }] }));
    case 'remove':
      return void (await client.call('lists/update-ctx', { lid, d: [{ epi }] }));
    case 'createList':
      return void (await client.call('lists/create', { lname: `List ${value}` }));
    case 'rename':
      return void (await client.call('lists/update', { lid, lname: `Name ${value}` }));
    case 'deleteList':
      return void (await client.call('lists/delete-list', { lid }));
    case 'stock':
      return stock(service, store, String(epi), { stk: value, dt: `Product ${value}` });
    case 'removeProduct':
      return void (await asStore(`mutation { removeProducts(epis: [${epi}]) { __typename } }`));
    case 'profile':
      return void (await asStore(
        `mutation { updateShopper(input: { fname: "Name ${value}" }) { regid } }`,
        world.shoppers[shopper],
      ));
    case 'merge': {
      const guest = createClient(service, await service.guest(store));
      const { lid: theirs } = await guest.create(`List ${value}`);
      await guest.add(theirs, item(epi, { qty: value }));
      const fields = {
        regid: guest.shopper.regid,
        useremail: world.emails[shopper]!,
        useragenttype: 'test',
      };
      await service.post('/storeadmin/v3/user/guest-validate-sync', fields, { store }).expect(200);
      world.alias = theirs;
      return;
    }
    case 'erase':
      await asStore('mutation { eraseShopper { __typename } }', world.shoppers[shopper]);
      // The person comes back: the same regid, a new session.
      if (await isGone(client)) world.shoppers[shopper] = await service.account(store, world.emails[shopper]);
  }
}

/** What everybody reads of everything, three times, so that the third is kept. */
async function compare({ shoppers, alias }: World): Promise<void> {
  for (const shopper of shoppers) {
    const [list] = (await createClient(fresh, shopper).call('lists/fetch-lists')).body as { lid: string }[];
    const lid = list?.lid ?? 'none';
    for (const read of READS) {
      const expected = await read(createClient(fresh, shopper), lid, alias);
      for (const service of keeping)
        expect(await read(createClient(service, shopper), lid, alias)).toEqual(expected);
    }
  }
}

async function play(steps: Step[]): Promise<void> {
  const store = await fresh.createStore();
  const emails = Array.from({ length: SHOPPERS }, () => `${randomUUID()}@example.com`);
  const shoppers = await Promise.all(emails.map((email) => fresh.account(store, email)));
  const world = { store, emails, shoppers, alias: 'none' };
  await compare(world);
  await compare(world);
  for (const step of steps) {
    await run(step, world);
    await compare(world);
  }
}

test(`${RUNS * STEPS} random writes by two processes: what they keep is never older than what a third reads anew`, async () => {
  await fc.assert(fc.asyncProperty(fc.array(anyStep, { minLength: STEPS, maxLength: STEPS }), play), {
    numRuns: RUNS,
    endOnFailure: true,
  });
});

test('no answer is older than a write that was acknowledged before it was asked for, with writers and feeds at work', async () => {
  const store = await fresh.createStore();
  const shopper = await fresh.account(store);
  const [one, two] = keeping.map((service) => createClient(service, shopper)) as [Client, Client];
  const { lid } = await one.create('Counted');
  await one.add(lid, item(1), item(2));
  await stock(fresh, store, '2', { stk: 0 });
  const acknowledged = { qty: 1, stk: 0 };
  let isOver = false;
  const writer = async (): Promise<void> => {
    for (let qty = 2; qty <= times(120); qty += 1) {
      await (qty % 2 ? one : two).ok('lists/update-ctx', { lid, u: [{ epi: 1, qty }] });
      acknowledged.qty = qty;
    }
  };
  const feed = async (): Promise<void> => {
    for (let stk = 1; stk <= times(120); stk += 1) {
      await stock(fresh, store, '2', { stk });
      acknowledged.stk = stk;
    }
  };
  let reads = 0;
  const reader = async (client: Client): Promise<void> => {
    while (!isOver) {
      const before = { ...acknowledged };
      const { items } = (await client.ok('lists/fetch-list-with-contents', { lid })) as {
        items: { epi: number; qty: number; stk: number | null }[];
      };
      const seen = {
        qty: items.find(({ epi }) => epi === 1)!.qty,
        stk: items.find(({ epi }) => epi === 2)!.stk!,
      };
      expect(seen.qty).toBeGreaterThanOrEqual(before.qty);
      expect(seen.stk).toBeGreaterThanOrEqual(before.stk);
      reads += 1;
    }
  };
  const readers = [one, one, two, two].map(reader);
  await Promise.all([writer(), feed()]).finally(() => (isOver = true));
  await Promise.all(readers);
  expect(reads).toBeGreaterThan(0);
});
