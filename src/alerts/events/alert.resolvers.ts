import type { Resolvers } from '../../generated/resolvers.ts';
import { countAlerts, listAlerts, productOf, retryAlerts } from './alert-log.service.ts';

export const alertResolvers = {
  Query: { alerts: (_root, page, ctx) => listAlerts(ctx, page) },
  Alert: { product: (alert, _args, ctx) => productOf(ctx, alert) },
  AlertConnection: { totalCount: (page, _args, ctx) => countAlerts(ctx, page) },
  Mutation: { retryAlerts: (_root, { ids }, ctx) => retryAlerts(ctx, ids) },
} satisfies Resolvers;
