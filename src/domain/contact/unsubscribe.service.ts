import type { Services } from '../../context.ts';
import type { Tx } from '../../database/database.ts';
import { fail } from '../../shared/errors.ts';
import { isServed } from '../store/store.rules.ts';
import { maskContact } from './contact.rules.ts';
import { findProduct } from '../product/product.repo.ts';
import { emitEvents } from '../webhook/event.repo.ts';
import { withdrawConsent } from './mailing-list.service.ts';
import { pidOfLink } from './link.rules.ts';
import { findSender } from '../store/sender.repo.ts';
import type { Sender } from '../store/sender.repo.ts';
import { mute, removeSubscriptions, suppress } from './unsubscribe.repo.ts';
import { readUnsubscribe, topicsOf } from './unsubscribe.rules.ts';
import type { Scope, UnsubscribeClaim } from './unsubscribe.rules.ts';

type Deps = Pick<Services, 'db' | 'config' | 'now'>;

/** What an unsubscribe page shows; the contact is masked, because links get forwarded. */
export type UnsubscribeView = {
  storeName: string;
  contact: string;
  /** None where the link is about no topic. */
  topics: string[];
  productTitle: string | null;
  scope: Scope;
};

async function openToken(
  { db, config }: Deps,
  token: string,
): Promise<{ store: Sender; claim: UnsubscribeClaim } | null> {
  const pid = pidOfLink(token);
  const store = pid === null ? null : await findSender(db, pid);
  const claim = store && isServed(config, store) ? readUnsubscribe(store, token) : null;
  return store && claim ? { store, claim } : null;
}

/** What the link is about, or null when it is not one of ours. Changes nothing. */
export async function viewUnsubscribe(deps: Deps, token: string): Promise<UnsubscribeView | null> {
  const opened = await openToken(deps, token);
  if (opened === null) return null;
  const { store, claim } = opened;
  const product = claim.epi === '' ? null : await findProduct(deps.db, store.pid, claim.epi);
  return {
    storeName: store.name,
    contact: maskContact(claim.medium, claim.value),
    topics: topicsOf(claim).filter(Boolean),
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
  const opened = await openToken(deps, token);
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
