import {
  FetchSubscriptionsDocument,
  RemoveSubscriptionsDocument,
  SubscribeDocument,
  UnsubscribeDocument,
} from '../../generated/operations.ts';
import { count, id, json, text, word } from '../../platform/route/form.ts';
import { route } from '../../platform/route/route.ts';
import type { RouteTable } from '../../platform/route/route.ts';

export const subscriptionRoutes = {
  'POST /storeadmin/bispa/subscriptions/create': route(SubscribeDocument, {
    caller: 'store',
    summary: 'Subscribes a contact to alerts about products',
    form: {
      medium: word.required,
      mediumvalue: text.required,
      products: json.required,
      topics: json.required,
      addtomailinglist: count,
      extras: text,
      language: text.unusual,
    },
    reply: 'subscribe',
  }),
  'POST /storeadmin/bispa/subscriptions/remove': route(RemoveSubscriptionsDocument, {
    caller: 'store',
    summary: 'Ends subscriptions of a contact, or with x-regid of that shopper',
    form: { medium: word, mediumvalue: text, topic: text, epi: id, id: text.unusual },
    reply: 'unsubscribe',
  }),
  'POST /api/v3/subscriptions/fetch-subs': route(FetchSubscriptionsDocument, {
    caller: 'shopper',
    summary: "Answers the shopper's subscriptions",
    form: { topic: text, medium: word, limit: count, offset: count },
    reply: 'subscriptionPage',
  }),
  'POST /api/v3/subscriptions/unsubscribe': route(UnsubscribeDocument, {
    caller: 'shopper',
    summary: "Ends the shopper's subscriptions",
    form: { id: text.unusual, topic: text, epi: id },
    reply: 'unsubscribe',
  }),
} satisfies RouteTable;
