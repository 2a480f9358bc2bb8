import { requireStore } from '../../context.ts';
import type { Context, Services } from '../../context.ts';
import type { Tx } from '../../platform/database/database.ts';
import { endBouncedContact } from '../../shoppers/contacts/opt-out.service.ts';
import { MAX_STOCK, checkEpis } from '../../stores/products/product.rules.ts';
import { emitEvents, queueEvents } from '../../stores/webhooks/event.repo.ts';
import type { EndedMessage } from '../queue/outbox.repo.ts';
import { countAudience, findTopicRules, topicRulesOf } from '../topics/topic.repo.ts';
import { failNoTopic } from '../topics/topic.service.ts';
import { advanceEvent, claimEvent, giveBackPlaces, queuePortion, recordSent } from './alert.repo.ts';
import * as events from './event.repo.ts';
import {
  NO_BATCH,
  foldChanges,
  isLasting,
  nextStep,
  openingBy,
  planEvents,
  portionSize,
} from './event.rules.ts';
import type { KnownEvents, NextStep, Opening, ProductChange } from './event.rules.ts';
import { countListOwners, countRecipients, queueListOwners } from './list-owners.repo.ts';

export { forgetAlertEvents } from './event.repo.ts';

/** The topic whose events are sent to a store's webhooks. */
const RESTOCK_TOPIC = 'backinstock';

/** Every catalogue write calls this in its transaction. A background task queues the alerts of the events that it opens. */
export async function stockChanged(tx: Tx, pid: string, changes: readonly ProductChange[], now: Date) {
  const relevant = foldChanges(changes);
  if (relevant.length === 0) return;
  const topics = await topicRulesOf(tx, pid);
  const known = await loadKnown(tx, pid, relevant);
  const plan = planEvents(topics, relevant, known);
  const opened = await events.applyPlan(tx, pid, plan, now);
  await emitEvents(tx, pid, restocksOf(relevant, plan.openings, opened), now);
}

/** A new variant has no events or price marks, so an import of a million products reads none. */
async function loadKnown(tx: Tx, pid: string, changes: readonly ProductChange[]): Promise<KnownEvents> {
  const known = changes.filter(({ isNew, goneSince }) => !isNew || goneSince !== null);
  if (known.length === 0) return { live: [], marks: [] };
  const epis = known.map(({ epi }) => epi);
  const priced = known
    .filter(({ before, after, goneSince }) => goneSince !== null || before.pr !== after.pr)
    .map(({ epi }) => epi);
  const live = await events.findLive(tx, pid, epis);
  return { live, marks: priced.length === 0 ? [] : await events.findMarks(tx, pid, priced) };
}

/** A product that is new to the catalogue emits no webhook, so that an import of a million products sends none. */
function restocksOf(
  changes: readonly ProductChange[],
  openings: readonly Opening[],
  opened: readonly Pick<Opening, 'topic' | 'epi'>[],
) {
  const known = new Set(changes.filter(({ isNew }) => !isNew).map(({ epi }) => epi));
  const awaited = new Set(opened.filter(({ topic }) => topic === RESTOCK_TOPIC).map(({ epi }) => epi));
  const news = openings.filter(
    ({ topic, cause, epi }) =>
      topic === RESTOCK_TOPIC && cause === 'automatic' && (known.has(epi) || awaited.has(epi)),
  );
  return news.map(({ epi, units }) => ({
    type: 'product.restocked' as const,
    data: { epi, stk: units === MAX_STOCK ? null : units },
  }));
}

const DONE: NextStep = { ...NO_BATCH, state: 'done', isListOwners: false, cursorSeq: 0, isFirstPass: false };
const NOTHING_TAKEN = { isEnd: false, places: 0, lastSeq: 0 };

/** Queues alerts for the next batch of an event's subscribers or list owners; returns false if none is due. */
export async function queueNextPortion({ db, now }: Services): Promise<boolean> {
  const time = now();
  return db.transaction(async (tx) => {
    const event = await claimEvent(tx, time);
    if (event === null) return false;
    tx.afterCommit(tx.wake);
    const topic = await findTopicRules(tx, event.pid, event.topic);
    if (topic === null || (event.isListOwners && !topic.listHolders)) {
      await advanceEvent(tx, event, DONE, 0);
      return true;
    }
    const limit = portionSize(event, topic);
    const queue = event.isListOwners ? queueListOwners : queuePortion;
    const taken = limit === 0 ? NOTHING_TAKEN : await queue(tx, event, topic, limit, time);
    const next = nextStep(event, topic, { limit, ...taken }, time);
    await advanceEvent(tx, event, next, taken.places);
    return true;
  });
}

/** Updates subscriptions, events, statistics and webhooks; the queue calls it in the transaction that records the outcome. */
export async function alertEnded(tx: Tx, ended: readonly EndedMessage[], now: Date): Promise<void> {
  const sent = ended.filter(({ kind }) => kind === 'sent');
  const failed = ended.filter(({ kind }) => kind === 'failed');
  await recordSent(tx, sent, now);
  const unsent = ended.filter(({ kind }) => kind !== 'sent' && kind !== 'retry');
  await giveBackPlaces(tx, unsent, now);
  await queueEvents(tx, [
    ...sent.map((alert) => eventOf('alert.sent', alert, now)),
    ...failed.map((alert) => eventOf('alert.failed', alert, now)),
  ]);
  const gone = failed.filter(({ isContactGone }) => isContactGone);
  const contacts = new Map(gone.map((alert) => [`${alert.pid} ${alert.recipient}`, alert]));
  for (const { pid, medium, recipient: value } of contacts.values())
    if (medium !== null) await endBouncedContact(tx, pid, { medium, value }, now);
}

function eventOf(type: 'alert.sent' | 'alert.failed', alert: EndedMessage, now: Date) {
  const { pid, id, topic, epi, medium, recipient: value, error } = alert;
  return { pid, type, now, data: { id, topic, epi, medium, value, error } };
}

/** Queues alerts for newly confirmed subscriptions whose event began earlier and still applies. */
export async function catchUp(tx: Tx, pid: string, late: readonly events.LateSubscription[], now: Date) {
  const missed = late.length === 0 ? [] : await events.findMissed(tx, pid, late);
  if (missed.length === 0) return;
  const topics = await topicRulesOf(tx, pid);
  const lasting = missed.filter((event) => isLasting(topics, event)).map(({ id }) => id);
  await events.reopenEvents(tx, pid, lasting, now);
}

export async function triggerTopic(ctx: Context, name: string, epis: readonly string[]) {
  const { pid } = requireStore(ctx);
  const named = checkEpis(epis);
  return ctx.db.transaction(async (tx) => {
    const rules = (await findTopicRules(tx, pid, name)) ?? failNoTopic();
    const openings = named.map((epi) => openingBy(rules, epi, 'manual'));
    const opened = await events.applyPlan(tx, pid, { openings }, ctx.now());
    const { count: audience } = await countAudience(tx, pid, name, named, ctx.now());
    const owners = rules.listHolders ? await countListOwners(tx, pid, name, named) : [];
    return { opened: opened.length, audience, listHolders: totalOf(owners) };
  });
}

const totalOf = (counts: readonly { count: number }[]): number =>
  counts.reduce((sum, { count }) => sum + count, 0);

/** Returns 0 if the topic does not notify list owners. */
export async function countListHolders(ctx: Context, topic: string, epis: readonly string[] | null) {
  const { pid } = requireStore(ctx);
  const rules = await findTopicRules(ctx.db, pid, topic);
  if (!rules?.listHolders) return 0;
  return epis === null ? null : totalOf(await countListOwners(ctx.db, pid, topic, epis));
}

/** Returns null if no variant is named. */
export async function getReach(ctx: Context, topic: string, epis: readonly string[] | null) {
  const { pid } = requireStore(ctx);
  if (epis === null) return null;
  const rules = await findTopicRules(ctx.db, pid, topic);
  const reached = rules === null ? [] : await countRecipients(ctx.db, pid, rules, epis, ctx.now());
  return {
    people: reached.reduce((sum, { people }) => sum + people, 0),
    messages: reached.reduce((sum, { messages }) => sum + messages, 0),
    media: reached.map(({ medium, people: count }) => ({ medium, count })),
  };
}

export function getProgress(ctx: Context, topic: string, epis: readonly string[]) {
  return events.progressOf(ctx.db, requireStore(ctx).pid, topic, checkEpis(epis));
}
