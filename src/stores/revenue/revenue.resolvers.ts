import type { Resolvers } from '../../generated/resolvers.ts';
import { isTracked, setTracking } from './click.service.ts';
import { getRevenue, reportOrder } from './revenue.service.ts';

export const revenueResolvers = {
  Query: { revenue: (_root, range, ctx) => getRevenue(ctx, range) },
  Mutation: {
    reportOrder: (_root, { input }, ctx) => reportOrder(ctx, input),
    setMeasured: (_root, { measured }, ctx) => setTracking(ctx, measured),
  },
  Shopper: { isMeasured: (shopper, _args, ctx) => isTracked(ctx, shopper) },
} satisfies Resolvers;
