import type { Resolvers } from '../../generated/resolvers.ts';
import { subscribe } from './signup.service.ts';
import * as subscriptions from './subscription.service.ts';
import { deleteTopic } from './topic-end.service.ts';

export const subscriptionResolvers = {
  Query: {
    subscriptions: (_root, page, ctx) => subscriptions.listSubscriptions(ctx, page),
    subscriptionPage: (_root, page, ctx) => subscriptions.pageSubscriptions(ctx, page),
  },
  Mutation: {
    subscribe: (_root, { input }, ctx) => subscribe(ctx, input),
    unsubscribe: (_root, ending, ctx) => subscriptions.unsubscribe(ctx, ending),
    deleteTopic: (_root, { name }, ctx) => deleteTopic(ctx, name),
  },
  SubscribePayload: {
    products: ({ products }, _args, ctx) =>
      products.map((product) => subscriptions.describeProduct(ctx, product)),
  },
  SubscriptionConnection: { totalCount: (page) => page.count() },
  Shopper: {
    subscriptions: (shopper, page, ctx) =>
      subscriptions.listSubscriptions(ctx, page, subscriptions.ownerFor(shopper)),
  },
  TopicInfo: { settings: (topic, _args, ctx) => subscriptions.topicSettings(ctx, topic) },
  Subscription: {
    product: (subscription, _args, ctx) => subscriptions.describeProduct(ctx, subscription),
    topicInfo: (subscription, _args, ctx) => subscriptions.topicInfo(ctx, subscription),
    mediumvalue: (subscription, _args, ctx) => subscriptions.visibleContact(ctx, subscription),
    confirmed: (subscription) => subscription.confirmedAt !== null,
  },
} satisfies Resolvers;
