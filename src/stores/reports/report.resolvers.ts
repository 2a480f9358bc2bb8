import type { Resolvers } from '../../generated/resolvers.ts';
import {
  getActivity,
  getAlertEvents,
  getInLists,
  getMostWishlisted,
  getSetup,
  getWaiting,
  getWaitingDemand,
  getWishlisted,
} from './report.service.ts';

export const reportResolvers = {
  Query: {
    activity: (_root, { days }, ctx) => getActivity(ctx, days),
    setup: (_root, _args, ctx) => getSetup(ctx),
    occasions: (_root, { epi, first }, ctx) => getAlertEvents(ctx, epi, first),
    mostWishlisted: (_root, { first }, ctx) => getMostWishlisted(ctx, first),
    waitingDemand: (_root, { first }, ctx) => getWaitingDemand(ctx, first),
  },
  Product: {
    inLists: (product, _args, ctx) => getInLists(ctx, product),
    waiting: (product, _args, ctx) => getWaiting(ctx, product),
    wishlisted: (product, _args, ctx) => getWishlisted(ctx, product),
  },
} satisfies Resolvers;
