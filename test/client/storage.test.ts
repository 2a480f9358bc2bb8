import type { FetchLike, StorageLike } from '../../packages/client/src/wishgate.ts';
import { useService, useStore } from '../harness.ts';
import { until } from '../until.ts';
import { fakeStorage, openTab } from './kit.ts';

const FETCH = '/api/v3/lists/fetch-lists';

const service = useService();
const store = useStore(service);

const full: StorageLike = {
  getItem: () => null,
  setItem: () => {
    throw new Error('QuotaExceededError');
  },
};
const broken: StorageLike = { getItem: () => '{not json', setItem: () => undefined };

test.each<[string, StorageLike | null]>([
  ['is switched off', null],
  ['is full', full],
  ['holds garbage', broken],
])('everything works while storage %s', async (_name, storage) => {
  const { client } = openTab(service.url, await service.guest(store), { storage: storage as never });
  await client.createList({ lname: 'Still here' });
  expect(await client.fetchLists()).toMatchObject([{ lname: 'Still here' }]);
  await client.createList({ lname: 'Here, too' });
  expect(await client.fetchLists()).toMatchObject([{ lname: 'Here, too' }, { lname: 'Still here' }]);
});

/** Answers the first read of lists when told to, and everything else at once. */
function lateFirstRead(): { fetchLike: FetchLike; isAnswered: () => boolean; release: () => void } {
  let open = (): void => undefined;
  const gate = new Promise<void>((resolve) => (open = resolve));
  let isFirst = true;
  let isAnswered = false;
  return {
    fetchLike: async (url, request) => {
      const isHeld = isFirst && url.includes(FETCH);
      if (isHeld) isFirst = false;
      const answer = await fetch(url, request);
      if (isHeld) {
        isAnswered = true;
        await gate;
      }
      return answer;
    },
    isAnswered: () => isAnswered,
    release: () => open(),
  };
}

test('a read after an own write never joins one from before it, also while storage is full', async () => {
  const { fetchLike, isAnswered, release } = lateFirstRead();
  const { client } = openTab(service.url, await service.guest(store), {
    storage: full as never,
    fetch: fetchLike,
  });
  const early = client.fetchLists();
  await until(isAnswered);
  await client.createList({ lname: 'Written' });
  const late = client.fetchLists();
  release();
  expect(await early).toEqual([]);
  expect(await late).toMatchObject([{ lname: 'Written' }]);
});

test('a storage that fills up makes no tab believe lists from before a write', async () => {
  const shopper = await service.guest(store);
  const storage = fakeStorage();
  let isFull = false;
  const limited = {
    ...storage,
    setItem: (key: string, value: string) => {
      if (isFull && value.length > (storage.entries.get(key)?.length ?? 0)) throw new Error('QuotaExceeded');
      storage.setItem(key, value);
    },
  };
  const [here, there] = [
    openTab(service.url, shopper, { storage: limited }),
    openTab(service.url, shopper, { storage: limited }),
  ];
  expect(await there.client.fetchLists()).toEqual([]);
  isFull = true;
  expect(await here.client.fetchLists({ lty: 'wl' })).toEqual([]);
  await here.client.createList({ lname: 'From here' });
  expect(await there.client.fetchLists()).toMatchObject([{ lname: 'From here' }]);
});

test('what a tab kept is not believed once storage was cleared', async () => {
  const shopper = await service.guest(store);
  const storage = fakeStorage();
  const [here, there] = [
    openTab(service.url, shopper, { storage }),
    openTab(service.url, shopper, { storage }),
  ];
  expect(await here.client.fetchLists()).toEqual([]);
  await there.client.createList({ lname: 'From there' });
  storage.entries.clear();
  expect(await here.client.fetchLists()).toMatchObject([{ lname: 'From there' }]);
});
