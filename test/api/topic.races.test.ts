import { queueNextPortion } from '../../src/alerts/events/event.service.ts';
import { seedSubscription, setStock } from '../alerts/kit.ts';
import { useNewStore, useService } from '../harness.ts';

const service = useService();
const store = useNewStore(service);

const save = (input: object) =>
  service.graphql(
    'mutation ($input: SaveTopicInput!) { saveTopic(input: $input) { name } }',
    { input },
    { store },
  );

test('two people who save different fields of a topic at once both keep theirs', async () => {
  for (let round = 1; round <= 10; round += 1) {
    await Promise.all([
      save({ name: 'backinstock', subject: `Subject ${round}` }),
      save({ name: 'backinstock', minStock: round }),
      save({ name: 'backinstock', expiryDays: round }),
    ]);
    const { body } = await service.graphql('{ topics { subject minStock expiryDays } }', {}, { store });
    expect(body.data.topics[0]).toEqual({ subject: `Subject ${round}`, minStock: round, expiryDays: round });
  }
});

test('a store has at most 100 topics, however many are made at once', async () => {
  await service.services.db.query(
    `INSERT INTO topic (pid, name, trigger, subject, html, text, sms)
     SELECT $1, 'topic ' || n, 'manual', 's', 'h', 't', 'm' FROM generate_series(1, 93) n`,
    [store.pid],
  );
  // The built-in topics are among the 100, whether the store has changed them or not.
  expect((await save({ name: 'backinstock', minStock: 2 })).body.errors).toBeUndefined();
  const answers = await Promise.all(
    Array.from({ length: 5 }, (_, index) => save({ name: `new ${index}`, minStock: 2 })),
  );
  const refused = answers.filter(({ body }) => body.errors !== undefined);
  expect(refused.map(({ body }) => [body.errors[0].extensions.type, body.errors[0].message])).toEqual(
    Array.from({ length: 3 }, () => ['limit-reached', 'A store can have at most 100 topics']),
  );
  expect((await save({ name: 'topic 1', minStock: 3 })).body.errors).toBeUndefined();
  expect((await save({ name: 'comingsoon', minStock: 3 })).body.errors).toBeUndefined();
});

test('changes of stock and the queueing of alerts do not read the texts of topics', async () => {
  const { db } = service.services;
  await save({ name: 'backinstock', subject: 'Back' });
  await seedSubscription(service, store, { epi: '1' });
  const texts = ['subject', 'html', 'text', 'sms'];
  const rename = async (from: string, to: string) => {
    for (const column of texts) await db.query(`ALTER TABLE topic RENAME ${column}${from} TO ${column}${to}`);
  };
  await rename('', '_away');
  try {
    await setStock(service, store, '1', 3);
    while (await queueNextPortion(service.services));
  } finally {
    await rename('_away', '');
  }
  expect(await db.query('SELECT 1 FROM outbox WHERE pid = $1', [store.pid])).toHaveLength(1);
});
