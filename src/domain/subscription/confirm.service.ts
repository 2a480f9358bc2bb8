import type { Services } from '../../context.ts';
import type { Db } from '../../database/database.ts';
import { openLink, pidOfLink, sealLink } from '../alert/link.rules.ts';
import { enqueueMail, enqueueSms } from '../alert/outbox.repo.ts';
import { newShopper } from '../shopper/shopper.service.ts';
import type { StoreRow } from '../store/store.repo.ts';
import { findServedStore } from '../store/store.service.ts';
import { confirmMail, confirmSms, fromClaim, toClaim } from './confirm.rules.ts';
import type { ConfirmClaim } from './confirm.rules.ts';
import { liftSuppression, recordEmailConsent, recordSmsConsent } from './consent.repo.ts';
import { consume } from './signup.repo.ts';
import { SIGNUP_LIMITS, signupKey } from './signup.rules.ts';
import * as subscriptions from './subscription.repo.ts';
import { maskContact } from './subscription.rules.ts';
import type { Contact } from './subscription.rules.ts';

type Deps = Pick<Services, 'db' | 'now' | 'config'>;

/** Where an answer about the mailing list came from, as `userinfo.prefs` shows it. */
const CONSENT_SOURCE = 'subscription';

/** Records whether a contact wants the mailing list, in the preferences of its shopper. */
export async function recordConsent(
  tx: Db,
  store: StoreRow,
  { medium, value }: Contact,
  answer: { accepts: boolean; regid: string | null },
  now: Date,
): Promise<void> {
  const consent = {
    signuptime: now.getTime(),
    acceptmarketing: answer.accepts,
    acceptsource: CONSENT_SOURCE,
  };
  if (medium === 'email') await recordEmailConsent(tx, newShopper(store, 'account', value), consent, now);
  else if (answer.regid !== null) await recordSmsConsent(tx, store.pid, answer.regid, consent, now);
}

/** Asks a contact to confirm what it has pending, but only a few times a day however often it is signed up. */
export async function sendConfirmation(
  tx: Db,
  { config }: Deps,
  store: StoreRow,
  contact: Contact,
  now: Date,
): Promise<void> {
  const { pid, secret, name } = store;
  const { medium, value } = contact;
  if ((await subscriptions.listPending(tx, pid, contact, now)).length === 0) return;
  const isOverLimit = await consume(
    tx,
    pid,
    signupKey(secret, 'confirm', `${medium} ${value}`),
    SIGNUP_LIMITS.confirm,
    now,
  );
  if (isOverLimit !== null) return;
  const url = `${config.publicUrl}/confirm/${sealLink(store, 'confirm', toClaim(contact, now))}`;
  const message = { pid, kind: 'confirm', to: value };
  if (medium === 'email') await enqueueMail(tx, { ...message, ...confirmMail(name, url) }, now);
  else await enqueueSms(tx, { ...message, ...confirmSms(name, url) }, now);
}

/** What the confirmation page shows. */
export type Confirmation = { storeName: string; contact: string; pending: number };

async function open(deps: Deps, token: string): Promise<{ store: StoreRow; claim: ConfirmClaim } | null> {
  const pid = pidOfLink(token);
  const store = pid === null ? null : await findServedStore(deps, pid);
  const sealed = store && openLink(store, 'confirm', token);
  const claim = sealed && fromClaim(sealed, deps.now());
  return store && claim ? { store, claim } : null;
}

function describe({ name }: StoreRow, { contact }: ConfirmClaim, pending: number): Confirmation {
  return { storeName: name, contact: maskContact(contact.medium, contact.value), pending };
}

/** What a confirmation link would confirm; null for a link that is wrong or too old. Changes nothing. */
export async function previewConfirmation(deps: Deps, token: string): Promise<Confirmation | null> {
  const opened = await open(deps, token);
  if (opened === null) return null;
  const { store, claim } = opened;
  const pending = await subscriptions.listPending(deps.db, store.pid, claim.contact, claim.issuedAt);
  return describe(store, claim, pending.length);
}

/** Confirms what the link stands for; repeating it changes nothing. Null for a link that is wrong or too old. */
export async function confirmSubscriptions(deps: Deps, token: string): Promise<Confirmation | null> {
  const opened = await open(deps, token);
  if (opened === null) return null;
  const { store, claim } = opened;
  const now = deps.now();
  const confirmed = await deps.db.transaction(async (tx) => {
    const rows = await subscriptions.confirmPending(tx, store.pid, claim.contact, claim.issuedAt, now);
    const answer = rows.filter(({ mailinglist }) => mailinglist !== null).at(-1);
    if (answer)
      await recordConsent(
        tx,
        store,
        claim.contact,
        { accepts: answer.mailinglist!, regid: answer.regid },
        now,
      );
    if (rows.length > 0) await liftSuppression(tx, store.pid, claim.contact);
    return rows.length;
  });
  return describe(store, claim, confirmed);
}
