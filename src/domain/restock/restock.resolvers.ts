import type { Resolvers } from '../../generated/resolvers.ts';
import { triggerTopic } from './restock.service.ts';

export const restockResolvers = {
  Mutation: { triggerTopic: (_root, { topic, epis }, ctx) => triggerTopic(ctx, topic, epis) },
} satisfies Resolvers;
