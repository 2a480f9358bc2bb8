import {
  FetchSubscriptionsDocument,
  SubscribeDocument,
  UnsubscribeDocument,
} from '../../generated/operations.ts';
import { route } from '../../transport/rest/route.ts';
import type { RouteTable } from '../../transport/rest/route.ts';

export const subscriptionRoutes = {
  'POST /storeadmin/bispa/subscriptions/create': route(SubscribeDocument, {
    summary: 'Subscribes a contact to alerts about products',
    variables: (form) => ({
      medium: form.text('medium'),
      mediumvalue: form.text('mediumvalue'),
      products: form.json('products', 'invalid-products') as never,
      topics: form.json('topics', 'invalid-topics') as never,
      addtomailinglist: form.integer('addtomailinglist', 'invalid-addtomailinglist'),
      extras: form.text('extras'),
    }),
    shapes: { products: 'invalid-products', topics: 'invalid-topics' },
    required: ['medium', 'mediumvalue', 'products', 'topics'],
    reply: (data) => data.subscribe,
  }),
  'POST /api/v3/subscriptions/fetch-subs': route(FetchSubscriptionsDocument, {
    summary: "Answers the shopper's subscriptions",
    variables: (form) => ({
      topic: form.text('topic'),
      medium: form.text('medium'),
      limit: form.integer('limit', 'invalid-limit'),
      offset: form.integer('offset', 'invalid-offset'),
    }),
    reply: (data) => data.subscriptionPage,
  }),
  'POST /api/v3/subscriptions/unsubscribe': route(UnsubscribeDocument, {
    summary: "Ends the shopper's subscriptions",
    variables: (form) => ({ topic: form.text('topic'), epi: form.text('epi') }),
    reply: (data) => data.unsubscribe,
  }),
} satisfies RouteTable;
