import { requireShopper } from '../context.ts';
import type { Resolvers } from '../generated/resolvers.ts';
import { nodeId } from '../platform/node-id.ts';
import { platformDataOf, preferencesOf, shownOf } from './profile.rules.ts';
import { pageShoppers } from './shopper.service.ts';

export const shopperResolvers = {
  Query: {
    shopper: (_root, _args, ctx) => requireShopper(ctx),
    shoppers: (_root, page, ctx) => pageShoppers(ctx, page),
  },
  ShopperConnection: { totalCount: (page) => page.count() },
  Shopper: { id: ({ uid }) => nodeId('Shopper', uid), userinfo: (shopper) => shopper },
  UserInfo: {
    // A guest that has saved nothing has no row.
    cts: ({ cts, lastlogin }) => lastlogin && cts,
    uts: ({ uts, lastlogin }) => lastlogin && uts,
    prefs: (shopper) => shownOf('prefs', shopper),
    pd: (shopper) => shownOf('pd', shopper),
    preferences: ({ prefs }) => preferencesOf(prefs),
    platformData: ({ pd }) => platformDataOf(pd),
  },
} satisfies Resolvers;
