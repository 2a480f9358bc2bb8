import type { Resolvers } from '../../generated/resolvers.ts';
import { countListHolders, getProgress, getReach, triggerTopic } from './event.service.ts';

export const restockResolvers = {
  Query: { sendProgress: (_root, { topic, epis }, ctx) => getProgress(ctx, topic, epis) },
  Audience: {
    listHolders: ({ topic, epis }, _args, ctx) => countListHolders(ctx, topic, epis),
    reach: ({ topic, epis }, _args, ctx) => getReach(ctx, topic, epis),
  },
  Mutation: { triggerTopic: (_root, { topic, epis }, ctx) => triggerTopic(ctx, topic, epis) },
} satisfies Resolvers;
