import type { Db } from '../../database/database.ts';
import type { Medium } from '../../channel/channels.ts';
import * as stops from './stop.repo.ts';

/** What becomes of a message to a contact that answered STOP. */
export const STOPPED = { kind: 'withheld', reason: 'the contact answered STOP' } as const;

/** Those of some contacts that want nothing more by this medium. */
export async function findStopped(db: Db, medium: Medium, values: readonly string[]): Promise<Set<string>> {
  return new Set(await stops.findStopped(db, medium, values));
}
