import type { Resolvers } from '../../generated/resolvers.ts';
import { subscribe } from './signup.service.ts';
import {
  countSubscriptions,
  listSubscriptions,
  ownerFor,
  pageSubscriptions,
  unsubscribe,
  visibleContact,
} from './subscription.service.ts';
import { deleteTopic } from './topic-end.service.ts';
import { topicInfo, topicSettings } from './topic-info.service.ts';

export const subscriptionResolvers = {
  Query: {
    subscriptions: (_root, page, ctx) => listSubscriptions(ctx, page),
    subscriptionPage: (_root, page, ctx) => pageSubscriptions(ctx, page),
  },
  Mutation: {
    subscribe: (_root, { input }, ctx) => subscribe(ctx, input),
    unsubscribe: (_root, ending, ctx) => unsubscribe(ctx, ending),
    deleteTopic: (_root, { name }, ctx) => deleteTopic(ctx, name),
  },
  SubscriptionConnection: { totalCount: (page, _args, ctx) => countSubscriptions(ctx, page) },
  Shopper: { subscriptions: (shopper, page, ctx) => listSubscriptions(ctx, page, ownerFor(shopper)) },
  TopicInfo: { settings: topicSettings },
  Subscription: {
    topicInfo,
    mediumvalue: (subscription, _args, ctx) => visibleContact(ctx, subscription),
    confirmed: (subscription) => subscription.confirmedAt !== null,
  },
} satisfies Resolvers;
