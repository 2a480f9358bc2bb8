import type { Services } from '../../context.ts';
import type { ProductWrite } from '../products/product.columns.ts';
import { IncompleteProductsError, mergeProducts } from './catalog.service.ts';
import * as runs from './import.repo.ts';
import type { ImportRun } from './import.repo.ts';
import { readProductLine } from './import.rules.ts';
import type { Entry } from './import.rules.ts';

export { findRun } from './import.repo.ts';
export type { ImportRun } from './import.repo.ts';

/** Rows per transaction: they hold their locks for about 0.2 s; larger batches gain little. */
const BATCH_SIZE = 2_000;

type Deps = Pick<Services, 'db' | 'now'>;
type Batch = { rows: { line: number; product: ProductWrite }[]; end: number; line: number; faults: number };

type ImportOptions = {
  pid: string;
  /** The fingerprint of the file, under which its progress is stored. */
  source: string;
  /** The checkpoint to resume from; zeros for a new import. */
  from: ImportRun;
  maxFaults: number;
  onFault: (line: number, fault: string) => void;
  onProgress: (run: ImportRun) => void;
  /** Called after each batch, so that Ctrl-C stops at a checkpoint. */
  isStopping: () => boolean;
};

export type ImportResult = ImportRun & { end: 'done' | 'stopped' | 'too-many-faults' };

/**
 * Imports through the same write path as all other stock updates. Memory is limited to two batches, because the next one is read
 * while the database writes. Each batch stores its progress.
 */
export async function importProducts(
  deps: Deps,
  entries: AsyncIterable<Entry>,
  options: ImportOptions,
): Promise<ImportResult> {
  const { from, maxFaults, onFault, isStopping } = options;
  let run: ImportRun = { ...from, finishedAt: null };
  let faults = 0;
  let batch: Batch = { rows: [], end: from.offset, line: from.line, faults: 0 };
  let underWay: Promise<void> = Promise.resolve();
  const note = (line: number, fault: string): void => {
    onFault(line, fault);
    faults += 1;
    batch.faults += 1;
  };
  const flush = async (): Promise<void> => {
    await underWay;
    const full = batch;
    batch = { rows: [], end: full.end, line: full.line, faults: 0 };
    underWay = writeBatch(deps, options, run, full).then((next) => {
      faults += next.skipped - run.skipped - full.faults;
      run = next;
      options.onProgress(run);
    });
    // The next flush awaits it; until then a rejection must not count as unhandled.
    underWay.catch(() => undefined);
  };

  for await (const entry of entries) {
    const product = 'fault' in entry ? entry.fault : readProductLine(entry.value);
    if (typeof product === 'string') note(entry.line, product);
    else batch.rows.push({ line: entry.line, product });
    batch.end = entry.end;
    batch.line = entry.line;
    if (faults > maxFaults || isStopping()) break;
    if (batch.rows.length >= BATCH_SIZE) await flush();
  }
  const isCut = faults > maxFaults || isStopping();
  await flush();
  await underWay;
  if (faults > maxFaults) return { ...run, end: 'too-many-faults' };
  if (isCut) return { ...run, end: 'stopped' };
  const finished = { ...run, finishedAt: deps.now() };
  await runs.saveRun(deps.db, options.pid, options.source, finished, finished.finishedAt);
  return { ...finished, end: 'done' };
}

/** Writes a batch with its checkpoint. New variants that lack a field are reported and skipped, the others are stored. */
async function writeBatch(
  deps: Deps,
  options: ImportOptions,
  before: ImportRun,
  batch: Batch,
): Promise<ImportRun> {
  const { pid, source, onFault } = options;
  const { rows, end, line, faults } = batch;
  const written = before.written + rows.length;
  const skipped = before.skipped + faults;
  const next = { offset: end, line, written, skipped, finishedAt: null };
  const products = rows.map(({ product }) => product);
  try {
    const now = deps.now();
    await deps.db.transaction(async (tx) => {
      if (products.length > 0) await mergeProducts(tx, pid, products, now);
      await runs.saveRun(tx, pid, source, next, now);
    });
    return next;
  } catch (error) {
    if (!(error instanceof IncompleteProductsError)) throw error;
    const incomplete = new Set(error.epis);
    const bad = rows.filter(({ product }) => incomplete.has(product.epi));
    for (const row of bad) onFault(row.line, 'empi and du are required for a new variant');
    const good = rows.filter((row) => !bad.includes(row));
    const rest = { ...batch, rows: good, faults: faults + bad.length };
    return writeBatch(deps, options, before, rest);
  }
}
