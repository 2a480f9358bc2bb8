import type { Resolvers } from '../generated/resolvers.ts';
import { copyItems, isInLists, moveItems, socialCount, updateListContents } from './contents.service.ts';
import {
  addToSaveForLater,
  moveSaveForLaterToCart,
  removeFromSaveForLater,
  updateSaveForLater,
} from './save-for-later.service.ts';

export const contentsResolvers = {
  Query: {
    socialCount: (_root, { empi }, ctx) => socialCount(ctx, empi),
    isInLists: (_root, { epis }, ctx) => isInLists(ctx, epis),
  },
  Mutation: {
    updateListContents: (_root, args, ctx) => updateListContents(ctx, args),
    moveItems: (_root, args, ctx) => moveItems(ctx, args),
    copyItems: (_root, args, ctx) => copyItems(ctx, args),
    addToSaveForLater: (_root, args, ctx) => addToSaveForLater(ctx, args),
    removeFromSaveForLater: (_root, args, ctx) => removeFromSaveForLater(ctx, args),
    updateSaveForLater: (_root, args, ctx) => updateSaveForLater(ctx, args),
    moveSaveForLaterToCart: (_root, args, ctx) => moveSaveForLaterToCart(ctx, args),
  },
  Shopper: { isInLists: (shopper, { epis }, ctx) => isInLists(ctx, epis, shopper) },
} satisfies Resolvers;
