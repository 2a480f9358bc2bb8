import type { PoolClient } from 'pg';
import { seedSubscription } from '../alerts/kit.ts';
import { useNewStore, useService } from '../harness.ts';
import type { Caller } from '../harness.ts';

// What a subscription shows of its topic and product.
const service = useService();
const store = useNewStore(service);
const ANN = 'ann@example.com';
beforeEach(async () => {
  const input = '{ name: "launch", trigger: tag, tag: "new", subject: "Secret words", shoppersPerUnit: 3 }';
  await service.graphql(`mutation { saveTopic(input: ${input}) { name } }`, {}, { store }).expect(200);
});

const seed = (topic: string, epi = '1', value = ANN) =>
  seedSubscription(service, store, { epi, topic, value });

async function read(selection: string, caller: Caller) {
  const { body } = await service.graphql(
    `{ subscriptions(first: 100) { edges { node { topic ${selection} } } } }`,
    {},
    caller,
  );
  return {
    types: (body.errors ?? []).map((error: { extensions: { type: string } }) => error.extensions.type),
    nodes: body.data?.subscriptions?.edges.map((edge: { node: object }) => edge.node),
  };
}

test('a subscription shows its topic to whoever may read it; a name that is no topic has none', async () => {
  for (const topic of ['nameless', 'launch', 'backinstock']) await seed(topic);
  const shopper = await service.account(store, ANN);
  for (const caller of [{ shopper }, { store }, { store, shopper }]) {
    expect(await read('topicInfo { name trigger }', caller)).toEqual({
      types: [],
      nodes: [
        { topic: 'backinstock', topicInfo: { name: 'backinstock', trigger: 'automatic' } },
        { topic: 'launch', topicInfo: { name: 'launch', trigger: 'tag' } },
        { topic: 'nameless', topicInfo: null },
      ],
    });
  }
});

test("texts and rules of a topic are the store's: a shopper is refused them and keeps the rest of the answer", async () => {
  await seed('launch');
  const settings = 'topicInfo { name settings { name subject tag shoppersPerUnit } }';
  expect(await read(settings, { store })).toEqual({
    types: [],
    nodes: [
      {
        topic: 'launch',
        topicInfo: {
          name: 'launch',
          settings: { name: 'launch', subject: 'Secret words', tag: 'new', shoppersPerUnit: 3 },
        },
      },
    ],
  });
  const shopper = await service.account(store, ANN);
  expect(await read(settings, { shopper })).toEqual({
    types: ['forbidden'],
    nodes: [{ topic: 'launch', topicInfo: { name: 'launch', settings: null } }],
  });
});

/** How many statements a call sends to the database, by whichever way. */
async function countStatements(act: () => Promise<unknown>): Promise<number> {
  const { pool } = service.services.db;
  let count = 0;
  let isOn = true;
  const seen = new WeakSet<PoolClient>();
  const watch = (client: PoolClient): void => {
    if (seen.has(client)) return;
    seen.add(client);
    const query = client.query.bind(client) as (...args: unknown[]) => unknown;
    client.query = ((...args: unknown[]) => {
      if (isOn) count += 1;
      return query(...args);
    }) as never;
  };
  pool.on('acquire', watch);
  await act();
  isOn = false;
  pool.off('acquire', watch);
  return count;
}

test('the topics and products of 60 subscriptions are read with as many statements as those of 2', async () => {
  const wanted = 'product { epi dt } topicInfo { name settings { subject } }';
  const counts: number[] = [];
  for (const [from, to] of [
    [0, 2],
    [2, 60],
  ] as const) {
    for (let index = from; index < to; index += 1)
      await seed(index % 2 ? 'launch' : 'backinstock', `v${index}`);
    counts.push(
      await countStatements(async () => {
        const { nodes, types } = await read(wanted, { store });
        expect(types).toEqual([]);
        expect(nodes).toHaveLength(to);
      }),
    );
  }
  expect(counts[0]).toBeGreaterThan(3);
  expect(counts[1]).toBe(counts[0]);
});
