import type { Db, Tx } from '../../platform/database/database.ts';
import type { StockChangeModel } from '../../generated/prisma/models.ts';
import { MAX_STOCK, countedStock } from './product.rules.ts';

const COUNTED = (column: string): string => `nullif(s.${column}, ${MAX_STOCK})`;

/**
 * Part of the statements that write stock: keeps what became of it, of the rows of `step` whose number is another one than before. The first number of a
 * new variant is no change, so that an import of a million new ones writes nothing here; what it was stands in the change that follows.
 */
export const keepChanges = (now: string): string => `kept AS (
      INSERT INTO stock_change (pid, epi, at, before, after)
      SELECT $1, s.epi, ${now}, ${COUNTED('before')}, ${COUNTED('available')} FROM step s
      WHERE NOT s."isNew" AND ${COUNTED('before')} IS DISTINCT FROM ${COUNTED('available')}
    )`;

/** What stock was, as alerts count it, and what it is. */
export type StockStep = Pick<StockChangeModel, 'epi'> & { was: number | null; is: number | null };

/** Keeps the changes of variants that were removed and are back: the statement that writes them takes them for new. */
export async function keepReturns(
  tx: Tx,
  pid: string,
  steps: readonly StockStep[],
  now: Date,
): Promise<void> {
  const data = steps
    .map(({ epi, was, is }) => ({ pid, epi, at: now, before: countedStock(was), after: countedStock(is) }))
    .filter(({ before, after }) => before !== after);
  if (data.length > 0) await tx.prisma.stockChange.createMany({ data });
}

/** A change of stock. */
export type StockChangeRow = Pick<StockChangeModel, 'at' | 'before' | 'after'> & { id: string };

/** The last changes of a variant's stock, newest first. */
export async function listChanges(
  db: Db,
  pid: string,
  epi: string,
  first: number,
): Promise<StockChangeRow[]> {
  const rows = await db.prisma.stockChange.findMany({
    where: { pid, epi },
    orderBy: { seq: 'desc' },
    take: first,
  });
  return rows.map(({ seq, at, before, after }) => ({ id: String(seq), at, before, after }));
}

const FORGOTTEN_AT_ONCE = 5_000;

/** Removes one portion of the changes from before; answers how many. */
export async function removeChanges(db: Db, before: Date): Promise<number> {
  const where = { at: { lt: before } };
  return (await db.prisma.stockChange.deleteMany({ where, limit: FORGOTTEN_AT_ONCE })).count;
}
