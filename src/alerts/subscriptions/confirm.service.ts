import type { Services } from '../../context.ts';
import type { Db, Tx } from '../../platform/database/database.ts';
import { newId } from '../../platform/ids.ts';
import { findAccount } from '../../shoppers/account.repo.ts';
import { addOptIns, deleteSuppressions } from '../../shoppers/contacts/consent.repo.ts';
import { isAccountContact, maskContact } from '../../shoppers/contacts/contact.rules.ts';
import { readerLanguage } from '../../shoppers/contacts/language.repo.ts';
import { readConfirm, readShortConfirm } from '../../shoppers/contacts/link.rules.ts';
import { recordConsent } from '../../shoppers/contacts/mailing-list.service.ts';
import { namedStore } from '../../shoppers/contacts/opt-out.service.ts';
import { announceCreated } from '../../shoppers/contacts/subscription-events.service.ts';
import type { Sender } from '../../stores/sender.repo.ts';
import { catchUp } from '../events/event.service.ts';
import { describeAsked } from './confirm-message.service.ts';
import * as requests from './request.repo.ts';
import { fromClaim, toClaim } from './signup.rules.ts';
import type { ConfirmClaim } from './signup.rules.ts';
import * as subscriptions from './subscription.repo.ts';
import { keyOf } from './subscription.rules.ts';

/** No regid has this value. */
const NOBODY = 'nobody';

type Deps = Pick<Services, 'db' | 'now' | 'config'>;

export type Confirmation = Awaited<ReturnType<typeof describe>>;

async function open(deps: Deps, token: string) {
  const now = deps.now();
  const named = await namedStore(deps, token);
  if (named === null) return null;
  const { store, isShort } = named;
  const sealed = isShort ? await openShort(deps.db, store, token, now) : readConfirm(store, token, now);
  const claim = sealed && fromClaim(sealed, now);
  return claim && { store, claim };
}

/** Returns the claim of a short link. If the requester's requests have ended, the claim matches no requests. */
async function openShort(db: Db, store: Sender, token: string, now: Date): Promise<string[] | null> {
  const read = readShortConfirm(store, token, now);
  if (read === null) return null;
  const { contact, issuedAt } = read;
  if (read.isRequester('')) return toClaim(contact, issuedAt);
  const requesters = await requests.listRequesters(db, store.pid, contact);
  return toClaim(contact, issuedAt, requesters.find(read.isRequester) ?? NOBODY);
}

async function describe(
  { db, config }: Deps,
  { store, claim: { contact } }: NonNullable<Awaited<ReturnType<typeof open>>>,
  asked: readonly { topic: string; epi: string }[],
  lang: string | null,
) {
  return {
    ...(await describeAsked(db, store, config.publicUrl, asked)),
    language: await readerLanguage(db, store, contact, lang),
    medium: contact.medium,
    contact: maskContact(contact.medium, contact.value),
    pending: asked.length,
  };
}

async function coverageOf(db: Db, { pid }: Sender, claim: ConfirmClaim): Promise<requests.Coverage> {
  const { contact } = claim;
  const account = isAccountContact(contact) ? await findAccount(db, pid, contact.value) : null;
  return { pid, own: account?.regid ?? null, ...claim };
}

/** Returns null if the link is invalid or expired. Changes nothing. */
export async function previewConfirmation(deps: Deps, token: string, lang: string | null) {
  const opened = await open(deps, token);
  if (opened === null) return null;
  const pending = await requests.listPending(deps.db, await coverageOf(deps.db, opened.store, opened.claim));
  return describe(deps, opened, pending.reverse(), lang);
}

/** Idempotent. Returns null if the link is invalid or expired. */
export async function confirmSubscriptions(deps: Deps, token: string, lang: string | null) {
  const opened = await open(deps, token);
  if (opened === null) return null;
  const { store, claim } = opened;
  const now = deps.now();
  const confirmed = await deps.db.transaction(async (tx) => {
    const rows = await confirmPending(tx, store, claim, now);
    if (rows.length === 0) return [];
    const last = rows.filter(({ mailinglist }) => mailinglist !== null).at(-1);
    const consent = last && { accepts: last.mailinglist!, regid: last.regid };
    if (consent) await recordConsent(tx, store, claim.contact, consent, now);
    await deleteSuppressions(tx, [{ pid: store.pid, ...claim.contact }]);
    // A link without an requester is no opt-in for the shoppers whose requests it confirms, because strangers may be among them.
    const regids = claim.requester === null ? [''] : rows.map(({ regid }) => regid);
    await addOptIns(tx, store.pid, claim.contact, regids, now);
    return rows;
  });
  return describe(deps, opened, confirmed.reverse(), lang);
}

/** Confirms the requests that a link covers, and creates their subscriptions again if they were removed. */
async function confirmPending(tx: Tx, store: Sender, claim: ConfirmClaim, now: Date) {
  const { pid } = store;
  const pending = await requests.listPending(tx, await coverageOf(tx, store, claim));
  if (pending.length === 0) return [];
  const signUp = { pid, ...claim.contact, regid: claim.requester ?? '', confirmedAt: now };
  const wanted = new Map(pending.map((request) => [keyOf(request), { ...request, id: newId() }]));
  const saved = await subscriptions.saveSubscriptions(tx, [{ ...signUp, wanted: [...wanted.values()], now }]);
  const idByKey = new Map(saved.map((row) => [keyOf(row), row.id]));
  const pairs = pending.map((request) => ({ ...request, subscriptionId: idByKey.get(keyOf(request))! }));
  const confirmed = new Set(await requests.confirmRequests(tx, pid, pairs, now));
  // A request that ended meanwhile confirms nothing.
  const ended = pairs.filter(({ id }) => !confirmed.has(id));
  const lost = new Set((await subscriptions.settleSubscriptions(tx, pid, ended)).map(({ id }) => id));
  const created = saved.filter((row) => wanted.get(keyOf(row))!.id === row.id && !lost.has(row.id));
  await announceCreated(tx, [{ store, created, now }]);
  await catchUp(tx, pid, saved, now);
  return pending.filter(({ id }) => confirmed.has(id));
}
