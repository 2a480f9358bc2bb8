import type { Resolvers } from '../../generated/resolvers.ts';
import { identifyGuest } from './guest-login.service.ts';
import { generateRegid, syncGuest } from './login.service.ts';

export const loginResolvers = {
  Mutation: {
    generateRegid: (_root, claim, ctx) => generateRegid(ctx, claim),
    identifyGuest: (_root, _args, ctx) => identifyGuest(ctx),
    syncGuest: (_root, claim, ctx) => syncGuest(ctx, claim),
  },
} satisfies Resolvers;
