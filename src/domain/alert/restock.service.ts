import type { Db } from '../../database/database.ts';

/** What a catalogue write did to one variant. Null stock is unknown and counts as none; a removed product ends at null. */
export type StockChange = {
  epi: string;
  before: number | null;
  after: number | null;
  isNew: boolean;
  tagsAdded: string[];
};

/** Opens and stops restocks for what a catalogue transaction changed; call it inside that transaction. */
export async function applyStockChanges(
  _tx: Db,
  _pid: string,
  _changes: readonly StockChange[],
  _now: Date,
): Promise<void> {}
