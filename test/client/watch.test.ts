import { randomUUID } from 'node:crypto';
import { createRequire } from 'node:module';
import type { FetchLike, List, ListChange, Wishgate } from '../../packages/client/src/wishgate.ts';
import type * as elementsSession from '../../packages/elements/src/session.ts';
import { revokeSessions } from '../../src/shoppers/shopper.service.ts';
import { createClient, item, newAccount } from '../api/list-kit.ts';
import { useService, useStore } from '../harness.ts';
import { until } from '../until.ts';
import { openTab, product } from './kit.ts';

const service = useService();
const store = useStore(service);

const STREAM = '/graphql/stream';
const UPDATE = '/api/v3/lists/update-ctx';
const READ = '/api/v3/lists/fetch-lists';

/** What a page is told, newest last: how many items each list has, and which lists changed. */
type Told = ListChange & { counts: Record<string, number> };

const stops: (() => void)[] = [];
afterEach(() => stops.splice(0).forEach((stop) => stop()));

function watch(client: Wishgate): { told: Told[]; stop: () => void } {
  const told: Told[] = [];
  const stop = client.watch((lists: List[], change) => {
    told.push({ ...change, counts: Object.fromEntries(lists.map(({ lid, cnt }) => [lid, cnt])) });
  });
  stops.push(stop);
  return { told, stop };
}

/** A network whose streams a test refuses, cuts and holds back. */
function openNetwork(refuse: (attempt: number) => Response | null = () => null) {
  const streams: { since: string | null; isOpen: () => boolean; cut: () => void }[] = [];
  let gate = Promise.resolve();
  const send: FetchLike = async (url, request) => {
    if (!url.endsWith(STREAM)) return fetch(url, request);
    const cut = new AbortController();
    const signal = AbortSignal.any([request.signal, cut.signal]);
    const { since } = (JSON.parse(request.body) as { variables: { since: string | null } }).variables;
    streams.push({ since, isOpen: () => !signal.aborted, cut: () => cut.abort() });
    const refusal = refuse(streams.length);
    if (refusal) return refusal;
    const response = await fetch(url, { ...request, signal });
    const held = new TransformStream<Uint8Array, Uint8Array>({
      transform: (bytes, out) => gate.then(() => out.enqueue(bytes)),
    });
    return new Response(response.body!.pipeThrough(held), response);
  };
  const hold = (): (() => void) => {
    let release = (): void => undefined;
    gate = new Promise((resolve) => (release = resolve));
    return () => release();
  };
  return { streams, send, hold };
}

async function newList() {
  const me = await newAccount(service, store);
  const { lid } = (await me.create('Watched')) as List;
  return { me, lid };
}

test('where streams do not get through, the same is told by calls that wait', async () => {
  const { me, lid } = await newList();
  const { send } = openNetwork(() => new Response('no', { status: 502 }));
  const { told, stop } = watch(openTab(service.url, me.shopper, {}, send).client);
  await until(() => told.length === 1);
  await me.add(lid, item(1));
  await until(() => told.length === 2);
  expect(told).toMatchObject([
    { counts: { [lid]: 0 }, lids: [lid] },
    { counts: { [lid]: 1 }, lids: [lid] },
  ]);
  expect(Number(told[1]!.rev)).toBeGreaterThan(Number(told[0]!.rev));
  stop();
  // Ends the call that waits.
  await me.add(lid, item(2));
  expect(told).toHaveLength(2);
});

test('a busy service is asked for a stream again, and one that breaks off continues where it was', async () => {
  const { me, lid } = await newList();
  const { streams, send } = openNetwork((attempt) =>
    attempt === 1 ? Response.json({ error: true, type: 'overloaded', msg: 'Busy' }, { status: 503 }) : null,
  );
  const { client, requests } = openTab(service.url, me.shopper, {}, send);
  const { told } = watch(client);
  await until(() => told.length === 1);
  streams.at(-1)!.cut();
  await me.add(lid, item(1));
  await until(() => told.length === 2);
  expect(told[1]).toMatchObject({ counts: { [lid]: 1 }, lids: [lid] });
  expect([streams[0]!.since, streams.at(-1)!.since]).toEqual([null, told[0]!.rev]);
  expect(requests).not.toContain('/api/v3/lists/changes');
});

test('a hidden page rests, and is told what it missed when it is shown again, until it stops watching', async () => {
  const { me, lid } = await newList();
  const page = Object.assign(new EventTarget(), { visibilityState: 'visible' });
  const show = (state: string): void => {
    page.visibilityState = state;
    page.dispatchEvent(new Event('visibilitychange'));
  };
  const { streams, send } = openNetwork();
  Object.assign(globalThis, { document: page });
  try {
    const { told, stop } = watch(openTab(service.url, me.shopper, {}, send).client);
    await until(() => told.length === 1);
    show('hidden');
    await me.add(lid, item(1));
    expect([streams.some(({ isOpen }) => isOpen()), told.length]).toEqual([false, 1]);
    show('visible');
    await until(() => told.length === 2);
    expect(told[1]).toMatchObject({ counts: { [lid]: 1 }, lids: [lid] });
    stop();
    show('visible');
    await me.add(lid, item(2));
    expect([streams.some(({ isOpen }) => isOpen()), told.length]).toEqual([false, 2]);
  } finally {
    Reflect.deleteProperty(globalThis, 'document');
  }
});

test('a stream whose session has ended goes on with a new one', async () => {
  const email = `${randomUUID()}@example.com`;
  const before = await service.account(store, email);
  const { lid } = (await createClient(service, before).create('Watched')) as List;
  const tab = openTab(service.url, before);
  const { told } = watch(tab.client);
  await until(() => told.length === 1);
  const release = tab.hold();
  await revokeSessions(service.services, store.pid, { email });
  await until(() => tab.requests.filter((path) => path === STREAM).length === 2);
  const after = await service.account(store, email);
  tab.become(after);
  release();
  await createClient(service, after).add(lid, item(1));
  await until(() => told.at(-1)!.counts[lid] === 1);
  expect(told).toHaveLength(2);
});

test('elements read the lists once after a save of their own, when the stream tells of it', async () => {
  const { me, lid } = await newList();
  const { send, hold } = openNetwork();
  const { client, requests } = openTab(service.url, me.shopper, {}, send);
  const reads: Promise<unknown>[] = [];
  let told = 0;
  const watched: Wishgate = {
    ...client,
    fetchLists: (...call) => {
      reads.push(client.fetchLists(...call));
      return reads.at(-1) as Promise<List[]>;
    },
    watch: (onLists, onError) =>
      client.watch((...change) => {
        onLists(...change);
        told += 1;
      }, onError),
  };
  // The elements of one page share this module; no other page is in it.
  const load = createRequire(import.meta.url);
  const path = load.resolve('../../packages/elements/src/session.ts');
  delete load.cache[path];
  const session = load(path) as typeof elementsSession;
  await session.start({ client: watched });
  stops.push(session.follow(() => undefined));
  await until(() => told === 1);
  await Promise.all(reads);
  await until(() => session.page.lists !== null);
  requests.length = 0;
  const release = hold();
  await session.setSaved(product(1), true, 'Watched', () => undefined);
  release();
  await until(() => told === 2);
  await Promise.all(reads);
  expect(requests).toEqual([UPDATE, READ]);
  expect(session.page.lists).toMatchObject([{ lid, cnt: 1 }]);
});
