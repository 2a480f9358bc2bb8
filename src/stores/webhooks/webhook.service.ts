import { randomBytes } from 'node:crypto';
import type { ClaimedMessage, MessageState } from '../../alerts/queue/outbox.repo.ts';
import { requireStore } from '../../context.ts';
import type { Context } from '../../context.ts';
import type { Db } from '../../platform/database/database.ts';
import { fail } from '../../platform/errors.ts';
import { newId } from '../../platform/ids.ts';
import { goOutside } from '../../platform/in-flight.ts';
import { checkLimit, decodeSeq, encodeCursor, toConnection } from '../../platform/page.ts';
import type { Connection } from '../../platform/page.ts';
import { whereLeads } from '../../platform/public-address.ts';
import { EVENT_TYPES } from './event.rules.ts';
import type { EventType } from './event.rules.ts';
import * as hooks from './webhook.repo.ts';
import type { DeliveryFilter, DeliveryRow, WebhookRow, WebhookTarget } from './webhook.repo.ts';
import { MAX_WEBHOOKS, checkEvents, checkWebhookUrl, formatSecret, hostOf } from './webhook.rules.ts';

export type { WebhookTarget } from './webhook.repo.ts';

const SECRET_BYTES = 32;
const DELIVERY_ORDER = 'delivery';

export async function listWebhooks(ctx: Context): Promise<WebhookRow[]> {
  return hooks.listWebhooks(ctx.db, requireStore(ctx).pid);
}

export function listEventTypes(ctx: Context): EventType[] {
  requireStore(ctx);
  return [...EVENT_TYPES];
}

/** `secret` is set only if it was just created. */
export type SavedWebhook = { webhook: WebhookRow; secret: string | null };

type WebhookInput = { id?: string | null; url: string; events: readonly string[] };

export async function saveWebhook(ctx: Context, input: WebhookInput): Promise<SavedWebhook> {
  const store = requireStore(ctx);
  if (store.isDemo) fail('forbidden', 'The demo store has no webhooks: its messages never leave the machine');
  const events = checkEvents(input.events);
  const url = checkWebhookUrl(input.url);
  await refusePrivateTarget(ctx, url);
  const now = ctx.now();
  if (input.id != null) {
    const webhook = await hooks.updateWebhook(
      ctx.db,
      store.pid,
      { id: input.id, url: url.href, events },
      now,
    );
    return { webhook: webhook ?? failNoWebhook(), secret: null };
  }
  const secret = formatSecret(randomBytes(SECRET_BYTES));
  const added = { id: newId(), url: url.href, events, secret };
  const webhook =
    (await ctx.db.transaction((tx) => hooks.addWebhook(tx, store.pid, added, now))) ??
    fail('limit-reached', `A store can have at most ${MAX_WEBHOOKS} webhooks`);
  ctx.shownOnce.push(
    `the webhook ${webhook.id}, whose secret is not shown again: delete it and add another one under a new Idempotency-Key`,
  );
  return { webhook, secret };
}

/** Gives early feedback on the URL; the same check at each connection is the one that protects. */
async function refusePrivateTarget(ctx: Context, url: URL): Promise<void> {
  if (ctx.config.webhookAllowPrivate) return;
  await goOutside(ctx);
  const target = await whereLeads(hostOf(url));
  if (target === 'nowhere') fail('invalid-request', 'url: its host cannot be found');
  if (target === 'private') fail('invalid-request', 'url must lead to a public address');
}

export async function deleteWebhook(ctx: Context, id: string): Promise<boolean> {
  return (await hooks.deleteWebhook(ctx.db, requireStore(ctx).pid, id)) || failNoWebhook();
}

type DeliveryPage = {
  webhookId: string;
  state?: MessageState | null;
  first?: number | null;
  after?: string | null;
};

/** Carries the filter, so that the total is counted only if the client selects it. */
export type DeliveryConnectionRow = Connection<DeliveryRow> & { filter: DeliveryFilter };

export async function listDeliveries(ctx: Context, page: DeliveryPage): Promise<DeliveryConnectionRow> {
  const { pid } = requireStore(ctx);
  const first = checkLimit('first', page.first, 20, 100);
  const filter = { webhookId: page.webhookId, state: page.state ?? null };
  const before = decodeSeq('after', page.after, DELIVERY_ORDER);
  const rows = await hooks.listDeliveries(ctx.db, pid, filter, first, before);
  return { ...toConnection(rows, first, ({ seq }) => encodeCursor(DELIVERY_ORDER, seq), page.after), filter };
}

export function countDeliveries(ctx: Context, { filter }: DeliveryConnectionRow): Promise<number> {
  return hooks.countDeliveries(ctx.db, requireStore(ctx).pid, filter);
}

export async function replayDelivery(ctx: Context, id: string): Promise<DeliveryRow> {
  const { pid } = requireStore(ctx);
  const row = await ctx.db.transaction((tx) => hooks.replayDelivery(tx, pid, id, ctx.now()));
  return row ?? fail('not-found', 'There is no such delivery');
}

export function findTargets(
  db: Db,
  deliveries: readonly ClaimedMessage[],
): Promise<(WebhookTarget | null)[]> {
  return hooks.loadTargets(db, deliveries);
}

function failNoWebhook(): never {
  return fail('not-found', 'There is no such webhook');
}
