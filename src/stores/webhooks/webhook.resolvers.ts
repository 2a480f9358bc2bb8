import type { Resolvers } from '../../generated/resolvers.ts';
import { getDelivery, getHealth, listTries, testWebhook } from './attempt.service.ts';
import { TEST_TYPE } from './event.rules.ts';
import {
  countDeliveries,
  deleteWebhook,
  listDeliveries,
  listEventTypes,
  listWebhooks,
  replayDelivery,
  saveWebhook,
} from './webhook.service.ts';

export const webhookResolvers = {
  Query: {
    webhooks: (_root, _args, ctx) => listWebhooks(ctx),
    webhookEvents: (_root, _args, ctx) => listEventTypes(ctx),
    deliveries: (_root, page, ctx) => listDeliveries(ctx, page),
    delivery: (_root, { id }, ctx) => getDelivery(ctx, id),
  },
  Webhook: { health: ({ id }, _args, ctx) => getHealth(ctx, id) },
  Delivery: {
    isTest: ({ type }) => type === TEST_TYPE,
    tries: ({ id }, _args, ctx) => listTries(ctx, id),
  },
  DeliveryConnection: { totalCount: (page, _args, ctx) => countDeliveries(ctx, page) },
  Mutation: {
    saveWebhook: (_root, input, ctx) => saveWebhook(ctx, input),
    deleteWebhook: (_root, { id }, ctx) => deleteWebhook(ctx, id),
    replayDelivery: (_root, { id }, ctx) => replayDelivery(ctx, id),
    testWebhook: (_root, { id }, ctx) => testWebhook(ctx, id),
  },
} satisfies Resolvers;
