import type { Db, Tx } from '../../database/database.ts';
import type { ClaimedMessage, MessageState } from '../../outbox/outbox.repo.ts';
import { MAX_WEBHOOKS } from './webhook.rules.ts';

/** A webhook as its store sees it. */
export type WebhookRow = { id: string; url: string; events: string[]; cts: Date; uts: Date };

const COLUMNS = 'id, url, events, cts, uts';

/** All webhooks of a store, oldest first. */
export function listWebhooks(db: Db, pid: string): Promise<WebhookRow[]> {
  return db.query<WebhookRow>(`SELECT ${COLUMNS} FROM webhook WHERE pid = $1 ORDER BY cts, id`, [pid]);
}

/** Adds a webhook; null when the store has as many as it may. Callers of one store wait for each other until the commit. */
export async function addWebhook(
  tx: Tx,
  pid: string,
  webhook: { id: string; url: string; events: string[]; secret: string },
  now: Date,
): Promise<WebhookRow | null> {
  // A statement of its own: what the one before it added is seen only by one that starts after the wait.
  await tx.query('SELECT 1 FROM store WHERE pid = $1 FOR NO KEY UPDATE', [pid]);
  const [row] = await tx.query<WebhookRow>(
    `INSERT INTO webhook (pid, id, url, events, secret, cts, uts)
     SELECT $1, $2, $3, $4, $5, $6, $6 WHERE (SELECT count(*) FROM webhook WHERE pid = $1) < ${MAX_WEBHOOKS}
     RETURNING ${COLUMNS}`,
    [pid, webhook.id, webhook.url, webhook.events, webhook.secret, now],
  );
  return row ?? null;
}

/** Changes a webhook and keeps its secret; null when the store has no such webhook. */
export async function updateWebhook(
  db: Db,
  pid: string,
  webhook: { id: string; url: string; events: string[] },
  now: Date,
): Promise<WebhookRow | null> {
  const [row] = await db.query<WebhookRow>(
    `UPDATE webhook SET url = $3, events = $4, uts = $5 WHERE pid = $1 AND id = $2 RETURNING ${COLUMNS}`,
    [pid, webhook.id, webhook.url, webhook.events, now],
  );
  return row ?? null;
}

/** Removes a webhook; what is still queued for it will be withheld. */
export async function deleteWebhook(db: Db, pid: string, id: string): Promise<boolean> {
  return (
    (await db.query('DELETE FROM webhook WHERE pid = $1 AND id = $2 RETURNING id', [pid, id])).length === 1
  );
}

/** Where a delivery goes and how it is signed. */
export type WebhookTarget = { url: string; secret: string; isDemo: boolean };

const TARGETS = `
  SELECT w.url, w.secret, s.is_demo AS "isDemo"
  FROM unnest($1::text[], $2::text[]) WITH ORDINALITY AS m(pid, id, position)
  LEFT JOIN webhook w ON w.pid = m.pid AND w.id = m.id
  LEFT JOIN store s ON s.pid = w.pid
  ORDER BY m.position`;

/** The targets of claimed deliveries, in their order; null where the webhook is gone. */
export async function loadTargets(
  db: Db,
  deliveries: readonly ClaimedMessage[],
): Promise<(WebhookTarget | null)[]> {
  const rows = await db.query<{ [Key in keyof WebhookTarget]: WebhookTarget[Key] | null }>(TARGETS, [
    deliveries.map(({ pid }) => pid),
    deliveries.map(({ recipient }) => recipient),
  ]);
  return rows.map((row) => (row.url === null ? null : (row as WebhookTarget)));
}

/** A delivery as the store sees it. */
export type DeliveryRow = {
  id: string;
  webhookId: string;
  type: string;
  state: MessageState;
  attempts: number;
  error: string | null;
  payload: Record<string, unknown>;
  dueAt: Date;
  cts: Date;
  finishedAt: Date | null;
  seq: number;
};

const DELIVERY_COLUMNS = `id, recipient AS "webhookId", kind AS type, state, attempts, error, payload, due_at AS "dueAt", cts, finished_at AS "finishedAt", seq`;

/** Which deliveries: those of a webhook, of one state or of all. */
export type DeliveryFilter = { webhookId: string; state: MessageState | null };

/** A page of a webhook's deliveries, newest first; one more than asked for tells whether another page follows. */
export function listDeliveries(
  db: Db,
  pid: string,
  { webhookId, state }: DeliveryFilter,
  first: number,
  before: number | null,
): Promise<DeliveryRow[]> {
  return db.query<DeliveryRow>(
    `SELECT ${DELIVERY_COLUMNS} FROM outbox
     WHERE pid = $1 AND lane = 'webhook' AND recipient = $2 AND ($3::text IS NULL OR state = $3) AND ($4::bigint IS NULL OR seq < $4)
     ORDER BY seq DESC LIMIT $5`,
    [pid, webhookId, state, before, first + 1],
  );
}

/** How many deliveries a webhook has. */
export async function countDeliveries(
  db: Db,
  pid: string,
  { webhookId, state }: DeliveryFilter,
): Promise<number> {
  const [row] = await db.query<{ count: number }>(
    `SELECT count(*)::int AS count FROM outbox WHERE pid = $1 AND lane = 'webhook' AND recipient = $2 AND ($3::text IS NULL OR state = $3)`,
    [pid, webhookId, state],
  );
  return row!.count;
}

/** Queues a delivery again under its old id, whatever a try that is under way comes to; null when the store has no such delivery. */
export async function replayDelivery(
  tx: Tx,
  pid: string,
  id: string,
  now: Date,
): Promise<DeliveryRow | null> {
  tx.afterCommit(tx.wake);
  const [row] = await tx.query<DeliveryRow>(
    `UPDATE outbox SET state = 'queued', attempts = 0, claim = claim + 1, due_at = $3, finished_at = NULL, error = NULL
     WHERE pid = $1 AND id = $2 AND lane = 'webhook' RETURNING ${DELIVERY_COLUMNS}`,
    [pid, id, now],
  );
  return row ?? null;
}
