import type { ReplyRequest } from '../../alerts/send/channel.ts';
import { channelOf } from '../../alerts/send/channels.ts';
import type { Services } from '../../context.ts';
import type { Db, Tx } from '../../platform/database/database.ts';
import { fail } from '../../platform/errors.ts';
import { findProduct } from '../../stores/products/product.repo.ts';
import { findSender } from '../../stores/sender.repo.ts';
import type { Sender } from '../../stores/sender.repo.ts';
import { isServed } from '../../stores/store.rules.ts';
import { emitEvents } from '../../stores/webhooks/event.repo.ts';
import { maskContact, topicLabel } from './contact.rules.ts';
import type { Contact, Medium } from './contact.rules.ts';
import { pidOfLink, readShortUnsubscribe, readUnsubscribe, storeNoOf } from './link.rules.ts';
import type { Scope, UnsubscribeClaim } from './link.rules.ts';
import { withdrawConsent } from './mailing-list.service.ts';
import * as optOuts from './opt-out.repo.ts';

export { forgetResubscribed } from './opt-out.repo.ts';

type Deps = Pick<Services, 'db' | 'config' | 'now'>;

/** What an unsubscribe page shows; the contact is masked, because links get forwarded. */
export type UnsubscribeView = {
  store: Pick<Sender, 'name' | 'logoUrl' | 'colour'>;
  contact: string;
  /** Labels; none where the link is about no topic. */
  topics: string[];
  productTitle: string | null;
  scope: Scope;
};

type Unsubscribe = { store: Sender; claim: UnsubscribeClaim };

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

export async function viewOf(db: Db, { store, claim }: Unsubscribe): Promise<UnsubscribeView> {
  const product = claim.epi === '' ? null : await findProduct(db, store.pid, claim.epi);
  return {
    store,
    contact: maskContact(claim.medium, claim.value),
    topics: optOuts.claimedTopics(claim).filter(Boolean).map(topicLabel),
    productTitle: claim.epi === '' ? null : (product?.dt ?? 'this product'),
    scope: claim.scope,
  };
}

/** Returns null for a link that is not ours. Changes nothing. */
export async function viewUnsubscribe(deps: Deps, token: string): Promise<UnsubscribeView | null> {
  const opened = await openUnsubscribe(deps, token);
  return opened && viewOf(deps.db, opened);
}

/** Ends a contact's subscriptions in the claim's scope and notifies the store's webhooks. */
async function endSubscriptions(tx: Tx, pid: string, claim: UnsubscribeClaim, now: Date): Promise<void> {
  const removed = await optOuts.removeSubscriptions(tx, pid, claim);
  const events = removed.map(({ cts, ...row }) => ({
    type: 'subscription.removed' as const,
    data: { ...row, cts: cts.getTime() },
  }));
  await emitEvents(tx, pid, events, now);
}

/** Unsubscribes in the chosen scope, or in the link's own; null for a link that is not ours. Repeating it is harmless. */
export async function unsubscribeByLink(deps: Deps, token: string, chosen: Scope | null) {
  const opened = await openUnsubscribe(deps, token);
  if (opened === null) return null;
  const { pid } = opened.store;
  const claim = { ...opened.claim, scope: chosen ?? opened.claim.scope };
  const has = { product: claim.epi !== '', topic: claim.topic !== '', all: true };
  if (!has[claim.scope]) fail('invalid-request', `scope: this link does not name a ${claim.scope}`);
  const now = deps.now();
  await deps.db.transaction(async (tx) => {
    await endSubscriptions(tx, pid, claim, now);
    if (claim.scope !== 'all') return optOuts.addMutes(tx, pid, claim, now);
    await optOuts.addSuppression(tx, pid, claim, now);
    await withdrawConsent(tx, pid, claim, 'unsubscribe', now);
  });
  return viewOf(deps.db, { ...opened, claim });
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
