import { DEMO_SHOPPER, PRODUCT, callApi, itemText } from './demo.ts';
import type { Demo } from './demo.ts';
import type { Values } from './request.ts';

/** Prepares the demo store so that a call can succeed; `run` returns the fields to fill in. */
type Preparation = { says: string; run: (demo: Demo, address: string) => Promise<Values> };

/** Makes a call whose response fills in no fields. */
async function step({ credentials }: Demo, path: string, fields: Values, headers?: Values): Promise<Values> {
  await callApi(credentials, path, fields, headers);
  return {};
}

/** The lists of a shopper must have distinct names. */
const freshName = (what: string): string => `${what} ${new Date().toISOString().slice(0, 23)}`;

const createList = async ({ credentials }: Demo, what: string): Promise<Values> => {
  const list = await callApi(credentials, '/api/v3/lists/create', { lname: freshName(what) });
  return { lid: list['lid'] as string };
};

const addItem: Preparation = {
  says: 'adds the product to the source list (lists/update-ctx)',
  run: (demo, address) => step(demo, '/api/v3/lists/update-ctx', { lid: demo.lid, a: itemText(address) }),
};

const saveItem: Preparation = {
  says: 'adds the product to the save-for-later list (sfl/add)',
  run: (demo, address) => step(demo, '/api/v3/lists/sfl/add', { lid: demo.saved, items: itemText(address) }),
};

const subscribe: Preparation = {
  says: 'subscribes the shopper (bispa/subscriptions/create with x-regid)',
  run(demo, address) {
    const products = JSON.stringify([{ ...PRODUCT, du: `${address}/demo#/p/throw` }]);
    const fields = { medium: 'email', mediumvalue: DEMO_SHOPPER, products, topics: '["backinstock"]' };
    const headers = { 'x-regid': demo.credentials.regid };
    return step(demo, '/storeadmin/bispa/subscriptions/create', fields, headers);
  },
};

/** By call id; other calls need no preparation. */
export const PREPARATIONS: Record<string, Preparation | undefined> = {
  listsCreate: {
    says: 'fills in a name that no other list has',
    run: () => Promise.resolve({ lname: freshName('Birthday') }),
  },
  listsDeleteList: {
    says: 'creates a list to delete (lists/create)',
    run: (demo) => createList(demo, 'To delete'),
  },
  listsRestore: {
    says: 'creates a list and deletes it (lists/create, lists/delete-list)',
    async run(demo) {
      const list = await createList(demo, 'Restored');
      await step(demo, '/api/v3/lists/delete-list', list);
      return list;
    },
  },
  listsRestoreItems: {
    says: 'adds the product to the list and removes it (lists/update-ctx, twice)',
    async run(demo, address) {
      await addItem.run(demo, address);
      return step(demo, '/api/v3/lists/update-ctx', { lid: demo.lid, d: `[{"epi":${PRODUCT.epi}}]` });
    },
  },
  listsMarkUnarchived: {
    says: 'archives the list (lists/markArchived)',
    run: (demo) => step(demo, '/api/v3/lists/markArchived', { lid: demo.archive }),
  },
  listsEmailList: {
    says: 'fills in a new recipient, because each gets at most five such emails a day',
    run: () => Promise.resolve({ toemail: `grace+${Date.now()}@example.com` }),
  },
  listsMoveItems: addItem,
  listsCopyItems: addItem,
  listsSflRemove: saveItem,
  listsSflUpdate: saveItem,
  listsSflMovedToCart: saveItem,
  subscriptionsUnsubscribe: subscribe,
  bispaSubscriptionsRemove: subscribe,
  productsRemove: {
    says: 'adds a product to remove, so that the demo shop keeps its own (products/upsert)',
    async run(demo, address) {
      const products = JSON.stringify([{ epi: 9001, empi: 901, dt: 'Sample teapot', du: `${address}/demo` }]);
      await step(demo, '/storeadmin/v3/products/upsert', { products });
      return { epis: '[9001]' };
    },
  },
  userGuestValidateSync: {
    says: 'identifies a new guest to merge (user/generate-regid)',
    async run({ credentials }) {
      const guest = { uuid: crypto.randomUUID(), useragenttype: 'web' };
      const { regid } = await callApi<Values>(credentials, '/storeadmin/v3/user/generate-regid', guest);
      return { regid: regid! };
    },
  },
};
