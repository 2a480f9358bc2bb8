import { createHmac } from 'node:crypto';
import { fail } from '../../platform/errors.ts';

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

/** More webhooks would multiply every event, and a receiver can fan out itself. */
export const MAX_WEBHOOKS = 20;

const MAX_URL = 2_000;
/** The prefix shows what the secret is for; the key is the base64 after it. */
const SECRET_PREFIX = 'whsec_';

/** Accepts http(s) URLs without credentials. */
export function checkWebhookUrl(text: string): URL {
  const url = text.length <= MAX_URL && URL.canParse(text) ? new URL(text) : null;
  if (url === null || !/^https?:$/.test(url.protocol))
    return fail('invalid-request', 'url must be an http(s) URL of at most 2,000 characters');
  if (url.username !== '' || url.password !== '')
    fail('invalid-request', 'url must not contain a user name or password');
  return url;
}

export function checkEvents(events: readonly string[]): EventType[] {
  const wrong = events.find((event) => !(EVENT_TYPES as readonly string[]).includes(event));
  if (wrong !== undefined)
    fail('invalid-request', `events: "${wrong.slice(0, 50)}" must be one of ${EVENT_TYPES.join(', ')}`);
  if (events.length === 0)
    fail('invalid-request', `events must contain at least one of ${EVENT_TYPES.join(', ')}`);
  return [...new Set(events)] as EventType[];
}

export function formatSecret(key: Buffer): string {
  return SECRET_PREFIX + key.toString('base64');
}

/** Signs a body and its time by the Standard Webhooks scheme. */
export function signatureHeaders(secret: string, id: string, body: string, now: Date) {
  const timestamp = String(Math.floor(now.getTime() / 1000));
  const key = Buffer.from(secret.slice(SECRET_PREFIX.length), 'base64');
  const signature = createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64');
  return { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': `v1,${signature}` };
}
