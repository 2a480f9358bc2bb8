import { isStoreAlone, requireShopper, requireStore } from '../../context.ts';
import type { Context } from '../../context.ts';
import type {
  MutationUnsubscribeArgs,
  QuerySubscriptionPageArgs,
  QuerySubscriptionsArgs,
} from '../../generated/resolvers.ts';
import { oncePerRequest, shareUnderWay } from '../../platform/batch.ts';
import type { Tx } from '../../platform/database/database.ts';
import { fail } from '../../platform/errors.ts';
import { checkLimit, checkSlice, decodeSeq, encodeCursor, toConnection } from '../../platform/page.ts';
import type { CountedConnection } from '../../platform/page.ts';
import { isStorable } from '../../platform/text.ts';
import { checkContact, checkMedium, maskContact } from '../../shoppers/contacts/contact.rules.ts';
import { announce } from '../../shoppers/contacts/subscription-events.service.ts';
import type { ShopperRow } from '../../shoppers/shopper.repo.ts';
import { unknownProduct } from '../../stores/products/product.columns.ts';
import { readProduct } from '../../stores/products/product.reads.ts';
import { isProductId } from '../../stores/products/product.rules.ts';
import { topicRulesOf } from '../topics/topic.repo.ts';
import { listTopics } from '../topics/topic.service.ts';
import type { TopicRow, TopicRules } from '../topics/topic.types.ts';
import { endRequests } from './request.repo.ts';
import * as subscriptions from './subscription.repo.ts';
import type { Filter, Owner, StoredSubscription } from './subscription.repo.ts';

export { forgetExpired, forgetUnconfirmed } from './subscription.repo.ts';

export type SubscriptionRow = StoredSubscription;

type WantedProduct = Pick<StoredSubscription, 'pid' | 'epi' | 'empi' | 'du'>;

/** Returns the catalogue's product, or the subscription's own description if the catalogue lacks it. */
export async function describeProduct(ctx: Context, { pid, epi, empi, du }: WantedProduct) {
  return (await readProduct(ctx, { pid, epi })) ?? unknownProduct({ pid, epi, empi, du });
}

function ownerOf(ctx: Context): Owner {
  if (isStoreAlone(ctx)) return { pid: requireStore(ctx).pid, all: true };
  return ownerFor(requireShopper(ctx));
}

/** A guest owns its requests, an account the subscriptions of its address. */
export function ownerFor({ pid, regid, isGuest, em }: ShopperRow): Owner {
  return isGuest ? { pid, regid } : { pid, account: em ?? '' };
}

const ORDER = 'subscription';

export type SubscriptionConnectionRow = CountedConnection<SubscriptionRow>;

export async function listSubscriptions(
  ctx: Context,
  { first, after, ...which }: QuerySubscriptionsArgs,
  owner: Owner = ownerOf(ctx),
): Promise<SubscriptionConnectionRow> {
  const size = checkLimit('first', first, 20, 100);
  const before = decodeSeq('after', after, ORDER) ?? undefined;
  const filter = filterOf(which);
  const rows = await subscriptions.listSubscriptions(ctx.db, owner, filter, { before, limit: size + 1 });
  const count = () => subscriptions.countSubscriptions(ctx.db, owner, filter);
  return { ...toConnection(rows, size, ({ seq }) => encodeCursor(ORDER, seq), after), count };
}

/** Those of these subscriptions that `listSubscriptions` shows the caller; none without credentials of a shopper or store. */
export async function findSubscriptions(ctx: Context, ids: readonly string[]): Promise<SubscriptionRow[]> {
  if (ctx.viewer.shopper === null && !isStoreAlone(ctx)) return [];
  const page = { ids: ids.filter(isStorable), limit: ids.length };
  return subscriptions.listSubscriptions(ctx.db, ownerOf(ctx), {}, page);
}

function filterOf({ filter, ...args }: QuerySubscriptionsArgs): Filter {
  const { topic, medium, epi } = filter ?? args;
  if (topic != null && !isStorable(topic))
    fail('invalid-topics', 'topic must contain only printable characters');
  if (epi != null && !isProductId(epi))
    fail('invalid-products', 'epi must have 1 to 255 printable characters');
  return { topic, medium: medium && checkMedium(medium), epi };
}

export async function pageSubscriptions(ctx: Context, { topic, medium, ...page }: QuerySubscriptionPageArgs) {
  const owner = ownerOf(ctx);
  const { limit, offset } = checkSlice(page, 10, 100);
  const filter = filterOf({ topic, medium });
  const [total, rows] = await Promise.all([
    subscriptions.countSubscriptions(ctx.db, owner, filter),
    subscriptions.listSubscriptions(ctx.db, owner, filter, { offset, limit }),
  ]);
  return { limit, offset, total, subscriptions: rows };
}

/** Ends subscriptions of the calling shopper or, with a store key, those of a contact or a single one by id. */
export async function unsubscribe(ctx: Context, { id, topic, epi, ...named }: MutationUnsubscribeArgs) {
  const owner = ownerOf(ctx);
  if (id != null && !isStorable(id)) fail('invalid-request', 'id must contain only printable characters');
  // A store must name a contact, because it would otherwise end all of its subscriptions.
  const { medium, mediumvalue } = named;
  const isContactNamed = medium != null || mediumvalue != null || ('all' in owner && id == null);
  // A guest sees masked contacts and must not find them out by guessing.
  if (isContactNamed && ctx.viewer.keyId === null)
    fail('forbidden', 'medium and mediumvalue require a store API key');
  const contact = isContactNamed ? checkContact(requireStore(ctx), checkMedium(medium), mediumvalue) : {};
  const filter = { ...filterOf({ topic, epi }), id, ...contact };
  const removed = await ctx.db.transaction((tx) => end(tx, owner, filter, ctx.now()));
  return { msg: removed === 0 ? 'No matching subscriptions' : 'Unsubscribed', removed };
}

/** A guest ends its own requests, and the subscription remains if others requested it. A contact ends the subscription itself. */
async function end(tx: Tx, owner: Owner, filter: Filter, now: Date): Promise<number> {
  if ('regid' in owner) {
    const { removed, gone } = await endRequests(tx, owner, filter);
    await announce(tx, 'subscription.removed', gone, now);
    return removed;
  }
  const rows = await subscriptions.deleteSubscriptions(tx, owner, filter);
  await announce(tx, 'subscription.removed', rows, now);
  return rows.length;
}

/** Masked for a guest, who proves a device but not the ownership of the address. */
export function visibleContact(ctx: Context, { medium, value }: StoredSubscription): string {
  return ctx.viewer.shopper?.isGuest ? maskContact(medium, value) : value;
}

// All subscriptions of a page read the topics at once.
const rulesUnderWay = oncePerRequest((_ctx: Context) => shareUnderWay<TopicRules[]>());
const topicsUnderWay = oncePerRequest((_ctx: Context) => shareUnderWay<TopicRow[]>());

/** Only its name and trigger are public. */
export type TopicInfoRow = TopicRules;

/** Null if the store has no topic of this name, because sign-ups do not check it. */
export async function topicInfo(ctx: Context, { pid, topic }: SubscriptionRow): Promise<TopicInfoRow | null> {
  const rules = await rulesUnderWay(ctx)(pid, () => topicRulesOf(ctx.db, pid));
  return rules.find(({ name }) => name === topic) ?? null;
}

/** The topic with its texts; requires a store key. */
export async function topicSettings(ctx: Context, { name }: TopicInfoRow): Promise<TopicRow | null> {
  const topics = await topicsUnderWay(ctx)('topics', () => listTopics(ctx));
  return topics.find((topic) => topic.name === name) ?? null;
}
