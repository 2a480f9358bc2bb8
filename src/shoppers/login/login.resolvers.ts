import type { Resolvers } from '../../generated/resolvers.ts';
import { generateRegid, syncGuest } from './login.service.ts';

export const loginResolvers = {
  Mutation: {
    generateRegid: (_root, claim, ctx) => generateRegid(ctx, claim),
    syncGuest: (_root, claim, ctx) => syncGuest(ctx, claim),
  },
} satisfies Resolvers;
