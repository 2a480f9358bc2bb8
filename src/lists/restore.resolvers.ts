import type { Resolvers } from '../generated/resolvers.ts';
import { allDeletedLists, deletedItems, deletedLists } from './deleted.service.ts';
import { restoreItems, restoreList } from './restore.service.ts';

export const restoreResolvers = {
  Query: {
    deletedLists: (_root, page, ctx) => deletedLists(ctx, page),
    allDeletedLists: (_root, slice, ctx) => allDeletedLists(ctx, slice),
    deletedItems: (_root, { lid, ...slice }, ctx) => deletedItems(ctx, lid, slice),
  },
  Mutation: {
    restoreList: (_root, { lid }, ctx) => restoreList(ctx, lid),
    restoreItems: (_root, args, ctx) => restoreItems(ctx, args),
  },
} satisfies Resolvers;
