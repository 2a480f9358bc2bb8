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
import { emitEvents } from '../../stores/webhooks/event.repo.ts';
import { regidOf } from '../identity.rules.ts';
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
} from './link.rules.ts';
import type { Scope, UnsubscribeClaim } from './link.rules.ts';
import { readConsent, withdrawConsent } from './mailing-list.service.ts';
import * as optOuts from './opt-out.repo.ts';
import { undoToken } from './undo.rules.ts';
import type { Undo } from './undo.rules.ts';

export { forgetResubscribed } from './opt-out.repo.ts';

type Deps = Pick<Services, 'db' | 'config' | 'now'>;

/** What an unsubscribe page shows; the contact is masked, because links get forwarded. */
export type UnsubscribeView = {
  store: Sender;
  language: string;
  medium: string;
  contact: string;
  /** None where the link is about no topic. */
  topics: string[];
  hasProduct: boolean;
  /** Null if the catalogue has no title. */
  productTitle: string | null;
  /** As the catalogue has it. */
  productUrl: string | null;
  scope: Scope;
  isTracked: boolean;
};

export type Unsubscribe = { store: Sender; claim: UnsubscribeClaim };

/** Unsubscribes from everything once the alert of the short link is deleted. */
async function readShort(db: Db, store: Sender, token: string, now: Date): Promise<UnsubscribeClaim | null> {
  const read = readShortUnsubscribe(store, token, now);
  if (read === null) return null;
  const subject = await optOuts.findAlertSubject(db, store.pid, read.contact, read.seq);
  if (subject === null) return { scope: 'all', ...read.contact, topic: '', epi: '' };
  return { scope: subject.epi === '' ? 'topic' : 'product', ...read.contact, ...subject };
}

export async function openUnsubscribe({ db, config, now }: Deps, token: string): Promise<Unsubscribe | null> {
  const [linkNo, pid] = [storeNoOf(token), pidOfLink(token)];
  if (linkNo === null && pid === null) return null;
  const store = await findSender(db, linkNo === null ? { pid: pid! } : { linkNo });
  if (store === null || !isServed(config, store)) return null;
  const claim =
    linkNo === null ? readUnsubscribe(store, token, now()) : await readShort(db, store, token, now());
  return claim && { store, claim };
}

/** The store of a link that is ours, even if the link has expired; a forged one learns nothing. */
export async function findLinkStore({ db, config, now }: Deps, token: string): Promise<Sender | null> {
  const [linkNo, pid] = [storeNoOf(token), pidOfLink(token)];
  if (linkNo === null && pid === null) return null;
  const store = await findSender(db, linkNo === null ? { pid: pid! } : { linkNo });
  if (store === null || !isServed(config, store)) return null;
  const readers = linkNo === null ? [readConfirm, readUnsubscribe] : [readShortConfirm, readShortUnsubscribe];
  return readers.some((read) => read(store, token, now()) !== null) ? store : null;
}

/** The keys under which a contact's choice about click tracking is stored. */
export function trackingKeys({ store, claim }: Unsubscribe) {
  const account = isAccountContact(claim) ? [shopperKey(regidOf(store.secret, 'account', claim.value))] : [];
  return [...withSameContacts(claim), ...account];
}

export async function viewOf(db: Db, opened: Unsubscribe, lang: string | null): Promise<UnsubscribeView> {
  const { store, claim } = opened;
  const product = claim.epi === '' ? null : await findProduct(db, store.pid, claim.epi);
  return {
    store,
    language: await readerLanguage(db, store, claim, lang),
    medium: claim.medium,
    contact: maskContact(claim.medium, claim.value),
    topics: optOuts.claimedTopics(claim).filter(Boolean),
    hasProduct: claim.epi !== '',
    productTitle: product?.dt ?? null,
    productUrl: product && variantUrl(product),
    scope: claim.scope,
    isTracked: !(await hasDeclined(db, store.pid, trackingKeys(opened))),
  };
}

/** Returns null for a link that is not ours. Changes nothing. */
export async function viewUnsubscribe(deps: Deps, token: string, lang: string | null) {
  const opened = await openUnsubscribe(deps, token);
  return opened && viewOf(deps.db, opened, lang);
}

/** Ends a contact's subscriptions in the claim's scope and notifies the store's webhooks. */
async function endSubscriptions(tx: Tx, pid: string, claim: UnsubscribeClaim, now: Date) {
  const removed = await optOuts.removeSubscriptions(tx, pid, claim);
  await announce(tx, pid, 'subscription.removed', removed, now);
  return removed.map(({ row, requests }) => ({ row, requests }));
}

type Announced = Awaited<ReturnType<typeof optOuts.removeSubscriptions>>;

export async function announce(
  tx: Tx,
  pid: string,
  type: 'subscription.created' | 'subscription.removed',
  changed: Announced,
  now: Date,
): Promise<void> {
  const events = changed.map(({ row: _row, requests: _requests, seq: _seq, cts, ...shown }) => ({
    type,
    data: { ...shown, cts: cts.getTime() },
  }));
  await emitEvents(tx, pid, events, now);
}

const NOTHING = { mutes: [], isSuppressed: false, optIns: [], consent: null };

/** Unsubscribes in the claim's scope. Returns the token that undoes it; null if nothing changed. */
export async function unsubscribe(deps: Deps, { store, claim }: Unsubscribe): Promise<string | null> {
  const { pid } = store;
  const now = deps.now();
  const undo = await deps.db.transaction(async (tx): Promise<Undo> => {
    const subscriptions = await endSubscriptions(tx, pid, claim, now);
    if (claim.scope !== 'all')
      return { ...NOTHING, subscriptions, mutes: await optOuts.addMutes(tx, pid, claim, now) };
    const consent = await readConsent(tx, pid, claim);
    const suppression = await optOuts.addSuppression(tx, pid, claim, now);
    await withdrawConsent(tx, pid, claim, 'unsubscribe', now);
    return { ...NOTHING, subscriptions, ...suppression, consent };
  });
  const hasChanged = undo.subscriptions.length > 0 || undo.mutes.length > 0 || undo.isSuppressed;
  return hasChanged ? undoToken(store, claim, undo, now) : null;
}

/** Unsubscribes in the chosen scope, or in the link's own; null for a link that is not ours. Repeating it is harmless. */
export async function unsubscribeByLink(
  deps: Deps,
  token: string,
  chosen: Scope | null,
  lang: string | null,
) {
  const opened = await openUnsubscribe(deps, token);
  if (opened === null) return null;
  const claim = { ...opened.claim, scope: chosen ?? opened.claim.scope };
  const has = { product: claim.epi !== '', topic: claim.topic !== '', all: true };
  if (!has[claim.scope]) fail('invalid-request', `scope: this link does not name a ${claim.scope}`);
  // Before the change, because the language may be that of a subscription.
  const view = await viewOf(deps.db, { ...opened, claim }, lang);
  return { ...view, undo: await unsubscribe(deps, { ...opened, claim }) };
}

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
