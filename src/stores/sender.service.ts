import type { Db } from '../platform/database/database.ts';
import { loadEnvelopes } from './sender.repo.ts';
import type { Envelope } from './sender.repo.ts';

export type { Envelope } from './sender.repo.ts';

/** Returns the envelopes in the order of the messages, with null for a deleted store. */
export function openEnvelopes(
  db: Db,
  contacts: readonly { pid: string; medium: string; value: string }[],
): Promise<(Envelope | null)[]> {
  return loadEnvelopes(db, contacts);
}
