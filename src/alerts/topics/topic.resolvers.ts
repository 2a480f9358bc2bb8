import type { Resolvers } from '../../generated/resolvers.ts';
import { nodeId } from '../../platform/node-id.ts';
import { isBuiltIn } from '../send/channels.ts';
import * as topics from './topic.service.ts';

export const topicResolvers = {
  Query: {
    topics: (_root, _args, ctx) => topics.listTopics(ctx),
    languages: (_root, _args, ctx) => topics.listLanguages(ctx),
    triggers: (_root, _args, ctx) => topics.listTriggers(ctx),
    previewTopic: (_root, input, ctx) => topics.previewTopic(ctx, input),
    audience: (_root, input, ctx) => topics.countAudience(ctx, input),
    templateVariables: (_root, _args, ctx) => topics.listVariables(ctx),
  },
  Topic: {
    id: ({ name }) => nodeId('Topic', name),
    subject: (topic, _args, ctx) => topics.textsOf(ctx, topic).subject,
    html: (topic, _args, ctx) => topics.textsOf(ctx, topic).html,
    text: (topic, _args, ctx) => topics.textsOf(ctx, topic).text,
    sms: (topic, _args, ctx) => topics.textsOf(ctx, topic).sms,
    texts: (topic, { language }, ctx) => topics.listTexts(ctx, topic, language),
    languages: ({ texts }) => Object.keys(texts),
    isBuiltIn: ({ name }) => isBuiltIn(name),
  },
  AlertPreview: { texts: topics.previewList },
  Audience: {
    email: (audience) => topics.countOf(audience, 'email'),
    sms: (audience) => topics.countOf(audience, 'sms'),
  },
  Mutation: {
    saveTopic: (_root, { input }, ctx) => topics.saveTopic(ctx, input),
    sendTestAlert: (_root, input, ctx) => topics.sendTestAlert(ctx, input),
  },
} satisfies Resolvers;
