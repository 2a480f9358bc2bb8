import type { Tx } from '../../database/database.ts';
import type { NewShopper } from '../shopper/shopper.repo.ts';
import type { Contact } from './contact.rules.ts';

/** An answer to the question whether a contact wants the mailing list. */
export type Consent = { signuptime: number; acceptmarketing: boolean; acceptsource: string };

/** The preferences of a shopper `sh` with the answers $2. They are the store's to write too: a `Mediums` that is no object gives way. */
export const MERGED_PREFS = `jsonb_set(sh.prefs, '{Mediums}',
  CASE jsonb_typeof(sh.prefs -> 'Mediums') WHEN 'object' THEN sh.prefs -> 'Mediums' ELSE '{}' END || $2::jsonb)`;

/** SQL: joins what is there with the answer, and makes the account, in one statement: answers of one moment must not lose each other. */
const RECORD_EMAIL = `
  INSERT INTO shopper AS sh (pid, regid, is_guest, uid, di, em, lastlogin, prefs, acc_mkt, cts, uts)
  VALUES ($1, $3, false, $4, $5, $6, $7, jsonb_build_object('Mediums', $2::jsonb), $8, $7, $7)
  ON CONFLICT (pid, regid) DO UPDATE SET prefs = ${MERGED_PREFS}, acc_mkt = excluded.acc_mkt,
    em = coalesce(sh.em, excluded.em), uts = excluded.uts`;

/** Records an answer on the account with this e-mail address, and makes that account where there is none. */
export async function recordEmailConsent(
  tx: Tx,
  { pid, regid, uid, di, em }: NewShopper,
  consent: Consent,
  now: Date,
): Promise<void> {
  const answers = JSON.stringify({ email: consent });
  await tx.query(RECORD_EMAIL, [pid, answers, regid, uid, di, em, now, consent.acceptmarketing]);
}

/** SQL: joins what is there with the answer; read and written apart, answers of one moment would lose each other. */
const RECORD_SMS = `
  UPDATE shopper sh SET prefs = ${MERGED_PREFS}, uts = $4 WHERE sh.pid = $1 AND sh.regid = $3`;

/** Records an answer on the shopper who gave it. */
export async function recordSmsConsent(
  tx: Tx,
  pid: string,
  regid: string,
  consent: Consent,
  now: Date,
): Promise<void> {
  await tx.query(RECORD_SMS, [pid, JSON.stringify({ sms: consent }), regid, now]);
}

/** SQL: every sign-up runs it. */
const LIFT = {
  name: 'lift_suppression',
  text: 'DELETE FROM suppression WHERE pid = $1 AND medium = $2 AND value = $3',
};

/** Lets a store write again to a contact that had left everything: it has asked for something new since. */
export async function liftSuppression(tx: Tx, pid: string, { medium, value }: Contact): Promise<void> {
  await tx.query(LIFT, [pid, medium, value]);
}
