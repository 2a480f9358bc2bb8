import { isWishlist, plainId } from '../../client/src/ids.ts';
import { trackNewest } from '../../client/src/newest.ts';
import type { Item, List, ProductInput, VariantId, Wishgate } from '../../client/src/wishgate.ts';
import type { StartOptions } from './types.ts';

/** What all elements of the page share; `lists` is null until the first read. */
export const page = {
  client: null as Wishgate | null,
  lists: null as List[] | null,
  listName: 'My Wishlist',
  baseUrl: '',
  pid: '',
};

type Report = (name: 'saved' | 'removed', detail: object) => void;

const listeners = new Set<() => void>();
const begin = trackNewest();
const hearts = new Set<string>();
/** Wishlists by variant, where lists are too long for their previews. */
const members = new Map<string, string[]>();
/** What the shopper wants of a variant, until the service has it. */
const wanted = new Map<string, boolean>();
const running = new Set<string>();
let starting: Promise<Wishgate> | null = null;
let resolve: (client: Wishgate) => void;
let stop: (() => void) | null = null;
let isLive = false;
let reads = 0;

export const started: Promise<Wishgate> = new Promise((done) => (resolve = done));

export const changed = (): void => listeners.forEach((listener) => listener());

export const wishlists = (): List[] => page.lists?.filter(isWishlist) ?? [];

const isWhole = (): boolean => wishlists().every(({ cnt, listcontents }) => listcontents.length >= cnt);

const lidsOf = (key: string): string[] =>
  isWhole()
    ? wishlists().flatMap(({ lid, listcontents }) =>
        listcontents.some(({ epi }) => String(epi) === key) ? lid : [],
      )
    : (members.get(key) ?? []);

/** Reads the lists, from the cache if `watch` has just filled it. The result of a newer read wins. */
export async function refresh(): Promise<void> {
  const client = await started;
  const isNewest = begin();
  reads += 1;
  const lists = await client.fetchLists().finally(() => (reads -= 1));
  if (!isNewest()) return;
  page.lists = lists;
  if (!isWhole()) {
    // One call for all hearts of the page; a call takes 500 variants.
    const found = await client.isInLists([...hearts].slice(-500));
    const own = wishlists().map(({ lid }) => lid);
    for (const { epi, lids } of found)
      members.set(
        String(epi),
        lids.filter((lid) => own.includes(lid)),
      );
  }
  changed();
}

const refreshQuietly = (): void => void refresh().catch(() => undefined);

export function isSaved(epi: VariantId): boolean {
  const key = plainId(epi);
  hearts.add(key);
  if (!isWhole() && !members.has(key)) {
    members.set(key, []);
    refreshQuietly();
  }
  return wanted.get(key) ?? lidsOf(key).length > 0;
}

function watch(client: Wishgate): void {
  const stops = [
    client.watch(
      () => {
        isLive = true;
        refreshQuietly();
      },
      () => (isLive = false),
    ),
    // While nothing is live, other tabs still announce their changes.
    client.onChange((change) => {
      if (change === 'identity') {
        page.lists = null;
        members.clear();
      } else if (isLive) return;
      refreshQuietly();
    }),
  ];
  stop = () => stops.forEach((end) => end());
  refreshQuietly();
}

/** Calls the listener after each change. One watch serves all elements of the page, while there are any. */
export function follow(listener: () => void): () => void {
  listeners.add(listener);
  void started.then((client) => void (stop === null && listeners.size > 0 && watch(client)));
  return () => {
    listeners.delete(listener);
    // A page that moves an element removes it and adds it again.
    queueMicrotask(() => {
      if (listeners.size > 0) return;
      stop?.();
      stop = null;
    });
  };
}

/** Applies a write of this page to the lists, before they are read again. */
export function patch(lid: string, epi: VariantId, item: Item | null): void {
  // A read that began before the write would undo it.
  if (reads > 0) refreshQuietly();
  const key = plainId(epi);
  for (const list of page.lists ?? []) {
    if (list.lid !== lid) continue;
    const before = list.listcontents.length;
    list.listcontents = list.listcontents.filter((other) => String(other.epi) !== key);
    if (item) list.listcontents.unshift(item);
    list.cnt += list.listcontents.length - before;
  }
  const others = (members.get(key) ?? []).filter((other) => other !== lid);
  members.set(key, item ? [...others, lid] : others);
  changed();
}

async function save(client: Wishgate, product: ProductInput, lname: string, report: Report): Promise<void> {
  let list = wishlists().find((own) => own.lname === lname);
  if (!list) {
    list = await client.ensureList({ lname });
    page.lists = [list, ...(page.lists ?? []).filter(({ lid }) => lid !== list!.lid)];
  }
  const item = await client.addToList(list.lid, product);
  patch(list.lid, product.epi, item);
  report('saved', { item, lid: list.lid });
}

async function remove(client: Wishgate, { epi }: ProductInput, report: Report): Promise<void> {
  const lids = lidsOf(plainId(epi));
  await Promise.all(lids.map((lid) => client.deleteFromList(lid, { epi })));
  lids.forEach((lid) => patch(lid, epi, null));
  report('removed', { epi, lids });
}

/** Shows the wish at once and writes until the service has the last one; if that fails, shows what the service has. */
export async function setSaved(product: ProductInput, wish: boolean, lname: string, report: Report) {
  const key = plainId(product.epi);
  wanted.set(key, wish);
  changed();
  // The first call continues until the last wish is fulfilled.
  if (running.has(key)) return;
  running.add(key);
  try {
    const client = await started;
    if (!page.lists) await refresh();
    for (let done, next; (next = wanted.get(key)) !== done && next !== lidsOf(key).length > 0; done = next)
      await (next ? save(client, product, lname || page.listName, report) : remove(client, product, report));
  } finally {
    running.delete(key);
    wanted.delete(key);
    changed();
  }
}

async function connect(options: StartOptions): Promise<Wishgate> {
  const { listName = page.listName, baseUrl = '', pid = '' } = options;
  Object.assign(page, { listName, baseUrl: baseUrl.replace(/\/+$/, ''), pid });
  page.client =
    'client' in options ? options.client : (await import('../../client/src/wishgate.ts')).init(options);
  resolve(page.client);
  changed();
  return page.client;
}

export const start = (options: StartOptions): Promise<Wishgate> => (starting ??= connect(options));
