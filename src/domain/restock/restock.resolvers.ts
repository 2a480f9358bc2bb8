import type { Resolvers } from '../../generated/resolvers.ts';
import { countListHolders, triggerTopic } from './restock.service.ts';

export const restockResolvers = {
  Audience: { listHolders: ({ topic, epi }, _args, ctx) => countListHolders(ctx, topic, epi) },
  Mutation: { triggerTopic: (_root, { topic, epis }, ctx) => triggerTopic(ctx, topic, epis) },
} satisfies Resolvers;
