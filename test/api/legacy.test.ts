import { useService, useStore } from '../harness.ts';

const service = useService();
const store = useStore(service);
const other = useStore(service);

const CALLS: [path: string, body: object][] = [
  ['/api/v3/shopper/fetch-recently-viewed-products', { recentlyViewed: [] }],
  ['/api/v3/shopper/fetch-saved-cart-products', { savedCart: [] }],
  ['/api/v3/config/metafields/enabled-features', {}],
];

describe.each(CALLS)('%s', (path, body) => {
  test('is empty for guests and accounts, whatever else is sent', async () => {
    for (const shopper of [await service.guest(store), await service.account(store)])
      expect((await service.post(path, { limit: 12 }, { shopper }).expect(200)).body).toEqual(body);
  });

  test('refuses whoever has no session of the store', async () => {
    const shopper = await service.guest(store);
    for (const [stranger, type] of [
      [{ ...shopper, sessionid: 'wrong' }, 'bad-sessionid'],
      [{ ...shopper, pid: other.pid }, 'sw-badregid'],
    ] as const)
      expect((await service.post(path, {}, { shopper: stranger }).expect(401)).body.type).toBe(type);
  });
});
