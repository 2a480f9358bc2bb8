import type { Resolvers } from '../../generated/resolvers.ts';
import { countAlerts, listAlerts, retryAlerts } from './alert.service.ts';
import {
  countAudience,
  listTopics,
  previewTopic,
  saveTopic,
  sendTestAlert,
  triggerTopic,
} from './topic.service.ts';
import {
  countDeliveries,
  deleteWebhook,
  listDeliveries,
  listWebhooks,
  replayDelivery,
  saveWebhook,
} from './webhook.service.ts';

export const alertResolvers = {
  Query: {
    topics: (_root, _args, ctx) => listTopics(ctx),
    previewTopic: (_root, input, ctx) => previewTopic(ctx, input),
    audience: (_root, { topic, epi }, ctx) => countAudience(ctx, topic, epi),
    alerts: (_root, page, ctx) => listAlerts(ctx, page),
    webhooks: (_root, _args, ctx) => listWebhooks(ctx),
    deliveries: (_root, page, ctx) => listDeliveries(ctx, page),
  },
  AlertConnection: { totalCount: (page, _args, ctx) => countAlerts(ctx, page) },
  DeliveryConnection: { totalCount: (page, _args, ctx) => countDeliveries(ctx, page) },
  Mutation: {
    saveTopic: (_root, { input }, ctx) => saveTopic(ctx, input),
    triggerTopic: (_root, { topic, epis }, ctx) => triggerTopic(ctx, topic, epis),
    sendTestAlert: (_root, input, ctx) => sendTestAlert(ctx, input),
    retryAlerts: (_root, { ids }, ctx) => retryAlerts(ctx, ids),
    saveWebhook: (_root, input, ctx) => saveWebhook(ctx, input),
    deleteWebhook: (_root, { id }, ctx) => deleteWebhook(ctx, id),
    replayDelivery: (_root, { id }, ctx) => replayDelivery(ctx, id),
  },
} satisfies Resolvers;
