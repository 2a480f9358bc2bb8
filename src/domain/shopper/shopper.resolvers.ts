import { requireShopper } from '../../context.ts';
import type { Resolvers } from '../../generated/resolvers.ts';
import { updateShopper } from './shopper.service.ts';

export const shopperResolvers = {
  Query: { shopper: (_root, _args, ctx) => requireShopper(ctx) },
  Mutation: { updateShopper: (_root, { input }, ctx) => updateShopper(ctx, input) },
  Shopper: { userinfo: (shopper) => shopper },
} satisfies Resolvers;
