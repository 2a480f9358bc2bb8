import { useService, useStore } from '../harness.ts';
import type { Fields, TestShopper } from '../harness.ts';
import { NO_PD } from './list-kit.ts';

const service = useService();
const store = useStore(service);
let account: TestShopper;
beforeEach(async () => {
  account = await service.account(store);
});

const UPDATE = '/storeadmin/v3/user/update';
const INFO = 'userinfo { fname lname m sw_mkt ut acc_mkt extags prefs pd }';

const update = (fields: Fields, by = store) =>
  service.post(UPDATE, { regid: account.regid, ...fields }, { store: by });

async function infoOf(shopper: TestShopper): Promise<Record<string, unknown>> {
  const { body } = await service.graphql(`{ shopper { ${INFO} } }`, {}, { shopper });
  return body.data.shopper.userinfo;
}

test('a field left out or empty stays, and a blank one removes what can be absent', async () => {
  await update({ fname: 'Ada', m: '+4930123456', ut: 'vip', acc_mkt: 1, extags: ['a'] }).expect(200);
  const kept = await infoOf(account);
  expect(kept).toMatchObject({ fname: 'Ada', m: '+4930123456', ut: 'vip', acc_mkt: true, extags: ['a'] });
  await update({}).expect(200);
  await update({ fname: '', m: '', acc_mkt: '', extags: '', pd: '' }).expect(200);
  expect(await infoOf(account)).toEqual(kept);
  await update({ m: ' ', acc_mkt: 'false', extags: [] }).expect(200);
  expect(await infoOf(account)).toEqual({ ...kept, m: null, acc_mkt: false, extags: [] });
});

test('a language that is empty or cannot be read changes nothing, and null removes it', async () => {
  const languageAfter = async (language: string | null): Promise<unknown> => {
    const mutation = `mutation ($input: UpdateShopperInput!) { updateShopper(input: $input) { language } }`;
    const caller = { store, headers: { 'x-regid': account.regid } };
    const { body } = await service.graphql(mutation, { input: { language } }, caller);
    return body.data.updateShopper.language;
  };
  expect(await languageAfter('de_ch')).toBe('de-CH');
  for (const unreadable of ['', ' ', '???']) expect(await languageAfter(unreadable)).toBe('de-CH');
  expect(await languageAfter(null)).toBeNull();
});

test('a change is seen at once by the shopper, whose answers are kept', async () => {
  const before = await infoOf(account);
  expect(await infoOf(account)).toEqual(before);
  await update({ pd: { state: 'enabled' } }).expect(200);
  expect(await infoOf(account)).toEqual({ ...before, pd: { ...NO_PD, state: 'enabled' } });
});

test.each<[string, Fields]>([
  ['acc_mkt', { acc_mkt: 'maybe' }],
  ['extags', { extags: '{' }],
  ['extags', { extags: { a: 1 } }],
  ['extags[1]', { extags: '["a",{}]' }],
  ['prefs', { prefs: [1] }],
  ['pd', { pd: 'text' }],
  ['fname', { fname: 'x'.repeat(101) }],
])('a wrong %s is refused by name and changes nothing', async (field, fields) => {
  const { body } = await update({ ut: 'x', ...fields }).expect(400);
  expect(body.type).toBe('invalid-request');
  expect(body.msg).toContain(field);
  expect((await infoOf(account))['ut']).toBeNull();
});

test.each<[string, object]>([
  ['prefs.Mediums', { prefs: { Mediums: [] } }],
  ['prefs.Mediums.email', { prefs: { Mediums: { email: true } } }],
  ['prefs.Mediums.email.signuptime', { prefs: { Mediums: { email: { signuptime: 'today' } } } }],
  ['prefs.Mediums.sms.acceptmarketing', { prefs: { Mediums: { sms: { acceptmarketing: 1 } } } }],
  ['prefs.Mediums.sms.acceptsource', { prefs: { Mediums: { sms: { acceptsource: {} } } } }],
  ['pd.tags', { pd: { tags: 'a, b' } }],
  ['pd.tags[1]', { pd: { tags: ['a', 1] } }],
  ['pd.addresses', { pd: { addresses: {} } }],
  ['pd.orders_count', { pd: { orders_count: '3' } }],
  ['pd.state', { pd: { state: 1 } }],
  ['pd.accepts_marketing', { pd: { accepts_marketing: 'yes' } }],
  ['pd.updated_at', { pd: { updated_at: 'yesterday' } }],
  ['pd.created_at', { pd: { created_at: '2026-99-99' } }],
  ['pd.total_spent', { pd: { total_spent: 12.5 } }],
  ['pd.total_spent', { pd: { total_spent: '12,50 €' } }],
  ['pd.last_order_id', { pd: { last_order_id: [] } }],
])('nonsense in %s is refused by name over REST and GraphQL', async (field, input) => {
  const { body: rest } = await update({ ut: 'x', ...input }).expect(400);
  expect(rest).toMatchObject({ type: 'invalid-request', msg: expect.stringContaining(`${field} must be `) });
  const { body } = await service.graphql(
    'mutation ($input: UpdateShopperInput!) { updateShopper(input: $input) { regid } }',
    { input },
    { store, headers: { 'x-regid': account.regid } },
  );
  expect(body.errors[0]).toMatchObject({
    message: rest.msg,
    extensions: { type: 'invalid-request', status: 400 },
  });
  expect((await infoOf(account))['ut']).toBeNull();
});

test('what has its shape is kept as it came, with keys that are not known and with nulls', async () => {
  const prefs = {
    Mediums: { email: { signuptime: 1, acceptmarketing: false, acceptsource: 'x', more: 1 }, push: {} },
  };
  const pd = {
    ...{
      tags: ['a'],
      addresses: [{ city: 'Ulm' }],
      orders_count: 0,
      state: 'enabled',
      accepts_marketing: true,
    },
    ...{ updated_at: '2026-01-01T10:00:00-05:00', created_at: 1_767_225_600_000, total_spent: '0.00' },
    ...{ last_order_id: null, loyalty: { points: 3 } },
  };
  const { body } = await update({ prefs, pd }).expect(200);
  expect(body.userinfo).toMatchObject({ prefs, pd });
  await update({ pd: { last_order_id: 4_510_000_000_000 } }).expect(200);
  await update({ pd: { last_order_id: 'gid://1' } }).expect(200);
});

test('without a key, without a shopper, by another store and for an unknown shopper nothing changes', async () => {
  const refused = async (call: ReturnType<typeof update>, status: number, type: string): Promise<void> => {
    const { body } = await call.expect(status);
    expect(body.type).toBe(type);
  };
  await refused(service.post(UPDATE, { fname: 'x' }, { shopper: account }), 401, 'unauthorised');
  await refused(service.post(UPDATE, { fname: 'x' }, { store }), 401, 'sw-badregid');
  await refused(update({ fname: 'x', regid: 'nobody' }), 401, 'sw-badregid');
  await refused(update({ fname: 'x' }, await service.createStore()), 401, 'sw-badregid');
  expect((await infoOf(account))['fname']).toBe('');
});
