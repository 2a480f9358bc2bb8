import { DEMO_SHOPPER, PRODUCT, callApi, itemText } from './demo.ts';
import type { Demo } from './demo.ts';
import type { Values } from './request.ts';

/** What has to be there before a call can succeed, how this page makes it, and the fields that it fills in by that. */
export type Preparation = { says: string; run: (demo: Demo, address: string) => Promise<Values> };

/** Not a list's name before: lists of one shopper have different ones. */
const freshName = (what: string): string => `${what} ${new Date().toISOString().slice(0, 23)}`;

const makeList = async ({ credentials }: Demo, what: string): Promise<string> =>
  (await callApi<{ lid: string }>(credentials, '/api/v3/lists/create', { lname: freshName(what) })).lid;

const addItem = async ({ credentials, lid }: Demo, address: string): Promise<Values> => {
  await callApi(credentials, '/api/v3/lists/update-ctx', { lid, a: itemText(address) });
  return {};
};

const saveItem: Preparation = {
  says: 'puts the product into the save-for-later list (sfl/add)',
  async run({ credentials, saved }, address) {
    await callApi(credentials, '/api/v3/lists/sfl/add', { lid: saved, items: itemText(address) });
    return {};
  },
};

const hasItem: Preparation = {
  says: 'puts the product into the list that it is taken from (lists/update-ctx)',
  run: addItem,
};

const subscribed: Preparation = {
  says: 'subscribes the shopper (bispa/subscriptions/create with x-regid)',
  async run({ credentials }, address) {
    const fields = {
      medium: 'email',
      mediumvalue: DEMO_SHOPPER,
      products: JSON.stringify([{ ...PRODUCT, du: `${address}/demo#/p/throw` }]),
      topics: '["backinstock"]',
    };
    await callApi(credentials, '/storeadmin/bispa/subscriptions/create', fields, true);
    return {};
  },
};

/** By the call's id; a call that is not here needs nothing. */
export const PREPARATIONS: Record<string, Preparation | undefined> = {
  listsCreate: {
    says: 'fills in a name that is not taken',
    run: () => Promise.resolve({ lname: freshName('Birthday') }),
  },
  listsDeleteList: {
    says: 'creates a list to delete (lists/create)',
    run: async (demo) => ({ lid: await makeList(demo, 'To delete') }),
  },
  listsRestore: {
    says: 'creates a list and deletes it (lists/create, lists/delete-list)',
    async run(demo) {
      const lid = await makeList(demo, 'Restored');
      await callApi(demo.credentials, '/api/v3/lists/delete-list', { lid });
      return { lid };
    },
  },
  listsRestoreItems: {
    says: 'puts the product into the list and takes it out (twice lists/update-ctx)',
    async run(demo, address) {
      const { credentials, lid } = demo;
      await addItem(demo, address);
      await callApi(credentials, '/api/v3/lists/update-ctx', { lid, d: `[{"epi":${PRODUCT.epi}}]` });
      return {};
    },
  },
  listsMarkUnarchived: {
    says: 'puts the list away (lists/markArchived)',
    async run({ credentials, archive }) {
      await callApi(credentials, '/api/v3/lists/markArchived', { lid: archive });
      return {};
    },
  },
  listsEmailList: {
    says: 'takes a new recipient: one gets at most five such mails a day',
    run: () => Promise.resolve({ toemail: `grace+${Date.now()}@example.com` }),
  },
  listsMoveItems: hasItem,
  listsCopyItems: hasItem,
  listsSflRemove: saveItem,
  listsSflUpdate: saveItem,
  listsSflMovedToCart: saveItem,
  subscriptionsUnsubscribe: subscribed,
  bispaSubscriptionsRemove: subscribed,
  productsRemove: {
    says: 'adds a product to remove, so that the demo shop keeps its own (products/upsert)',
    async run({ credentials }, address) {
      const product = { epi: 9001, empi: 901, dt: 'Sample teapot', du: `${address}/demo` };
      await callApi(credentials, '/storeadmin/v3/products/upsert', { products: JSON.stringify([product]) });
      return { epis: `[${product.epi}]` };
    },
  },
  userGuestValidateSync: {
    says: 'identifies a new guest to merge (user/generate-regid)',
    async run({ credentials }) {
      const { regid } = await callApi<{ regid: string }>(credentials, '/storeadmin/v3/user/generate-regid', {
        uuid: crypto.randomUUID(),
        useragenttype: 'web',
      });
      return { regid };
    },
  },
};
