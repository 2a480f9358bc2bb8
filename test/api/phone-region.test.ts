import { useNewStore, useService } from '../harness.ts';

const service = useService();
const store = useNewStore(service, { defaultRegion: 'DE' });

const subscribe = (mediumvalue: string, fields = {}) =>
  service.post(
    '/storeadmin/bispa/subscriptions/create',
    {
      medium: 'sms',
      mediumvalue,
      products: [{ epi: 1, empi: 1, du: '/p' }],
      topics: ['backinstock'],
      ...fields,
    },
    { store },
  );
const values = async (): Promise<string[]> => {
  const rows = await service.services.db.query<{ value: string }>(
    'SELECT value FROM subscription WHERE pid = $1 ORDER BY value',
    [store.pid],
  );
  return rows.map(({ value }) => value);
};
const setRegion = async (defaultRegion: string | null): Promise<unknown> =>
  (
    await service.graphql(
      'mutation ($input: UpdateStoreInput!) { updateStore(input: $input) { defaultRegion } }',
      { input: { defaultRegion } },
      { store },
    )
  ).body.data.updateStore.defaultRegion;

test.each([
  ['030 1234567', '+49301234567'],
  ['(030) 123-4567', '+49301234567'],
  ['+49 30 1234567', '+49301234567'],
  ['0049 30 1234567', '+49301234567'],
  ['+1 415 555 2671', '+14155552671'],
])('with the region DE the number %s is stored as %s', async (given, stored) => {
  await subscribe(given).expect(200);
  expect(await values()).toEqual([stored]);
});

test('what is no number of the region, or is national without one, is refused and told what to do', async () => {
  const { body: short } = await subscribe('030 12').expect(400);
  expect(short).toMatchObject({
    type: 'invalid-mediumvalue',
    msg: expect.stringContaining('a phone number of DE'),
  });
  expect(await setRegion(null)).toBeNull();
  const { body } = await subscribe('030 1234567').expect(400);
  expect(body.type).toBe('invalid-mediumvalue');
  expect(body.msg).toMatch(/country code.*defaultRegion/);
  expect(await setRegion('us')).toBe('US');
  await subscribe('(415) 555-2671').expect(200);
  expect(await values()).toEqual(['+14155552671']);
});

test('a store ends subscriptions of a contact, and sends a test, by the national number', async () => {
  await subscribe('030 1234567').expect(200);
  const { body } = await service.graphql(
    'mutation { unsubscribe(medium: sms, mediumvalue: "030/1234567") { removed } }',
    {},
    { store },
  );
  expect(body.data.unsubscribe.removed).toBe(1);
  const { body: sent } = await service.graphql(
    'mutation { sendTestAlert(topic: "backinstock", medium: sms, to: "030 1234567") { id } }',
    {},
    { store },
  );
  const [message] = await service.services.db.query(
    'SELECT recipient FROM outbox WHERE pid = $1 AND id = $2',
    [store.pid, sent.data.sendTestAlert.id],
  );
  expect(message).toEqual({ recipient: '+49301234567' });
});

test('export and erasure find what belongs to the national number of a record', async () => {
  const { regid } = await service.account(store, 'phone@example.com');
  await service.post('/storeadmin/v3/user/update', { regid, m: '030 1234567' }, { store }).expect(200);
  await subscribe('+49301234567').expect(200);
  const { body } = await service.post('/storeadmin/v3/user/export', { regid }, { store }).expect(200);
  expect(body.data.subscriptions).toMatchObject([{ value: '+49301234567' }]);
  await service.graphql(
    'mutation ($regid: String) { eraseShopper(regid: $regid) { id } }',
    { regid },
    { store },
  );
  expect(await values()).toEqual([]);
});
