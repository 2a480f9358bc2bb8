import type { Db, Tx } from '../platform/database/database.ts';
import * as stores from './store.repo.ts';

export function lockDemo(tx: Tx): Promise<void> {
  return stores.lockDemo(tx);
}

export function pidOfDemo(db: Db): Promise<string | null> {
  return stores.pidOfDemo(db);
}

export function keepNewestKeys(tx: Tx, pid: string, count: number, now: Date): Promise<void> {
  return stores.keepNewestKeys(tx, pid, count, now);
}
