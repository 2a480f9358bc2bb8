import { useService, useStore } from '../harness.ts';
import { item, newAccount, stock, useNewAccount } from './list-kit.ts';

const service = useService();
const store = useStore(service);
const owner = useNewAccount(service, store);
let lid: string;

beforeAll(async () => {
  await stock(service, store, '1');
});
beforeEach(async () => {
  ({ lid } = await owner.create('Birthday'));
  await owner.add(lid, item(1, { note: 'blue' }), item(2));
});

const QUERY = `query ($lid: ID!) {
  list(lid: $lid) { lid lname cnt di uid cby userinfo { em fname uid }
    listcontents { epi di uby dt } items(first: 1, sort: title) { totalCount edges { node { epi di } } } }
  listContents(lid: $lid) { items { epi note } userinfo { em } pagination { totalcount } }
  listPage(lid: $lid, sortby: price) { items { epi } }
}`;

const paths = ['lists/fetch-list-with-contents', 'lists/fetch-user-list'];
const at = (path: string, pid = store.pid) => `/api/v3/${path}?pid=${encodeURIComponent(pid)}`;
const byPid = (pid = store.pid) => ({ headers: { 'x-pid': pid } });

test('a public list is read with pid and lid alone, masked as for any stranger, over REST and GraphQL', async () => {
  await owner.ok('lists/markPublic', { lid });
  const stranger = await newAccount(service, store);
  for (const path of paths) {
    const { body } = await service.post(at(path), { lid }).expect(200);
    expect(body).toEqual(await stranger.ok(path, { lid }));
    expect(body.list).toMatchObject({ lid, lname: 'Birthday', cnt: 2, di: '', uid: '' });
    expect(body.items.map(({ epi }: { epi: number }) => epi)).toEqual([2, 1]);
  }
  for (const identity of [byPid(), { store }]) {
    const { body } = await service.graphql(QUERY, { lid }, identity);
    expect(body.errors).toBeUndefined();
    expect(body.data).toEqual((await stranger.graphql(QUERY, { lid })).body.data);
    expect(body.data.list).toMatchObject({ di: '', uid: '', listcontents: [{ di: '' }, { di: '' }] });
    expect(JSON.stringify(body)).not.toContain(owner.shopper.regid);
  }
});

test('private, deleted and unknown lists are all not found for who sends no regid', async () => {
  const gone = await owner.create('Gone');
  await owner.ok('lists/markPublic', { lid: gone.lid });
  await owner.ok('lists/delete-list', { lid: gone.lid });
  const other = await service.createStore();
  await owner.ok('lists/markPublic', { lid });
  const hidden = await owner.create('Hidden');
  const cases: [string, string][] = [
    [hidden.lid, store.pid],
    [gone.lid, store.pid],
    ['unknown', store.pid],
    [lid, other.pid],
  ];
  const bodies = new Set<string>();
  for (const [wanted, pid] of cases) {
    for (const path of paths)
      bodies.add(JSON.stringify((await service.post(at(path, pid), { lid: wanted }).expect(404)).body));
    const { body } = await service.graphql(
      'query ($lid: ID!) { list(lid: $lid) { lid } }',
      { lid: wanted },
      byPid(pid),
    );
    expect(body).toEqual({ data: { list: null } });
  }
  expect([...bodies].map((body) => JSON.parse(body).type)).toEqual(['list-not-found']);
});

test('a regid that was sent and is wrong stays 401, also for a public list', async () => {
  await owner.ok('lists/markPublic', { lid });
  for (const path of paths) {
    const unknown = await service.post(at(path), { lid, regid: 'nobody', sessionid: 'x' }).expect(401);
    expect(unknown.body.type).toBe('sw-badregid');
    const { regid } = owner.shopper;
    expect((await service.post(at(path), { lid, regid }).expect(401)).body.type).toBe('bad-sessionid');
    expect((await service.post(at(path, 'nothing'), { lid }).expect(401)).body.type).toBe('unauthorised');
    expect((await service.post(at(path), {}).expect(400)).body.type).toBe('invalid-lid');
  }
});

test('without a regid nothing but public lists is read, and nothing is written', async () => {
  await owner.ok('lists/markPublic', { lid });
  for (const path of ['lists/fetch-lists', 'lists/update', 'lists/delete-list', 'lists/reportShare'])
    expect((await service.post(at(path), { lid }).expect(401)).body.type).toBe('sw-badregid');
  for (const field of ['shopper { regid }', 'allLists { lid }', 'lists { totalCount }']) {
    const { errors } = (await service.graphql(`{ ${field} }`, {}, byPid())).body;
    expect(errors[0].extensions.type).toBe('sw-badregid');
  }
  expect((await owner.contents(lid)).list.lname).toBe('Birthday');
});

test('/shared/<lid> shows a public list with or without pid, and no other', async () => {
  const open = (path: string) => service.get(path);
  await open(`/shared/${lid}`).expect(404);
  await owner.ok('lists/markPublic', { lid });
  for (const address of [`/shared/${lid}`, `/shared/${lid}?pid=${encodeURIComponent(store.pid)}`]) {
    const { text } = await open(address).expect(200);
    expect(text).toContain('Birthday');
    expect(text).toContain('Kettle');
  }
  const other = await service.createStore();
  await open(`/shared/${lid}?pid=${encodeURIComponent(other.pid)}`).expect(404);
  await owner.ok('lists/markPrivate', { lid });
  await open(`/shared/${lid}`).expect(404);
});
