import type { Db } from '../platform/database/database.ts';
import { loadEnvelopes } from './sender.repo.ts';
import type { Envelope } from './sender.repo.ts';

export type { Envelope } from './sender.repo.ts';

/** What a batch of messages must know of their stores and contacts, in their order; null where the store is gone. */
export function openEnvelopes(
  db: Db,
  contacts: readonly { pid: string; medium: string; value: string }[],
): Promise<(Envelope | null)[]> {
  return loadEnvelopes(db, contacts);
}
