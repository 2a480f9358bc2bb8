import { readFile } from 'node:fs/promises';
import { item, newAccount, stock } from '../api/list-kit.ts';
import { startService } from '../harness.ts';
import type { TestService } from '../harness.ts';

let service: TestService;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.close());

test('every example of docs/graphql.md runs', async () => {
  const text = await readFile(new URL('../../docs/graphql.md', import.meta.url), 'utf8');
  const examples = [...text.matchAll(/^```graphql\n([\s\S]*?)^```$/gm)].map(([, code]) => code!);
  expect(examples.length).toBeGreaterThanOrEqual(5);
  const store = await service.createStore();
  const me = await newAccount(service, store);
  const { lid } = await me.create('Birthday');
  await stock(service, store, '1');
  const product = { epi: 1, empi: 900, du: '/p/900' };
  const known: Record<string, unknown> = {
    lid,
    items: [item(1)],
    epis: [1, 2],
    input: {
      medium: 'email',
      mediumvalue: 'friend@example.com',
      products: [product],
      topics: ['backinstock'],
    },
  };
  for (const query of examples) {
    const wanted = [...query.matchAll(/\$(\w+):/g)].map(([, name]) => name!);
    const variables = Object.fromEntries(
      wanted.filter((name) => name in known).map((name) => [name, known[name]]),
    );
    const caller = query.includes('# store') ? { store } : { shopper: me.shopper };
    const { body } = await service.graphql(query, variables, caller);
    expect([query, body.errors]).toEqual([query, undefined]);
  }
});
