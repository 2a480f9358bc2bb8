import { assertInputObjectType } from 'graphql';
import { createSchema } from '../../src/api/graphql/schema.ts';
import { useNewStore, useService } from '../harness.ts';
import { newAccount } from './list-kit.ts';
import type { Client } from './list-kit.ts';

const service = useService();
const store = useNewStore(service);
const schema = createSchema();
let client: Client;

beforeEach(async () => {
  client = await newAccount(service, store);
  await service.graphql('mutation { updateStore(input: { customItems: true }) { pid } }', {}, { store });
});

type Fields = Record<string, unknown>;

type Failure = { message: string; extensions: { type: string } };

/** An input type that changes a record, with a value for each of its fields. */
type Updating = {
  input: string;
  /** Another value than a new record has. */
  samples: Fields;
  /** Which of these fields cannot be empty, with the type of the error that null gets. */
  refused: Record<string, string>;
  /** Fields that name or select what is written; null in them is no change. */
  names?: string[];
  /** Fields that depend on others, which are sent along. */
  along?: Record<string, Fields>;
  /** Creates a record with its initial values. */
  create: () => Promise<{
    write: (input: Fields) => Promise<{ body: { data: unknown; errors?: Failure[] } }>;
    read: () => Promise<Fields>;
  }>;
};

const asStore = (text: string, variables: object, headers: Record<string, string> = {}) =>
  service.graphql(text, variables, { store, headers });

const ITEM_FIELDS =
  'qty note cprops lbls _av du uri dt title bt sku iu pr price vi compareAtPrice platformitemid bundle { title }';

const ITEM = {
  samples: {
    ...{ qty: 3, note: 'blue', cprops: { a: 1 }, lbls: ['Kitchen'], _av: true, du: '/p/2', uri: '/p/2?v=1' },
    ...{ dt: 'Kettle', title: 'Kettle', bt: 'Acme', sku: 'K-1', iu: '/k.jpg', pr: 20, price: 20, vi: 'Red' },
    ...{ compareAtPrice: 30, platformitemid: 77 },
  },
  refused: { qty: 'invalid-items', _av: 'invalid-items', du: 'invalid-items' },
  names: ['epi', 'empi', 'bundle'],
  // The second name has the same column.
  along: { dt: { title: null }, title: { dt: null }, pr: { price: null }, price: { pr: null } },
};

const createItem = async (part: 'a' | 'u') => {
  const { lid } = await client.create('Wishlist');
  const item = { epi: 1, empi: 9, du: '/p/2' };
  const text = `mutation ($lid: ID!, $items: [ItemInput!]) { updateListContents(lid: $lid, ${part}: $items) { cnt } }`;
  await client.add(lid, item);
  return {
    write: (input: Fields) =>
      client.graphql(text, {
        lid,
        items: [{ ...(part === 'a' ? item : { epi: 1 }), ...input }],
      }),
    read: async () => {
      const { body } = await client.graphql(
        `{ list(lid: "${lid}") { items { edges { node { ${ITEM_FIELDS} } } } } }`,
      );
      return body.data.list.items.edges[0].node;
    },
  };
};

const INPUTS: Record<string, Updating> = {
  'updateList(input:)': {
    input: 'UpdateListInput',
    samples: { lname: 'Other', lnote: 'note', lprops: { a: 1 }, cprops: { b: 1 }, ldesc: { c: 1 } },
    refused: { lname: 'invalid-lname' },
    create: async () => {
      const { lid } = await client.create('Wishlist');
      return {
        write: (input) =>
          client.graphql(
            'mutation ($lid: ID!, $input: UpdateListInput!) { updateList(lid: $lid, input: $input) { lid } }',
            { lid, input },
          ),
        read: async () =>
          (await client.graphql(`{ list(lid: "${lid}") { lname lnote lprops cprops ldesc } }`)).body.data
            .list,
      };
    },
  },
  'updateListContents(u:)': { input: 'ItemInput', ...ITEM, create: () => createItem('u') },
  'updateListContents(a:)': { input: 'ItemInput', ...ITEM, create: () => createItem('a') },
  'updateShopper(input:)': {
    input: 'UpdateShopperInput',
    samples: {
      ...{ fname: 'Ann', lname: 'Lee', m: '123', sw_mkt: 'ad', ut: 'vip', acc_mkt: true, language: 'de' },
      ...{ extags: ['a'], prefs: { theme: 'dark' }, pd: { vip: true } },
      ...{ email: 'nulls@example.com', externalId: 'nulls' },
    },
    refused: { acc_mkt: 'invalid-request', email: 'invalid-useremail' },
    create: async () => {
      const headers = { 'x-regid': client.shopper.regid };
      return {
        write: (input) =>
          asStore(
            'mutation ($input: UpdateShopperInput!) { updateShopper(input: $input) { uid } }',
            { input },
            headers,
          ),
        read: async () => {
          const { body } = await asStore(
            '{ shopper { language externalId userinfo { em fname lname m sw_mkt ut acc_mkt extags prefs pd } } }',
            {},
            headers,
          );
          const { userinfo, ...shopper } = body.data.shopper;
          const { em: email, ...profile } = userinfo;
          return { ...shopper, ...profile, email };
        },
      };
    },
  },
  'updateStore(input:)': {
    input: 'UpdateStoreInput',
    samples: {
      ...{ name: 'Shop', listTypes: ['gifts'], customItems: false, allowedOrigins: ['https://a.example'] },
      ...{
        shareUrl: 'https://a.example/{lid}',
        doubleOptIn: true,
        defaultRegion: 'DE',
        restoreDays: 7,
        guestDays: 9,
      },
      ...{ digestSeconds: 60, quietFrom: '22:00', quietTo: '06:00', timeZone: 'Europe/Berlin', dailyCap: 3 },
      ...{
        logoUrl: 'https://a.example/l.png',
        colour: '#1a73e8',
        senderName: 'S',
        senderAddress: 's@a.example',
      },
      ...{ identityIssuer: 'https://id.example', identityAudience: 'shop', identityAlgorithm: 'ES256' },
      ...{ identityJwksUri: 'https://id.example/keys', identityClaims: 'mail,ok,id' },
      shopifyDomain: 'a.myshopify.com',
      ...{ postalAddress: 'Road 1', imprintUrl: 'https://a.example/i', currency: 'EUR', locale: 'de' },
      ...{ measureAlerts: false, attributionDays: 9 },
    },
    refused: Object.fromEntries(
      [
        ...['name', 'customItems', 'doubleOptIn', 'restoreDays', 'guestDays', 'digestSeconds', 'locale'],
        ...['measureAlerts', 'attributionDays', 'identityAlgorithm', 'identityClaims'],
      ].map((field) => [field, 'invalid-request']),
    ),
    along: { quietFrom: { quietTo: null }, quietTo: { quietFrom: null } },
    create: async () => {
      const fields = Object.keys(assertInputObjectType(schema.getType('UpdateStoreInput')).getFields());
      return {
        write: (input) =>
          asStore('mutation ($input: UpdateStoreInput!) { updateStore(input: $input) { pid } }', { input }),
        read: async () => (await asStore(`{ store { ${fields.join(' ')} } }`, {})).body.data.store,
      };
    },
  },
  'saveTopic(input:)': {
    input: 'SaveTopicInput',
    samples: {
      ...{ trigger: 'tag', tag: 'new', subject: 'S', html: '<b>h</b>', text: 'T', sms: 'M', minStock: 2 },
      ...{ batchSize: 5, batchIntervalSeconds: 60, coolDownSeconds: 60, expiryDays: 9, dropPercent: 9 },
      ...{ lowStock: 9, delaySeconds: 60, listHolders: true },
    },
    refused: Object.fromEntries(
      [
        ...['trigger', 'tag', 'minStock', 'coolDownSeconds', 'dropPercent', 'lowStock', 'delaySeconds'],
        'listHolders',
      ].map((field) => [field, 'invalid-request']),
    ),
    names: ['name', 'language', 'texts', 'shoppersPerUnit'],
    along: { batchSize: { batchIntervalSeconds: null }, batchIntervalSeconds: { batchSize: null } },
    create: async () => {
      const write = (input: Fields) =>
        asStore('mutation ($input: SaveTopicInput!) { saveTopic(input: $input) { name } }', {
          input: { name: 'launch', ...input },
        });
      await write({ trigger: 'tag', tag: 'old' });
      const read = async () => {
        const { body } = await asStore(
          `{ topics { name trigger tag subject html text sms minStock batchSize batchIntervalSeconds coolDownSeconds
            expiryDays dropPercent lowStock delaySeconds listHolders } }`,
          {},
        );
        return body.data.topics.find(({ name }: { name: string }) => name === 'launch');
      };
      return { write, read };
    },
  },
};

describe.each(Object.entries(INPUTS))(
  '%s',
  (_call, { input, samples, refused, names = [], along = {}, create }) => {
    const fields = Object.keys(assertInputObjectType(schema.getType(input)).getFields());

    test('the samples of this test cover every field', () => {
      expect([...Object.keys(samples), ...names].sort()).toEqual([...fields].sort());
    });

    test('null clears a field that can be empty, is refused for any other, and leaves the rest', async () => {
      const { write, read } = await create();
      const initial = await read();
      for (const field of Object.keys(samples)) {
        expect((await write(samples)).body.errors).toBeUndefined();
        const before = await read();
        expect(before).toMatchObject(samples);
        const cleared = { [field]: null, ...along[field] };
        const { errors } = (await write(cleared)).body;
        const after = await read();
        const type = refused[field];
        if (type === undefined) {
          const others = Object.keys(cleared).map((name) => [name, initial[name]]);
          // Both names of one value are cleared together.
          expect([field, errors, after]).toEqual([
            field,
            undefined,
            { ...before, ...Object.fromEntries(others) },
          ]);
        } else {
          expect(errors).toMatchObject([{ message: expect.stringContaining(field), extensions: { type } }]);
          expect(after).toEqual(before);
        }
      }
    });

    test('an omitted field keeps its value', async () => {
      const { write, read } = await create();
      await write(samples);
      const before = await read();
      expect((await write({})).body.errors).toBeUndefined();
      for (const [field, value] of Object.entries(samples))
        if (!along[field]) expect((await write({ [field]: value })).body.errors).toBeUndefined();
      expect(await read()).toEqual(before);
    });
  },
);

test('over REST, null in a JSON array is ignored, and an item keeps what it has', async () => {
  const { lid } = await client.create('Wishlist');
  await client.add(lid, { epi: 1, empi: 9, ...ITEM.samples });
  const [before] = (await client.contents(lid)).items;
  const nulls = Object.fromEntries(Object.keys(ITEM.samples).map((name) => [name, null]));
  const { u } = await client.ok('lists/update-ctx', { lid, u: [{ epi: 1, ...nulls }] });
  expect(u).toEqual([{ ...before, uts: expect.any(Number) }]);
  const { a } = await client.ok('lists/update-ctx', { lid, a: [{ ...nulls, epi: 1, empi: 9, du: '/p/2' }] });
  expect(a).toEqual([{ ...before, uts: expect.any(Number) }]);
});

test('a custom item has the same ids whether its empty fields are null or omitted', async () => {
  const { lid } = await client.create('Wishlist');
  const text = `mutation ($lid: ID!, $a: [ItemInput!]) { updateListContents(lid: $lid, a: $a) { cnt a { epi note sku } } }`;
  const add = async (item: Fields) =>
    (await client.graphql(text, { lid, a: [item] })).body.data.updateListContents;
  const plain = await add({ title: 'Cake', du: '/cake', price: 9, note: 'two layers' });
  const nulls = {
    sku: null,
    iu: null,
    compareAtPrice: null,
    cprops: null,
    bundle: null,
    epi: null,
    empi: null,
  };
  const again = await add({ title: 'Cake', du: '/cake', price: 9, note: null, ...nulls });
  expect(again).toEqual({ cnt: 1, a: [{ ...plain.a[0], note: null }] });
  expect(plain.a[0]).toMatchObject({ note: 'two layers', sku: null });
});

test('null clears the parts of a custom bundle', async () => {
  const { lid } = await client.create('Wishlist');
  const [custom] = (await client.add(lid, { title: 'Set', du: '/set', bundle: [{ title: 'Cup' }] })).a;
  expect(custom).toMatchObject({ lity: 'customBundle', bundle: [{ title: 'Cup' }] });
  const text =
    'mutation ($lid: ID!, $u: [ItemInput!]) { updateListContents(lid: $lid, u: $u) { u { item { lity bundle { title } } } } }';
  const { body } = await client.graphql(text, { lid, u: [{ epi: custom.epi, bundle: null }] });
  expect(body.data.updateListContents.u).toEqual([{ item: { lity: 'custom', bundle: [] } }]);
});

test("null never clears the texts of all parts of a topic, nor a mail server's password", async () => {
  const messageOf = async (text: string) =>
    (await asStore(`mutation { ${text} }`, {})).body.errors[0].message;
  expect(await messageOf('saveTopic(input: { name: "backinstock", texts: null }) { name }')).toBe(
    'texts must not be null: send null as the text of a part',
  );
  const server = 'host: "smtp.shop.example", port: 587, security: starttls, user: "shop", password: null';
  expect(await messageOf(`setMailServer(input: { ${server} }) { host }`)).toMatch(/^password must have/);
});

test('fields of a catalogue variant stay those of the catalogue', async () => {
  const product = { epi: 5, empi: 9, du: '/p/5', dt: 'Kettle', pr: 20 };
  await service.post('/storeadmin/v3/products/upsert', { products: [product] }, { store }).expect(200);
  const { lid } = await client.create('Wishlist');
  await client.add(lid, { epi: 5, empi: 9, du: '/p/5' });
  const text =
    'mutation ($lid: ID!, $u: [ItemInput!]) { updateListContents(lid: $lid, u: $u) { u { item { dt pr } } } }';
  const { body } = await client.graphql(text, { lid, u: [{ epi: 5, dt: null, pr: null }] });
  expect(body.data.updateListContents.u).toEqual([{ item: { dt: 'Kettle', pr: 20 } }]);
});
