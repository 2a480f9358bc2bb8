import type { Services } from '../../context.ts';
import type { Db, Tx } from '../../platform/database/database.ts';
import { fail } from '../../platform/errors.ts';
import { isServed } from '../../stores/store.rules.ts';
import { maskContact } from './contact.rules.ts';
import { findProduct } from '../../stores/products/product.repo.ts';
import { topicWords } from './keywords.rules.ts';
import { emitEvents } from '../../stores/webhooks/event.repo.ts';
import { withdrawConsent } from './mailing-list.service.ts';
import { pidOfLink } from './link.rules.ts';
import { findSender, findSenderByNo } from '../../stores/sender.repo.ts';
import type { Sender } from '../../stores/sender.repo.ts';
import { readShortUnsubscribe, storeNoOf } from './short-link.rules.ts';
import { findAlertAbout, mute, removeSubscriptions, suppress } from './unsubscribe.repo.ts';
import { readUnsubscribe, topicsOf } from './unsubscribe.rules.ts';
import type { Scope, UnsubscribeClaim } from './unsubscribe.rules.ts';

type Deps = Pick<Services, 'db' | 'config' | 'now'>;

/** What an unsubscribe page shows; the contact is masked, because links get forwarded. */
export type UnsubscribeView = {
  store: Pick<Sender, 'name' | 'logoUrl' | 'colour'>;
  contact: string;
  /** In words; none where the link is about no topic. */
  topics: string[];
  productTitle: string | null;
  scope: Scope;
};

/** What a short link stands for: less than everything only as long as its alert is known. */
async function readShort(db: Db, store: Sender, token: string, now: Date): Promise<UnsubscribeClaim | null> {
  const sealed = readShortUnsubscribe(store, token, now);
  if (sealed === null) return null;
  const { contact, seq } = sealed;
  const about = await findAlertAbout(db, store.pid, contact, seq);
  if (about === null) return { scope: 'all', ...contact, topic: '', epi: '' };
  return { scope: about.epi === '' ? 'topic' : 'product', ...contact, ...about };
}

/** The store and the claim of an unsubscribe link; null when it is not one of ours. */
export async function openUnsubscribe(
  { db, config, now }: Deps,
  token: string,
): Promise<{ store: Sender; claim: UnsubscribeClaim } | null> {
  const [linkNo, pid] = [storeNoOf(token), pidOfLink(token)];
  if (linkNo === null && pid === null) return null;
  const store = linkNo === null ? await findSender(db, pid!) : await findSenderByNo(db, linkNo);
  if (store === null || !isServed(config, store)) return null;
  const claim =
    linkNo === null ? readUnsubscribe(store, token, now()) : await readShort(db, store, token, now());
  return claim && { store, claim };
}

/** What the link is about, or null when it is not one of ours. Changes nothing. */
export async function viewUnsubscribe(deps: Deps, token: string): Promise<UnsubscribeView | null> {
  const opened = await openUnsubscribe(deps, token);
  if (opened === null) return null;
  const { store, claim } = opened;
  const product = claim.epi === '' ? null : await findProduct(deps.db, store.pid, claim.epi);
  return {
    store,
    contact: maskContact(claim.medium, claim.value),
    topics: topicsOf(claim).filter(Boolean).map(topicWords),
    productTitle: claim.epi === '' ? null : (product?.dt ?? 'this product'),
    scope: claim.scope,
  };
}

/** Ends a contact's subscriptions in the claim's scope and tells the store's webhooks. */
export async function endSubscriptions(
  tx: Tx,
  pid: string,
  claim: UnsubscribeClaim,
  now: Date,
): Promise<void> {
  const removed = await removeSubscriptions(tx, pid, claim);
  const events = removed.map(({ cts, ...row }) => ({
    type: 'subscription.removed' as const,
    data: { ...row, cts: cts.getTime() },
  }));
  await emitEvents(tx, pid, events, now);
}

/** Ends what the contact chose, or what the link stands for; null when it is not one of ours. Repeating it is harmless. */
export async function leave(
  deps: Deps,
  token: string,
  chosen: Scope | null,
): Promise<UnsubscribeView | null> {
  const opened = await openUnsubscribe(deps, token);
  if (opened === null) return null;
  const { store, claim: given } = opened;
  const claim = { ...given, scope: chosen ?? given.scope };
  const has = { product: claim.epi !== '', topic: claim.topic !== '', all: true };
  if (!has[claim.scope]) fail('invalid-request', `scope: this link is about no ${claim.scope}`);
  const now = deps.now();
  await deps.db.transaction(async (tx) => {
    await endSubscriptions(tx, store.pid, claim, now);
    if (claim.scope !== 'all') return mute(tx, store.pid, claim, now);
    await suppress(tx, store.pid, claim, now);
    await withdrawConsent(tx, store.pid, claim, 'unsubscribe', now);
  });
  const view = await viewUnsubscribe(deps, token);
  return view && { ...view, scope: claim.scope };
}
