import type { Resolvers } from '../generated/resolvers.ts';
import { largestBelow } from '../platform/selection.ts';
import { PREVIEW_SIZE } from './list.rules.ts';
import { changedLists, listChanges, watchLists } from './live.service.ts';

export const liveResolvers = {
  Live: {
    lists: {
      subscribe: (_root, { since }, ctx) => watchLists(ctx, since),
      resolve: ({ lists }: { lists: ReturnType<typeof listChanges> }) => lists,
    },
  },
  Query: { listChanges: (_root, args, ctx) => listChanges(ctx, args) },
  ListChanges: {
    lists: (changes, _args, ctx, info) =>
      changedLists(ctx, changes, largestBelow(info, 'listcontents', 'limit', PREVIEW_SIZE)),
  },
} satisfies Resolvers;
