import { useService, useStore } from '../harness.ts';
import type { TestShopper } from '../harness.ts';

const service = useService({ publicUrl: 'https://wishes.example' });
const open = useStore(service);
const closed = useStore(service, { allowedOrigins: ['https://shop.example'] });

const ask = (shopper: TestShopper, origin: string) =>
  service.graphql('{ shopper { regid } }', {}, { shopper, headers: { origin } });

test.each(['/graphql', '/api/v3/lists/fetch-lists?pid=x'])(
  'a preflight of %s is answered for any page',
  async (path) => {
    const { headers } = await service.http
      .options(path)
      .set({
        origin: 'https://anything.example',
        'access-control-request-method': 'POST',
        'access-control-request-headers': 'content-type,x-pid,x-regid,x-sessionid',
      })
      .expect(204);
    expect(headers).toMatchObject({
      'access-control-allow-origin': 'https://anything.example',
      'access-control-allow-methods': 'GET, POST',
      'access-control-allow-headers': 'content-type,x-pid,x-regid,x-sessionid',
      'access-control-max-age': expect.stringMatching(/^\d+$/),
      vary: expect.stringContaining('Origin'),
    });
    expect(headers).not.toHaveProperty('access-control-allow-credentials');
  },
);

test('a preflight that asks for odd headers gets the known ones', async () => {
  const { headers } = await service.http
    .options('/graphql')
    .set({ origin: 'https://a.example', 'access-control-request-headers': 'x"<>' })
    .expect(204);
  expect(headers['access-control-allow-headers']).toContain('X-Sessionid');
});

test('a store without a list answers a page of any origin, never with credentials', async () => {
  const { headers, body } = await ask(await service.guest(open), 'https://anything.example');
  expect(body.data.shopper.regid).toBeTruthy();
  expect(headers['access-control-allow-origin']).toBe('https://anything.example');
  expect(headers['access-control-expose-headers']).toContain('Retry-After');
  expect(headers).not.toHaveProperty('access-control-allow-credentials');
});

test('a store with a list answers the pages on it', async () => {
  const { headers, body } = await ask(await service.guest(closed), 'https://shop.example');
  expect(body.data.shopper.regid).toBeTruthy();
  expect(headers['access-control-allow-origin']).toBe('https://shop.example');
});

test.each([
  'https://evil.example',
  'https://shop.example.evil.example',
  'http://shop.example',
  'https://shop.example:444',
  'null',
])('a page on %s is refused with 403 and may not even read that', async (origin) => {
  const { status, headers, body } = await ask(await service.guest(closed), origin);
  expect([status, body.errors[0].extensions.type]).toEqual([403, 'forbidden']);
  expect(headers).not.toHaveProperty('access-control-allow-origin');
});

test("the service's own pages may call for every store", async () => {
  const { body } = await ask(await service.guest(closed), 'https://wishes.example');
  expect(body.data.shopper.regid).toBeTruthy();
});

test('a server, which sends no origin, may call for every store', async () => {
  const { body } = await service.graphql(
    '{ shopper { regid } }',
    {},
    { shopper: await service.guest(closed) },
  );
  expect(body.data.shopper.regid).toBeTruthy();
});

test('failures are readable for the page, too', async () => {
  const shopper = await service.guest(open);
  const { headers, body } = await ask({ ...shopper, sessionid: 'x' }, 'https://anything.example');
  expect(body.errors[0].extensions.type).toBe('bad-sessionid');
  expect(headers['access-control-allow-origin']).toBe('https://anything.example');
});

test('store calls, which carry a key, are not for pages on other origins', async () => {
  const { headers } = await service
    .get('/storeadmin/me', { store: open, headers: { origin: 'https://a.example' } })
    .expect(200);
  expect(headers).not.toHaveProperty('access-control-allow-origin');
  const preflight = await service.http.options('/storeadmin/me').set('origin', 'https://a.example');
  expect(preflight.headers).not.toHaveProperty('access-control-allow-origin');
});
