import { requireShopper } from '../../context.ts';
import type { Context, Services } from '../../context.ts';
import type { Tx } from '../../platform/database/database.ts';
import { contactsOf, isAccountContact, withSameContacts } from '../../shoppers/contacts/contact.rules.ts';
import { openUnsubscribe, viewUnsubscribe } from '../../shoppers/contacts/unsubscribe.service.ts';
import type { UnsubscribeView } from '../../shoppers/contacts/unsubscribe.service.ts';
import { regidOf } from '../../shoppers/identity.rules.ts';
import type { ShopperRow } from '../../shoppers/shopper.repo.ts';
import { forgetPerson, hasDeclined, provenContacts, saveChoice, shopperKey } from './click-tracking.repo.ts';
import type { PersonKey } from './click-tracking.repo.ts';

/** What a shopper, or a contact, chose. */
export type MeasuringChoice = { measured: boolean };

/** Whether a shopper may be measured. */
export async function isMeasured({ db }: Context, { pid, regid }: ShopperRow): Promise<boolean> {
  return !(await hasDeclined(db, pid, [shopperKey(regid)]));
}

/** Keeps the calling shopper's choice, for it and for the contacts that are its own. */
export async function setMeasured(ctx: Context, measured: boolean): Promise<MeasuringChoice> {
  const { store, ...shopper } = requireShopper(ctx);
  const { pid, regid } = shopper;
  return ctx.db.transaction(async (tx) => {
    const proven = await provenContacts(tx, pid, regid);
    const keys = [shopperKey(regid), ...contactsOf(store, shopper), ...proven.flatMap(withSameContacts)];
    return choose(tx, pid, keys, measured, ctx.now());
  });
}

async function choose(
  tx: Tx,
  pid: string,
  keys: readonly PersonKey[],
  measured: boolean,
  now: Date,
): Promise<MeasuringChoice> {
  await saveChoice(tx, pid, keys, measured, now);
  if (!measured) await forgetPerson(tx, pid, keys);
  return { measured };
}

/** Keeps the choice of who opened an unsubscribe link; null when it is not one of ours. It needs no account. */
export async function setMeasuredByLink(
  deps: Pick<Services, 'db' | 'config' | 'now'>,
  token: string,
  measured: boolean,
): Promise<UnsubscribeView | null> {
  const view = await viewUnsubscribe(deps, token);
  const opened = await openUnsubscribe(deps, token);
  if (!view || !opened) return null;
  const { store, claim } = opened;
  const account = isAccountContact(claim) ? [shopperKey(regidOf(store.secret, 'account', claim.value))] : [];
  const keys = [...withSameContacts(claim), ...account];
  await deps.db.transaction((tx) => choose(tx, store.pid, keys, measured, deps.now()));
  return view;
}
