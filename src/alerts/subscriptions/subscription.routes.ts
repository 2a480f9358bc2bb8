import {
  FetchSubscriptionsDocument,
  SubscribeDocument,
  UnsubscribeDocument,
} from '../../generated/operations.ts';
import { count, fixed, id, json, text, word } from '../../platform/route/form.ts';
import { route } from '../../platform/route/route.ts';
import type { RouteTable } from '../../platform/route/route.ts';

export const subscriptionRoutes = {
  'POST /storeadmin/bispa/subscriptions/create': route(SubscribeDocument, {
    caller: 'store',
    summary: 'Subscribe to alerts',
    description:
      'Subscribe a contact to alerts about products, or renew its existing subscriptions. The contact is subscribed immediately unless the store uses double opt-in.',
    form: {
      input: {
        medium: word.required,
        mediumvalue: text.required,
        products: json.required,
        topics: json.required,
        addtomailinglist: count,
        extras: text,
        language: text.unusual,
      },
    },
    reply: 'subscribe',
  }),
  'POST /storeadmin/bispa/subscriptions/remove': route(UnsubscribeDocument, {
    caller: 'store',
    summary: 'Unsubscribe a contact',
    description:
      'Unsubscribe a contact, or the shopper named by the header `x-regid`. Without `id`, `topic` and `epi`, this ends all of its subscriptions.',
    form: { medium: word, mediumvalue: text, topic: text, epi: id, id: text.unusual },
    reply: 'unsubscribe',
  }),
  'POST /api/v3/subscriptions/fetch-subs': route(FetchSubscriptionsDocument, {
    summary: 'List alert subscriptions',
    description:
      "List the shopper's alert subscriptions with their total number, newest first. An account sees those of its email address, a guest its own requests.",
    form: { topic: text, medium: word, limit: count, offset: count },
    reply: 'subscriptionPage',
  }),
  'POST /api/v3/subscriptions/unsubscribe': route(UnsubscribeDocument, {
    summary: 'Unsubscribe the shopper',
    description:
      "Unsubscribe the shopper from alerts. Without any of the fields, this ends all of the shopper's subscriptions. An `id` of another shopper is ignored.",
    form: { id: text.unusual, topic: text, epi: id, medium: fixed(null), mediumvalue: fixed(null) },
    reply: 'unsubscribe',
  }),
} satisfies RouteTable;
