import { requireStore } from '../../context.ts';
import type { Context } from '../../context.ts';
import { fail } from '../../shared/errors.ts';
import { checkLimit, decodeSeq, encodeCursor, toConnection } from '../../shared/page.ts';
import type { Connection } from '../../shared/page.ts';
import * as alerts from './alert.repo.ts';
import type { AlertFilter, AlertRow } from './alert.repo.ts';
import type { MessageState } from '../../outbox/outbox.repo.ts';

const ALERT_ORDER = 'alert';
const MAX_IDS = 1_000;

type AlertPage = {
  state?: MessageState | null;
  topic?: string | null;
  first?: number | null;
  after?: string | null;
};

/** A page of alerts that remembers what it was asked for: its total is counted only for those who select it. */
export type AlertConnectionRow = Connection<AlertRow> & { filter: AlertFilter };

/** The store's alerts, newest first. */
export async function listAlerts(ctx: Context, page: AlertPage): Promise<AlertConnectionRow> {
  const { pid } = requireStore(ctx);
  const first = checkLimit('first', page.first, 20, 100);
  const before = decodeSeq('after', page.after, ALERT_ORDER);
  const filter = { state: page.state ?? null, topic: page.topic ?? null };
  const rows = await alerts.listAlerts(ctx.db, pid, { ...filter, first, before });
  return { ...toConnection(rows, first, ({ seq }) => encodeCursor(ALERT_ORDER, seq)), filter };
}

/** How many alerts there are over all pages. */
export function countAlerts(ctx: Context, { filter }: AlertConnectionRow): Promise<number> {
  return alerts.countAlerts(ctx.db, requireStore(ctx).pid, filter);
}

/** Queues dead letters again and answers how many. */
export async function retryAlerts(ctx: Context, ids: readonly string[] | null | undefined): Promise<number> {
  const { pid } = requireStore(ctx);
  if ((ids?.length ?? 0) > MAX_IDS) fail('invalid-request', `ids must have at most ${MAX_IDS} entries`);
  const count = await ctx.db.transaction((tx) => alerts.retryAlerts(tx, pid, ids ?? null, ctx.now()));
  return count;
}
