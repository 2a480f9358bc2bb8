import { requireStore } from '../../context.ts';
import type { Context, Services } from '../../context.ts';
import { fail } from '../../platform/errors.ts';
import { newId } from '../../platform/ids.ts';
import { DAY_MS } from '../../platform/time.ts';
import * as tries from './attempt.repo.ts';
import type { NewTry, TryRow } from './attempt.repo.ts';
import { TEST_TYPE } from './event.rules.ts';
import { findDelivery, queueFor } from './webhook.repo.ts';
import type { DeliveryRow } from './webhook.repo.ts';

export type Health = { lastSuccessAt: Date | null; failuresInARow: number; lastError: string | null };

export function getDelivery(ctx: Context, id: string): Promise<DeliveryRow | null> {
  return findDelivery(ctx.db, requireStore(ctx).pid, id);
}

export function listTries(ctx: Context, deliveryId: string): Promise<TryRow[]> {
  return tries.triesOf(ctx.db, requireStore(ctx).pid, deliveryId);
}

export async function getHealth(ctx: Context, webhookId: string): Promise<Health> {
  const { pid } = requireStore(ctx);
  const last = await tries.lastTry(ctx.db, pid, webhookId, false);
  const taken = last?.error ? await tries.lastTry(ctx.db, pid, webhookId, true) : last;
  const failures = last?.error ? await tries.countTriesSince(ctx.db, pid, webhookId, taken?.seq ?? 0n) : 0;
  return {
    lastSuccessAt: taken?.at ?? null,
    failuresInARow: failures,
    lastError: last?.error ?? null,
  };
}

export async function testWebhook(ctx: Context, id: string): Promise<DeliveryRow> {
  const { pid } = requireStore(ctx);
  const event = { id: newId(), type: TEST_TYPE, data: { webhookId: id, isTest: true } };
  const row = await ctx.db.transaction((tx) => queueFor(tx, pid, id, event, ctx.now()));
  return row ?? fail('not-found', 'There is no such webhook');
}

/** Records an attempt. An error here must not undo the attempt itself. */
export async function recordAttempt({ db, log }: Services, noted: NewTry): Promise<void> {
  try {
    await tries.recordAttempt(db, noted);
  } catch (error) {
    log.error({ alertId: noted.deliveryId, err: error }, 'a try of a webhook could not be noted');
  }
}

/** The same as for deliveries. */
const KEEP_MS = 30 * DAY_MS;

export function forgetTries({ db }: Services, now: Date): Promise<number> {
  return tries.removeTries(db, new Date(now.getTime() - KEEP_MS));
}
