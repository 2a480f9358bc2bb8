import { eventsOfItems } from './list.rules.ts';
import type { ItemEvent } from './list.rules.ts';
import type { Tx } from '../platform/database/database.ts';
import { isHeard, queueEvents } from '../stores/webhooks/event.repo.ts';
import { tellOfContents } from './item.repo.ts';
import type { ToldItem } from './item.repo.ts';

/** Whose lists the items are in. */
type Owner = { pid: string; uid: string };

/** Tells the store's webhooks what happened to items, in the caller's transaction. */
export function tellOfItems(
  tx: Tx,
  owner: Owner,
  type: ItemEvent,
  items: readonly ToldItem[],
  now: Date,
): Promise<void> {
  return queueEvents(tx, eventsOfItems(owner, type, items, now));
}

/** The same of everything in whole lists, where a webhook wants to know; it may be any number of items, so none is read. */
export async function tellOfLists(
  tx: Tx,
  owner: Owner,
  type: ItemEvent,
  lids: readonly string[],
  now: Date,
): Promise<void> {
  if (lids.length === 0 || !(await isHeard(tx, owner.pid, type))) return;
  await tellOfContents(tx, owner, type, lids, now);
}
