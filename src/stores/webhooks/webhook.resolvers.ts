import type { Resolvers } from '../../generated/resolvers.ts';
import { TEST_TYPE } from './webhook.rules.ts';
import * as webhooks from './webhook.service.ts';

export const webhookResolvers = {
  Query: {
    webhooks: (_root, _args, ctx) => webhooks.listWebhooks(ctx),
    webhookEvents: (_root, _args, ctx) => webhooks.listEventTypes(ctx),
    deliveries: (_root, page, ctx) => webhooks.listDeliveries(ctx, page),
    delivery: (_root, { id }, ctx) => webhooks.getDelivery(ctx, id),
  },
  Webhook: { health: ({ id }, _args, ctx) => webhooks.getHealth(ctx, id) },
  Delivery: {
    isTest: ({ type }) => type === TEST_TYPE,
    tries: ({ id }, _args, ctx) => webhooks.listAttempts(ctx, id),
  },
  DeliveryConnection: { totalCount: (page) => page.count() },
  Mutation: {
    saveWebhook: (_root, input, ctx) => webhooks.saveWebhook(ctx, input),
    deleteWebhook: (_root, { id }, ctx) => webhooks.deleteWebhook(ctx, id),
    replayDelivery: (_root, { id }, ctx) => webhooks.replayDelivery(ctx, id),
    testWebhook: (_root, { id }, ctx) => webhooks.testWebhook(ctx, id),
  },
} satisfies Resolvers;
