import { useService, useStore } from '../harness.ts';
import { until } from '../until.ts';
import { fakeStorage, openTab, product, watchErrors } from './kit.ts';

const FETCH = '/api/v3/lists/fetch-lists';
const FIVE_MINUTES = 5 * 60 * 1000;

const service = useService();
const store = useStore(service, { listTypes: ['registry'] });

test('lists come from the cache for five minutes and then from the service again', async () => {
  const tab = openTab(service.url, await service.guest(store));
  await tab.client.fetchLists();
  tab.advance(FIVE_MINUTES - 1);
  await tab.client.fetchLists();
  expect(tab.requests).toEqual([FETCH]);
  tab.advance(1);
  await tab.client.fetchLists();
  expect(tab.requests).toEqual([FETCH, FETCH]);
});

test('a clock that was set back makes the cache invalid instead of eternal', async () => {
  const tab = openTab(service.url, await service.guest(store));
  await tab.client.fetchLists();
  tab.advance(-1000);
  await tab.client.fetchLists();
  expect(tab.requests).toEqual([FETCH, FETCH]);
});

test('each list type is cached for itself', async () => {
  const tab = openTab(service.url, await service.account(store));
  await tab.client.createList({ lname: 'Wedding', lty: 'registry' });
  await tab.client.createList({ lname: 'Birthday' });
  tab.requests.length = 0;
  const all = await tab.client.fetchLists();
  const registries = await tab.client.fetchLists({ lty: 'registry' });
  expect(all.map(({ lname }) => lname)).toEqual(['Birthday', 'Wedding']);
  expect(registries.map(({ lname }) => lname)).toEqual(['Wedding']);
  expect(await tab.client.fetchLists({ lty: 'registry' })).toEqual(registries);
  expect(tab.requests).toEqual([FETCH, FETCH]);
});

test('concurrent callers share one request, and each gets records of its own', async () => {
  const tab = openTab(service.url, await service.guest(store));
  const { lid } = await tab.client.createList({ lname: 'Shared' });
  tab.requests.length = 0;
  const answers = await Promise.all(Array.from({ length: 20 }, () => tab.client.fetchLists()));
  expect(tab.requests).toEqual([FETCH]);
  answers[0]![0]!.lname = 'changed by a caller';
  expect(answers[1]![0]!.lname).toBe('Shared');
  expect((await tab.client.fetchLists())[0]).toMatchObject({ lid, lname: 'Shared' });
});

test("the client's own writes make the next read fresh", async () => {
  const tab = openTab(service.url, await service.guest(store));
  const { lid } = await tab.client.createList({ lname: 'Mine' });
  expect(await tab.client.fetchLists()).toMatchObject([{ cnt: 0 }]);
  await tab.client.addToList(lid, product(1));
  expect(await tab.client.fetchLists()).toMatchObject([{ cnt: 1, listcontents: [{ epi: 1 }] }]);
});

test('a write in one tab makes the next read of another tab fresh and tells it', async () => {
  const shopper = await service.guest(store);
  const storage = fakeStorage();
  const [here, there] = [
    openTab(service.url, shopper, { storage }),
    openTab(service.url, shopper, { storage }),
  ];
  const heard: string[] = [];
  there.client.onChange((change) => void heard.push(change));
  await there.client.fetchLists();
  await here.client.fetchLists();
  expect(here.requests).toEqual([]);
  await here.client.createList({ lname: 'From here' });
  expect(await there.client.fetchLists()).toMatchObject([{ lname: 'From here' }]);
  await until(() => heard.includes('lists'));
});

test('a read that was under way during a write is not kept', async () => {
  const tab = openTab(service.url, await service.guest(store));
  await tab.client.fetchLists({ lty: 'wl' });
  const release = tab.hold();
  const reading = tab.client.fetchLists();
  await until(() => tab.requests.length === 2);
  const writing = tab.client.createList({ lname: 'Meanwhile' });
  await until(() => tab.requests.length === 3);
  release();
  await Promise.all([reading, writing]);
  expect(await tab.client.fetchLists()).toMatchObject([{ lname: 'Meanwhile' }]);
});

test('a new identity never sees what the one before left in the cache', async () => {
  const [ada, bob] = [await service.account(store), await service.account(store)];
  const storage = fakeStorage();
  const first = openTab(service.url, ada, { storage });
  await first.client.createList({ lname: 'Of Ada' });
  await first.client.fetchLists();
  expect(JSON.stringify([...storage.entries])).toContain('Of Ada');
  const second = openTab(service.url, bob, { storage });
  expect(await second.client.fetchLists()).toEqual([]);
  expect(JSON.stringify([...storage.entries])).not.toContain('Of Ada');
});

test('refreshIdentity asks again, empties the cache and reaches the other tabs', async () => {
  const [guest, account] = [await service.guest(store), await service.account(store)];
  const storage = fakeStorage();
  const [here, there] = [openTab(service.url, guest, { storage }), openTab(service.url, guest, { storage })];
  const heard: string[] = [];
  there.client.onChange((change) => void heard.push(change));
  await Promise.all([here.client.fetchLists(), there.client.fetchLists()]);
  here.become(account);
  there.become(account);
  await here.client.refreshIdentity();
  await until(() => heard.includes('identity'));
  await there.client.createList({ lname: 'In the account' });
  expect(await here.client.fetchLists()).toMatchObject([{ lname: 'In the account' }]);
  expect([here.identified(), there.identified()]).toEqual([2, 2]);
});

test('a page that is no answer of the service fails the call that met it and no later one', async () => {
  let isPortal = true;
  const tab = openTab(service.url, await service.guest(store), {
    fetch: async (url, request) =>
      isPortal ? { status: 200, text: async () => '<h1>Welcome to our network</h1>' } : fetch(url, request),
  });
  const failure = { name: 'WishgateError', status: 200, message: 'The response is not JSON' };
  await expect(tab.client.fetchLists()).rejects.toMatchObject(failure);
  await expect(tab.client.createList({ lname: 'Nowhere' })).rejects.toMatchObject(failure);
  isPortal = false;
  expect(await tab.client.fetchLists()).toEqual([]);
});

test('a listener that throws fails neither the write nor the other listeners, and is seen', async () => {
  const page = watchErrors();
  const { client } = openTab(service.url, await service.guest(await service.createStore()));
  const heard: string[] = [];
  client.onChange(() => {
    throw new Error('of the page');
  });
  client.onChange((change) => void heard.push(change));
  expect(await client.createList({ lname: 'Written' })).toMatchObject({ lname: 'Written' });
  expect(heard).toEqual(['lists']);
  expect(page.end()).toEqual(['of the page']);
});

test('the save-for-later list is among the lists as soon as it is made', async () => {
  const { client, requests } = openTab(service.url, await service.guest(store));
  expect([await client.fetchLists(), await client.fetchLists({ lty: 'sfl' })]).toEqual([[], []]);
  const { list } = await client.SaveForLater.init();
  expect(await client.fetchLists()).toMatchObject([{ lid: list.lid }]);
  expect(await client.fetchLists({ lty: 'sfl' })).toMatchObject([{ lid: list.lid }]);
  requests.length = 0;
  await client.SaveForLater.init();
  await Promise.all([client.fetchLists(), client.fetchLists({ lty: 'sfl' })]);
  expect(requests).toEqual(['/api/v3/lists/sfl/create']);
});

test('neither sessionid nor regid is ever stored', async () => {
  const shopper = await service.account(store);
  const tab = openTab(service.url, shopper);
  await tab.client.SaveForLater.init();
  await tab.client.fetchLists();
  const stored = JSON.stringify([...tab.storage.entries]);
  expect(stored).not.toContain(shopper.sessionid);
  expect(stored).not.toContain(shopper.regid);
});
