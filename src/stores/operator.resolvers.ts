import type { Resolvers } from '../generated/resolvers.ts';
import { createStoreAsOperator, getStores, setStoreMaintenance } from './operator.service.ts';

export const operatorResolvers = {
  Query: { stores: (_root, input, ctx) => getStores(ctx, input) },
  Mutation: {
    createStore: (_root, { name }, ctx) => createStoreAsOperator(ctx, name),
    setStoreMaintenance: (_root, { pid, maintenance }, ctx) => setStoreMaintenance(ctx, pid, maintenance),
  },
  StoreConnection: { totalCount: (page) => page.count() },
  ListedStore: {
    cts: (store) => store.createdAt,
    shoppers: async (store) => (await store.figures()).shoppers.get(store.pid) ?? 0,
    lists: async (store) => (await store.figures()).lists.get(store.pid) ?? 0,
  },
} satisfies Resolvers;
