import { requireShopper } from '../../context.ts';
import type { Resolvers } from '../../generated/resolvers.ts';
import { generateRegid, syncGuest, updateShopper } from './shopper.service.ts';

export const shopperResolvers = {
  Query: { shopper: (_root, _args, ctx) => requireShopper(ctx) },
  Mutation: {
    generateRegid: (_root, claim, ctx) => generateRegid(ctx, claim),
    syncGuest: (_root, claim, ctx) => syncGuest(ctx, claim),
    updateShopper: (_root, { input }, ctx) => updateShopper(ctx, input),
  },
  Shopper: { userinfo: (shopper) => shopper },
} satisfies Resolvers;
