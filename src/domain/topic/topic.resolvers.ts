import type { Resolvers } from '../../generated/resolvers.ts';
import { countAudience, listTopics, previewTopic, saveTopic, sendTestAlert } from './topic.service.ts';

export const topicResolvers = {
  Query: {
    topics: (_root, _args, ctx) => listTopics(ctx),
    previewTopic: (_root, input, ctx) => previewTopic(ctx, input),
    audience: (_root, { topic, epi }, ctx) => countAudience(ctx, topic, epi),
  },
  Mutation: {
    saveTopic: (_root, { input }, ctx) => saveTopic(ctx, input),
    sendTestAlert: (_root, input, ctx) => sendTestAlert(ctx, input),
  },
} satisfies Resolvers;
