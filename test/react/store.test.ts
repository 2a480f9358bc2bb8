import type { List, Wishgate } from '../../packages/client/src/wishgate.ts';
import { createStore } from '../../packages/react/src/store.ts';
import type { Store } from '../../packages/react/src/store.ts';
import { useService } from '../harness.ts';
import { until } from '../until.ts';
import { openGuestTab, useShop } from '../client/guest-kit.ts';
import { openTab, product } from '../client/kit.ts';
import type { Tab } from '../client/kit.ts';

const service = useService({ webhookAllowPrivate: true });
const { store, tokenOf } = useShop(service);
const stops: (() => void)[] = [];
afterEach(() => stops.splice(0).forEach((stop) => stop()));

type Page = Tab & { page: Store; errors: string[]; isIn: (epi: number, lid?: string) => boolean };

/** A page of the tab, which follows its lists as the provider does. */
async function openPage(tab: Tab, client: Wishgate = tab.client): Promise<Page> {
  const errors: string[] = [];
  const page = createStore(client, { listName: 'Mine', onError: ({ message }) => void errors.push(message) });
  stops.push(page.start(false));
  await until(() => page.get().lists !== undefined);
  return { ...tab, page, errors, isIn: (epi, lid) => page.isIn(page.get(), epi, lid) };
}
const newPage = async (): Promise<Page> => openPage(openTab(service.url, await service.guest(store)));

/** What the service has, from a browser that has cached nothing. */
const stored = async ({ client }: Tab): Promise<unknown[]> => {
  await client.refreshIdentity();
  return (await client.fetchLists()).map(({ lname, listcontents }) => [
    lname,
    ...listcontents.map(({ epi }) => epi),
  ]);
};

/** A client whose calls of one name end when the test says, in its order, or fail. */
function holdCalls(client: Wishgate, ...names: (keyof Wishgate)[]) {
  const held: { name: string; end: (error?: Error) => void }[] = [];
  const holding =
    (name: keyof Wishgate) =>
    async (...args: never[]) => {
      const result = (client[name] as (...given: never[]) => Promise<unknown>)(...args);
      await new Promise<void>((done, fail) =>
        held.push({ name, end: (error) => (error ? fail(error) : done()) }),
      );
      return result;
    };
  return {
    held,
    client: { ...client, ...Object.fromEntries(names.map((name) => [name, holding(name)])) } as Wishgate,
  };
}

test('a save is shown before the service has it, in a list that it creates', async () => {
  const { page, isIn, hold, ...tab } = await newPage();
  const shown = new Set<boolean>();
  page.subscribe(() => shown.add(isIn(1)));
  const release = hold();
  const saving = page.actions.save(product(1));
  expect(isIn(1)).toBe(true);
  release();
  expect(await saving).toBe(true);
  await until(() => page.get().lists?.[0]?.listcontents[0]?.id !== undefined);
  // What shows the variant is drawn once, however often the lists are read.
  expect([...shown]).toEqual([true]);
  expect(await stored({ ...tab, hold })).toEqual([['Mine', 1]]);
  expect([isIn(1), isIn(2)]).toEqual([true, false]);
});

test('an item that was removed leaves its list at once', async () => {
  const { page, isIn, hold, client } = await newPage();
  await page.actions.save(product(1));
  await until(() => page.get().lists?.[0]?.cnt === 1);
  const release = hold();
  const removing = page.actions.remove(product(1));
  await until(() => !isIn(1));
  expect(page.get().lists).toMatchObject([{ cnt: 0, listcontents: [] }]);
  release();
  expect(await removing).toBe(true);
  expect(await client.isInLists([1])).toMatchObject([{ isInList: false }]);
});

test('what the service rejects is reverted, and reported', async () => {
  const { page, isIn, errors } = await newPage();
  const saving = page.actions.save(product(1), 'no-such-list');
  expect(isIn(1)).toBe(true);
  expect(await saving).toBe(false);
  expect([isIn(1), errors]).toEqual([false, ['List not found']]);
  expect(await page.actions.undo()).toBe(false);
});

test.each([2, 3, 6, 7])('%d quick taps on a heart leave it as it was shown last', async (taps) => {
  const { page, isIn, ...tab } = await newPage();
  const shown: boolean[] = [];
  const done = Array.from({ length: taps }, async () => {
    const result = page.actions.toggle(product(1));
    await Promise.resolve();
    shown.push(isIn(1));
    return result;
  });
  expect(await Promise.all(done)).toEqual(Array(taps).fill(true));
  expect(isIn(1)).toBe(taps % 2 === 1);
  expect(await stored(tab as Tab)).toEqual([taps % 2 ? ['Mine', 1] : ['Mine']]);
});

test('calls about different variants end in any order; a read that is older than a change does not hide it', async () => {
  const tab = openTab(service.url, await service.guest(store));
  await tab.client.createList({ lname: 'Mine' });
  const { held, client } = holdCalls(tab.client, 'addToList', 'fetchLists');
  const opening = openPage(tab, client);
  await until(() => held.length === 1);
  held.shift()!.end();
  const { page, isIn } = await opening;
  const saving = [1, 2, 3].map((epi) => page.actions.save(product(epi)));
  await until(() => held.filter(({ name }) => name === 'addToList').length === 3);
  const adds = held.filter(({ name }) => name === 'addToList');
  const reads = (): typeof held => held.filter(({ name }) => name === 'fetchLists');
  // Each write is announced, and read before the page knows that it succeeded.
  await until(() => reads().length > 0);
  for (const { end } of reads().splice(0)) end();
  expect([1, 2, 3].map((epi) => isIn(epi))).toEqual([true, true, true]);
  adds[2]!.end();
  adds[0]!.end();
  adds[1]!.end(new Error('lost'));
  expect(await Promise.all(saving)).toEqual([true, false, true]);
  expect([isIn(1), isIn(3)]).toEqual([true, true]);
  for (const { end } of reads()) end();
  // The service had it all the same: the next read shows what is true.
  await until(() => {
    for (const { end } of reads()) end();
    return isIn(2);
  });
});

test('a late answer of an earlier read replaces nothing newer', async () => {
  const tab = openTab(service.url, await service.guest(store));
  const { lid } = await tab.client.createList({ lname: 'Mine' });
  const { held, client } = holdCalls(tab.client, 'fetchLists');
  const opening = openPage(tab, client);
  await until(() => held.length === 1);
  held[0]!.end();
  const { page, isIn } = await opening;
  await tab.client.addToList(lid, product(1));
  await until(() => held.length > 1);
  const old = held.splice(0);
  await tab.client.deleteFromList(lid, product(1));
  const [{ version }] = (await tab.client.fetchLists()) as [List];
  await until(() => {
    for (const { end } of held.splice(0)) end();
    return page.get().lists![0]!.version === version;
  });
  for (const { end } of old) end();
  await tab.client.isInLists([1]);
  expect(isIn(1)).toBe(false);
});

test('undo reverts removals and saves, newest first, also while they are under way', async () => {
  const { page, isIn, ...tab } = await newPage();
  await page.actions.save({ ...product(1), note: 'in blue' });
  await until(() => page.get().lists?.[0]?.cnt === 1);
  const removing = page.actions.remove(product(1));
  await until(() => !isIn(1));
  const undoing = page.actions.undo();
  expect(isIn(1)).toBe(true);
  expect(await Promise.all([removing, undoing])).toEqual([true, true]);
  expect((await tab.client.fetchLists())[0]).toMatchObject({ listcontents: [{ epi: 1, note: 'in blue' }] });
  expect(await page.actions.undo()).toBe(true);
  expect(isIn(1)).toBe(false);
  expect(await page.actions.undo()).toBe(false);
  expect(await stored(tab as Tab)).toEqual([['Mine']]);
});

test('save for later is no wishlist; what goes to the cart leaves it', async () => {
  const tab = openTab(service.url, await service.guest(store));
  const { list } = await tab.client.SaveForLater.init();
  await tab.client.SaveForLater.add([product(1), product(2)]);
  const { page, isIn } = await openPage(tab);
  expect([isIn(1), isIn(1, list.lid), page.get().lists?.[0]?.cnt]).toEqual([false, false, 2]);
  expect(await page.actions.moveToCart(product(1), list.lid)).toBe(true);
  expect(await stored(tab)).toEqual([['Save for later', 2]]);
  expect(page.get().lists).toMatchObject([{ cnt: 1, listcontents: [{ epi: 2 }] }]);
});

test('variants beyond what a read of long lists returns are looked up, all that a page shows in one call', async () => {
  const tab = openTab(service.url, await service.account(store));
  const { lid } = await tab.client.createList({ lname: 'Mine' });
  const many = Array.from({ length: 510 }, (_, at) => product(at + 1));
  await tab.client.addProductsToList(lid, many.slice(0, 500));
  await tab.client.addProductsToList(lid, many.slice(500));
  const { page, isIn, requests } = await openPage(tab);
  const last = page.get().lists![0]!.listcontents;
  const beyond = many.map(({ epi }) => epi).filter((epi) => !last.some((item) => item.epi === epi));
  expect([last.length, beyond.length, isIn(beyond[0]!)]).toEqual([500, 10, false]);
  requests.length = 0;
  for (const epi of [...beyond.slice(0, 3), 9_999]) page.show(epi);
  await until(() => isIn(beyond[0]!));
  expect([isIn(beyond[1]!), isIn(9_999), requests]).toEqual([true, false, ['/graphql']]);
  expect(await page.actions.toggle({ ...product(beyond[0]!) })).toBe(true);
  expect(isIn(beyond[0]!)).toBe(false);
  expect(await tab.client.isInLists([beyond[0]!])).toMatchObject([{ isInList: false }]);
});

test('after a logout nothing of the shopper is shown, also not by a read or a change that was under way', async () => {
  const tab = openGuestTab(service, store);
  await tab.client.login(await tokenOf('ada@example.com'));
  const { lid } = await tab.client.createList({ lname: 'Mine' });
  await tab.client.addToList(lid, product(1));
  const { held, client } = holdCalls(tab.client, 'fetchLists');
  const opening = openPage(tab, client);
  await until(() => held.length === 1);
  held.shift()!.end();
  const { page, isIn } = await opening;
  expect(isIn(1)).toBe(true);
  const saving = page.actions.save(product(2), lid);
  await until(() => held.length > 0);
  const old = held.splice(0);
  await tab.client.logout();
  expect([page.get().lists, isIn(1), isIn(2)]).toEqual([undefined, false, false]);
  for (const { end } of old) end();
  await saving;
  expect([page.get().lists, isIn(1), isIn(2)]).toEqual([undefined, false, false]);
  await until(() => {
    for (const { end } of held.splice(0)) end();
    return page.get().lists !== undefined;
  });
  expect([page.get().lists, isIn(1), isIn(2)]).toEqual([[], false, false]);
});

test('lists that did not change stay the same objects', async () => {
  const { page, client } = await newPage();
  const { lid } = await client.createList({ lname: 'One' });
  await client.createList({ lname: 'Two' });
  await until(() => page.get().lists?.length === 2);
  const before = page.get().lists!;
  await client.addToList(lid, product(1));
  await until(() => page.get().lists?.[1]?.cnt === 1);
  expect(page.get().lists![0]).toBe(before[0]);
  const now = page.get().lists;
  let changes = 0;
  page.subscribe(() => (changes += 1));
  await client.updateList({ lid, lname: 'One' });
  await until(() => changes > 0);
  expect(page.get().lists![0]).toBe(now![0]);
});
