import type { Resolvers } from '../../generated/resolvers.ts';
import { countAlerts, listAlerts, retryAlerts } from './alert.service.ts';

export const alertResolvers = {
  Query: { alerts: (_root, page, ctx) => listAlerts(ctx, page) },
  AlertConnection: { totalCount: (page, _args, ctx) => countAlerts(ctx, page) },
  Mutation: { retryAlerts: (_root, { ids }, ctx) => retryAlerts(ctx, ids) },
} satisfies Resolvers;
