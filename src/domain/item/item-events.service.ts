import type { Tx } from '../../database/database.ts';
import { emitEvents, isHeard } from '../webhook/event.repo.ts';
import { tellOfContents } from './item.repo.ts';
import type { ToldItem } from './item.repo.ts';

/** Whose lists the items are in. */
type Owner = { pid: string; uid: string };

/** What happened to an item, for webhooks. */
export type ItemEvent = 'list.item.added' | 'list.item.removed';

/** Tells the store's webhooks what happened to items, in the caller's transaction. */
export function tellOfItems(
  tx: Tx,
  { pid, uid }: Owner,
  type: ItemEvent,
  items: readonly ToldItem[],
  now: Date,
): Promise<void> {
  const events = items.map(({ lid, id, epi, empi, du, qty }) => ({
    type,
    data: { lid, id, epi, empi, du, qty, uid },
  }));
  return emitEvents(tx, pid, events, now);
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
