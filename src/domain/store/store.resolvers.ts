import { requireStore } from '../../context.ts';
import type { Resolvers } from '../../generated/resolvers.ts';

export const storeResolvers = {
  Query: { store: (_root, _args, ctx) => requireStore(ctx) },
  Store: { appId: () => 'StoreadminApi', cts: (store) => store.createdAt },
} satisfies Resolvers;
