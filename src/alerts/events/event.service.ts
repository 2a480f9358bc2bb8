import type { Medium } from '../send/channels.ts';
import { requireStore } from '../../context.ts';
import type { Context, Services } from '../../context.ts';
import type { Tx } from '../../platform/database/database.ts';
import { MAX_STOCK } from '../../stores/products/product.rules.ts';
import { emitEvents } from '../../stores/webhooks/event.repo.ts';
import { countHolders, queueHolders } from './list-owners.repo.ts';
import { findMarks, saveMarks } from './price.repo.ts';
import { countReach } from './audience.repo.ts';
import { advanceRestock, claimRestock, queuePortion } from './queue.repo.ts';
import * as restocks from './event.repo.ts';
import { foldChanges, isLasting, nextStep, openingBy, planRestocks, portionSize } from './event.rules.ts';
import type { Known, Opening, ProductChange } from './event.rules.ts';
import { countAudience, findTopicRules, topicRulesOf } from '../topics/topic.repo.ts';
import { checkEpis } from '../topics/topic.rules.ts';
import { requireTopic } from '../topics/topic.service.ts';
import { DAY_MS } from '../../platform/time.ts';

export type { ProductChange } from './event.rules.ts';

/** The topic whose openings are news for the store itself. */
const RESTOCK_TOPIC = 'backinstock';

/**
 * Opens and stops restocks for what a catalogue transaction changed; call it inside that transaction. It writes a row a restock,
 * however many wait for it: their alerts are queued in the background.
 */
export async function applyChanges(
  tx: Tx,
  pid: string,
  changes: readonly ProductChange[],
  now: Date,
): Promise<void> {
  const relevant = foldChanges(changes);
  if (relevant.length === 0) return;
  const topics = await topicRulesOf(tx, pid);
  const known = await loadKnown(tx, pid, relevant);
  const { stops, openings, resumptions, arrivals, marks } = planRestocks(topics, relevant, known);
  // A live occasion gives way to a new one: its unsent alerts pass to that when it is queued.
  const givingWay = openings.map(({ topic, epi }) => ({ topic, epi }));
  await restocks.stopRestocks(tx, pid, [...stops, ...givingWay]);
  const opened = await restocks.openRestocks(tx, pid, openings, now);
  await restocks.resumeRestocks(tx, pid, resumptions, now);
  await restocks.addUnits(tx, pid, arrivals, now);
  await saveMarks(tx, pid, marks);
  await emitRestocked(tx, pid, relevant, openings, opened, now);
}

/** What the step depends on besides. A variant that was never seen has neither occasions nor marks: an import of a million asks for none. */
async function loadKnown(tx: Tx, pid: string, changes: readonly ProductChange[]): Promise<Known> {
  const known = changes.filter(({ isNew, goneSince }) => !isNew || goneSince !== null);
  if (known.length === 0) return { live: [], marks: [] };
  const live = await restocks.findLive(
    tx,
    pid,
    known.map(({ epi }) => epi),
  );
  const priced = known.filter(({ before, after, goneSince }) => goneSince !== null || before.pr !== after.pr);
  const marks =
    priced.length === 0
      ? []
      : await findMarks(
          tx,
          pid,
          priced.map(({ epi }) => epi),
        );
  return { live, marks };
}

/** A product that is new to the catalogue is a restock only for those who wait: an import of a million is not news. */
async function emitRestocked(
  tx: Tx,
  pid: string,
  changes: readonly ProductChange[],
  openings: readonly Opening[],
  opened: readonly { topic: string; epi: string }[],
  now: Date,
): Promise<void> {
  const known = new Set(changes.filter(({ isNew }) => !isNew).map(({ epi }) => epi));
  const awaited = new Set(opened.filter(({ topic }) => topic === RESTOCK_TOPIC).map(({ epi }) => epi));
  const news = openings.filter(
    ({ topic, cause, epi }) =>
      topic === RESTOCK_TOPIC && cause === 'automatic' && (known.has(epi) || awaited.has(epi)),
  );
  const events = news.map(({ epi, units }) => ({
    type: 'product.restocked' as const,
    data: { epi, stk: units === MAX_STOCK ? null : units },
  }));
  await emitEvents(tx, pid, events, now);
}

const NOBODY_LEFT = {
  state: 'done',
  isHolders: false,
  cursorSeq: 0,
  isFirstPass: false,
  batchLeft: null,
  batchAt: null,
  nextBatchAt: null,
} as const;
const NOTHING_TAKEN = { isEnd: false, places: 0, lastSeq: 0 };

/** Queues one portion of those who wait for one restock; false when none is due. */
export async function queueNextPortion({ db, now }: Services): Promise<boolean> {
  const time = now();
  return db.transaction(async (tx) => {
    const restock = await claimRestock(tx, time);
    if (restock === null) return false;
    tx.afterCommit(tx.wake);
    const topic = await findTopicRules(tx, restock.pid, restock.topic);
    if (topic === null || (restock.isHolders && !topic.listHolders)) {
      await advanceRestock(tx, restock, NOBODY_LEFT, 0);
      return true;
    }
    const limit = portionSize(restock, topic);
    const queue = restock.isHolders ? queueHolders : queuePortion;
    const taken = limit === 0 ? NOTHING_TAKEN : await queue(tx, restock, topic, limit, time);
    const next = nextStep(restock, topic, { limit, ...taken }, time);
    await advanceRestock(tx, restock, next, taken.places);
    return true;
  });
}

/** Lets subscriptions that waited for a confirmation catch up with the occasions that they missed meanwhile, while these last. */
export async function catchUp(
  tx: Tx,
  pid: string,
  late: readonly { topic: string; epi: string; seq: number }[],
  now: Date,
): Promise<void> {
  const missed = late.length === 0 ? [] : await restocks.findMissed(tx, pid, late);
  if (missed.length === 0) return;
  const topics = await topicRulesOf(tx, pid);
  const lasting = missed.filter((occasion) => isLasting(topics, occasion));
  await restocks.reopenRestocks(
    tx,
    pid,
    lasting.map(({ id }) => id),
    now,
  );
}

/** Alerts the subscribers of some variants now. */
export async function triggerTopic(
  ctx: Context,
  name: string,
  epis: readonly string[],
): Promise<{ opened: number; audience: number; listHolders: number }> {
  const { pid } = requireStore(ctx);
  const named = checkEpis(epis);
  const wanted = named.map((epi) => ({ topic: name, epi }));
  const result = await ctx.db.transaction(async (tx) => {
    const rules = await requireTopic(tx, pid, name);
    await restocks.stopRestocks(tx, pid, wanted);
    const openings = wanted.map(({ epi }) => openingBy(rules, epi, 'manual'));
    const opened = await restocks.openRestocks(tx, pid, openings, ctx.now());
    const { count: audience } = await countAudience(tx, pid, name, named, ctx.now());
    const holders = rules.listHolders ? await countHolders(tx, pid, name, named) : [];
    return { opened: opened.length, audience, listHolders: totalOf(holders) };
  });
  return result;
}

const totalOf = (counts: readonly { count: number }[]): number =>
  counts.reduce((sum, { count }) => sum + count, 0);

/** How many hear of variants because they have them in a list; nobody where the topic does not tell them. */
export async function countListHolders(
  ctx: Context,
  topic: string,
  epis: readonly string[] | null,
): Promise<number | null> {
  const { pid } = requireStore(ctx);
  const rules = await findTopicRules(ctx.db, pid, topic);
  if (!rules?.listHolders) return 0;
  return epis === null ? null : totalOf(await countHolders(ctx.db, pid, topic, epis));
}

/** What a send reaches: contacts, messages to them, and contacts of each medium. */
type Reach = { people: number; messages: number; media: { medium: Medium; count: number }[] };

/** How many people a send about some variants reaches, with how many messages; null where no variant is named. */
export async function getReach(
  ctx: Context,
  topic: string,
  epis: readonly string[] | null,
): Promise<Reach | null> {
  const { pid } = requireStore(ctx);
  if (epis === null) return null;
  const rules = await findTopicRules(ctx.db, pid, topic);
  const reached = rules === null ? [] : await countReach(ctx.db, pid, rules, epis, ctx.now());
  return {
    people: reached.reduce((sum, { people }) => sum + people, 0),
    messages: reached.reduce((sum, { messages }) => sum + messages, 0),
    media: reached.map(({ medium, people: count }) => ({ medium, count })),
  };
}

/** How far the last alerts of a topic about some variants have come. */
export async function getProgress(
  ctx: Context,
  topic: string,
  epis: readonly string[],
): Promise<restocks.SendProgress> {
  const { pid } = requireStore(ctx);
  return restocks.progressOf(ctx.db, pid, topic, checkEpis(epis));
}

/** How long an occasion is kept. */
const KEEP_MS = 30 * DAY_MS;

/** Forgets a portion of the occasions that are over; answers how many. */
export function forgetRestocks({ db }: Services, now: Date): Promise<number> {
  return restocks.removeRestocks(db, new Date(now.getTime() - KEEP_MS));
}
