import { mkdtemp, readFile, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import vm from 'node:vm';
import { gzipSync } from 'node:zlib';
import ts from 'typescript';
import type {
  CustomProduct,
  init,
  Item,
  List,
  ListContents,
  ProductInput,
  UserInfo,
} from '../../packages/client/src/wishgate.ts';
import type {
  ItemInput,
  ItemRecordFragment,
  ListContentsRecordFragment,
  ListRecordFragment,
  UserInfoRecordFragment,
} from '../../src/generated/operations.ts';
import { useService, useStore } from '../harness.ts';

const service = useService();
const store = useStore(service);

const DIST = new URL('../../packages/client/dist/', import.meta.url);

/** What pages load, with its largest size in bytes, packed. */
const SIZES: Record<string, number> = {
  'wishgate.js': 6_500,
  'wishgate.mjs': 6_000,
  'watch.mjs': 2_500,
  'events.mjs': 1_000,
};

test.each(Object.entries(SIZES))(
  '%s is served to every origin as the package has it, and has at most %i bytes packed',
  async (file, size) => {
    const { text, headers } = await service.http
      .get(`/client/${file}`)
      .set('Origin', 'https://shop.example')
      .buffer()
      .expect(200);
    expect(gzipSync(text, { level: 9 }).length).toBeLessThanOrEqual(size);
    expect(text).toBe(await readFile(new URL(file, DIST), 'utf8'));
    expect(headers).toMatchObject({
      'content-type': 'text/javascript; charset=utf-8',
      ...(text.length > 5_000 && { 'content-encoding': 'gzip' }),
      'access-control-allow-origin': 'https://shop.example',
      'cross-origin-resource-policy': 'cross-origin',
    });
  },
);

test('what the package has is served, whole', async () => {
  for (const file of await readdir(DIST)) {
    const { text } = await service.http.get(`/client/${file}`).buffer().expect(200);
    expect(text).toBe(await readFile(new URL(file, DIST), 'utf8'));
  }
});

test('what watches, and what reports events, is a file of its own', async () => {
  const { text: library } = await service.http.get('/client/wishgate.mjs').expect(200);
  for (const [file, word] of Object.entries({ 'watch.mjs': 'event-stream', 'events.mjs': 'wishlist_id' })) {
    const { text } = await service.http.get(`/client/${file}`).expect(200);
    expect([text.includes(word), library.includes(word)]).toEqual([true, false]);
    expect(library).toContain(`import("./${file}")`);
  }
});

test('a browser that has the script is not sent it again', async () => {
  const { headers } = await service.http.get('/client/wishgate.js').expect(200);
  await service.http.get('/client/wishgate.js').set('If-None-Match', headers['etag']!).expect(304);
});

test('the script tag makes one global, whose init makes a client', async () => {
  const { text } = await service.http.get('/client/wishgate.js').expect(200);
  const page: Record<string, unknown> = {};
  vm.runInNewContext(
    `${text}\nthis.made = wishgate.init({ baseUrl: 'https://wishes.example', pid: 'p', identify() {} })`,
    page,
  );
  expect(Object.keys(page).sort()).toEqual(['made', 'wishgate']);
  expect(Object.keys(page['made'] as object)).toContain('fetchLists');
});

test('the library needs nothing of a browser: with fetch alone a product is saved', async () => {
  const shopper = await service.guest(store);
  const { text } = await service.http.get('/client/wishgate.js').expect(200);
  const { fetch, AbortController, URLSearchParams, setTimeout, clearTimeout } = globalThis;
  const runtime = { AbortController, URLSearchParams, setTimeout, clearTimeout, queueMicrotask };
  const { wishgate } = vm.runInNewContext(`${text};globalThis`, runtime) as {
    wishgate: { init: typeof init };
  };
  const client = wishgate.init({ baseUrl: service.url, pid: store.pid, fetch, identify: () => shopper });
  const { lid } = await client.ensureList({ lname: 'Favourites' });
  await client.addToList(lid, { epi: 1, empi: 10, du: 'https://shop.example/p/1' });
  expect(await client.fetchLists()).toMatchObject([{ lid, listcontents: [{ epi: 1 }] }]);
});

test('the types stand alone and describe the module', async () => {
  const { text: types } = await service.http.get('/client/wishgate.d.mts').expect(200);
  const folder = await mkdtemp(join(tmpdir(), 'wishgate-types-'));
  const consumer = `import { init } from './wishgate.mjs';
    import type { List } from './wishgate.mjs';
    const client = init({ baseUrl: '', pid: '', identify: () => ({ regid: '', sessionid: '' }) });
    export const lists: Promise<List[]> = client.fetchLists({ lty: 'wl' });
    export const platformId = async () => (await lists)[0]!.listcontents[0]!.platformitemid;
    void client.updateList({ lid: '', cprops: { colour: 'green' } });
    // @ts-expect-error a list needs a name
    void client.createList({});`;
  try {
    await writeFile(join(folder, 'wishgate.d.mts'), types);
    await writeFile(join(folder, 'consumer.mts'), consumer);
    const program = ts.createProgram([join(folder, 'consumer.mts')], {
      strict: true,
      noEmit: true,
      module: ts.ModuleKind.NodeNext,
      moduleResolution: ts.ModuleResolutionKind.NodeNext,
      target: ts.ScriptTarget.ES2022,
      lib: ['lib.es2022.d.ts', 'lib.dom.d.ts'],
      types: [],
    });
    expect(ts.getPreEmitDiagnostics(program).map(({ messageText }) => messageText)).toEqual([]);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});

test('nothing outside of the build can be fetched', async () => {
  await service.http.get('/client/..%2f..%2fmanifest.json').expect(404);
  await service.http.get('/assets/..%2f..%2f..%2fpackage.json').expect(404);
  await service.http.get('/client/nothing.js').expect(404);
});

/** True when two types take each other's values; a field that one of them lacks makes it false. */
type Same<Left, Right> = [Left, Right] extends [Right, Left]
  ? [keyof Left, keyof Right] extends [keyof Right, keyof Left]
    ? true
    : false
  : false;

test("the library's records have the fields that the service answers, each of them and no other", () => {
  // The compiler checks these; nothing is left to do at run time.
  const list: Same<List, ListRecordFragment> = true;
  const item: Same<Item, ItemRecordFragment> = true;
  const contents: Same<ListContents, ListContentsRecordFragment> = true;
  const userinfo: Same<UserInfo, UserInfoRecordFragment> = true;
  const lacking: Same<Omit<Item, 'note'>, ItemRecordFragment> = false;
  expect([list, item, contents, userinfo, lacking]).toEqual([true, true, true, true, false]);
});

test('an item can be added with every field that the service takes', () => {
  const sent: Same<keyof (ProductInput & CustomProduct), keyof ItemInput> = true;
  expect(sent).toBe(true);
});

test.each([
  'wishgate.js%3F1',
  'wishgate.js%23x',
  '.%2Fwishgate.js',
  '..%2Fclient%2Fwishgate.js',
  '%2Fwishgate.js',
])('a file has one name: %s is not found', async (name) => {
  await service.http.get(`/client/${name}`).expect(404);
});
