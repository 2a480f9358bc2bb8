import type { ClaimedMessage, MessageState } from '../../alerts/queue/outbox.repo.ts';
import type { OutboxMessageModel, StoreModel, WebhookModel } from '../../generated/prisma/models.ts';
import type { Db, Raw, Tx } from '../../platform/database/database.ts';
import { lockStore } from '../store.repo.ts';
import { MAX_WEBHOOKS } from './webhook.rules.ts';

export type WebhookRow = Omit<WebhookModel, 'pid' | 'secret'>;

const HIDDEN = { pid: true, secret: true } as const;

export function listWebhooks(db: Db, pid: string): Promise<WebhookRow[]> {
  return db.prisma.webhook.findMany({
    where: { pid },
    omit: HIDDEN,
    orderBy: [{ cts: 'asc' }, { id: 'asc' }],
  });
}

/** Returns null if the store has reached its maximum. Concurrent calls for one store are serialized until the commit. */
export async function addWebhook(
  tx: Tx,
  pid: string,
  webhook: Pick<WebhookModel, 'id' | 'url' | 'events' | 'secret'>,
  now: Date,
): Promise<WebhookRow | null> {
  await lockStore(tx, pid);
  if ((await tx.prisma.webhook.count({ where: { pid } })) >= MAX_WEBHOOKS) return null;
  return tx.prisma.webhook.create({ data: { pid, ...webhook, cts: now, uts: now }, omit: HIDDEN });
}

/** The secret stays the same. Returns null if the store has no such webhook. */
export async function updateWebhook(
  db: Db,
  pid: string,
  { id, url, events }: Pick<WebhookModel, 'id' | 'url' | 'events'>,
  now: Date,
): Promise<WebhookRow | null> {
  const [row] = await db.prisma.webhook.updateManyAndReturn({
    where: { pid, id },
    data: { url, events, uts: now },
    omit: HIDDEN,
  });
  return row ?? null;
}

/** Deliveries that are still queued will be withheld. */
export async function deleteWebhook(db: Db, pid: string, id: string): Promise<boolean> {
  return (await db.prisma.webhook.deleteMany({ where: { pid, id } })).count === 1;
}

export type WebhookTarget = Pick<WebhookModel, 'url' | 'secret'> & Pick<StoreModel, 'isDemo'>;

/** In the order of the deliveries; null if the webhook was deleted. */
export async function loadTargets(
  db: Db,
  deliveries: readonly ClaimedMessage[],
): Promise<(WebhookTarget | null)[]> {
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

export type DeliveryRow = Raw<Omit<Shown, 'recipient' | 'kind' | 'state' | 'payload'>> & {
  webhookId: string;
  type: string;
  state: MessageState;
  payload: Record<string, unknown>;
};

const DELIVERY = {
  id: true,
  recipient: true,
  kind: true,
  state: true,
  attempts: true,
  error: true,
  payload: true,
  dueAt: true,
  cts: true,
  finishedAt: true,
  seq: true,
} as const;

type Shown = Pick<OutboxMessageModel, keyof typeof DELIVERY>;

const toDelivery = ({ recipient, kind, seq, state, payload, ...row }: Shown): DeliveryRow => ({
  ...row,
  webhookId: recipient,
  type: kind,
  seq: Number(seq),
  state: state as MessageState,
  payload: payload as Record<string, unknown>,
});

export type DeliveryFilter = { webhookId: string; state: MessageState | null };

const deliveriesOf = (pid: string, { webhookId, state }: DeliveryFilter) => ({
  pid,
  lane: 'webhook',
  recipient: webhookId,
  ...(state === null ? {} : { state }),
});

/** Newest first; one row more than requested shows whether another page follows. */
export async function listDeliveries(
  db: Db,
  pid: string,
  filter: DeliveryFilter,
  first: number,
  before: number | null,
): Promise<DeliveryRow[]> {
  const rows = await db.prisma.outboxMessage.findMany({
    where: { ...deliveriesOf(pid, filter), ...(before === null ? {} : { seq: { lt: before } }) },
    select: DELIVERY,
    orderBy: { seq: 'desc' },
    take: first + 1,
  });
  return rows.map(toDelivery);
}

export function countDeliveries(db: Db, pid: string, filter: DeliveryFilter): Promise<number> {
  return db.prisma.outboxMessage.count({ where: deliveriesOf(pid, filter) });
}

/** Queues a delivery again under its id, regardless of an attempt in progress; null if the store has no such delivery. */
export async function replayDelivery(
  tx: Tx,
  pid: string,
  id: string,
  now: Date,
): Promise<DeliveryRow | null> {
  tx.afterCommit(tx.wake);
  const [row] = await tx.prisma.outboxMessage.updateManyAndReturn({
    where: { pid, id, lane: 'webhook' },
    data: {
      state: 'queued',
      attempts: 0,
      claim: { increment: 1 },
      dueAt: now,
      finishedAt: null,
      error: null,
    },
    select: DELIVERY,
  });
  return row ? toDelivery(row) : null;
}

export async function findDelivery(db: Db, pid: string, id: string): Promise<DeliveryRow | null> {
  const row = await db.prisma.outboxMessage.findFirst({
    where: { pid, id, lane: 'webhook' },
    select: DELIVERY,
  });
  return row && toDelivery(row);
}

/** Queues an event for one webhook, even if it does not subscribe to it; null if the store has no such webhook. */
export async function queueFor(
  tx: Tx,
  pid: string,
  webhookId: string,
  { id, type, data }: { id: string; type: string; data: object },
  now: Date,
): Promise<DeliveryRow | null> {
  const webhook = await tx.prisma.webhook.findFirst({ where: { pid, id: webhookId }, select: { id: true } });
  if (webhook === null) return null;
  tx.afterCommit(tx.wake);
  const payload = { type, timestamp: now.toISOString(), data };
  const row = await tx.prisma.outboxMessage.create({
    data: { pid, id, lane: 'webhook', kind: type, recipient: webhookId, payload, dueAt: now, cts: now },
    select: DELIVERY,
  });
  return toDelivery(row);
}
