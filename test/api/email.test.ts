import { randomUUID } from 'node:crypto';
import { useNewStore, useService } from '../harness.ts';
import type { Caller } from '../harness.ts';

const service = useService();
const store = useNewStore(service);

const GENERATE = '/storeadmin/v3/user/generate-regid';
const products = [{ epi: 1, empi: 1, du: '/p' }];

/** Addresses that only lower case makes ASCII: in the name, in the domain, and a letter that becomes two. */
const OTHERS = ['ban\u212A@example.com', 'info@ban\u212A.example', 'b\u0130ll@example.com'];

describe.each(OTHERS)('%j is not the address that lower case makes of it', (other) => {
  test('it opens nobody’s account, by REST or GraphQL, for a guest or an account', async () => {
    await service
      .post(GENERATE, { useremail: other.toLowerCase(), useragenttype: 'test' }, { store })
      .expect(200);
    const guest = await service.guest(store);
    const calls = [
      service.post(GENERATE, { useremail: other, useragenttype: 'test' }, { store }),
      service.post(
        '/storeadmin/v3/user/guest-validate-sync',
        { regid: guest.regid, useremail: other, useragenttype: 'test' },
        { store },
      ),
    ];
    for (const call of calls) {
      const { status, body } = await call;
      expect([status, body.type, body.sessionid]).toEqual([400, 'invalid-useremail', undefined]);
    }
    const { body } = await service.graphql(
      'mutation ($useremail: String!) { generateRegid(useremail: $useremail, useragenttype: "test") { sessionid } }',
      { useremail: other },
      { store },
    );
    expect([body.data.generateRegid, body.errors[0].extensions.type]).toEqual([null, 'invalid-useremail']);
  });

  test('nothing is sent, subscribed, ended, exported, erased or counted for it', async () => {
    const shopper = await service.account(store);
    const { body: list } = await service
      .post('/api/v3/lists/create', { lname: 'Mine' }, { shopper })
      .expect(200);
    const order = { orderId: '1', currency: 'EUR', lines: [{ epi: 1, quantity: 1, price: '1' }] };
    const calls: [string, string, object, Caller][] = [
      [
        'invalid-useremail',
        'mutation ($lid: ID!, $to: String!) { emailList(lid: $lid, toemail: $to) { msg } }',
        { lid: list.lid, to: other },
        { shopper },
      ],
      [
        'invalid-useremail',
        'mutation ($input: CreateListInput!) { createList(input: $input) { lid } }',
        { input: { lname: 'For them', cfor: other } },
        { store, shopper },
      ],
      [
        'invalid-mediumvalue',
        'mutation ($input: SubscribeInput!) { subscribe(input: $input) { message } }',
        { input: { medium: 'email', mediumvalue: other, products, topics: ['backinstock'] } },
        { store },
      ],
      [
        'invalid-mediumvalue',
        'mutation ($value: String!) { unsubscribe(medium: email, mediumvalue: $value) { __typename } }',
        { value: other },
        { store },
      ],
      ...['exportShopper', 'eraseShopper'].map((name): [string, string, object, Caller] => [
        'invalid-useremail',
        `mutation ($useremail: String!) { ${name}(useremail: $useremail) { __typename } }`,
        { useremail: other },
        { store },
      ]),
      [
        'invalid-useremail',
        'mutation ($input: ReportOrderInput!) { reportOrder(input: $input) { isRepeat } }',
        { input: { ...order, useremail: other } },
        { store },
      ],
      [
        'invalid-request',
        'mutation ($address: String!) { updateStore(input: { senderAddress: $address }) { name } }',
        { address: other },
        { store },
      ],
    ];
    for (const [type, query, variables, caller] of calls) {
      const { body } = await service.graphql(query, variables, caller);
      expect([query, body.errors?.length, body.errors?.[0].extensions.type]).toEqual([query, 1, type]);
    }
  });
});

test('capitals of other alphabets still are the same address', async () => {
  const name = randomUUID();
  const small = await service.account(store, `jörg.${name}@example.com`);
  const large = await service.account(store, ` JÖRG.${name}@EXAMPLE.COM `);
  expect(large.regid).toBe(small.regid);
});
