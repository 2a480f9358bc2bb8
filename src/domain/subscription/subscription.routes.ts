import {
  FetchSubscriptionsDocument,
  RemoveSubscriptionsDocument,
  SubscribeDocument,
  UnsubscribeDocument,
} from '../../generated/operations.ts';
import { count, json, text } from '../../route/form.ts';
import { route } from '../../route/route.ts';
import type { RouteTable } from '../../route/route.ts';

export const subscriptionRoutes = {
  'POST /storeadmin/bispa/subscriptions/create': route(SubscribeDocument, {
    caller: 'store',
    summary: 'Subscribes a contact to alerts about products',
    form: {
      medium: text.required,
      mediumvalue: text.required,
      products: json('invalid-products').required,
      topics: json('invalid-topics').required,
      addtomailinglist: count('invalid-addtomailinglist'),
      extras: text,
    },
    reply: 'subscribe',
  }),
  'POST /storeadmin/bispa/subscriptions/remove': route(RemoveSubscriptionsDocument, {
    caller: 'store',
    summary: 'Ends subscriptions of a contact, or with x-regid of that shopper',
    form: { medium: text, mediumvalue: text, topic: text, epi: text, id: text },
    reply: 'unsubscribe',
  }),
  'POST /api/v3/subscriptions/fetch-subs': route(FetchSubscriptionsDocument, {
    caller: 'shopper',
    summary: "Answers the shopper's subscriptions",
    form: { topic: text, medium: text, limit: count('invalid-limit'), offset: count('invalid-offset') },
    reply: 'subscriptionPage',
  }),
  'POST /api/v3/subscriptions/unsubscribe': route(UnsubscribeDocument, {
    caller: 'shopper',
    summary: "Ends the shopper's subscriptions",
    form: { id: text, topic: text, epi: text },
    reply: 'unsubscribe',
  }),
} satisfies RouteTable;
