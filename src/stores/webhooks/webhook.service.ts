import { randomBytes } from 'node:crypto';
import { requireStore } from '../../context.ts';
import type { Context, Services } from '../../context.ts';
import type { MutationSaveWebhookArgs, QueryDeliveriesArgs } from '../../generated/resolvers.ts';
import { fail } from '../../platform/errors.ts';
import { newId } from '../../platform/ids.ts';
import { hostOf } from '../../platform/outgoing.ts';
import { checkLimit, decodeSeq, encodeCursor, toConnection } from '../../platform/page.ts';
import type { CountedConnection } from '../../platform/page.ts';
import { refusePrivateHost } from '../store.service.ts';
import * as hooks from './webhook.repo.ts';
import type { DeliveryRow, WebhookRow } from './webhook.repo.ts';
import {
  EVENT_TYPES,
  MAX_WEBHOOKS,
  TEST_TYPE,
  checkEvents,
  checkWebhookUrl,
  formatSecret,
} from './webhook.rules.ts';

export { findTargets, forgetAttempts } from './webhook.repo.ts';

const DELIVERY_ORDER = 'delivery';

export async function listWebhooks(ctx: Context): Promise<WebhookRow[]> {
  return hooks.listWebhooks(ctx.db, requireStore(ctx).pid);
}

export function listEventTypes(ctx: Context) {
  requireStore(ctx);
  return [...EVENT_TYPES];
}

/** `secret` is set only if it was just created. */
export async function saveWebhook(ctx: Context, input: MutationSaveWebhookArgs) {
  const store = requireStore(ctx);
  if (store.isDemo)
    fail('forbidden', 'The demo store cannot have webhooks, because its messages are written to files');
  const events = checkEvents(input.events);
  const url = checkWebhookUrl(input.url);
  await refusePrivateHost(ctx, hostOf(url), 'url', 'url: its host');
  const now = ctx.now();
  if (input.id != null) {
    const change = { id: input.id, url: url.href, events };
    const webhook = await hooks.updateWebhook(ctx.db, store.pid, change, now);
    return { webhook: webhook ?? failNoWebhook(), secret: null };
  }
  const secret = formatSecret(randomBytes(32));
  const added = { id: newId(), url: url.href, events, secret };
  const webhook =
    (await ctx.db.transaction((tx) => hooks.addWebhook(tx, store.pid, added, now))) ??
    fail('limit-reached', `A store can have at most ${MAX_WEBHOOKS} webhooks`);
  ctx.shownOnce.push(
    `the webhook ${webhook.id}, whose secret is not shown again: delete it and create another with a new Idempotency-Key`,
  );
  return { webhook, secret };
}

export async function deleteWebhook(ctx: Context, id: string): Promise<boolean> {
  return (await hooks.deleteWebhook(ctx.db, requireStore(ctx).pid, id)) || failNoWebhook();
}

export type DeliveryPage = CountedConnection<DeliveryRow>;

export async function listDeliveries(ctx: Context, { first, after, ...args }: QueryDeliveriesArgs) {
  const { pid } = requireStore(ctx);
  const size = checkLimit('first', first, 20, 100);
  const before = decodeSeq('after', after, DELIVERY_ORDER);
  const filter = { webhookId: args.webhookId, state: (args.filter ?? args).state };
  const rows = await hooks.listDeliveries(ctx.db, pid, filter, { before, limit: size + 1 });
  const page = toConnection(rows, size, ({ seq }) => encodeCursor(DELIVERY_ORDER, seq), after);
  return { ...page, count: () => hooks.countDeliveries(ctx.db, pid, filter) };
}

export async function getDelivery(ctx: Context, id: string): Promise<DeliveryRow | null> {
  const one = { before: null, limit: 1 };
  return (await hooks.listDeliveries(ctx.db, requireStore(ctx).pid, { id }, one))[0] ?? null;
}

export async function replayDelivery(ctx: Context, id: string): Promise<DeliveryRow> {
  const { pid } = requireStore(ctx);
  const row = await ctx.db.transaction((tx) => hooks.replayDelivery(tx, pid, id, ctx.now()));
  return row ?? fail('not-found', 'Delivery not found');
}

export async function testWebhook(ctx: Context, id: string): Promise<DeliveryRow> {
  const { pid } = requireStore(ctx);
  const event = { id: newId(), type: TEST_TYPE, data: { webhookId: id, isTest: true } };
  return (await ctx.db.transaction((tx) => hooks.queueFor(tx, pid, id, event, ctx.now()))) ?? failNoWebhook();
}

function failNoWebhook(): never {
  return fail('not-found', 'Webhook not found');
}

export function listAttempts(ctx: Context, deliveryId: string) {
  return hooks.listAttempts(ctx.db, requireStore(ctx).pid, deliveryId);
}

export async function getHealth(ctx: Context, webhookId: string) {
  const { pid } = requireStore(ctx);
  const last = await hooks.lastAttempt(ctx.db, pid, webhookId, false);
  if (!last?.error) return { lastSuccessAt: last?.at ?? null, failuresInARow: 0, lastError: null };
  const success = await hooks.lastAttempt(ctx.db, pid, webhookId, true);
  const failuresInARow = await hooks.countAttemptsSince(ctx.db, pid, webhookId, success?.seq ?? 0n);
  return { lastSuccessAt: success?.at ?? null, failuresInARow, lastError: last.error };
}

/** Records an attempt. An error here must not undo the attempt itself. */
export async function recordAttempt({ db, log }: Services, attempt: Parameters<typeof hooks.addAttempt>[1]) {
  await hooks.addAttempt(db, attempt).catch((error: unknown) => {
    log.error({ alertId: attempt.deliveryId, err: error }, 'A webhook attempt could not be recorded');
  });
}
