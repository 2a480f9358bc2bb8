import { randomUUID } from 'node:crypto';
import { getIntrospectionQuery } from 'graphql';
import type { NewStore } from '../../src/stores/store.service.ts';
import { useService } from '../harness.ts';
import type { Caller, TestShopper } from '../harness.ts';
import { NO_PD } from './list-kit.ts';

const service = useService();
let store: NewStore;
let other: NewStore;
let shopper: TestShopper;

beforeAll(async () => {
  [store, other] = [await service.createStore({ name: 'First' }), await service.createStore()];
  shopper = await service.guest(store);
});

const basicOf = ({ pid, apiKey }: NewStore): string =>
  `Basic ${Buffer.from(`${pid}:${apiKey}`).toString('base64')}`;

/** The failure type of a query, or its data. */
async function ask(query: string, caller: Caller): Promise<unknown> {
  const { body } = await service.graphql(query, {}, caller);
  return body.errors?.[0].extensions.type ?? body.data;
}

test('identity mutations answer the same values as REST', async () => {
  const uuid = randomUUID();
  const rest = await service.guest(store, uuid);
  const { body } = await service.graphql(
    'mutation ($uuid: String) { generateRegid(uuid: $uuid, useragenttype: "test") { message regid sessionid } }',
    { uuid },
    { store },
  );
  expect(body.data.generateRegid).toEqual({
    message: 'Regid generated using uuid',
    regid: rest.regid,
    sessionid: rest.sessionid,
  });
});

test('syncGuest merges, answers the account, and retires the guest', async () => {
  const guest = await service.guest(store);
  const { body } = await service.graphql(
    `mutation ($regid: String!) {
      syncGuest(regid: $regid, useremail: "sync@example.com", useragenttype: "test") { regid sessionid merged { lists items duplicates } }
    }`,
    { regid: guest.regid },
    { store },
  );
  const account = await service.account(store, 'sync@example.com');
  expect(body.data.syncGuest).toEqual({
    regid: account.regid,
    sessionid: account.sessionid,
    merged: { lists: 0, items: 0, duplicates: 0 },
  });
  expect(await ask('{ shopper { regid } }', { shopper: guest })).toBe('sw-badregid');
  expect(await ask('{ shopper { regid } }', { shopper: { ...guest, regid: account.regid } })).toEqual({
    shopper: { regid: account.regid },
  });
});

describe('credentials', () => {
  const STORE = '{ store { pid } }';
  const SHOPPER = '{ shopper { regid } }';
  const rows: [string, () => Caller, { store: unknown; shopper: unknown }][] = [
    ['nothing', () => ({}), { store: 'unauthorised', shopper: 'unauthorised' }],
    ['Basic', () => ({ store }), { store: 'store', shopper: 'sw-badregid' }],
    ['shopper headers', () => ({ shopper }), { store: 'forbidden', shopper: 'shopper' }],
    ['Basic and x-regid', () => ({ store, shopper }), { store: 'store', shopper: 'shopper' }],
    [
      "Basic and another store's x-regid",
      () => ({ store: other, shopper }),
      { store: 'other', shopper: 'sw-badregid' },
    ],
    [
      'a wrong Basic beside good shopper headers',
      () => ({ shopper, headers: { authorization: 'Basic bm9ib2R5OndyaXRl' } }),
      { store: 'unauthorised', shopper: 'unauthorised' },
    ],
    [
      "Basic with another store's x-pid: the key decides",
      () => ({ headers: { authorization: basicOf(store), 'x-pid': other.pid, 'x-regid': shopper.regid } }),
      { store: 'store', shopper: 'shopper' },
    ],
    [
      'an unknown x-pid',
      () => ({ shopper: { ...shopper, pid: 'nobody' } }),
      { store: 'unauthorised', shopper: 'unauthorised' },
    ],
    [
      "another store's x-pid",
      () => ({ shopper: { ...shopper, pid: other.pid } }),
      { store: 'sw-badregid', shopper: 'sw-badregid' },
    ],
    [
      'an unknown x-regid',
      () => ({ shopper: { ...shopper, regid: 'nobody' } }),
      { store: 'sw-badregid', shopper: 'sw-badregid' },
    ],
    [
      'a wrong x-sessionid',
      () => ({ shopper: { ...shopper, sessionid: `${shopper.sessionid}x` } }),
      { store: 'bad-sessionid', shopper: 'bad-sessionid' },
    ],
    [
      'an empty x-sessionid',
      () => ({ shopper: { ...shopper, sessionid: '' } }),
      { store: 'bad-sessionid', shopper: 'bad-sessionid' },
    ],
    [
      'an x-pid whose + was lost',
      () => ({ shopper: { ...shopper, pid: shopper.pid.replaceAll('+', ' ') } }),
      { store: 'forbidden', shopper: 'shopper' },
    ],
  ];
  test.each(rows)('a caller with %s reads only what that opens', async (_name, make, expected) => {
    const known: Record<string, unknown> = {
      store: { store: { pid: store.pid } },
      other: { store: { pid: other.pid } },
      shopper: { shopper: { regid: shopper.regid } },
    };
    expect({ store: await ask(STORE, make()), shopper: await ask(SHOPPER, make()) }).toEqual({
      store: known[String(expected.store)] ?? expected.store,
      shopper: known[String(expected.shopper)] ?? expected.shopper,
    });
  });

  test('a failure carries code, type and status, at its place in the query', async () => {
    const { body, status } = await service.graphql('{ me: shopper { regid } }');
    expect(status).toBe(200);
    expect(body).toEqual({
      data: { me: null },
      errors: [
        {
          message: expect.any(String),
          path: ['me'],
          locations: [{ line: 1, column: 3 }],
          extensions: { code: 'UNAUTHENTICATED', type: 'unauthorised', status: 401 },
        },
      ],
    });
  });
});

describe('updateShopper', () => {
  const UPDATE = `mutation ($input: UpdateShopperInput!) { updateShopper(input: $input) { regid userinfo {
    em fname lname uid pid m sw_mkt ut acc_mkt extags prefs pd cts uts lastlogin } } }`;
  const FILLED = {
    fname: 'Zoë',
    lname: 'Ångström',
    m: '+4915112345678',
    sw_mkt: 'newsletter',
    ut: 'vip',
    acc_mkt: true,
    extags: ['gold', 'spring'],
    prefs: { Mediums: { email: { signuptime: 1, acceptmarketing: true, acceptsource: 'popup' } } },
    pd: { tags: ['a'], orders_count: 3, total_spent: '12.50', addresses: [] },
  };
  const update = async (input: object, caller: Caller) =>
    (await service.graphql(UPDATE, { input }, caller)).body;

  test('fills every field of the record, and a field left out stays', async () => {
    const account = await service.account(store, 'zoe@example.com');
    const asStore = { store, shopper: account };
    await update(FILLED, asStore);
    const { data } = await update({ fname: 'Zoe' }, asStore);
    expect(data.updateShopper).toEqual({
      regid: account.regid,
      userinfo: {
        ...FILLED,
        pd: { ...NO_PD, ...FILLED.pd },
        fname: 'Zoe',
        em: 'zoe@example.com',
        uid: expect.stringMatching(/^[\w-]{22}$/),
        pid: store.pid,
        cts: expect.any(Number),
        uts: expect.any(Number),
        lastlogin: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
      },
    });
  });

  test('the shopper reads its own record, the same', async () => {
    const account = await service.account(store, 'read@example.com');
    await update(FILLED, { store, shopper: account });
    const { body } = await service.graphql(
      '{ shopper { isGuest userinfo { fname lname m sw_mkt ut acc_mkt extags prefs pd } } }',
      {},
      { shopper: account },
    );
    expect(body.data.shopper).toEqual({
      isGuest: false,
      userinfo: { ...FILLED, pd: { ...NO_PD, ...FILLED.pd } },
    });
  });

  test('null removes what can be absent', async () => {
    const account = await service.account(store);
    await update(FILLED, { store, shopper: account });
    const { data } = await update({ m: null, ut: null, sw_mkt: null }, { store, shopper: account });
    expect(data.updateShopper.userinfo).toMatchObject({ m: null, ut: null, sw_mkt: null, fname: 'Zoë' });
  });

  const deep = (levels: number): object => (levels === 0 ? {} : { a: deep(levels - 1) });
  test.each<[string, object]>([
    ['null as consent', { acc_mkt: null }],
    ['a name of two lines', { fname: 'a\nb' }],
    ['a name of 101 characters', { lname: 'x'.repeat(101) }],
    ['a name with NUL', { lname: 'a\u0000' }],
    ['101 tags', { extags: Array(101).fill('x') }],
    ['preferences that are a list', { prefs: [1] }],
    ['preferences that are a text', { prefs: 'x' }],
    ['platform data 20 levels deep', { pd: deep(20) }],
    ['platform data of 40 kB', { pd: { a: 'x'.repeat(40_000) } }],
    ['platform data with NUL', { pd: { a: '\u0000' } }],
    ['platform data with broken Unicode', { pd: { '\ud800': 1 } }],
  ])('%s is refused and changes nothing', async (_name, input) => {
    const account = await service.account(store);
    const { errors } = await update({ ut: 'x', ...input }, { store, shopper: account });
    expect(errors[0].extensions).toMatchObject({ type: 'invalid-request', status: 400 });
    const { body } = await service.graphql('{ shopper { userinfo { ut } } }', {}, { shopper: account });
    expect(body.data.shopper.userinfo.ut).toBeNull();
  });

  test('neither a shopper nor another store can change the record of a shopper', async () => {
    const account = await service.account(store);
    const bySelf = await update(FILLED, { shopper: account });
    expect(bySelf.errors[0].extensions.type).toBe('forbidden');
    const byOther = await update(FILLED, { store: other, shopper: account });
    expect(byOther.errors[0].extensions.type).toBe('sw-badregid');
    const { body } = await service.graphql('{ shopper { userinfo { fname } } }', {}, { shopper: account });
    expect(body.data.shopper.userinfo.fname).toBe('');
  });

  test('an id that no database can hold is the caller’s mistake', async () => {
    const { body } = await service.graphql(
      'mutation { revokeApiKey(id: "a\\u0000b") { pid } }',
      {},
      { store },
    );
    expect(body.errors[0].extensions.type).toMatch(/^(invalid-request|not-found)$/);
  });
});

test('introspection reports Live as the subscription root, never the domain type Subscription', async () => {
  const { body } = await service.graphql(getIntrospectionQuery());
  expect(body.data.__schema.subscriptionType.name).toBe('Live');
  expect(body.data.__schema.queryType.name).toBe('Query');
  expect(body.data.__schema.mutationType.name).toBe('Mutation');
});

test('every type, field, argument and input of the schema is described', async () => {
  const { body } = await service.graphql(getIntrospectionQuery());
  type Described = { name: string; description?: string | null; args?: Described[] };
  type Type = Described & { fields?: Described[]; inputFields?: Described[]; enumValues?: Described[] };
  const bare = (body.data.__schema.types as Type[])
    .filter(({ name }) => !name.startsWith('__'))
    .flatMap((type) => {
      const members = [...(type.fields ?? []), ...(type.inputFields ?? []), ...(type.enumValues ?? [])];
      return [
        [type.name, type.description],
        ...members.flatMap((member) => [
          [`${type.name}.${member.name}`, member.description],
          ...(member.args ?? []).map((arg) => [`${type.name}.${member.name}(${arg.name})`, arg.description]),
        ]),
      ];
    })
    .filter(([, description]) => !description)
    .map(([name]) => name);
  expect(bare).toEqual([]);
});
