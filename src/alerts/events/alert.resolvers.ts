import type { Resolvers } from '../../generated/resolvers.ts';
import { readProduct } from '../../stores/products/product.reads.ts';
import { listAlerts, retryAlerts } from './alert-log.service.ts';
import { countListHolders, getProgress, getReach, triggerTopic } from './event.service.ts';

export const alertResolvers = {
  Query: {
    alerts: (_root, page, ctx) => listAlerts(ctx, page),
    sendProgress: (_root, { topic, epis }, ctx) => getProgress(ctx, topic, epis),
  },
  Alert: { product: ({ pid, epi }, _args, ctx) => readProduct(ctx, { pid, epi }) },
  AlertConnection: { totalCount: (page) => page.count() },
  Audience: {
    listHolders: ({ topic, epis }, _args, ctx) => countListHolders(ctx, topic, epis),
    reach: ({ topic, epis }, _args, ctx) => getReach(ctx, topic, epis),
  },
  Mutation: {
    retryAlerts: (_root, { ids }, ctx) => retryAlerts(ctx, ids),
    triggerTopic: (_root, { topic, epis }, ctx) => triggerTopic(ctx, topic, epis),
  },
} satisfies Resolvers;
