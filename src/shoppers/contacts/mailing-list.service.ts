import { requireStore } from '../../context.ts';
import type { Context } from '../../context.ts';
import type { QueryMailingListArgs } from '../../generated/resolvers.ts';
import { CSV_PORTION, streamCsv } from '../../platform/csv.ts';
import type { CsvColumn } from '../../platform/csv.ts';
import type { Tx } from '../../platform/database/database.ts';
import { checkLimit, decodeSeq, encodeCursor, toConnection } from '../../platform/page.ts';
import type { CountedConnection } from '../../platform/page.ts';
import { emitEvents } from '../../stores/webhooks/event.repo.ts';
import { findAccount } from '../account.repo.ts';
import { enterAccount } from '../account.service.ts';
import { lockShopper } from '../shopper.repo.ts';
import type { IdentityKey } from '../shopper.repo.ts';
import type { KeyedStore } from '../new-shopper.rules.ts';
import * as consents from './consent.repo.ts';
import type { ConsentBefore, ConsentFilter, ConsentRow, NewConsent } from './consent.repo.ts';
import { copyOf, eventOf } from './consent.rules.ts';
import { isAccountContact } from './contact.rules.ts';
import type { Contact, ContactKey } from './contact.rules.ts';

export { forgetOptIns } from './consent.repo.ts';

/**
 * Records a contact's choice in `addtomailinglist`, also in the preferences of its shopper: the account with that address, created
 * where there is none, or for a phone number the shopper who gave it.
 */
export async function recordConsent(
  tx: Tx,
  store: KeyedStore,
  contact: Contact,
  { accepts, regid }: { accepts: boolean; regid: string },
  now: Date,
): Promise<void> {
  const who = isAccountContact(contact) ? { email: contact.value, externalId: null } : null;
  const account = who && (await enterAccount(tx, store, who, now, { language: null, isLogin: false }));
  const key = { pid: store.pid, regid: account?.regid ?? regid };
  const consent = { acceptmarketing: accepts, acceptsource: 'subscription', regid: key.regid };
  await record(tx, key, contact, consent, now);
  if (accepts) await consents.deleteMutes(tx, store.pid, contact);
}

/** Returns what it replaced; null if it changed nothing. */
export async function withdrawConsent(
  tx: Tx,
  pid: string,
  contact: ContactKey,
  acceptsource: 'unsubscribe' | 'bounce' | 'stop',
  now: Date,
): Promise<ConsentBefore | null> {
  const known = await consents.findConsent(tx, pid, contact);
  // The contact made no choice here, so one that was not on the list stays unknown to it.
  if (acceptsource !== 'unsubscribe' && !known?.acceptmarketing) return null;
  const account = isAccountContact(contact) ? await findAccount(tx, pid, contact.value) : null;
  const regid = account?.regid ?? known?.regid ?? '';
  const given = { acceptmarketing: false, acceptsource, regid: null };
  const copy = await record(tx, { pid, regid }, contact, given, now);
  return { consent: known, regid, copy };
}

/** Undoes the withdrawal of an unsubscribe, unless the contact has made another choice since. */
export async function restoreConsent(
  tx: Tx,
  pid: string,
  contact: ContactKey,
  { consent, regid, copy }: ConsentBefore,
  now: Date,
): Promise<void> {
  const shopper = copy && (await lockShopper(tx, { pid, regid }));
  const current = await consents.findConsent(tx, pid, contact);
  if (current?.acceptsource !== 'unsubscribe') return;
  if (consent === null) await consents.deleteConsent(tx, pid, contact);
  else if (consent.acceptmarketing) {
    const signuptime = new Date(consent.signuptime);
    const restored = await consents.saveConsent(tx, pid, contact, consent, signuptime);
    if (restored) await emitEvents(tx, pid, [eventOf(restored)], now);
  }
  if (shopper) await consents.writePreference(tx, shopper, contact, copy, now);
}

/** Locks the shopper before the consent, as merges and erasures do. Returns the shopper's previous copy. */
async function record(tx: Tx, key: IdentityKey, contact: ContactKey, given: NewConsent, now: Date) {
  const shopper = key.regid === '' ? null : await lockShopper(tx, key);
  const changed = await consents.saveConsent(tx, key.pid, contact, given, now);
  const consent = changed ?? (await consents.findConsent(tx, key.pid, contact));
  if (shopper && consent) await consents.writePreference(tx, shopper, contact, copyOf(consent), now);
  if (changed) await emitEvents(tx, key.pid, [eventOf(changed)], now);
  return shopper && consents.preferenceOf(shopper, contact);
}

const ORDER = 'mailinglist';

function filterOf({ filter, ...args }: QueryMailingListArgs): ConsentFilter {
  const { medium, acceptmarketing } = filter ?? args;
  return { medium: medium ?? undefined, acceptmarketing: acceptmarketing ?? true };
}

export type ContactPage = CountedConnection<ConsentRow>;

export async function pageMailingList(ctx: Context, args: QueryMailingListArgs): Promise<ContactPage> {
  const { pid } = requireStore(ctx);
  const size = checkLimit('first', args.first, 20, 100);
  const before = decodeSeq('after', args.after, ORDER);
  const filter = filterOf(args);
  const rows = await consents.listConsents(ctx.db, pid, filter, { before, limit: size + 1 });
  const page = toConnection(rows, size, ({ seq }) => encodeCursor(ORDER, seq), args.after);
  return { ...page, count: () => consents.countConsents(ctx.db, pid, filter) };
}

const COLUMNS: CsvColumn<ConsentRow>[] = [
  ['medium', ({ medium }) => medium],
  ['mediumvalue', ({ value }) => value],
  ['acceptmarketing', ({ acceptmarketing }) => acceptmarketing],
  ['signuptime', ({ signuptime }) => signuptime],
  ['acceptsource', ({ acceptsource }) => acceptsource],
];

export function streamMailingList(ctx: Context, args: QueryMailingListArgs) {
  const { pid } = requireStore(ctx);
  const filter = filterOf(args);
  return streamCsv(COLUMNS, (last) =>
    consents.listConsents(ctx.db, pid, filter, { before: last?.seq ?? null, limit: CSV_PORTION }),
  );
}
