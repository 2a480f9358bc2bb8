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

/** Sent only as a test; a webhook cannot subscribe to it. */
export const TEST_TYPE = 'webhook.test';

export type EventType = (typeof EVENT_TYPES)[number];

export type StoreEvent = { type: EventType; data: object };
