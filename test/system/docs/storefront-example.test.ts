import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { connect } from 'node:net';
import vm from 'node:vm';
import { createBackend } from '../../../examples/storefront/backend.mjs';
import { createRoutes } from '../../../examples/storefront/routes.mjs';
import { init } from '../../../packages/client/src/wishgate.ts';
import type { Wishgate, WishgateOptions } from '../../../packages/client/src/wishgate.ts';
import { useService, useStore } from '../../harness.ts';
import { useStorefront } from '../storefront.ts';

const service = useService();
const store = useStore(service);
const shop = useStorefront(service, store);

type Answer = {
  status: number;
  cookies: string[];
  body: { regid: string; sessionid: string; email: string | null; msg: string };
};

async function ask(
  path: string,
  body: object,
  cookies: string[] = [],
  type = 'application/json',
): Promise<Answer> {
  const headers = { 'content-type': type, cookie: cookies.map((cookie) => cookie.split(';')[0]).join('; ') };
  const answer = await fetch(`${shop.url}/api/${path}`, {
    method: 'POST',
    headers,
    body: JSON.stringify(body),
  });
  return {
    status: answer.status,
    cookies: answer.headers.getSetCookie(),
    body: (await answer.json()) as Answer['body'],
  };
}

test('a visitor keeps its identity by its cookie, which no script can read, and as a customer what it saved as a guest', async () => {
  const guest = await ask('identify', {});
  expect((await ask('identify', {}, guest.cookies)).body).toEqual(guest.body);
  expect(guest.cookies.join()).toMatch(/HttpOnly; SameSite=Lax/);
  const shopperOf = ({ body: { regid, sessionid } }: Answer) => ({
    shopper: { pid: store.pid, regid, sessionid },
  });
  await service.post('/api/v3/lists/create', { lname: 'As a guest' }, shopperOf(guest)).expect(200);
  const login = await ask('login', { email: 'ada@example.com' }, guest.cookies);
  const account = await ask('identify', {}, [...guest.cookies, ...login.cookies]);
  expect(account.body).toMatchObject({ email: 'ada@example.com' });
  const { body } = await service.post('/api/v3/lists/fetch-lists', {}, shopperOf(account)).expect(200);
  expect(body).toMatchObject([{ lname: 'As a guest' }]);
});

test('nobody becomes somebody else by writing a cookie', async () => {
  const forged = `shop_customer=${Buffer.from('ada@example.com').toString('base64url')}.forged`;
  expect((await ask('identify', {}, [forged])).body.email).toBeNull();
});

test('a visitor without an account can wait for a product', async () => {
  const product = { epi: 7, empi: 70, du: 'https://shop.example/p/7' };
  expect((await ask('notify', { email: 'grace@example.com', product })).status).toBe(200);
  const rows = await service.services.db.query('SELECT 1 FROM subscription WHERE pid = $1 AND epi = $2', [
    store.pid,
    '7',
  ]);
  expect(rows).toHaveLength(1);
  expect((await ask('notify', { email: 'nobody', product })).status).toBe(400);
});

/** What a page's script gives `wishgate.init` for `identify`. */
function identifyOf(script: string): () => Promise<{ regid: string }> {
  let found: unknown;
  const wishgate = {
    init: ({ identify }: { identify: unknown }) => {
      found = identify;
      return { createList: () => undefined, ensureList: () => undefined, fetchLists: () => undefined };
    },
  };
  vm.runInNewContext(script, {
    wishgate,
    fetch: (path: string, request: RequestInit) => fetch(shop.url + path, request),
  });
  return found as () => Promise<{ regid: string }>;
}

test.each([
  ['guide', async () => readFile(new URL('../../../docs/client.md', import.meta.url), 'utf8')],
  ['landing page', async () => (await fetch(service.url)).text()],
])('what the %s shows gets its identity from this back end', async (_name, read) => {
  const text = (await read())
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&#39;', "'")
    .replaceAll('&quot;', '"');
  const [script] = /^ *const headers =[\s\S]*?(?=```|<\/script>)/m.exec(text)!;
  expect(await identifyOf(script)()).toMatchObject({ regid: expect.any(String) });
});

test('what the README shows saves the product however often the page is opened', async () => {
  const text = await readFile(new URL('../../../README.md', import.meta.url), 'utf8');
  const [script] = /^ *const headers =[\s\S]*?(?=<\/script>)/m.exec(text)!;
  const { cookies, body } = await ask('identify', {});
  const alerts: string[] = [];
  let saved = (): void => undefined;
  /** Opens the page as the same visitor, and waits until it has saved or failed. */
  const open = () =>
    new Promise<void>((resolve) => {
      saved = resolve;
      vm.runInNewContext(script, {
        fetch: (path: string, request: RequestInit) =>
          fetch(shop.url + path, {
            ...request,
            headers: { ...request.headers, cookie: cookies[0]!.split(';')[0]! },
          }),
        alert: (message: string) => resolve(void alerts.push(message)),
        wishgate: {
          init: (options: WishgateOptions) => {
            const client = init({ ...options, baseUrl: service.url, pid: store.pid, storage: null });
            const addToList: Wishgate['addToList'] = (...given) => client.addToList(...given).finally(saved);
            return { ...client, addToList };
          },
        },
      });
    });
  await open();
  await open();
  const shopper = { pid: store.pid, regid: body.regid, sessionid: body.sessionid };
  const { body: lists } = await service.post('/api/v3/lists/fetch-lists', {}, { shopper }).expect(200);
  expect([alerts, lists]).toMatchObject([[], [{ lname: 'Favourites', cnt: 1 }]]);
});

/** Sends bytes that no well-behaved client would, and hangs up when the answer begins, or at once. */
async function sendRaw(bytes: string, isHangup = false): Promise<string> {
  const socket = connect(Number(new URL(shop.url).port), '127.0.0.1');
  await once(socket, 'connect');
  socket.write(bytes);
  const answer = isHangup ? '' : String(((await once(socket, 'data')) as [Buffer])[0]);
  socket.destroy();
  return answer;
}

test('a broken request fails alone', async () => {
  expect(await sendRaw('GET // HTTP/1.1\r\nhost: x\r\n\r\n')).toContain('400 Bad Request');
  const head =
    'POST /api/identify HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: 100\r\n';
  await sendRaw(`${head}\r\n{"cut":`, true);
  expect((await ask('identify', {})).status).toBe(200);
  expect(shop.child.exitCode).toBeNull();
});

test("a wrong API key is the shop's affair: its visitors hear nothing of it, its log does", async () => {
  const logged: unknown[] = [];
  const backend = createBackend({ baseUrl: service.url, pid: store.pid, apiKey: 'wrong' });
  const answer = createRoutes(backend, { secret: 's', log: (error) => void logged.push(error) });
  expect(await answer({ method: 'POST', path: 'identify', cookie: undefined, body: {} })).toEqual({
    status: 502,
    body: { msg: "Wishlists aren't available right now. Please try again in a moment." },
    cookies: [],
  });
  expect(logged).toEqual([expect.objectContaining({ status: 401, type: 'unauthorised' })]);
});

test('pages of other sites get no answer, and the API key is in none', async () => {
  expect((await ask('login', { email: 'ada@example.com' }, [], 'text/plain')).status).toBe(404);
  const page = await (await fetch(shop.url)).text();
  expect(page).toContain(store.pid);
  expect(page + JSON.stringify(await ask('identify', {}))).not.toContain(store.apiKey);
});
