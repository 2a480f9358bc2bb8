import type { Resolvers } from '../../generated/resolvers.ts';
import { identifyGuest } from './guest-login.service.ts';
import { generateRegid, syncGuest } from './login.service.ts';
import { loginWithShopify } from './shopify-login.service.ts';
import { loginWithToken } from './token-login.service.ts';
import { updateShopper } from './update.service.ts';

export const loginResolvers = {
  Mutation: {
    generateRegid: (_root, claim, ctx) => generateRegid(ctx, claim),
    identifyGuest: (_root, _args, ctx) => identifyGuest(ctx),
    loginWithShopify: (_root, claim, ctx) => loginWithShopify(ctx, claim),
    loginWithToken: (_root, claim, ctx) => loginWithToken(ctx, claim),
    syncGuest: (_root, claim, ctx) => syncGuest(ctx, claim),
    updateShopper: (_root, { input }, ctx) => updateShopper(ctx, input),
  },
} satisfies Resolvers;
