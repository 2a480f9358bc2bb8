import type { Tx } from '../../platform/database/database.ts';
import { emitEvents } from '../../stores/webhooks/event.repo.ts';
import type { ShopperRow } from '../shopper.repo.ts';
import { moveChoices, moveContact, noteFormerAddress } from './address.repo.ts';
import { writePreference } from '../contacts/consent.repo.ts';
import { copyOf, eventOf } from '../contacts/consent.rules.ts';

/** Moves what is stored under the address of a locked account to its new one. */
export async function changeAddress(
  tx: Tx,
  account: ShopperRow,
  { from, to }: { from: string; to: string },
  now: Date,
): Promise<void> {
  const { pid, regid } = account;
  const change = { pid, regid, from, to };
  await moveContact(tx, change);
  const { changed, current } = await moveChoices(tx, change);
  for (const choice of current) await writePreference(tx, account, choice, copyOf(choice), now);
  await emitEvents(tx, pid, changed.map(eventOf), now);
  await noteFormerAddress(tx, change, now);
}
