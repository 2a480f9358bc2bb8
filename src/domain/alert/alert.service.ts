import { requireStore } from '../../context.ts';
import type { Context } from '../../context.ts';
import { fail } from '../../shared/errors.ts';
import { checkLimit, decodeCursor, encodeCursor, toConnection } from '../../shared/page.ts';
import type { Connection } from '../../shared/page.ts';
import * as alerts from './alert.repo.ts';
import type { AlertRow } from './alert.repo.ts';
import type { MessageState } from './outbox.repo.ts';

const ALERT_ORDER = 'alert';
const MAX_IDS = 1_000;

type AlertPage = {
  state?: MessageState | null;
  topic?: string | null;
  first?: number | null;
  after?: string | null;
};

/** The store's alerts, newest first. */
export async function listAlerts(ctx: Context, page: AlertPage): Promise<Connection<AlertRow>> {
  const { pid } = requireStore(ctx);
  const first = checkLimit('first', page.first, 20, 100);
  const [before] = page.after == null ? [null] : decodeCursor('after', page.after, ALERT_ORDER);
  const { state = null, topic = null } = page;
  const rows = await alerts.listAlerts(ctx.db, pid, { state, topic, first, before: before as number | null });
  const total = await alerts.countAlerts(ctx.db, pid, state, topic);
  return toConnection(rows, first, total, ({ seq }) => encodeCursor(ALERT_ORDER, seq));
}

/** Queues dead letters again and answers how many. */
export async function retryAlerts(ctx: Context, ids: readonly string[] | null | undefined): Promise<number> {
  const { pid } = requireStore(ctx);
  if ((ids?.length ?? 0) > MAX_IDS) fail('invalid-request', `ids must have at most ${MAX_IDS} entries`);
  const count = await alerts.retryAlerts(ctx.db, pid, ids ?? null, ctx.now());
  if (count > 0) ctx.wake();
  return count;
}
