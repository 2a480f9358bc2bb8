import type { Resolvers } from '../../generated/resolvers.ts';
import { isBuiltIn } from './topic.rules.ts';
import {
  countAudience,
  countOf,
  listTopics,
  listTriggers,
  listVariables,
  previewTopic,
  saveTopic,
  sendTestAlert,
  textList,
} from './topic.service.ts';

export const topicResolvers = {
  Query: {
    topics: (_root, _args, ctx) => listTopics(ctx),
    triggers: (_root, _args, ctx) => listTriggers(ctx),
    previewTopic: (_root, input, ctx) => previewTopic(ctx, input),
    audience: (_root, input, ctx) => countAudience(ctx, input),
    templateVariables: (_root, _args, ctx) => listVariables(ctx),
  },
  Topic: {
    subject: ({ texts }) => texts.subject,
    html: ({ texts }) => texts.html,
    text: ({ texts }) => texts.text,
    sms: ({ texts }) => texts.sms,
    texts: ({ texts }) => textList(texts),
    isBuiltIn: ({ name }) => isBuiltIn(name),
  },
  AlertPreview: { texts: textList },
  Audience: {
    email: (audience) => countOf(audience, 'email'),
    sms: (audience) => countOf(audience, 'sms'),
  },
  Mutation: {
    saveTopic: (_root, { input }, ctx) => saveTopic(ctx, input),
    sendTestAlert: (_root, input, ctx) => sendTestAlert(ctx, input),
  },
} satisfies Resolvers;
