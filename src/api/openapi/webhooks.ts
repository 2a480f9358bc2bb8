import { objectSchema } from '../../platform/json.ts';
import type { Schema } from '../../platform/json.ts';
import type { EventType } from '../../stores/webhooks/webhook.rules.ts';

const TIME = 1_767_225_600_000;

/** Fields of events by name: their JSON types, an example and what they mean. */
const FIELDS = {
  lid: ['string', 'Xb2kY0cWm7eT4aQf9sLh1g', 'The list.'],
  id: ['string', '7c9e6679-7425-40de-944b-e07fc1f90ae7', 'The id of the item, subscription or alert.'],
  epi: ['string', '1001', 'The variant id, as text.'],
  empi: ['string', '101', 'The product id, as text.'],
  du: ['string', 'https://shop.example/p/linen-throw', 'The URL of the product page.'],
  qty: ['integer', 1, 'The quantity.'],
  uid: ['string', 'Qm4nT8wZr1cVb6yLk0pXsD', 'The shopper who owns the list.'],
  medium: ['string', 'email', 'The channel: `email` or `sms`.'],
  value: ['string', 'ada@example.com', 'The email address or phone number.'],
  topic: ['string', 'backinstock', 'The topic of the alert.'],
  confirmed: ['boolean', true, 'Whether the contact has confirmed the subscription.'],
  cts: ['integer', TIME, 'When it was created, in milliseconds since the epoch.'],
  signuptime: ['integer', TIME, 'When the contact decided, in milliseconds since the epoch.'],
  acceptsource: ['string', 'subscription', 'Where the contact decided.'],
  error: ['string null', null, 'Why the alert failed; null after a success.'],
  stk: ['integer null', 12, 'The units in stock; null when the stock is unlimited.'],
} as const;

const ITEM = 'lid id epi empi du qty uid';
const SUBSCRIPTION = 'id medium value topic epi empi du confirmed cts';
const CONSENT = 'medium value signuptime acceptsource';
const ALERT = 'id topic epi medium value error';

/** What happened, and the fields of `data`. */
const EVENTS: Record<EventType, [summary: string, data: string]> = {
  'list.item.added': ['A shopper saved an item to a list', ITEM],
  'list.item.removed': ['A shopper removed an item, or deleted the list with it', ITEM],
  'subscription.created': ['A contact subscribed to alerts about a product', SUBSCRIPTION],
  'subscription.removed': ['A contact unsubscribed, or its address does not exist', SUBSCRIPTION],
  'contact.optedin': ['A contact joined the mailing list', CONSENT],
  'contact.optedout': ['A contact left the mailing list, or declined to join it', CONSENT],
  'alert.sent': ['An alert was delivered, which ends its subscription', ALERT],
  'alert.failed': ['An alert could not be delivered and is not retried', ALERT],
  'product.restocked': ['A variant is back in stock', 'epi stk'],
};

function describeEvent([type, [summary, names]]: [string, [string, string]]): [string, Schema] {
  const fields = names.split(' ').map((name) => [name, ...FIELDS[name as keyof typeof FIELDS]] as const);
  const data = fields.map(([name, types, , description]) => [name, { type: types.split(' '), description }]);
  const schema = objectSchema({
    type: { const: type, description: 'The type of the event.' },
    timestamp: { type: 'string', format: 'date-time', description: 'When it happened.' },
    data: { ...objectSchema(Object.fromEntries(data) as Record<string, Schema>), description: 'Its fields.' },
  });
  const sample = {
    ...Object.fromEntries(fields.map(([name, , example]) => [name, example])),
    ...(type === 'alert.failed' && { error: '550 5.1.1 The mailbox does not exist' }),
  };
  const example = { type, timestamp: new Date(TIME).toISOString(), data: sample };
  const requestBody = { required: true, content: { 'application/json': { schema, example } } };
  const responses = { '2XX': { description: 'Accepts the event. Any other status is retried.' } };
  return [type, { post: { summary, requestBody, responses } }];
}

/** The events that a store's webhooks receive, each with a sample payload. */
export const WEBHOOKS: Schema = Object.fromEntries(Object.entries(EVENTS).map(describeEvent));
