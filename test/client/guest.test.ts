import { randomUUID } from 'node:crypto';
import { revokeSessions } from '../../src/shoppers/shopper.service.ts';
import type { Identity } from '../../packages/client/src/wishgate.ts';
import { useService } from '../harness.ts';
import { until } from '../until.ts';
import { openGuestTab, useShop } from './guest-kit.ts';
import type { GuestTab } from './guest-kit.ts';
import { fakeStorage, openTab } from './kit.ts';

const service = useService({ webhookAllowPrivate: true });
const { store, tokenOf } = useShop(service);
const names = async ({ client }: GuestTab): Promise<string[]> =>
  (await client.fetchLists()).map(({ lname }) => lname);
const newEmail = (): string => `${randomUUID()}@example.com`;

test('a visitor without a back end is one guest, at every page and in every tab', async () => {
  const storage = fakeStorage();
  const first = openGuestTab(service, store, { storage });
  await first.client.createList({ lname: 'Of the guest' });
  const later = openGuestTab(service, store, { storage });
  expect(await names(later)).toEqual(['Of the guest']);
  expect([first.asked, later.asked]).toEqual([['identify'], []]);
  expect(await names(openGuestTab(service, store))).toEqual([]);
});

test('tabs that open at once end with one guest', async () => {
  const storage = fakeStorage();
  const tabs = Array.from({ length: 4 }, () => openGuestTab(service, store, { storage }));
  await Promise.all(tabs.map(({ client }, at) => client.createList({ lname: `From tab ${at}` })));
  const everything = ['From tab 0', 'From tab 1', 'From tab 2', 'From tab 3'];
  for (const tab of tabs) expect((await names(tab)).sort()).toEqual(everything);
});

test('calls of one page that come at once make one guest, also without any storage', async () => {
  for (const storage of [null, fakeStorage()]) {
    const tab = openGuestTab(service, store, { storage: storage as never });
    await Promise.all(['One', 'Two'].map((lname) => tab.client.createList({ lname })));
    expect((await names(tab)).sort()).toEqual(['One', 'Two']);
    expect(tab.asked).toEqual(['identify']);
  }
});

test('a guest survives while the storage is full or holds garbage', async () => {
  const garbage = fakeStorage();
  garbage.getItem = (key) => garbage.entries.get(key) ?? '{not json';
  const full = fakeStorage();
  full.setItem = () => {
    throw new Error('QuotaExceededError');
  };
  for (const storage of [garbage, full]) {
    const tab = openGuestTab(service, store, { storage });
    await tab.client.createList({ lname: 'Still here' });
    await tab.client.refreshIdentity();
    expect([await names(tab), tab.asked]).toEqual([['Still here'], ['identify']]);
  }
});

test('an identity that the service rejects is replaced by a new guest, in all tabs by the same one', async () => {
  const storage = fakeStorage();
  const tabs = [openGuestTab(service, store, { storage }), openGuestTab(service, store, { storage })];
  const email = newEmail();
  await tabs[0]!.client.login(await tokenOf(email));
  await tabs[0]!.client.createList({ lname: 'Of the account' });
  expect(await names(tabs[1]!)).toEqual(['Of the account']);
  await revokeSessions(service.services, store.pid, { email });
  await tabs[0]!.client.createList({ lname: 'Of the next guest' });
  await tabs[1]!.client.createList({ lname: 'Of the same guest' });
  for (const tab of tabs) expect(await names(tab)).toEqual(['Of the same guest', 'Of the next guest']);
});

test('a login merges the guest, and every tab acts as the account', async () => {
  const storage = fakeStorage();
  const [here, there] = [
    openGuestTab(service, store, { storage }),
    openGuestTab(service, store, { storage }),
  ];
  await here.client.createList({ lname: 'Of the guest' });
  expect(await names(there)).toEqual(['Of the guest']);
  const changes: string[] = [];
  there.client.onChange((change) => void changes.push(change));
  const email = newEmail();
  await here.client.login(await tokenOf(email));
  await until(() => changes.length > 0);
  expect(changes).toEqual(['identity']);
  const account = openTab(service.url, await service.account(store, email));
  expect(await account.client.fetchLists()).toMatchObject([{ lname: 'Of the guest' }]);
  await there.client.createList({ lname: 'Of the account' });
  expect(await account.client.isLoggedIn()).toBe(true);
  expect(await names(here)).toEqual(['Of the account', 'Of the guest']);
  // A page may log in whenever it opens.
  await here.client.login(await tokenOf(email));
  expect(await names(here)).toEqual(['Of the account', 'Of the guest']);
});

test('what is saved while a login is under way is in the account', async () => {
  const tab = openGuestTab(service, store);
  await tab.client.fetchLists();
  const email = newEmail();
  await Promise.all([tab.client.login(await tokenOf(email)), tab.client.createList({ lname: 'Meanwhile' })]);
  expect(await names(tab)).toEqual(['Meanwhile']);
  const account = openTab(service.url, await service.account(store, email));
  expect(await account.client.fetchLists()).toHaveLength(1);
});

test('after a logout the next visitor is a new guest, who sees nothing of the account, in any tab', async () => {
  const storage = fakeStorage();
  const [here, there] = [
    openGuestTab(service, store, { storage }),
    openGuestTab(service, store, { storage }),
  ];
  await here.client.createList({ lname: 'Private' });
  const email = newEmail();
  await here.client.login(await tokenOf(email));
  expect(await names(there)).toEqual(['Private']);
  const changes: string[][] = [[], []];
  [here, there].forEach(({ client }, at) => client.onChange((change) => void changes[at]!.push(change)));
  await here.client.logout();
  expect(JSON.stringify([...storage.entries])).not.toMatch(/Private|regid/);
  await until(() => changes[1]!.length > 0);
  expect([await names(here), await names(there)]).toEqual([[], []]);
  await here.client.createList({ lname: 'Of the next visitor' });
  expect(await names(there)).toEqual(['Of the next visitor']);
  expect(changes.map((all) => all.filter((change) => change === 'identity'))).toEqual([
    ['identity'],
    ['identity'],
  ]);
  const account = openTab(service.url, await service.account(store, email));
  expect(await account.client.fetchLists()).toMatchObject([{ lname: 'Private' }]);
});

test('a guest who logs out keeps its lists', async () => {
  const tab = openGuestTab(service, store);
  await tab.client.createList({ lname: 'Kept' });
  await tab.client.logout();
  expect(await names(tab)).toEqual(['Kept']);
});

test('a second account that logs in takes nothing of the first', async () => {
  const tab = openGuestTab(service, store);
  const [first, second] = [newEmail(), newEmail()];
  await tab.client.login(await tokenOf(first));
  await tab.client.createList({ lname: 'Of the first' });
  await tab.client.login(await tokenOf(second));
  expect(await names(tab)).toEqual([]);
  const account = openTab(service.url, await service.account(store, first));
  expect(await account.client.fetchLists()).toMatchObject([{ lname: 'Of the first' }]);
});

test('a login that fails changes nothing; one whose guest was merged elsewhere succeeds', async () => {
  const storage = fakeStorage();
  const tab = openGuestTab(service, store, { storage });
  await tab.client.createList({ lname: 'Of the guest' });
  await expect(tab.client.login('nobody')).rejects.toMatchObject({ status: 401 });
  expect(await names(tab)).toEqual(['Of the guest']);
  const [key, kept] = [...storage.entries].find(([, text]) => text.includes('regid'))!;
  await openGuestTab(service, store, { storage }).client.login(await tokenOf(newEmail()));
  storage.entries.set(key, kept);
  const email = newEmail();
  await tab.client.login(await tokenOf(email));
  const { regid } = JSON.parse(storage.entries.get(key)!) as Identity;
  expect(regid).toBe((await service.account(store, email)).regid);
});

test('a page may log the guest in elsewhere, and what it returns is kept only if it is an identity', async () => {
  const tab = openGuestTab(service, store);
  await tab.client.createList({ lname: 'Of the guest' });
  const useremail = newEmail();
  const account = await service.account(store, useremail);
  const sent: (Identity | null)[] = [];
  const logIn = async (guest: Identity | null): Promise<Identity> => {
    sent.push(guest);
    const fields = { regid: guest!.regid, useremail, useragenttype: 'test' };
    return (await service.post('/storeadmin/v3/user/guest-validate-sync', fields, { store })).body;
  };
  const noIdentity = async () => ({ msg: 'signature is wrong' }) as unknown as Identity;
  await expect(tab.client.login(noIdentity)).rejects.toMatchObject({ status: 401 });
  expect(await names(tab)).toEqual(['Of the guest']);
  await tab.client.login(logIn);
  expect(sent).toEqual([{ regid: expect.any(String), sessionid: expect.any(String) }]);
  expect(await openTab(service.url, account).client.fetchLists()).toMatchObject([{ lname: 'Of the guest' }]);
  expect(await names(tab)).toEqual(['Of the guest']);
});

test('a shop whose back end identifies its shoppers logs in there', async () => {
  const { client } = openTab(service.url, await service.guest(store));
  for (const call of [client.login('token'), client.logout()])
    await expect(call).rejects.toMatchObject({ message: expect.stringContaining('refreshIdentity') });
});
