import type { Resolvers } from '../../generated/resolvers.ts';
import { bundleOf, hashProduct, paced } from '../list/list.view.ts';
import { copyItems, isInLists, moveItems, socialCount, updateListContents } from './item.service.ts';
import {
  addToSaveForLater,
  moveSaveForLaterToCart,
  removeFromSaveForLater,
  updateSaveForLater,
} from './save-for-later.service.ts';

export const itemResolvers = {
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
  Item: {
    pid: (item) => hashProduct(item),
    title: (item) => item.dt,
    price: (item) => item.pr,
    bundle: (item, _args, ctx) => paced(ctx, item.bundle.length, () => bundleOf(item)),
    _pkey: (item) => item.lid,
    _t: () => 2,
  },
} satisfies Resolvers;
