import { requireStore } from '../../context.ts';
import type { Context } from '../../context.ts';
import type { QueryAlertsArgs } from '../../generated/resolvers.ts';
import { CSV_PORTION, streamCsv } from '../../platform/csv.ts';
import type { CsvColumn } from '../../platform/csv.ts';
import { fail } from '../../platform/errors.ts';
import {
  checkLimit,
  checkSearch,
  decodeMoment,
  encodeCursor,
  isSeq,
  toConnection,
} from '../../platform/page.ts';
import type { CountedConnection } from '../../platform/page.ts';
import type { ProductRow } from '../../stores/products/product.columns.ts';
import { readProduct } from '../../stores/products/product.reads.ts';
import * as alerts from './alert-log.repo.ts';
import type { AlertFilter, AlertRow } from './alert-log.repo.ts';

export { forgetSeen } from './alert-log.repo.ts';

/** The times are milliseconds if they come straight from a form. */
type AlertsInput = Omit<QueryAlertsArgs, 'from' | 'to'> &
  Partial<Record<'from' | 'to', Date | number | null>>;

const ORDER = 'alert';

const momentOf = (value: Date | number | null | undefined): Date | null =>
  value == null ? null : new Date(value);

function filterOf({ filter, ...args }: AlertsInput): AlertFilter {
  const { state, topic, search, ...range } = filter ?? args;
  const [from, to] = [momentOf(range.from), momentOf(range.to)];
  if (from && to && from >= to) fail('invalid-request', 'from must be before to');
  const contact = checkSearch(search).toLowerCase() || null;
  return { state: state ?? null, topic: topic ?? null, from, to, contact };
}

export type AlertConnectionRow = CountedConnection<AlertRow>;

export async function listAlerts(ctx: Context, { first, after, ...which }: AlertsInput) {
  const { pid } = requireStore(ctx);
  const size = checkLimit('first', first, 20, 100);
  const place = decodeMoment(after, ORDER, isSeq);
  const before = place && { cts: place[0], seq: place[1] };
  const filter = filterOf(which);
  const rows = await alerts.listAlerts(ctx.db, pid, { ...filter, before, limit: size + 1 });
  const cursorOf = ({ cts, seq }: AlertRow): string => encodeCursor(ORDER, cts.getTime(), seq);
  const count = () => alerts.countAlerts(ctx.db, pid, filter);
  return { ...toConnection(rows, size, cursorOf, after), count };
}

type FileRow = AlertRow & { product: ProductRow | null };

const COLUMNS: CsvColumn<FileRow>[] = [
  ['id', ({ id }) => id],
  ['queued', ({ cts }) => cts],
  ['topic', ({ topic }) => topic],
  ['epi', ({ epi }) => epi],
  ['title', ({ product }) => product?.dt ?? null],
  ['variant', ({ product }) => product?.vi ?? null],
  ['medium', ({ medium }) => medium],
  ['contact', ({ value }) => value],
  ['state', ({ state }) => state],
  ['attempts', ({ attempts }) => attempts],
  ['error', ({ error }) => error],
  ['finished', ({ finishedAt }) => finishedAt],
];

/** Streams all matching alerts as CSV, newest first. */
export async function streamAlerts(ctx: Context, which: AlertsInput): Promise<AsyncGenerator<string>> {
  const { pid } = requireStore(ctx);
  const filter = filterOf(which);
  return streamCsv(COLUMNS, async (before: FileRow | null) => {
    const rows = await alerts.listAlerts(ctx.db, pid, { ...filter, before, limit: CSV_PORTION });
    return Promise.all(
      rows.map(async (row) => ({ ...row, product: await readProduct(ctx, { pid, epi: row.epi }) })),
    );
  });
}

const MAX_IDS = 1_000;

export async function retryAlerts(ctx: Context, ids: readonly string[] | null | undefined): Promise<number> {
  const { pid } = requireStore(ctx);
  if ((ids?.length ?? 0) > MAX_IDS) fail('invalid-request', `ids must have at most ${MAX_IDS} entries`);
  return ctx.db.transaction((tx) => alerts.retryAlerts(tx, pid, ids ?? null, ctx.now()));
}
