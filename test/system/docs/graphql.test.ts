import { randomUUID } from 'node:crypto';
import { item, newAccount, stock } from '../../api/list-kit.ts';
import { useService } from '../../harness.ts';
import type { Caller } from '../../harness.ts';
import { examplesOf } from './blocks.ts';

const service = useService();

test('every example of docs/graphql.md and docs/lists.md runs', async () => {
  const examples = [...(await examplesOf('graphql.md')), ...(await examplesOf('lists.md'))];
  expect(examples.length).toBeGreaterThanOrEqual(5);
  const store = await service.createStore();
  const me = await newAccount(service, store);
  const { lid } = await me.create('Birthday');
  await stock(service, store, '1');
  const product = { epi: 1, empi: 900, du: '/p/900' };
  const guest = await service.guest(store);
  const known: Record<string, unknown> = {
    lid,
    lname: 'Wedding',
    uuid: randomUUID(),
    regid: guest.regid,
    useremail: 'grace@example.com',
    items: [item(1)],
    epis: [1, 2],
    input: {
      medium: 'email',
      mediumvalue: 'friend@example.com',
      products: [product],
      topics: ['backinstock'],
    },
  };
  const callerOf = (query: string): Caller => {
    if (query.includes('# anybody')) return { headers: { 'x-pid': store.pid } };
    return query.includes('# store') ? { store } : { shopper: me.shopper };
  };
  for (const query of examples) {
    const wanted = [...query.matchAll(/\$(\w+):/g)].map(([, name]) => name!);
    const variables = Object.fromEntries(
      wanted.filter((name) => name in known).map((name) => [name, known[name]]),
    );
    const caller = callerOf(query);
    const { body } = await service.graphql(query, variables, caller);
    expect([query, body.errors]).toEqual([query, undefined]);
  }
});
