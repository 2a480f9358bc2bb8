import type { NewStore } from '../../src/domain/store/store.service.ts';
import { startService } from '../harness.ts';
import type { TestService } from '../harness.ts';
import { openStream } from '../live.ts';
import type { Stream } from '../live.ts';
import { item, newAccount } from './list-kit.ts';
import type { Client } from './list-kit.ts';

let service: TestService;
let store: NewStore;
let me: Client;
const open: Stream[] = [];

const watch = async (client: Client, since: string | null = null): Promise<Stream> => {
  const stream = await openStream(service, { shopper: client.shopper }, since);
  open.push(stream);
  return stream;
};

beforeAll(async () => {
  service = await startService();
  store = await service.createStore();
});
beforeEach(async () => {
  me = await newAccount(service, store);
});
afterEach(() => open.splice(0).forEach((stream) => stream.close()));
afterAll(() => service.close());

test('a stream tells the lists as they are, then each change with the lists that changed, also those that are gone', async () => {
  const [one, two] = [await me.create('One'), await me.create('Two')];
  const stream = await watch(me);
  expect(stream.status).toBe(200);
  const first = (await stream.message(1)).data!.lists;
  expect(first).toMatchObject({ isWhole: true, lids: [two.lid, one.lid] });
  expect(first.lists).toEqual([
    { lid: two.lid, cnt: 0 },
    { lid: one.lid, cnt: 0 },
  ]);
  await me.add(one.lid, item(1));
  const second = (await stream.message(2)).data!.lists;
  expect(second).toMatchObject({ isWhole: false, lids: [one.lid], lists: [{ lid: one.lid, cnt: 1 }] });
  await me.ok('lists/delete-list', { lid: two.lid });
  const third = (await stream.message(3)).data!.lists;
  expect(third).toMatchObject({ isWhole: false, lids: [two.lid], lists: [] });
  const revs = [first, second, third].map(({ rev }) => Number(rev));
  expect(revs).toEqual([...new Set(revs)].sort((a, b) => a - b));
});
