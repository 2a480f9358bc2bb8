import { randomUUID } from 'node:crypto';
import type { NewStore } from '../../src/stores/store.service.ts';
import { addressGroup } from '../../src/api/limit.ts';
import { DEFAULT_LIMITS } from '../../src/stores/store.rules.ts';
import { startService } from '../harness.ts';
import type { Caller, TestService } from '../harness.ts';

const GENERATE = '/storeadmin/v3/user/generate-regid';

describe('with limits', () => {
  let service: TestService;

  beforeAll(async () => {
    service = await startService({ trustProxy: ['loopback'] });
  });
  afterAll(() => service.close());

  const rest = (caller: Caller) => service.get('/storeadmin/me', caller);
  const graphql = (caller: Caller) => service.graphql('{ store { pid } }', {}, caller);
  const from = (address: string): Caller => ({ headers: { 'x-forwarded-for': address } });

  test('a key may call as often as its store says, over REST and GraphQL together, and then gets 429 on both', async () => {
    const store = await service.createStore({ rateLimits: { key: 4 } });
    for (const [call, remaining] of [
      [rest, '3'],
      [graphql, '2'],
      [rest, '1'],
      [graphql, '0'],
    ] as const) {
      const { status, headers } = await call({ store });
      expect(status).toBe(200);
      expect(headers).toMatchObject({ 'ratelimit-limit': '4', 'ratelimit-remaining': remaining });
    }
    const refused = await rest({ store });
    expect([refused.status, refused.body.type]).toEqual([429, 'too-many-requests']);
    expect(Number(refused.headers['retry-after'])).toBeGreaterThan(0);
    expect(Number(refused.headers['retry-after'])).toBeLessThanOrEqual(60);
    expect(refused.headers).toMatchObject({
      'ratelimit-limit': '4',
      'ratelimit-remaining': '0',
      'ratelimit-reset': refused.headers['retry-after'],
    });
    const refusedToo = await graphql({ store });
    expect(refusedToo.status).toBe(429);
    expect(refusedToo.headers['retry-after']).toMatch(/^\d+$/);
    expect(refusedToo.body).toEqual({
      errors: [
        {
          message: refused.body.msg,
          extensions: { code: 'TOO_MANY_REQUESTS', type: 'too-many-requests', status: 429 },
        },
      ],
    });
  });

  test('a refused call changes nothing', async () => {
    const store = await service.createStore({ rateLimits: { key: 1 } });
    const identify = () =>
      service.post(GENERATE, { useremail: `${randomUUID()}@example.com`, useragenttype: 'pos' }, { store });
    await identify().expect(200);
    await identify().expect(429);
    const rows = await service.services.db.query('SELECT 1 FROM shopper WHERE pid = $1', [store.pid]);
    expect(rows).toHaveLength(1);
  });

  test("one store's spent limit leaves other stores alone", async () => {
    const [spent, other] = [
      await service.createStore({ rateLimits: { key: 1 } }),
      await service.createStore({ rateLimits: { key: 1 } }),
    ];
    await rest({ store: spent }).expect(200);
    await rest({ store: spent }).expect(429);
    await rest({ store: other }).expect(200);
  });

  test("a shopper's limit is its own", async () => {
    const store = await service.createStore({ rateLimits: { shopper: 2 } });
    const [busy, calm] = [await service.guest(store), await service.guest(store)];
    const call = (shopper: typeof busy) => service.graphql('{ shopper { regid } }', {}, { shopper });
    await call(busy).expect(200);
    await call(busy).expect(200);
    const { body } = await call(busy).expect(429);
    expect(body.errors[0].extensions.type).toBe('too-many-requests');
    await call(calm).expect(200);
  });

  test("an address's limit counts calls without a store key, and only those", async () => {
    const store = await service.createStore({ rateLimits: { address: 2 } });
    const shopper = await service.guest(store);
    const call = (address: string, caller: Caller) =>
      service.graphql('{ shopper { regid } }', {}, { ...caller, ...from(address) });
    await call('203.0.113.1', { shopper }).expect(200);
    await call('203.0.113.1', { shopper }).expect(200);
    await call('203.0.113.1', { shopper }).expect(429);
    await call('203.0.113.2', { shopper }).expect(200);
    for (let n = 0; n < 5; n += 1) await call('203.0.113.1', { store, shopper }).expect(200);
  });

  test('calls without credentials count once for their address, whichever stores they name, and for the limit of each store', async () => {
    const [open, strict] = [
      await service.createStore(),
      await service.createStore({ rateLimits: { address: 1 } }),
    ];
    const call = (pid: string) =>
      service.graphql(
        '{ shopper { regid } }',
        {},
        {
          headers: { 'x-pid': pid, ...from('203.0.113.40').headers },
        },
      );
    const left = async (pid: string) => (await call(pid).expect(200)).headers['ratelimit-remaining'];
    const most = DEFAULT_LIMITS.address;
    expect(await left(open.pid)).toBe(String(most - 1));
    expect(await left(strict.pid)).toBe('0');
    await call(strict.pid).expect(429);
    expect(await left('none')).toBe(String(most - 4));
    expect(await left(open.pid)).toBe(String(most - 5));
    // A shopper has shown who it is, so that only its own store counts.
    const shopper = await service.guest(open);
    const { headers } = await service.graphql(
      '{ shopper { regid } }',
      {},
      {
        shopper,
        ...from('203.0.113.40'),
      },
    );
    expect(headers['ratelimit-limit']).toBe(String(DEFAULT_LIMITS.shopper));
    expect(await left(open.pid)).toBe(String(most - 6));
  });

  test("a product's social count, which needs no shopper, counts against the address", async () => {
    const { pid } = await service.createStore({ rateLimits: { address: 1 } });
    const call = (address: string) =>
      service.post('/api/v3/product/wishlist/social-count', { pid, empi: 1 }, from(address));
    await call('203.0.113.1').expect(200);
    expect((await call('203.0.113.1').expect(429)).body.type).toBe('too-many-requests');
    await call('203.0.113.2').expect(200);
  });

  test('calls with a wrong key count against their address', async () => {
    const caller = { headers: { ...from('203.0.113.9').headers, authorization: 'Basic eDp5' } };
    const { headers } = await rest(caller).expect(401);
    expect(headers).toMatchObject({
      'ratelimit-limit': String(DEFAULT_LIMITS.address),
      'ratelimit-remaining': String(DEFAULT_LIMITS.address - 1),
    });
  });

  test('a store without settings has the published limits', async () => {
    const store = await service.createStore();
    const { headers } = await rest({ store });
    expect(headers['ratelimit-limit']).toBe(String(DEFAULT_LIMITS.key));
    const shopper = await service.guest(store);
    const answer = await service.graphql('{ shopper { regid } }', {}, { shopper });
    expect(answer.headers['ratelimit-limit']).toBe(String(DEFAULT_LIMITS.shopper));
  });
});

describe('without TRUST_PROXY', () => {
  test('a forwarding header that the caller made up does not count', async () => {
    const service = await startService();
    const store = await service.createStore({ rateLimits: { address: 2 } });
    const shopper = await service.guest(store);
    const call = (address: string) =>
      service.graphql('{ shopper { regid } }', {}, { shopper, headers: { 'x-forwarded-for': address } });
    await call('203.0.113.1').expect(200);
    await call('203.0.113.2').expect(200);
    await call('203.0.113.3').expect(429);
    await service.close();
  });
});

describe('RATE_LIMITS=off', () => {
  let service: TestService;
  let store: NewStore;

  beforeAll(async () => {
    service = await startService({ rateLimits: false });
    store = await service.createStore({ rateLimits: { key: 1, shopper: 1, address: 1 } });
  });
  afterAll(() => service.close());

  test('nothing is limited and no limit is announced', async () => {
    const shopper = await service.guest(store);
    for (let n = 0; n < 3; n += 1) {
      const { headers } = await service.graphql('{ shopper { regid } }', {}, { shopper }).expect(200);
      expect(headers).not.toHaveProperty('ratelimit-limit');
      await service.get('/storeadmin/me', { store }).expect(200);
    }
  });
});

test.each([
  ['192.0.2.7', '192.0.2.7'],
  ['::ffff:192.0.2.7', '::ffff:192.0.2.7'],
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2'],
  ['2001:db8:1:2::9', '2001:db8:1:2'],
  ['2001:0db8:0001:0002::', '2001:db8:1:2'],
  ['2001:db8::1', '2001:db8:0:0'],
  ['2001:db8::ff:1:2:3', '2001:db8:0:0'],
  ['::1', '0:0:0:0'],
])('the address %s counts as %s', (address, group) => {
  expect(addressGroup(address)).toBe(group);
});
