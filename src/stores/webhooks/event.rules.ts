/** Everything a store's webhooks can be told. */
export const EVENT_TYPES = [
  'list.item.added',
  'list.item.removed',
  'subscription.created',
  'subscription.removed',
  'contact.optedin',
  'contact.optedout',
  'alert.sent',
  'alert.failed',
  'product.restocked',
] as const;

/** What a webhook is sent as a test; it cannot be asked for otherwise. */
export const TEST_TYPE = 'webhook.test';

/** The type of an event. */
export type EventType = (typeof EVENT_TYPES)[number];

/** Something that happened in a store. */
export type StoreEvent = { type: EventType; data: object };
