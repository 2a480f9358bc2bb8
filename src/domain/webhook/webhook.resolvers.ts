import type { Resolvers } from '../../generated/resolvers.ts';
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
  },
  DeliveryConnection: { totalCount: (page, _args, ctx) => countDeliveries(ctx, page) },
  Mutation: {
    saveWebhook: (_root, input, ctx) => saveWebhook(ctx, input),
    deleteWebhook: (_root, { id }, ctx) => deleteWebhook(ctx, id),
    replayDelivery: (_root, { id }, ctx) => replayDelivery(ctx, id),
  },
} satisfies Resolvers;
