import type { Resolvers } from '../../generated/resolvers.ts';
import * as reports from './report.service.ts';

export const reportResolvers = {
  Query: {
    activity: async (_root, period, ctx) => (await reports.getActivity(ctx, period)).days,
    activityReport: (_root, period, ctx) => reports.getActivity(ctx, period),
    setup: (_root, _args, ctx) => reports.getSetup(ctx),
    occasions: (_root, { epi, first }, ctx) => reports.getAlertEvents(ctx, epi, first),
    mostWishlisted: (_root, { first }, ctx) => reports.getMostWishlisted(ctx, first),
    waitingDemand: (_root, { first }, ctx) => reports.getWaitingDemand(ctx, first),
  },
  Product: {
    inLists: (product, _args, ctx) => reports.getInLists(ctx, product),
    waiting: (product, _args, ctx) => reports.getWaiting(ctx, product),
    wishlisted: (product, _args, ctx) => reports.socialCount(ctx, product),
  },
} satisfies Resolvers;
