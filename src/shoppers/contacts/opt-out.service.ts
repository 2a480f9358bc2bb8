import type { ReplyRequest } from '../../alerts/send/channel.ts';
import { channelOf } from '../../alerts/send/channels.ts';
import type { Services } from '../../context.ts';
import type { Db, Tx } from '../../platform/database/database.ts';
import { fail } from '../../platform/errors.ts';
import { findProduct } from '../../stores/products/product.repo.ts';
import { variantUrl } from '../../stores/products/product.rules.ts';
import { findSender } from '../../stores/sender.repo.ts';
import type { Sender } from '../../stores/sender.repo.ts';
import { isServed } from '../../stores/store.rules.ts';
import { findAccount, listMovedAddresses } from '../account.repo.ts';
import { hasDeclined, shopperKey } from './consent.repo.ts';
import { isAccountContact, maskContact, withSameContacts } from './contact.rules.ts';
import type { Contact, Medium } from './contact.rules.ts';
import { readerLanguage } from './language.repo.ts';
import {
  pidOfLink,
  readConfirm,
  readShortConfirm,
  readShortUnsubscribe,
  readUnsubscribe,
  storeNoOf,
  undoToken,
} from './link.rules.ts';
import type { Scope, UnsubscribeClaim } from './link.rules.ts';
import { withdrawConsent } from './mailing-list.service.ts';
import * as optOuts from './opt-out.repo.ts';
import type { Undo } from './opt-out.repo.ts';
import { announce } from './subscription-events.service.ts';

export { forgetResubscribed } from './opt-out.repo.ts';

type Deps = Pick<Services, 'db' | 'config' | 'now'>;

export type Unsubscribe = { store: Sender; claim: UnsubscribeClaim };

/** Unsubscribes from everything once the alert of the short link is deleted. */
async function readShort(db: Db, store: Sender, token: string, now: Date): Promise<UnsubscribeClaim | null> {
  const read = readShortUnsubscribe(store, token, now);
  if (read === null) return null;
  const subject = await optOuts.findAlertSubject(db, store.pid, read.contact, read.seq);
  if (subject === null) return { scope: 'all', ...read.contact, topic: '', epi: '' };
  return { scope: subject.epi === '' ? 'topic' : 'product', ...read.contact, ...subject };
}

/** The store that a link names, not verified. */
export async function namedStore({ db, config }: Deps, token: string) {
  const [linkNo, pid] = [storeNoOf(token), pidOfLink(token)];
  if (linkNo === null && pid === null) return null;
  const store = await findSender(db, linkNo === null ? { pid: pid! } : { linkNo });
  return store && isServed(config, store) ? { store, isShort: linkNo !== null } : null;
}

async function openUnsubscribe(deps: Deps, token: string): Promise<Unsubscribe | null> {
  const named = await namedStore(deps, token);
  if (named === null) return null;
  const { store, isShort } = named;
  const now = deps.now();
  const claim = isShort ? await readShort(deps.db, store, token, now) : readUnsubscribe(store, token, now);
  return claim && { store, claim };
}

/** The store of a link that is ours, even if the link has expired; a forged one learns nothing. */
export async function findLinkStore(deps: Deps, token: string): Promise<Sender | null> {
  const named = await namedStore(deps, token);
  if (named === null) return null;
  const readers = named.isShort ? [readShortConfirm, readShortUnsubscribe] : [readConfirm, readUnsubscribe];
  return readers.some((read) => read(named.store, token, deps.now()) !== null) ? named.store : null;
}

/** The keys under which a contact's choice about click tracking is stored. */
export async function trackingKeys(db: Db, { store, claim }: Unsubscribe) {
  const account = isAccountContact(claim) ? await findAccount(db, store.pid, claim.value) : null;
  return [...withSameContacts(claim), ...(account ? [shopperKey(account.regid)] : [])];
}

/** What an unsubscribe page shows; the contact is masked, because links get forwarded. */
export type UnsubscribeView = Awaited<ReturnType<typeof viewOf>>;

async function viewOf(db: Db, opened: Unsubscribe, lang: string | null) {
  const { store, claim } = opened;
  const product = claim.epi === '' ? null : await findProduct(db, store.pid, claim.epi);
  return {
    store,
    language: await readerLanguage(db, store, claim, lang),
    medium: claim.medium,
    contact: maskContact(claim.medium, claim.value),
    /** None where the link is about no topic. */
    topics: optOuts.claimedTopics(claim).filter(Boolean),
    hasProduct: claim.epi !== '',
    /** Null if the catalogue has no title. */
    productTitle: product?.dt ?? null,
    /** As the catalogue has it. */
    productUrl: product && variantUrl(product),
    scope: claim.scope,
    isTracked: !(await hasDeclined(db, store.pid, await trackingKeys(db, opened))),
  };
}

/** The page of an unsubscribe link and what `act` adds to it; null for a link that is not ours. */
export async function byLink<Added>(
  deps: Deps,
  token: string,
  lang: string | null,
  act: (opened: Unsubscribe) => Promise<Added>,
): Promise<(UnsubscribeView & Added) | null> {
  const opened = await openUnsubscribe(deps, token);
  if (opened === null) return null;
  // Before a change, because the language may be that of a subscription.
  const view = await viewOf(deps.db, opened, lang);
  return { ...view, ...(await act(opened)) };
}

/** Changes nothing. */
export const viewUnsubscribe = (deps: Deps, token: string, lang: string | null) =>
  byLink(deps, token, lang, async () => ({}));

/** Ends a contact's subscriptions in the claim's scope and notifies the store's webhooks. */
async function endSubscriptions(tx: Tx, pid: string, claim: UnsubscribeClaim, now: Date) {
  const removed = await optOuts.removeSubscriptions(tx, pid, claim);
  await announce(tx, 'subscription.removed', removed, now);
  return removed.map(({ row, requests }) => ({ row, requests }));
}

const NOTHING = { mutes: [], isSuppressed: false, optIns: [], consent: null };

/** The contact of a link, and the address that its account has moved to since: the person who leaves stays unsubscribed. */
async function reachedBy(tx: Tx, pid: string, claim: UnsubscribeClaim): Promise<UnsubscribeClaim[]> {
  const moved = isAccountContact(claim) ? await listMovedAddresses(tx, pid, claim.value) : [];
  return [claim, ...moved.map((value) => ({ ...claim, value }))];
}

async function leave(tx: Tx, pid: string, claim: UnsubscribeClaim, now: Date): Promise<Undo> {
  const subscriptions = await endSubscriptions(tx, pid, claim, now);
  const left = { ...NOTHING, value: claim.value, subscriptions };
  if (claim.scope !== 'all') return { ...left, mutes: await optOuts.addMutes(tx, pid, claim, now) };
  const suppression = await optOuts.addSuppression(tx, pid, claim, now);
  const consent = await withdrawConsent(tx, pid, claim, 'unsubscribe', now);
  return { ...left, ...suppression, consent };
}

/** Unsubscribes in the claim's scope. Returns the token that undoes it; null if nothing changed. */
export async function unsubscribe(deps: Deps, { store, claim }: Unsubscribe): Promise<string | null> {
  const now = deps.now();
  const undos = await deps.db.transaction(async (tx) => {
    const left: Undo[] = [];
    for (const one of await reachedBy(tx, store.pid, claim)) left.push(await leave(tx, store.pid, one, now));
    return left;
  });
  const hasChanged = undos.some(
    ({ subscriptions, mutes, isSuppressed }) => subscriptions.length > 0 || mutes.length > 0 || isSuppressed,
  );
  return hasChanged ? undoToken(store, claim, undos, now) : null;
}

/** Unsubscribes in the chosen scope, or in the link's own. Repeating it is harmless. */
export const unsubscribeByLink = (deps: Deps, token: string, chosen: Scope | null, lang: string | null) =>
  byLink(deps, token, lang, async ({ store, claim }) => {
    const scope = chosen ?? claim.scope;
    const has = { product: claim.epi !== '', topic: claim.topic !== '', all: true };
    if (!has[scope]) fail('invalid-request', `scope: this link does not name a ${scope}`);
    return { scope, undo: await unsubscribe(deps, { store, claim: { ...claim, scope } }) };
  });

/** Ends everything of a contact that does not exist: its subscriptions in this store and its place on the mailing list. A new subscription begins anew. */
export async function endBouncedContact(tx: Tx, pid: string, contact: Contact, now: Date): Promise<void> {
  await endSubscriptions(tx, pid, { scope: 'all', ...contact, topic: '', epi: '' }, now);
  await withdrawConsent(tx, pid, contact, 'bounce', now);
}

/**
 * Handles a reply to a message. STOP counts for all stores, because they send from one number: the contact leaves their mailing lists and gets no more
 * messages. START resumes messages for the subscriptions that are left; it puts nobody back on a mailing list.
 */
export async function receiveReply({ db, config, now }: Deps, medium: Medium, request: ReplyRequest) {
  const { replies, contact } = channelOf(medium);
  if (!replies?.isGenuine(config.channels[medium] ?? null, request))
    fail('unauthorised', 'The signature is invalid');
  const { from, says, id } = replies.read(request.fields);
  const value = contact.read(from, null);
  if (value === null || says === null) return;
  const time = now();
  await db.transaction(async (tx) => {
    await optOuts.saveReply(tx, { medium, value }, { says, id }, time);
    // An old STOP that is delivered again after a START changes nothing.
    if (says === 'start' || (await optOuts.findOptedOut(tx, medium, [value])).length === 0) return;
    for (const pid of await optOuts.findConsentingStores(tx, { medium, value }))
      await withdrawConsent(tx, pid, { medium, value }, 'stop', time);
  });
}
