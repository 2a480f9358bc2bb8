import type { Resolvers } from '../../generated/resolvers.ts';
import { isBuiltIn } from './topic.rules.ts';
import * as topics from './topic.service.ts';

export const topicResolvers = {
  Query: {
    topics: (_root, _args, ctx) => topics.listTopics(ctx),
    triggers: (_root, _args, ctx) => topics.listTriggers(ctx),
    previewTopic: (_root, input, ctx) => topics.previewTopic(ctx, input),
    audience: (_root, input, ctx) => topics.countAudience(ctx, input),
    templateVariables: (_root, _args, ctx) => topics.listVariables(ctx),
  },
  Topic: {
    subject: ({ texts }) => texts.subject,
    html: ({ texts }) => texts.html,
    text: ({ texts }) => texts.text,
    sms: ({ texts }) => texts.sms,
    texts: ({ texts }) => topics.textList(texts),
    isBuiltIn: ({ name }) => isBuiltIn(name),
  },
  AlertPreview: { texts: topics.textList },
  Audience: {
    email: (audience) => topics.countOf(audience, 'email'),
    sms: (audience) => topics.countOf(audience, 'sms'),
  },
  Mutation: {
    saveTopic: (_root, { input }, ctx) => topics.saveTopic(ctx, input),
    sendTestAlert: (_root, input, ctx) => topics.sendTestAlert(ctx, input),
  },
} satisfies Resolvers;
