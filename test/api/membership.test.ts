import { ApolloClient, HttpLink, InMemoryCache, gql } from '@apollo/client';
import { useService, useStore } from '../harness.ts';
import { statementsOf } from '../statements.ts';
import { item, newAccount, useNewAccount } from './list-kit.ts';
import type { Client } from './list-kit.ts';

const service = useService();
const store = useStore(service);
const me = useNewAccount(service, store);
let from: string;
let to: string;
let sfl: string;
beforeEach(async () => {
  from = (await me.create('From')).lid;
  to = (await me.create('To list')).lid;
  sfl = (await me.graphql('mutation { initSaveForLater { list { lid } } }')).body.data.initSaveForLater.list
    .lid;
  await me.add(from, item(1), item(2));
});

type Membership = { id: string; epi: number; isInList: boolean; lids: string[] };
const FIELDS = 'memberships { id epi isInList lids }';

/** The memberships that a write answers, which must equal those that `isInLists` reads after it. */
async function write(call: string, client: Client = me): Promise<Membership[]> {
  const { body } = await client.graphql(`mutation { written: ${call} { ${FIELDS} } }`);
  expect(body.errors).toBeUndefined();
  const { memberships } = body.data.written as { memberships: Membership[] };
  const epis = memberships.map(({ epi }) => epi);
  const { body: read } = await client.graphql(
    'query ($epis: [VariantId!]!) { isInLists(epis: $epis) { id epi isInList lids } }',
    { epis },
  );
  expect(memberships).toEqual(read.data.isInLists);
  return memberships;
}

const heldIn = (memberships: Membership[]) => memberships.map(({ epi, lids }) => [epi, lids]);
const NEW = (epi: number): string => `{ epi: ${epi}, empi: 9, du: "https://shop.example/p/9" }`;

test('adding and removing items answers the memberships of all of them', async () => {
  const call = `updateListContents(lid: "${from}", a: [${NEW(3)}, ${NEW(3)}], u: [{ epi: 2, qty: 2 }], d: [{ epi: 1 }, { epi: 99 }])`;
  expect(heldIn(await write(call))).toEqual([
    [1, []],
    [99, []],
    [3, [from]],
  ]);
});

test('moves and copies answer the memberships of their variants', async () => {
  const transfer = (name: string): string => `${name}(fromlid: "${from}", tolid: "${to}", epis: [1, 2])`;
  expect(heldIn(await write(transfer('copyItems')))).toEqual([
    [1, [to, from]],
    [2, [to, from]],
  ]);
  expect(heldIn(await write(transfer('moveItems')))).toEqual([
    [1, [to]],
    [2, [to]],
  ]);
});

test('writes of the save-for-later list answer the memberships of their variants', async () => {
  expect(heldIn(await write(`addToSaveForLater(lid: "${sfl}", items: [${NEW(1)}, ${NEW(7)}])`))).toEqual([
    [1, [sfl, from]],
    [7, [sfl]],
  ]);
  expect(heldIn(await write(`updateSaveForLater(lid: "${sfl}", items: [{ epi: 7, qty: 2 }])`))).toEqual([
    [7, [sfl]],
  ]);
  expect(heldIn(await write(`removeFromSaveForLater(lid: "${sfl}", items: [{ epi: 1 }])`))).toEqual([
    [1, [from]],
  ]);
  expect(heldIn(await write(`moveSaveForLaterToCart(lid: "${sfl}", items: [{ epi: 7 }])`))).toEqual([
    [7, []],
  ]);
});

test('archiving, deleting, restoring and copying a list answer the memberships of its variants', async () => {
  await me.add(to, item(2));
  const gone = [
    [2, [to]],
    [1, []],
  ];
  const back = [
    [2, [to, from]],
    [1, [from]],
  ];
  expect(heldIn(await write(`setListArchived(lid: "${from}", isArchived: true)`))).toEqual(gone);
  expect(heldIn(await write(`setListArchived(lid: "${from}", isArchived: false)`))).toEqual(back);
  expect(heldIn(await write(`deleteList(lid: "${from}", limit: 0)`))).toEqual(gone);
  const { body } = await me.graphql(`{ deletedLists { edges { node { ${FIELDS} } } } }`);
  expect(heldIn(body.data.deletedLists.edges[0].node.memberships)).toEqual(gone);
  expect(heldIn(await write(`restoreList(lid: "${from}")`))).toEqual(back);
  await me.ok('lists/update-ctx', { lid: from, d: [{ epi: 1 }] });
  expect(heldIn(await write(`restoreItems(lid: "${from}", epis: [1])`))).toEqual(back);
  const [first] = await write(`createList(input: { lname: "Copied", fromlid: "${from}" })`);
  expect(first).toMatchObject({ epi: 2, isInList: true, lids: [expect.any(String), to, from] });
});

test('a deleted list that cannot be restored answers the memberships of the variants it had', async () => {
  const strict = await service.createStore({ restoreDays: 0 });
  const client = await newAccount(service, strict);
  const { lid } = await client.create('Gone at once');
  await client.add(lid, item(1), item(2));
  expect(heldIn(await write(`deleteList(lid: "${lid}")`, client))).toEqual([
    [2, []],
    [1, []],
  ]);
});

test('an id is the same in every answer, and differs by shopper and variant', async () => {
  const other = await newAccount(service, store);
  const { lid } = await other.create('Other');
  const mine = await write(`updateListContents(lid: "${from}", a: [${NEW(1)}, ${NEW(2)}])`);
  const others = await write(`updateListContents(lid: "${lid}", a: [${NEW(1)}, ${NEW(2)}])`, other);
  expect(new Set([...mine, ...others].map(({ id }) => id)).size).toBe(4);
  const again = await write(`updateListContents(lid: "${from}", d: [{ epi: 1 }])`);
  expect(again[0]!.id).toBe(mine[0]!.id);
});

const isMembership = (name: string): boolean => name.startsWith('membership');

test('a write reads memberships in one statement and only if they are selected, lists in one for all of them', async () => {
  const add = (selection: string) => () =>
    me.graphql(`mutation { updateListContents(lid: "${to}", a: [${NEW(4)}]) { ${selection} } }`);
  expect((await statementsOf(service, add('cnt'))).filter(isMembership)).toEqual([]);
  expect((await statementsOf(service, add(`cnt ${FIELDS}`))).filter(isMembership)).toEqual(['membership']);
  const document = `{ lists { edges { node { lname ${FIELDS} } } } }`;
  const seen = await statementsOf(service, async () => {
    const { body } = await me.graphql(document);
    expect(body.data.lists.edges).toHaveLength(3);
  });
  expect(seen.filter(isMembership)).toEqual(['memberships_of_lists']);
});

test("a reader who does not own the list gets no memberships, nor does the store that lists a shopper's lists", async () => {
  await me.ok('lists/markPublic', { lid: from });
  const other = await newAccount(service, store);
  const document = `query ($lid: ID!) { list(lid: $lid) { cnt ${FIELDS} } }`;
  expect((await other.graphql(document, { lid: from })).body.data.list).toEqual({ cnt: 2, memberships: [] });
  const { body } = await service.graphql(
    `query ($search: String) { shoppers(search: $search) { edges { node { lists { edges { node { ${FIELDS} } } } } } } }`,
    { search: me.shopper.regid },
    { store },
  );
  const lists = body.data.shoppers.edges[0].node.lists.edges as { node: { memberships: unknown[] } }[];
  expect(lists.map(({ node }) => node.memberships)).toEqual([[], [], []]);
});

test('cached memberships of lists follow writes', async () => {
  const document = `query ($lid: ID!) { list(lid: $lid) { ${FIELDS} } }`;
  const read = async () => heldIn((await me.graphql(document, { lid: from })).body.data.list.memberships);
  for (let call = 1; call <= 4; call += 1) expect((await read())[0]).toEqual([2, [from]]);
  await me.add(to, item(2));
  expect((await read())[0]).toEqual([2, [to, from]]);
});

test("a heart in Apollo's normalised cache follows a write without another read", async () => {
  const { pid, regid, sessionid } = me.shopper;
  const headers = { 'x-pid': pid, 'x-regid': regid, 'x-sessionid': sessionid };
  const link = new HttpLink({ uri: `${service.url}/graphql`, headers });
  const client = new ApolloClient({ link, cache: new InMemoryCache() });
  const query = gql`
    query Hearts {
      isInLists(epis: [1, 2]) {
        id
        epi
        isInList
      }
    }
  `;
  const hearts = () =>
    client.readQuery<{ isInLists: Membership[] }>({ query })!.isInLists.map(({ isInList }) => isInList);
  await client.query({ query });
  expect(hearts()).toEqual([true, true]);
  const mutate = (text: string) => client.mutate({ mutation: gql(`mutation { ${text} }`) });
  const memberships = 'memberships { id epi isInList }';
  await mutate(`updateListContents(lid: "${from}", d: [{ epi: 1 }]) { lid ${memberships} }`);
  expect(hearts()).toEqual([false, true]);
  await mutate(`deleteList(lid: "${from}") { id ${memberships} }`);
  expect(hearts()).toEqual([false, false]);
  await mutate(`restoreList(lid: "${from}") { id ${memberships} }`);
  expect(hearts()).toEqual([false, true]);
  client.stop();
});
