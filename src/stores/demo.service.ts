import type { Db, Tx } from '../platform/database/database.ts';
import * as stores from './store.repo.ts';

/** Lets one transaction at a time look for the demo store and make it. */
export function lockDemo(tx: Tx): Promise<void> {
  return stores.lockDemo(tx);
}

/** The demo store's pid, or null. */
export function pidOfDemo(db: Db): Promise<string | null> {
  return stores.pidOfDemo(db);
}

/** Ends all keys of a store but the newest ones. */
export function keepNewestKeys(tx: Tx, pid: string, count: number, now: Date): Promise<void> {
  return stores.keepNewestKeys(tx, pid, count, now);
}
