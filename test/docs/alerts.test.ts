import { readFile } from 'node:fs/promises';
import { newAccount } from '../api/list-kit.ts';
import { startService } from '../harness.ts';

test('every example of docs/alerts.md runs', async () => {
  // The mail server of the example is nowhere, and nothing asks where.
  const service = await startService({ webhookAllowPrivate: true });
  try {
    const store = await service.createStore({ senderAddress: 'hello@shop.example' });
    const me = await newAccount(service, store, 'me@example.com');
    const page = await readFile(new URL('../../docs/alerts.md', import.meta.url), 'utf8');
    const examples = [...page.matchAll(/^```graphql\n([\s\S]*?)^```$/gm)].map(([, code]) => code!);
    expect(examples.length).toBeGreaterThanOrEqual(4);
    const known: Record<string, unknown> = {
      epi: 1,
      input: {
        ...{ medium: 'email', mediumvalue: 'me@example.com', topics: ['pricedrop'] },
        products: [{ epi: 1, empi: 9, du: '/p' }],
      },
    };
    for (const query of examples) {
      const wanted = [...query.matchAll(/\$(\w+):/g)].map(([, name]) => [name!, known[name!]]);
      const caller = query.includes('# store') ? { store } : { shopper: me.shopper };
      const { body } = await service.graphql(query, Object.fromEntries(wanted) as object, caller);
      expect([query, body.errors]).toEqual([query, undefined]);
    }
  } finally {
    await service.close();
  }
});
