import type { ClaimedMessage, MessageState } from '../../alerts/queue/outbox.repo.ts';
import type {
  OutboxMessageModel,
  StoreModel,
  WebhookModel,
  WebhookTryModel,
} from '../../generated/prisma/models.ts';
import type { Db, Raw, Tx } from '../../platform/database/database.ts';
import { IN_SERVICE } from '../../platform/database/in-service.ts';
import type { PageRead } from '../../platform/page.ts';
import { DAY_MS } from '../../platform/time.ts';
import { lockStore } from '../store.repo.ts';
import { MAX_WEBHOOKS } from './webhook.rules.ts';

const HIDDEN = { pid: true, secret: true } as const;

export type WebhookRow = Omit<WebhookModel, keyof typeof HIDDEN>;

export function listWebhooks(db: Db, pid: string): Promise<WebhookRow[]> {
  const orderBy = [{ cts: 'asc' as const }, { id: 'asc' as const }];
  return db.prisma.webhook.findMany({ where: { pid }, omit: HIDDEN, orderBy });
}

type NewWebhook = Pick<WebhookModel, 'id' | 'url' | 'events' | 'secret'>;
type WebhookChange = Omit<NewWebhook, 'secret'>;

/** Returns null if the store has reached its maximum. Concurrent calls for one store are serialized until the commit. */
export async function addWebhook(tx: Tx, pid: string, webhook: NewWebhook, now: Date) {
  await lockStore(tx, pid);
  if ((await tx.prisma.webhook.count({ where: { pid } })) >= MAX_WEBHOOKS) return null;
  return tx.prisma.webhook.create({ data: { pid, ...webhook, cts: now, uts: now }, omit: HIDDEN });
}

/** The secret stays the same. Returns undefined if the store has no such webhook. */
export async function updateWebhook(db: Db, pid: string, { id, url, events }: WebhookChange, now: Date) {
  const change = { where: { pid, id }, data: { url, events, uts: now } };
  return (await db.prisma.webhook.updateManyAndReturn({ ...change, omit: HIDDEN }))[0];
}

/** Deliveries that are still queued will be suppressed. */
export async function deleteWebhook(db: Db, pid: string, id: string): Promise<boolean> {
  return (await db.prisma.webhook.deleteMany({ where: { pid, id } })).count === 1;
}

export type WebhookTarget = Pick<WebhookModel, 'url' | 'secret'> & Pick<StoreModel, 'isDemo'>;

/** In the order of the deliveries; null if the webhook was deleted. */
export async function findTargets(db: Db, deliveries: readonly ClaimedMessage[]) {
  const rows = await db.prisma.webhook.findMany({
    where: {
      pid: { in: [...new Set(deliveries.map(({ pid }) => pid))] },
      id: { in: [...new Set(deliveries.map(({ recipient }) => recipient))] },
    },
    select: { pid: true, id: true, url: true, secret: true, store: { select: { isDemo: true } } },
  });
  const targets = new Map(rows.map(({ pid, id, store, ...row }) => [`${pid} ${id}`, { ...row, ...store }]));
  return deliveries.map(({ pid, recipient }) => targets.get(`${pid} ${recipient}`) ?? null);
}

const DELIVERY = {
  ...{ id: true, recipient: true, kind: true, state: true, attempts: true, error: true },
  ...{ payload: true, dueAt: true, cts: true, finishedAt: true, seq: true },
} as const;

type StoredDelivery = Pick<OutboxMessageModel, keyof typeof DELIVERY>;

export type DeliveryRow = Raw<Omit<StoredDelivery, 'recipient' | 'kind' | 'state' | 'payload'>> & {
  webhookId: string;
  type: string;
  state: MessageState;
  payload: Record<string, unknown>;
};

const toDelivery = ({ recipient, kind, seq, state, payload, ...row }: StoredDelivery): DeliveryRow => ({
  ...row,
  webhookId: recipient,
  type: kind,
  seq: Number(seq),
  state: state as MessageState,
  payload: payload as Record<string, unknown>,
});

/** `id` names one delivery; a missing or null field selects all. */
type DeliveryFilter = { id?: string; webhookId?: string; state?: MessageState | null };

const deliveriesOf = (pid: string, { id, webhookId, state }: DeliveryFilter) => ({
  pid,
  lane: 'webhook',
  id,
  recipient: webhookId,
  state: state ?? undefined,
});

/** Newest first, those behind `before`. */
export async function listDeliveries(db: Db, pid: string, filter: DeliveryFilter, page: PageRead<number>) {
  const where = { ...deliveriesOf(pid, filter), seq: { lt: page.before ?? undefined } };
  const newest = { orderBy: { seq: 'desc' }, take: page.limit } as const;
  return (await db.prisma.outboxMessage.findMany({ where, select: DELIVERY, ...newest })).map(toDelivery);
}

export function countDeliveries(db: Db, pid: string, filter: DeliveryFilter): Promise<number> {
  return db.prisma.outboxMessage.count({ where: deliveriesOf(pid, filter) });
}

/** Queues a delivery again under its id, regardless of an attempt in progress; undefined if the store has no such delivery. */
export async function replayDelivery(tx: Tx, pid: string, id: string, now: Date) {
  tx.afterCommit(tx.wake);
  const fresh = { state: 'queued', attempts: 0, claim: { increment: 1 }, finishedAt: null, error: null };
  const change = { where: deliveriesOf(pid, { id }), data: { ...fresh, dueAt: now } };
  const rows = await tx.prisma.outboxMessage.updateManyAndReturn({ ...change, select: DELIVERY });
  return rows.map(toDelivery)[0];
}

type QueuedEvent = { id: string; type: string; data: object };

/** Queues an event for one webhook, even if it does not subscribe to it; null if the store has no such webhook. */
export async function queueFor(tx: Tx, pid: string, webhookId: string, event: QueuedEvent, now: Date) {
  const { id, type, data } = event;
  if ((await tx.prisma.webhook.count({ where: { pid, id: webhookId } })) === 0) return null;
  tx.afterCommit(tx.wake);
  const payload = { type, timestamp: now.toISOString(), data };
  const row = await tx.prisma.outboxMessage.create({
    data: { pid, id, lane: 'webhook', kind: type, recipient: webhookId, payload, dueAt: now, cts: now },
    select: DELIVERY,
  });
  return toDelivery(row);
}

const SHOWN_ATTEMPTS = 50;
const COUNTED_ATTEMPTS = 1_000;
const DELETED_AT_ONCE = 10_000;

export async function addAttempt(db: Db, attempt: Omit<WebhookTryModel, 'seq'>): Promise<void> {
  await db.prisma.webhookTry.createMany({ data: attempt });
}

/** Oldest first. */
export async function listAttempts(db: Db, pid: string, deliveryId: string): Promise<WebhookTryModel[]> {
  const newest = { orderBy: { seq: 'desc' }, take: SHOWN_ATTEMPTS } as const;
  return (await db.prisma.webhookTry.findMany({ where: { pid, deliveryId }, ...newest })).reverse();
}

/** The last attempt of a webhook, or its last successful one. */
export function lastAttempt(db: Db, pid: string, webhookId: string, isSuccess: boolean) {
  const where = { pid, webhookId, ...(isSuccess && { error: null }) };
  return db.prisma.webhookTry.findFirst({ where, orderBy: { seq: 'desc' } });
}

export function countAttemptsSince(db: Db, pid: string, webhookId: string, seq: bigint): Promise<number> {
  const where = { pid, webhookId, seq: { gt: seq } };
  return db.prisma.webhookTry.count({ where, take: COUNTED_ATTEMPTS });
}

/** Attempts are kept for 30 days, like deliveries. */
export async function forgetAttempts({ db }: { db: Db }, now: Date): Promise<number> {
  const where = { ...IN_SERVICE, at: { lt: new Date(now.getTime() - 30 * DAY_MS) } };
  return (await db.prisma.webhookTry.deleteMany({ where, limit: DELETED_AT_ONCE })).count;
}
