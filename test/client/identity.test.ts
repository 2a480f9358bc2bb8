import { randomUUID } from 'node:crypto';
import { init } from '../../packages/client/src/wishgate.ts';
import { revokeSessions } from '../../src/shoppers/shopper.service.ts';
import { useService, useStore } from '../harness.ts';
import type { TestShopper } from '../harness.ts';
import { openTab, product } from './kit.ts';

const service = useService();
const store = useStore(service);

test('the back end is asked once a page, however many calls there are', async () => {
  const tab = openTab(service.url, await service.guest(store));
  await Promise.all([
    tab.client.createList({ lname: 'One' }),
    tab.client.createList({ lname: 'Two' }),
    tab.client.fetchLists(),
  ]);
  expect(tab.identified()).toBe(1);
});

test('a regid that a login merged away is replaced once, and the call succeeds', async () => {
  const uuid = randomUUID();
  const guest = await service.guest(store, uuid);
  const tab = openTab(service.url, guest);
  await tab.client.createList({ lname: 'Of the guest' });
  const useremail = `${uuid}@example.com`;
  const { body: account } = await service.post(
    '/storeadmin/v3/user/generate-regid',
    { uuid, useremail, useragenttype: 'test' },
    { store },
  );
  tab.become(account);
  expect(await tab.client.fetchListDetails({ lid: (await tab.client.fetchLists())[0]!.lid })).toMatchObject({
    list: { lname: 'Of the guest' },
  });
  expect(tab.identified()).toBe(2);
});

test('ended sessions are replaced by one question, also for many calls at a time', async () => {
  const useremail = `${randomUUID()}@example.com`;
  const before = await service.account(store, useremail);
  const tab = openTab(service.url, before);
  await tab.client.fetchLists();
  await revokeSessions(service.services, store.pid, { email: useremail });
  const after = await service.account(store, useremail);
  expect(after.sessionid).not.toBe(before.sessionid);
  tab.become(after);
  await Promise.all(['One', 'Two', 'Three'].map((lname) => tab.client.createList({ lname })));
  expect(tab.identified()).toBe(2);
  expect(await tab.client.fetchLists()).toHaveLength(3);
});

test('ended sessions are replaced for GraphQL calls, too', async () => {
  const useremail = `${randomUUID()}@example.com`;
  const tab = openTab(service.url, await service.account(store, useremail));
  await tab.client.isInLists([1]);
  await revokeSessions(service.services, store.pid, { email: useremail });
  tab.become(await service.account(store, useremail));
  expect(await tab.client.isInLists([1])).toEqual([{ epi: 1, isInList: false, lids: [] }]);
  expect(tab.identified()).toBe(2);
});

test('an answer of identify that comes after a newer one takes nothing over', async () => {
  const [guest, account] = [await service.guest(store), await service.account(store)];
  let answerFirst = (_who: TestShopper): void => undefined;
  const first = new Promise<TestShopper>((resolve) => (answerFirst = resolve));
  const questions = [first, Promise.resolve(account)];
  const tab = openTab(service.url, guest, { identify: () => questions.shift()! });
  const heard: string[] = [];
  const early = tab.client.isInLists([1]);
  await tab.client.refreshIdentity();
  await tab.client.createList({ lname: 'Of the account' });
  await tab.client.fetchLists();
  tab.requests.length = 0;
  tab.client.onChange((change) => void heard.push(change));
  answerFirst(guest);
  await early;
  expect(await tab.client.fetchLists()).toMatchObject([{ lname: 'Of the account' }]);
  expect({ heard, requests: tab.requests }).toEqual({ heard: [], requests: ['/graphql'] });
});

test('an identity that stays wrong fails the call after one more try', async () => {
  const tab = openTab(service.url, { pid: store.pid, regid: 'nobody', sessionid: 'nothing' });
  await expect(tab.client.fetchLists()).rejects.toMatchObject({
    status: 401,
    response: { type: 'sw-badregid' },
  });
  expect(tab.identified()).toBe(2);
  expect(tab.requests).toHaveLength(2);
});

test('a back end that fails is asked again at the next call', async () => {
  const shopper = await service.guest(store);
  let isDown = true;
  const tab = openTab(service.url, shopper, {
    identify: () => {
      if (isDown) throw new Error('no back end');
      return shopper;
    },
  });
  await expect(tab.client.fetchLists()).rejects.toMatchObject({
    status: 0,
    message: 'identify failed: no back end',
  });
  isDown = false;
  expect(await tab.client.fetchLists()).toEqual([]);
});

test('save for later follows the shopper through a login', async () => {
  const uuid = randomUUID();
  const useremail = `${uuid}@example.com`;
  await openTab(service.url, await service.account(store, useremail)).client.SaveForLater.init();
  const tab = openTab(service.url, await service.guest(store, uuid));
  const { list: ofGuest } = await tab.client.SaveForLater.init();
  await tab.client.SaveForLater.add(product(1));
  const { body: account } = await service.post(
    '/storeadmin/v3/user/generate-regid',
    { uuid, useremail, useragenttype: 'test' },
    { store },
  );
  tab.become(account);
  await tab.client.SaveForLater.add(product(2));
  const { list, items } = await tab.client.SaveForLater.init();
  expect(items.map(({ epi }) => epi).sort()).toEqual([1, 2]);
  expect(list.lid).not.toBe(ofGuest.lid);
});

const identify = () => ({ regid: 'r', sessionid: 's' });

test.each([
  ['an apiKey option', { apiKey: 'anything' }],
  ['a key as pid', { pid: 'wg_abcdefghijklmnopqrstuvwxyz' }],
  ['a key in the address', { baseUrl: 'https://x:wg_abcdefghijklmnopqrstuvwxyz@wishes.example' }],
  ['a key under another name', { token: 'wg_abcdefghijklmnopqrstuvwxyz' }],
])('%s is refused before anything is sent', (_name, wrong) => {
  expect(() => init({ baseUrl: 'https://wishes.example', pid: 'p', identify, ...wrong })).toThrow('API key');
});

test('an identity that carries an API key is refused', async () => {
  const tab = openTab(service.url, await service.guest(store), {
    identify: () => ({ ...identify(), apiKey: store.apiKey }),
  });
  await expect(tab.client.fetchLists()).rejects.toThrow('API key');
  expect(tab.requests).toEqual([]);
});

test.each([
  ['baseUrl', { baseUrl: 'wishes.example' }],
  ['pid', { pid: '' }],
  ['identify', { identify: '/api/identify' as never }],
])('a wrong %s is named at once', (name, wrong) => {
  expect(() => init({ baseUrl: 'https://wishes.example', pid: 'p', identify, ...wrong })).toThrow(name);
});
