import type { Resolvers } from '../../generated/resolvers.ts';
import {
  getActivity,
  getMostWishlisted,
  getWaitingDemand,
  getWaiting,
  getWishlisted,
} from './report.service.ts';

export const reportResolvers = {
  Query: {
    activity: (_root, { days }, ctx) => getActivity(ctx, days),
    mostWishlisted: (_root, { first }, ctx) => getMostWishlisted(ctx, first),
    waitingDemand: (_root, { first }, ctx) => getWaitingDemand(ctx, first),
  },
  Product: {
    waiting: (product, _args, ctx) => getWaiting(ctx, product),
    wishlisted: (product, _args, ctx) => getWishlisted(ctx, product),
  },
} satisfies Resolvers;
