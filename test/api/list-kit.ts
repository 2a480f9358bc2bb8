import type { NewStore } from '../../src/stores/store.service.ts';
import { filledBy } from '../harness.ts';
import type { Fields, TestService, TestShopper } from '../harness.ts';

/** An item as clients send it. */
export function item(epi: number | string, more: object = {}): Record<string, unknown> {
  return { epi, empi: 900, du: 'https://shop.example/p/900', ...more };
}

/** Platform data of a shopper of whom nobody has sent any, as records show it. */
export const NO_PD = {
  tags: [],
  addresses: [],
  orders_count: null,
  state: null,
  accepts_marketing: null,
  updated_at: null,
  created_at: null,
  total_spent: null,
  last_order_id: null,
};

/** Calls of one shopper, by the path below /api/v3. */
export function createClient(service: TestService, shopper: TestShopper) {
  const call = (path: string, fields: Fields = {}) => service.post(`/api/v3/${path}`, fields, { shopper });
  const expectOk = async (path: string, fields: Fields = {}) => (await call(path, fields).expect(200)).body;
  return {
    shopper,
    call,
    /** The body of a call that must succeed. */
    ok: expectOk,
    /** The failure type of a call that must fail with this status. */
    failure: async (status: number, path: string, fields: Fields = {}): Promise<string> =>
      (await call(path, fields).expect(status)).body.type,
    graphql: (query: string, variables: object = {}) => service.graphql(query, variables, { shopper }),
    create: (lname: string, more: Fields = {}) => expectOk('lists/create', { lname, ...more }),
    add: (lid: string, ...items: object[]) => expectOk('lists/update-ctx', { lid, a: items }),
    contents: (lid: string) => expectOk('lists/fetch-list-with-contents', { lid }),
  };
}

/** Calls of one shopper. */
export type Client = ReturnType<typeof createClient>;

/** A client for a new account. */
export async function newAccount(service: TestService, store: NewStore, email?: string): Promise<Client> {
  return createClient(service, await service.account(store, email));
}

/** A client for a new guest. */
export async function newGuest(service: TestService, store: NewStore): Promise<Client> {
  return createClient(service, await service.guest(store));
}

/** An account for all tests of a file. */
export const useAccount = (service: TestService, store: NewStore, email?: string): Client =>
  filledBy(beforeAll, () => newAccount(service, store, email));

/** A new account for each test. */
export const useNewAccount = (service: TestService, store: NewStore, email?: string): Client =>
  filledBy(beforeEach, () => newAccount(service, store, email));

/** A new guest for each test. */
export const useNewGuest = (service: TestService, store: NewStore): Client =>
  filledBy(beforeEach, () => newGuest(service, store));

/** Puts a variant into the catalogue by the store's call. */
export async function stock(
  service: TestService,
  store: NewStore,
  epi: string,
  more: Record<string, unknown> = {},
): Promise<void> {
  const product = {
    epi,
    empi: '900',
    du: 'https://shop.example/p/900',
    dt: 'Kettle',
    bt: 'Acme',
    sku: 'K-1',
    iu: 'https://cdn.example/k.jpg',
    pr: 20,
    stk: 5,
    ...more,
  };
  await service.post('/storeadmin/v3/products/upsert', { products: [product] }, { store }).expect(200);
}

/** What the database holds of a list: its own count and the rows. */
export async function rowsOf(
  service: TestService,
  lid: string,
): Promise<{ cnt: number; itemcmnts: number; epis: string[] } | null> {
  const [row] = await service.services.db.query<{ cnt: number; itemcmnts: number; epis: string[] }>(
    `SELECT cnt, itemcmnts, ARRAY(SELECT epi FROM item WHERE pid = list.pid AND lid = list.lid ORDER BY seq) AS epis FROM list WHERE lid = $1`,
    [lid],
  );
  return row ?? null;
}
