import type { MailingAnswerModel } from '../../generated/prisma/models.ts';
import { arraysOf, unnestKeys } from '../../platform/database/columns.ts';
import type { Db, Raw, Tx } from '../../platform/database/database.ts';
import { IN_SERVICE } from '../../platform/database/in-service.ts';
import type { PageRead } from '../../platform/page.ts';
import { DAY_MS } from '../../platform/time.ts';
import { updateShopper } from '../shopper.repo.ts';
import type { ShopperRow } from '../shopper.repo.ts';
import { isAccountContact } from './contact.rules.ts';
import type { Contact, ContactKey, Medium } from './contact.rules.ts';

/** A contact with its last choice about the store's mailing list. */
export type ConsentRow = Raw<Omit<MailingAnswerModel, 'pid'>>;

/** A null regid keeps the shopper of the previous choice. */
export type NewConsent = Pick<ConsentRow, 'acceptmarketing' | 'acceptsource'> & { regid: string | null };

/** SQL: says in one statement whether the choice changed, also when several arrive at once; an upsert of Prisma cannot. */
const SAVE = {
  name: 'save_mailing_answer',
  text: `
    INSERT INTO mailing_answer AS a (pid, medium, value, acceptmarketing, signuptime, acceptsource, regid)
    VALUES ($1, $2, $3, $4, $5, $6, coalesce($7, ''))
    ON CONFLICT (pid, medium, value) DO UPDATE SET acceptmarketing = excluded.acceptmarketing, signuptime = excluded.signuptime,
      acceptsource = excluded.acceptsource, regid = coalesce($7, a.regid)
    WHERE a.acceptmarketing <> excluded.acceptmarketing
    RETURNING a.medium, a.value, a.acceptmarketing, a.signuptime, a.acceptsource, a.regid, a.seq`,
};

export async function saveConsent(tx: Tx, pid: string, key: ContactKey, consent: NewConsent, now: Date) {
  const { acceptmarketing, acceptsource, regid } = consent;
  const params = [pid, key.medium, key.value, acceptmarketing, now, acceptsource, regid];
  return (await tx.query<ConsentRow>(SAVE, params))[0] ?? null;
}

export async function findConsent(db: Db, pid: string, { medium, value }: ContactKey) {
  const row = await db.prisma.mailingAnswer.findFirst({ where: { pid, medium, value } });
  return row && { ...row, seq: Number(row.seq) };
}

export type ConsentFilter = { acceptmarketing: boolean; medium?: Medium };

/** Newest first, those behind `before`. */
export async function listConsents(db: Db, pid: string, filter: ConsentFilter, page: PageRead<number>) {
  const where = { pid, ...filter, seq: { lt: page.before ?? undefined } };
  const rows = await db.prisma.mailingAnswer.findMany({ where, orderBy: { seq: 'desc' }, take: page.limit });
  return rows.map((row) => ({ ...row, seq: Number(row.seq) }));
}

export function countConsents(db: Db, pid: string, filter: ConsentFilter): Promise<number> {
  return db.prisma.mailingAnswer.count({ where: { pid, ...filter } });
}

/** The copy of a contact's choice in the preferences of its shopper; `acc_mkt` is that of the account's own address. */
export type Preference = { acc_mkt: boolean; preference?: unknown };

const mediumsOf = ({ prefs }: ShopperRow) => prefs['Mediums'] as Record<string, unknown> | null | undefined;

export function preferenceOf(shopper: ShopperRow, { medium }: ContactKey): Preference {
  return { acc_mkt: shopper.acc_mkt, preference: mediumsOf(shopper)?.[medium] };
}

/** The shopper's row is locked. */
export async function writePreference(
  tx: Tx,
  shopper: ShopperRow,
  { medium }: ContactKey,
  { acc_mkt, preference }: Preference,
  now: Date,
): Promise<void> {
  const prefs = { ...shopper.prefs, Mediums: { ...mediumsOf(shopper), [medium]: preference } };
  await updateShopper(tx, shopper, isAccountContact({ medium }) ? { prefs, acc_mkt } : { prefs }, now);
}

/** A contact's consent, and the shopper's copy of it, before an unsubscribe. */
export type ConsentBefore = {
  consent: (NewConsent & { signuptime: Date }) | null;
  regid: string;
  copy: Preference | null;
};

export async function deleteConsent(tx: Tx, pid: string, { medium, value }: ContactKey): Promise<void> {
  await tx.prisma.mailingAnswer.deleteMany({ where: { pid, medium, value } });
}

export async function deleteMutes(tx: Tx, pid: string, { medium, value }: ContactKey): Promise<void> {
  await tx.prisma.alertMute.deleteMany({ where: { pid, medium, value } });
}

/** SQL: every sign-up runs it; one statement serves concurrent ones. */
const RESUBSCRIBE = {
  name: 'lift_suppression',
  text: `
    DELETE FROM suppression s USING ${unnestKeys('c', { pid: 'text', medium: 'text', value: 'text' })}
    WHERE s.pid = c.pid AND s.medium = c.medium AND s.value = c.value`,
};

/** Ends the suppression of contacts that unsubscribed from everything: they have signed up for something new since. */
export async function deleteSuppressions(tx: Tx, contacts: readonly (Contact & { pid: string })[]) {
  if (contacts.length > 0) await tx.query(RESUBSCRIBE, arraysOf(contacts, 'pid', 'medium', 'value'));
}

/** Records that a contact confirmed what these shoppers (or the store: empty) had requested. */
export async function addOptIns(tx: Tx, pid: string, contact: Contact, regids: readonly string[], now: Date) {
  // Sorted, so that two links that are opened at once cannot deadlock.
  for (const regid of [...new Set(regids)].sort()) {
    const key = { pid, ...contact, regid };
    const used = { create: { ...key, usedAt: now }, update: { usedAt: now } };
    await tx.prisma.contactProof.upsert({ where: { pid_medium_value_regid: key }, ...used });
  }
}

/** Whether a contact has confirmed a request of this shopper (null: of anybody), which counts as a use of the opt-in. */
export async function useOptIn(tx: Tx, pid: string, contact: Contact, regid: string | null, now: Date) {
  const where = { pid, ...contact, regid: regid ?? undefined };
  return (await tx.prisma.contactProof.updateMany({ where, data: { usedAt: now } })).count > 0;
}

/** Moves a guest's consents and opt-ins to its account; of two opt-ins the later use counts. */
export async function moveConsents(tx: Tx, pid: string, fromRegid: string, toRegid: string): Promise<void> {
  const where = { pid, regid: fromRegid };
  await tx.prisma.mailingAnswer.updateMany({ where, data: { regid: toRegid } });
  const optIns = await tx.prisma.contactProof.findMany({ where });
  if (optIns.length === 0) return;
  const moved = optIns.map((optIn) => ({ ...optIn, regid: toRegid }));
  await tx.prisma.contactProof.createMany({ data: moved, skipDuplicates: true });
  for (const { usedAt, ...key } of moved)
    await tx.prisma.contactProof.updateMany({ where: { ...key, usedAt: { lt: usedAt } }, data: { usedAt } });
  await tx.prisma.contactProof.deleteMany({ where });
}

/** Deletes a batch of opt-ins that were not used for a year: a phone number may belong to somebody else by then. */
export async function forgetOptIns({ db }: { db: Db }, now: Date): Promise<number> {
  const where = { ...IN_SERVICE, usedAt: { lt: new Date(now.getTime() - 365 * DAY_MS) } };
  return (await db.prisma.contactProof.deleteMany({ where, limit: 1_000 })).count;
}

/** A contact, or under the medium `shopper` a regid. */
export type PersonKey = { medium: string; value: string };

export const SHOPPER = 'shopper';

export const shopperKey = (regid: string): PersonKey => ({ medium: SHOPPER, value: regid });

export async function hasDeclined(db: Db, pid: string, keys: readonly PersonKey[]): Promise<boolean> {
  if (keys.length === 0) return false;
  return (await db.prisma.unmeasured.count({ where: { pid, OR: [...keys] } })) > 0;
}
