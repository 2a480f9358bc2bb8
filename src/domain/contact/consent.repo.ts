import { unnestKeys } from '../../database/columns.ts';
import type { Tx } from '../../database/database.ts';
import { lockShopper, updateShopper } from '../shopper/shopper.repo.ts';
import type { IdentityKey, NewShopper } from '../shopper/shopper.repo.ts';
import { isAccountContact } from './contact.rules.ts';
import type { Contact, Medium } from './contact.rules.ts';

/** An answer to the question whether a contact wants the mailing list. */
export type Consent = { signuptime: number; acceptmarketing: boolean; acceptsource: string };

const mediumsOf = ({ Mediums }: Record<string, unknown>): object =>
  typeof Mediums === 'object' && Mediums !== null && !Array.isArray(Mediums) ? Mediums : {};

/** Records an answer on a shopper. The lock keeps answers of one moment; a `Mediums` of the store's that is no object gives way. */
export async function recordShopperConsent(
  tx: Tx,
  key: IdentityKey,
  medium: string,
  consent: Consent,
  now: Date,
): Promise<void> {
  const shopper = await lockShopper(tx, key);
  if (shopper === null) return;
  const prefs = { ...shopper.prefs, Mediums: { ...mediumsOf(shopper.prefs), [medium]: consent } };
  const changes = isAccountContact({ medium }) ? { prefs, acc_mkt: consent.acceptmarketing } : { prefs };
  await updateShopper(tx, key, changes, now);
}

/** SQL: sign-ups run it; it makes the account, or joins the answer to what is there, in one statement. */
const RECORD_ON_ACCOUNT = {
  name: 'record_on_account',
  text: `
    INSERT INTO shopper AS sh (pid, regid, is_guest, uid, di, em, lastlogin, prefs, acc_mkt, cts, uts)
    VALUES ($1, $2, false, $3, $4, $5, $6, jsonb_build_object('Mediums', $7::jsonb), $8, $6, $6)
    ON CONFLICT (pid, regid) DO UPDATE SET acc_mkt = excluded.acc_mkt, em = coalesce(sh.em, excluded.em), uts = excluded.uts,
      prefs = jsonb_set(sh.prefs, '{Mediums}',
        CASE jsonb_typeof(sh.prefs -> 'Mediums') WHEN 'object' THEN sh.prefs -> 'Mediums' ELSE '{}' END || $7::jsonb)`,
};

/** Records an answer on the account that a contact names, and makes that account where there is none. */
export async function recordAccountConsent(
  tx: Tx,
  { pid, regid, uid, di, em }: NewShopper,
  medium: Medium,
  consent: Consent,
  now: Date,
): Promise<void> {
  const answers = JSON.stringify({ [medium]: consent });
  await tx.query(RECORD_ON_ACCOUNT, [pid, regid, uid, di, em, now, answers, consent.acceptmarketing]);
}

/** SQL: every sign-up runs it, many of one moment at once. */
const LIFT = {
  name: 'lift_suppression',
  text: `
    DELETE FROM suppression s USING ${unnestKeys('c', { pid: 'text', medium: 'text', value: 'text' })}
    WHERE s.pid = c.pid AND s.medium = c.medium AND s.value = c.value`,
};

/** Lets stores write again to contacts that had left everything: they have asked for something new since. */
export async function liftSuppressions(
  tx: Tx,
  contacts: readonly (Contact & { pid: string })[],
): Promise<void> {
  if (contacts.length === 0) return;
  await tx.query(LIFT, [
    contacts.map(({ pid }) => pid),
    contacts.map(({ medium }) => medium),
    contacts.map(({ value }) => value),
  ]);
}
