import { setTimeout as delay } from 'node:timers/promises';
import type { Services } from '../context.ts';
import { METRICS } from '../platform/metrics.ts';
import { DAY_MS } from '../platform/time.ts';
import { lockSweep, removePortion, saveSweep } from './guest.repo.ts';
import type { GuestCounts, RemovalScope } from './guest.repo.ts';
import type { Versioned } from './identity.repo.ts';
import { VISIT_MS, noteVisit } from './shopper.repo.ts';
import type { ShopperRow } from './shopper.repo.ts';
import { unseenGuest } from './new-shopper.rules.ts';
import type { KeyedStore } from './new-shopper.rules.ts';

const UNSEEN = 'unseen';

/** A guest that has no row yet; the same object as before, so that cached responses about it stay fresh. */
export function versionUnseen(store: KeyedStore, regid: string, known: Versioned<ShopperRow> | null) {
  if (known?.version === UNSEEN) return known;
  const row = unseenGuest(store, regid);
  return row && { row, version: UNSEEN, bytes: 500 };
}

/** Records a guest's visit in the background, at most once a day: who stays away loses an empty row (`guestDays`). */
export function createVisitNotes({ db, now, log }: Pick<Services, 'db' | 'now' | 'log'>) {
  const noting = new Set<string>();
  return ({ pid, regid, isGuest, lastlogin }: ShopperRow): void => {
    if (!isGuest || lastlogin === null || now().getTime() - lastlogin.getTime() < VISIT_MS) return;
    const name = `${pid} ${regid}`;
    if (noting.has(name)) return;
    noting.add(name);
    noteVisit(db, { pid, regid }, now())
      .catch((error: unknown) => log.debug({ err: error }, "Could not save a guest's visit"))
      .finally(() => noting.delete(name));
  };
}

/** Less than any key. */
const START = { pid: '', regid: '' };

/**
 * Removes idle guests in one portion; all portions take a day at least. Processes share the place, so that more of them do no more work. Returns 0:
 * the next portion waits, so that a million guests can go while the service is busy.
 */
export async function removeNextGuests({ db }: Pick<Services, 'db'>, now: Date): Promise<0> {
  const portion = await db.transaction(async (tx) => {
    const sweep = await lockSweep(tx);
    if (sweep === null) return null;
    const { after, startedAt } = sweep;
    const isNew = after.pid === '';
    if (isNew && now.getTime() - (startedAt?.getTime() ?? 0) < DAY_MS) return null;
    const removed = await removePortion(tx, after, { pid: null, isDryRun: false, now });
    await saveSweep(tx, { after: removed.last ?? START, startedAt: isNew ? now : startedAt });
    return removed;
  });
  if (portion === null) return 0;
  METRICS.guestsExamined.inc(portion.examined);
  for (const how of ['deleted', 'reduced'] as const) METRICS.guestsRemoved.inc({ how }, portion[how]);
  return 0;
}

/** Removes or counts all idle guests now, in a third of the time, so that reads next to it stay fast. */
export async function removeGuests(
  { db }: Pick<Services, 'db'>,
  scope: RemovalScope,
  onProgress: (counts: GuestCounts) => void,
): Promise<GuestCounts> {
  const sum = { examined: 0, deleted: 0, reduced: 0 };
  for (let after = { ...START, pid: scope.pid ?? '' }; ;) {
    const startedAt = performance.now();
    const { last, ...portion } = await db.transaction((tx) => removePortion(tx, after, scope));
    for (const name of ['examined', 'deleted', 'reduced'] as const) sum[name] += portion[name];
    onProgress(sum);
    if (last === null) return sum;
    after = last;
    await delay(2 * (performance.now() - startedAt));
  }
}
