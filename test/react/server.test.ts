import { createElement } from 'react';
import { renderToString } from 'react-dom/server';
import { init } from '../../packages/client/src/wishgate.ts';
import {
  WishgateProvider,
  useActions,
  useIsInList,
  useList,
  useLists,
} from '../../packages/react/src/react.ts';
import type { WishgateSnapshot } from '../../packages/react/src/react.ts';
import { loadWishgate } from '../../packages/react/src/server.ts';
import { useService, useStore } from '../harness.ts';
import type { TestShopper } from '../harness.ts';
import { openTab, product } from '../client/kit.ts';

const service = useService();
const store = useStore(service);
const client = init({
  baseUrl: 'http://127.0.0.1:9',
  pid: 'p',
  storage: null,
  identify: () => Promise.reject(new Error()),
});

const Tile = ({ epi }: { epi: number }) => createElement('b', null, useIsInList(epi) ? '♥' : '♡', epi);
function Shop({ lid }: { lid: string }) {
  const { toggle } = useActions();
  const state = { lists: useLists()?.length, cnt: useList(lid)?.cnt, none: useList('none') };
  const tiles = [1, 2].map((epi) => createElement(Tile, { epi, key: epi }));
  return createElement('div', { onClick: () => toggle(product(1)) }, ...tiles, JSON.stringify(state));
}
const html = (snapshot: WishgateSnapshot | undefined, lid: string): string =>
  renderToString(createElement(WishgateProvider, { client, snapshot }, createElement(Shop, { lid })))
    .replaceAll('<!-- -->', '')
    .replaceAll('&quot;', '"');

async function saver(): Promise<TestShopper & { lid: string }> {
  const shopper = await service.account(store);
  const tab = openTab(service.url, shopper);
  const { lid } = await tab.client.createList({ lname: 'Mine' });
  await tab.client.addToList(lid, { ...product(1), cprops: { size: 'L' } });
  return { ...shopper, lid };
}

test('a page is rendered with the lists of one GraphQL call, which has what REST has', async () => {
  const shopper = await saver();
  const urls: string[] = [];
  const snapshot = await loadWishgate({
    baseUrl: `${service.url}/`,
    pid: store.pid,
    identity: shopper,
    fetch: (url, request) => {
      urls.push(url);
      return fetch(url, request);
    },
  });
  expect(urls).toEqual([`${service.url}/graphql`]);
  const lists = await openTab(service.url, shopper).client.fetchLists();
  expect(snapshot.lists).toEqual(lists);
  // In the same order, too, so that a page that reads them again finds them unchanged.
  expect(JSON.stringify(snapshot.lists)).toBe(JSON.stringify(lists));
  // As it travels in the page.
  const travelled = JSON.parse(JSON.stringify(snapshot)) as WishgateSnapshot;
  expect(html(travelled, shopper.lid)).toBe('<div><b>♥1</b><b>♡2</b>{"lists":1,"cnt":1,"none":null}</div>');
});

test('a visitor whom the server does not know costs no call, and sees the page without lists', async () => {
  const snapshot = await loadWishgate({
    baseUrl: service.url,
    pid: store.pid,
    identity: null,
    fetch: () => Promise.reject(new Error('called')),
  });
  expect(snapshot).toEqual({ lists: null });
  expect(html(snapshot, 'x')).toBe('<div><b>♡1</b><b>♡2</b>{}</div>');
  expect(html(undefined, 'x')).toBe('<div><b>♡1</b><b>♡2</b>{}</div>');
});

test.each<[string, Partial<Parameters<typeof loadWishgate>[0]>, RegExp]>([
  ['rejects the session', { identity: { regid: 'nobody', sessionid: 'none' } }, /regid/i],
  ['is away', { baseUrl: 'http://127.0.0.1:9' }, /fetch failed/],
  ['is no such service', { fetch: async () => ({ status: 200, text: async () => '{}' }) }, /returned 200/],
  [
    'does not respond',
    {
      timeoutMs: 20,
      fetch: (_url, { signal }) =>
        new Promise((_done, fail) => signal.addEventListener('abort', () => fail(signal.reason as Error))),
    },
    /timeout/,
  ],
])('a page is rendered without lists if the service %s', async (_what, options, message) => {
  const errors: unknown[] = [];
  const { regid, sessionid } = await service.guest(store);
  const onError = (error: unknown): void => void errors.push(error);
  const snapshot = await loadWishgate({
    baseUrl: service.url,
    pid: store.pid,
    identity: { regid, sessionid },
    onError,
    ...options,
  });
  expect(snapshot).toEqual({ lists: null });
  expect(errors).toEqual([expect.objectContaining({ message: expect.stringMatching(message) })]);
});

test('hooks without a provider say what is missing', () => {
  expect(() => renderToString(createElement(Tile, { epi: 1 }))).toThrow('<WishgateProvider>');
});
