import { useService, useStore } from '../harness.ts';
import { useAccount } from './list-kit.ts';

// That every field is refused to all but its callers is guarded in views.test.ts.
const service = useService();
const store = useStore(service);
const client = useAccount(service, store);

test('the error names the key that a field requires', async () => {
  const { body } = await client.graphql('{ webhooks { id } stores { totalCount } }');
  const forbidden = { code: 'FORBIDDEN', type: 'forbidden', status: 403 };
  expect(body.errors).toMatchObject([
    { message: expect.stringContaining('requires a store API key'), extensions: forbidden },
    { message: expect.stringContaining('requires an operator key'), extensions: forbidden },
  ]);
});

test('a wrong key, and a wrong session, stay unauthenticated', async () => {
  const typeOf = async (who: object) =>
    (await service.graphql('{ store { pid } }', {}, who)).body.errors[0].extensions.code;
  expect(await typeOf({ store: { ...store, apiKey: 'wrong' } })).toBe('UNAUTHENTICATED');
  expect(await typeOf({ shopper: { ...client.shopper, sessionid: 'wrong' } })).toBe('UNAUTHENTICATED');
  expect(await typeOf({})).toBe('UNAUTHENTICATED');
});

test('REST asks a shopper for the key of the store, with 401 and WWW-Authenticate', async () => {
  const { pid, regid, sessionid } = client.shopper;
  const { body, headers } = await service
    .post('/storeadmin/v3/products/set-stock', { pid, regid, sessionid, stocks: [] })
    .set({ 'x-pid': pid, 'x-regid': regid, 'x-sessionid': sessionid })
    .expect(401);
  expect([body.type, headers['www-authenticate']]).toEqual(['unauthorised', expect.stringMatching(/^Basic/)]);
});
