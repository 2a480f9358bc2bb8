import { unnestKeys } from '../../platform/database/columns.ts';
import type { Tx } from '../../platform/database/database.ts';
import { updateShopper } from '../shopper.repo.ts';
import type { ShopperRow } from '../shopper.repo.ts';
import { isAccountContact } from './contact.rules.ts';
import type { Contact } from './contact.rules.ts';
import type { AnswerRow } from './mailing-list.repo.ts';

const mediumsOf = ({ Mediums }: Record<string, unknown>): object =>
  typeof Mediums === 'object' && Mediums !== null && !Array.isArray(Mediums) ? Mediums : {};

/** Writes a contact's answer into the preferences of its shopper, whose row is locked; a `Mediums` of the store's that is no object gives way. */
export async function writeConsent(
  tx: Tx,
  shopper: ShopperRow,
  { medium, acceptmarketing, signuptime, acceptsource }: AnswerRow,
  now: Date,
): Promise<void> {
  const consent = { signuptime: signuptime.getTime(), acceptmarketing, acceptsource };
  const prefs = { ...shopper.prefs, Mediums: { ...mediumsOf(shopper.prefs), [medium]: consent } };
  const changes = isAccountContact({ medium }) ? { prefs, acc_mkt: acceptmarketing } : { prefs };
  await updateShopper(tx, shopper, changes, now);
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
