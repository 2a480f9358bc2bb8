import type { Resolvers } from '../../generated/resolvers.ts';
import { isMeasured, setMeasured } from './click-tracking.service.ts';
import { reportOrder } from './order.service.ts';
import { getRevenue } from './revenue.service.ts';

export const revenueResolvers = {
  Query: { revenue: (_root, range, ctx) => getRevenue(ctx, range) },
  Mutation: {
    reportOrder: (_root, { input }, ctx) => reportOrder(ctx, input),
    setMeasured: (_root, { measured }, ctx) => setMeasured(ctx, measured),
  },
  Shopper: { isMeasured: (shopper, _args, ctx) => isMeasured(ctx, shopper) },
} satisfies Resolvers;
