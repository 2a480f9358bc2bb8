import { requireStore } from '../../context.ts';
import type { Context } from '../../context.ts';
import type { Tx } from '../../platform/database/database.ts';
import { CSV_PORTION, streamCsv } from '../../platform/csv.ts';
import type { CsvColumn } from '../../platform/csv.ts';
import { checkLimit, decodeSeq, encodeCursor, toConnection } from '../../platform/page.ts';
import type { Connection } from '../../platform/page.ts';
import { findAccount, lockShopper, makeShopper } from '../shopper.repo.ts';
import type { IdentityKey, ShopperRow } from '../shopper.repo.ts';
import { newShopper } from '../shopper.service.ts';
import type { StoreRow } from '../../stores/store.repo.ts';
import { emitEvents } from '../../stores/webhooks/event.repo.ts';
import { writeConsent } from './consent.repo.ts';
import { checkMedium, isAccountContact } from './contact.rules.ts';
import type { Contact } from './contact.rules.ts';
import * as answers from './mailing-list.repo.ts';
import type { AnswerFilter, AnswerRow, AnyContact, NewAnswer } from './mailing-list.repo.ts';

/**
 * Records what a contact answers to `addtomailinglist`, also in the preferences of its shopper: the account with that address, which is made
 * where there is none, or for a phone number the shopper who gave it.
 */
export async function recordConsent(
  tx: Tx,
  store: StoreRow,
  contact: Contact,
  { accepts, regid }: { accepts: boolean; regid: string },
  now: Date,
): Promise<void> {
  const account = isAccountContact(contact) ? newShopper(store, 'account', contact.value) : null;
  if (account) await makeShopper(tx, account, now);
  const key = { pid: store.pid, regid: account?.regid ?? regid };
  const answer = { acceptmarketing: accepts, acceptsource: 'subscription', regid: key.regid };
  await record(tx, key, contact, answer, now);
  // A yes is a new wish: what the contact left before, it hears of again.
  if (accepts) await answers.unmute(tx, store.pid, contact);
}

/** Takes a contact off the list that has left everything, or does not exist. */
export async function withdrawConsent(
  tx: Tx,
  pid: string,
  contact: AnyContact,
  acceptsource: 'unsubscribe' | 'bounce' | 'stop',
  now: Date,
): Promise<void> {
  const known = await answers.findAnswer(tx, pid, contact);
  // Nobody answered here: a mailbox that is gone was not on the list, nor was a number that never said yes.
  if (acceptsource !== 'unsubscribe' && !known?.acceptmarketing) return;
  const account = isAccountContact(contact) ? await findAccount(tx, pid, contact.value) : null;
  const regid = account?.regid ?? known?.regid ?? '';
  await record(tx, { pid, regid }, contact, { acceptmarketing: false, acceptsource, regid: null }, now);
}

/** The shopper is locked before the answer, as merges and erasures do it. */
async function record(
  tx: Tx,
  key: IdentityKey,
  contact: AnyContact,
  given: NewAnswer,
  now: Date,
): Promise<void> {
  const shopper: ShopperRow | null = key.regid === '' ? null : await lockShopper(tx, key);
  const changed = await answers.saveAnswer(tx, key.pid, contact, given, now);
  const answer = changed ?? (await answers.findAnswer(tx, key.pid, contact));
  if (shopper && answer) await writeConsent(tx, shopper, answer, now);
  if (changed) await emitEvents(tx, key.pid, [eventOf(changed)], now);
}

function eventOf({ medium, value, acceptmarketing, signuptime, acceptsource }: AnswerRow) {
  return {
    type: acceptmarketing ? ('contact.optedin' as const) : ('contact.optedout' as const),
    data: { medium, value, signuptime: signuptime.getTime(), acceptsource },
  };
}

const ORDER = 'mailinglist';

type Which = { medium?: string | null; acceptmarketing?: boolean | null };

const filterOf = ({ medium, acceptmarketing }: Which): AnswerFilter => ({
  medium: medium == null ? null : checkMedium(medium),
  acceptmarketing: acceptmarketing ?? true,
});

/** A page of the mailing list; the contacts are counted only when that is asked for. */
export type ContactConnectionRow = Connection<AnswerRow> & { filter: AnswerFilter };

/** Who said yes to the mailing list, or who said no. */
export async function pageMailingList(
  ctx: Context,
  { first, after, ...which }: Which & { first?: number | null; after?: string | null },
): Promise<ContactConnectionRow> {
  const { pid } = requireStore(ctx);
  const size = checkLimit('first', first, 20, 100);
  const before = decodeSeq('after', after, ORDER);
  const filter = filterOf(which);
  const rows = await answers.listAnswers(ctx.db, pid, filter, { before, limit: size + 1 });
  return { ...toConnection(rows, size, ({ seq }) => encodeCursor(ORDER, seq), after), filter };
}

/** How many contacts there are over all pages. */
export function countMailingList(ctx: Context, { filter }: ContactConnectionRow): Promise<number> {
  return answers.countAnswers(ctx.db, requireStore(ctx).pid, filter);
}

const COLUMNS: CsvColumn<AnswerRow>[] = [
  ['medium', ({ medium }) => medium],
  ['mediumvalue', ({ value }) => value],
  ['acceptmarketing', ({ acceptmarketing }) => acceptmarketing],
  ['signuptime', ({ signuptime }) => signuptime],
  ['acceptsource', ({ acceptsource }) => acceptsource],
];

/** The same of any size as CSV. */
export function streamMailingList(ctx: Context, which: Which): Promise<AsyncGenerator<string>> {
  const { pid } = requireStore(ctx);
  const filter = filterOf(which);
  return streamCsv(COLUMNS, (last) =>
    answers.listAnswers(ctx.db, pid, filter, { before: last?.seq ?? null, limit: CSV_PORTION }),
  );
}
