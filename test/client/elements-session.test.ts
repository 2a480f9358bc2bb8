import { createRequire } from 'node:module';
import type { Wishgate } from '../../packages/client/src/wishgate.ts';
import type * as session from '../../packages/elements/src/session.ts';
import { useService, useStore } from '../harness.ts';
import { until } from '../until.ts';
import { openTab, product } from './kit.ts';
import type { Tab } from './kit.ts';

const service = useService();
const store = useStore(service);
const stops: (() => void)[] = [];
afterEach(() => stops.splice(0).forEach((stop) => stop()));

const load = createRequire(import.meta.url);
const FILE = load.resolve('../../packages/elements/src/session.ts');

type Page = typeof session & {
  /** Taps a heart of the variant, which shows the opposite at once. */
  tap: (epi: number) => Promise<void>;
  /** What the hearts reported, oldest first. */
  reported: string[];
  /** Adds hearts to the page. */
  show: (...epis: number[]) => void;
  /** How the hearts were drawn last. */
  drawn: () => boolean[];
};

const newTab = async (): Promise<Tab> => openTab(service.url, await service.guest(store));

/** A page with hearts. Its state is that of the module, which each page loads anew. */
async function openPage({ client }: Tab, changed: Partial<Wishgate> = {}, hearts = [1]): Promise<Page> {
  delete load.cache[FILE];
  const page = load(FILE) as typeof session;
  const reported: string[] = [];
  let drawn: boolean[] = [];
  const draw = (): void => void (drawn = hearts.map(page.isSaved));
  draw();
  stops.push(page.follow(draw));
  await page.start({ client: { ...client, watch: () => () => undefined, ...changed }, listName: 'Mine' });
  await until(() => page.page.lists !== null);
  const tap = (epi: number): Promise<void> =>
    page.setSaved(product(epi), !page.isSaved(epi), '', (name) => void reported.push(name));
  const show = (...epis: number[]): void => {
    hearts.push(...epis);
    draw();
  };
  return { ...page, tap, reported, show, drawn: () => drawn };
}

const stored = async (tab: Tab): Promise<unknown[]> => {
  await tab.client.refreshIdentity();
  return (await tab.client.fetchLists()).map(({ lname, listcontents }) => [
    lname,
    ...listcontents.map(({ epi }) => epi),
  ]);
};

test.each([2, 3, 4, 5])(
  '%d quick taps on a heart show the last wish at once and end with it, in their order',
  async (taps) => {
    const tab = await newTab();
    const calls: string[] = [];
    let release = (): void => undefined;
    const held = new Promise<void>((done) => (release = done));
    const { isSaved, tap, reported } = await openPage(tab, {
      addToList: async (...given) => {
        calls.push('add');
        await held;
        return tab.client.addToList(...given);
      },
      deleteFromList: (...given) => {
        calls.push('remove');
        return tab.client.deleteFromList(...given);
      },
    });
    const first = tap(1);
    expect(isSaved(1)).toBe(true);
    await until(() => calls.length > 0);
    for (let count = 2; count <= taps; count += 1) {
      void tap(1);
      expect(isSaved(1)).toBe(count % 2 === 1);
    }
    release();
    await first;
    const isOdd = taps % 2 === 1;
    expect([isSaved(1), calls]).toEqual([isOdd, isOdd ? ['add'] : ['add', 'remove']]);
    expect(reported).toEqual(isOdd ? ['saved'] : ['saved', 'removed']);
    expect(await stored(tab)).toEqual([isOdd ? ['Mine', 1] : ['Mine']]);
  },
);

test('a save and a removal that are refused are taken back, and reported to nobody', async () => {
  const tab = await newTab();
  const { isSaved, tap, reported, setSaved } = await openPage(tab, {
    deleteFromList: () => Promise.reject(new Error('refused')),
  });
  const saving = setSaved(product(1), true, 'x', () => void reported.push('saved'));
  expect(isSaved(1)).toBe(true);
  await expect(saving).rejects.toMatchObject({ status: 400 });
  expect([isSaved(1), reported]).toEqual([false, []]);
  await tap(2);
  const removing = tap(2);
  expect(isSaved(2)).toBe(false);
  await expect(removing).rejects.toThrow('refused');
  expect([isSaved(2), reported, await stored(tab)]).toEqual([true, ['saved'], [['Mine', 2]]]);
});

test('one read serves all hearts of a page, and one more those of lists that are too long for it', async () => {
  const tab = await newTab();
  const { lid } = await tab.client.createList({ lname: 'Mine' });
  const many = Array.from({ length: 501 }, (_, at) => product(at + 1));
  await tab.client.addProductsToList(lid, many.slice(0, 500));
  await tab.client.addProductsToList(lid, many.slice(500));
  await tab.client.refreshIdentity();
  tab.requests.length = 0;
  const { isSaved, tap, show, drawn } = await openPage(tab, {}, [1, 2, 501, 502]);
  await until(() => drawn().join() === 'true,true,true,false');
  expect(tab.requests).toEqual(['/api/v3/lists/fetch-lists', '/graphql']);
  // Hearts that come later, at once.
  show(3, 4, 503);
  await until(() => drawn().join() === 'true,true,true,false,true,true,false');
  expect(tab.requests).toEqual(['/api/v3/lists/fetch-lists', '/graphql', '/graphql']);
  await tap(3);
  expect([isSaved(3), await tab.client.isInLists([3])]).toMatchObject([false, [{ isInList: false }]]);
});
