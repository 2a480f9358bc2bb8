import type { SavedWebhook } from '../../stores/webhooks/webhook.service.ts';
import type { ShownOnce } from '../../platform/idempotency-results.ts';

/**
 * Every mutation whose response shows an API key or a secret: such a response is never stored under an Idempotency-Key. Names what was made, and
 * what to do when the response was lost.
 */
export const SHOWN_ONCE = {
  createStore: ({ store }: { store: { pid: string } }) =>
    `the store ${store.pid}, whose API key is not shown again: act for the store and create another key`,
  createApiKey: ({ id }: { id: string }) =>
    `the API key ${id}, which is not shown again: revoke it and create another one under a new Idempotency-Key`,
  saveWebhook: ({ webhook, secret }: SavedWebhook) =>
    secret === null
      ? null
      : `the webhook ${webhook.id}, whose secret is not shown again: delete it and add another one under a new Idempotency-Key`,
} satisfies ShownOnce;
