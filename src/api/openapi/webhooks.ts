import { objectSchema } from '../../platform/json.ts';
import type { Schema } from '../../platform/json.ts';
import type { EventType } from '../../stores/webhooks/webhook.rules.ts';

const TIME = 1_767_225_600_000;

/** Fields of events by name: an example and what it means. */
const FIELDS = {
  lid: ['Xb2kY0cWm7eT4aQf9sLh1g', 'The list.'],
  id: ['7c9e6679-7425-40de-944b-e07fc1f90ae7', 'The id of the item, subscription or alert.'],
  epi: ['1001', 'The variant id, as text.'],
  empi: ['101', 'The product id, as text.'],
  du: ['https://shop.example/p/linen-throw', 'The URL of the product page.'],
  qty: [1, 'The quantity.'],
  uid: ['Qm4nT8wZr1cVb6yLk0pXsD', 'The shopper who owns the list.'],
  medium: ['email', 'The channel: `email` or `sms`.'],
  value: ['ada@example.com', 'The email address or phone number.'],
  topic: ['backinstock', 'The topic of the alert.'],
  confirmed: [true, 'Whether the contact has confirmed the subscription.'],
  cts: [TIME, 'When it was created, in milliseconds since the epoch.'],
  signuptime: [TIME, 'When the contact decided, in milliseconds since the epoch.'],
  acceptsource: ['subscription', 'Where the contact decided.'],
  error: [null, 'Why the alert failed; null after a success.'],
  stk: [12, 'The units in stock; null when the stock is unlimited.'],
} as const satisfies Record<string, readonly [example: unknown, meaning: string]>;

type FieldName = keyof typeof FIELDS;

const ITEM: FieldName[] = ['lid', 'id', 'epi', 'empi', 'du', 'qty', 'uid'];
const SUBSCRIPTION: FieldName[] = [
  ...(['id', 'medium', 'value', 'topic', 'epi', 'empi', 'du', 'confirmed', 'cts'] as const),
];
const CONSENT: FieldName[] = ['medium', 'value', 'signuptime', 'acceptsource'];
const ALERT: FieldName[] = ['id', 'topic', 'epi', 'medium', 'value', 'error'];

/** What happened, and the fields of `data`. */
const EVENTS: Record<EventType, [summary: string, data: FieldName[]]> = {
  'list.item.added': ['A shopper saved an item to a list', ITEM],
  'list.item.removed': ['A shopper removed an item, or deleted the list with it', ITEM],
  'subscription.created': ['A contact subscribed to alerts about a product', SUBSCRIPTION],
  'subscription.removed': ['A contact unsubscribed, or its address does not exist', SUBSCRIPTION],
  'contact.optedin': ['A contact joined the mailing list', CONSENT],
  'contact.optedout': ['A contact left the mailing list, or declined to join it', CONSENT],
  'alert.sent': ['An alert was delivered, which ends its subscription', ALERT],
  'alert.failed': ['An alert could not be delivered and is not retried', ALERT],
  'product.restocked': ['A variant is back in stock', ['epi', 'stk']],
};

const SAMPLES: Partial<Record<EventType, object>> = {
  'alert.failed': { error: '550 5.1.1 The mailbox does not exist' },
};

function typeOf(example: unknown): Schema {
  if (example === null) return { type: ['string', 'null'] };
  return { type: typeof example === 'number' ? 'integer' : typeof example };
}

function describeEvent(type: string, summary: string, names: FieldName[]): Schema {
  const fields = names.map((name) => {
    const [example, description] = FIELDS[name];
    const schema = name === 'stk' ? { type: ['integer', 'null'] } : typeOf(example);
    return [name, { ...schema, description }] as const;
  });
  const schema = objectSchema({
    type: { const: type, description: 'The type of the event.' },
    timestamp: { type: 'string', format: 'date-time', description: 'When it happened.' },
    data: { ...objectSchema(Object.fromEntries(fields)), description: 'What happened.' },
  });
  const samples = names.map((name) => [name, FIELDS[name][0]] as const);
  const data = { ...Object.fromEntries(samples), ...SAMPLES[type as EventType] };
  const example = { type, timestamp: new Date(TIME).toISOString(), data };
  return {
    summary,
    requestBody: { required: true, content: { 'application/json': { schema, example } } },
    responses: { '2XX': { description: 'Accepts the event. Any other status is retried.' } },
  };
}

/** The events that a store's webhooks receive, each with a sample payload. */
export const WEBHOOKS: Schema = Object.fromEntries(
  Object.entries(EVENTS).map(([type, [summary, names]]) => [
    type,
    { post: describeEvent(type, summary, names) },
  ]),
);
