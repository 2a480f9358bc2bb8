import { setTimeout as delay } from 'node:timers/promises';
import type { Outcome } from '../send/outcome.ts';
import type { Services } from '../../context.ts';
import { MAX_ATTEMPTS, openQueue } from '../queue/outbox.service.ts';
import type { ClaimedMessage, Lane, Line } from '../queue/outbox.service.ts';
import { createMeasuring } from './tracing.ts';
import type { Attempt } from './tracing.ts';
import { createSettler } from './acknowledge.ts';
import { countSlots, receiverOf } from './concurrency.ts';
import type { Trust } from './circuit-breaker.ts';
import { createTurns } from './fair-turns.ts';
import type { Task } from './worker.ts';

/** What leaves as one message: `others` were claimed, too, and end or wait together with it. */
export type Delivery = { message: ClaimedMessage; others?: readonly ClaimedMessage[]; attempt: Attempt };

/** Whose messages a lane takes, where two share them: those of some stores, or those of all others. */
export type Whose = { isAmong: boolean; owners: () => Promise<ReadonlySet<string>> };

/**
 * How a lane sends: `prepare` loads what a batch needs at once and says what leaves. It may leave out what it has settled itself, and add what it has claimed.
 */
export type LaneOptions = {
  lane: Lane;
  /** All stores' when left out. */
  whose?: Whose;
  /** Messages under way at a time. */
  concurrency: number;
  /** Of these at most so many of one store; all of them when left out. */
  perStore?: number;
  /** Of these at most so many of one receiver, as it earns; where receivers are not of one provider. */
  trust?: Trust;
  prepare: (messages: ClaimedMessage[]) => Promise<Delivery[]>;
  /** While it says so, the lane claims now and then only. */
  givesWay?: () => boolean;
  close?: () => void;
};

const all = ({ message, others = [] }: Delivery): ClaimedMessage[] => [message, ...others];

/** So many slots must be free at least: a claim costs the same for one message as for many. */
const MIN_BATCH = 4;
/** How long a lane with free slots waits for its slow receivers before it looks for something new. */
const LOOK_AGAIN_MS = 500;

/** How long a lane that gives way waits from one claim to the next. */
const GIVE_WAY_MS = 3_000;
const GLANCE_MS = 20;

/** Waits until one message is done, but not long: meanwhile others may have become due. Answers whether none was. */
async function oneOf(underWay: Iterable<Promise<void>>): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const pause = new Promise<true>((resolve) => (timer = setTimeout(() => resolve(true), LOOK_AGAIN_MS)));
  const isLong = await Promise.race([...underWay, pause]);
  clearTimeout(timer);
  return isLong === true;
}

/**
 * Sends one lane's messages until none is due, at most `concurrency` at a time. Slots are refilled as they get free, so that one slow
 * receiver does not hold up the others, and stores, or their webhooks, take turns, so that the storm of one is not the delay of all. A message that is
 * under way at a kill is claimed again when its lease ends.
 */
export function createLane(
  services: Services,
  { lane: which, whose, concurrency, perStore = concurrency, trust, prepare, givesWay, close }: LaneOptions,
): Task {
  const { config, log } = services;
  const queue = openQueue(services, which);
  const kind = which.medium === null ? which.lane : `${which.lane}-${which.medium}`;
  const lane = whose?.isAmong ? `${kind}-own` : kind;
  const { describe, send } = createMeasuring(which, lane, log);
  const least = Math.min(concurrency / 2, MIN_BATCH);
  // A statement for many costs little more than one for a few; but receivers of their own wait for nobody.
  const enough = trust ? least : Math.max(least, concurrency / 4);
  const settle = createSettler(services, trust ? 1 : enough);
  const held = new Set<ClaimedMessage>();
  const isByReceiver = which.lane === 'webhook';
  const lineOf = ({ pid, recipient }: ClaimedMessage): Line => ({
    pid,
    recipient: isByReceiver ? recipient : '',
  });
  let renewing: Promise<void> = Promise.resolve();

  const findLines = async (): Promise<Line[]> => {
    if (whose === undefined) return queue.dueLines();
    if (!whose.isAmong) {
      const lines = await queue.dueLines();
      const owners = lines.length === 0 ? null : await whose.owners();
      return lines.filter(({ pid }) => !owners?.has(pid));
    }
    const owners = await whose.owners();
    return owners.size === 0 ? [] : queue.dueLines([...owners]);
  };

  /** A slow receiver, or a wait for a free connection, may outlast the lease; nobody else is to send the message meanwhile. */
  const renew = async (): Promise<void> => {
    if (held.size === 0) return;
    try {
      await queue.renew([...held]);
    } catch (error) {
      log.error({ lane, err: error }, 'leases could not be renewed');
    }
  };

  /** From the claim on: what a batch needs may take long to load, too. */
  const prepareHeld = async (messages: ClaimedMessage[]): Promise<Delivery[]> => {
    for (const message of messages) held.add(message);
    let deliveries: Delivery[] = [];
    try {
      deliveries = await prepare(messages);
    } finally {
      for (const message of messages) held.delete(message);
      for (const delivery of deliveries) for (const message of all(delivery)) held.add(message);
    }
    return deliveries;
  };

  const deliver = async (delivery: Delivery): Promise<void> => {
    const { message, others, attempt } = delivery;
    const startedAt = performance.now();
    try {
      const isExhausted = message.attempts > MAX_ATTEMPTS;
      const outcome: Outcome = isExhausted
        ? { kind: 'failed', reason: `gave up after ${MAX_ATTEMPTS} tries` }
        : await send(message, attempt);
      for (const one of all(delivery)) held.delete(one);
      trust?.note(receiverOf(lineOf(message)), outcome.kind === 'sent', performance.now() - startedAt);
      // A renewal that is under way would undo when the next try is due.
      await renewing;
      if (outcome.kind === 'failed')
        log.warn({ ...describe(message), reason: outcome.reason }, 'a message is a dead letter');
      await settle({ message, others, outcome });
    } catch (error) {
      // Left as it is: the lease ends and another try follows.
      log.error({ ...describe(message), err: error }, 'the outcome of a message could not be recorded');
    } finally {
      for (const one of all(delivery)) held.delete(one);
    }
  };

  const run = async (signal?: AbortSignal): Promise<boolean> => {
    const underWay = new Map<Promise<void>, Line>();
    const turns = createTurns(findLines);
    const renewal = setInterval(() => (renewing = renewing.then(renew)), config.dispatchLeaseMs / 3);
    renewal.unref();
    let hasWorked = false;
    let isSlow = false;
    let claimedAt = -Infinity;

    const giveWay = async (): Promise<void> => {
      const isEarly = (): boolean => performance.now() - claimedAt < GIVE_WAY_MS;
      while (givesWay?.() && isEarly() && !signal?.aborted) await delay(GLANCE_MS);
    };

    /** Null when nothing can be claimed now. */
    const claim = async (): Promise<ClaimedMessage[] | null> => {
      // Before slots are counted: meanwhile more of them become free.
      await giveWay();
      const slots = countSlots({ concurrency, perStore, trust: trust ?? null }, [...underWay.values()]);
      if (slots.free < (isSlow ? least : enough)) return null;
      const lines = await turns.next(slots.free, (line) => slots.roomFor(line) > 0);
      if (lines.length === 0) return null;
      const shares = slots.share(lines);
      claimedAt = performance.now();
      const messages = await queue.claim(shares);
      const served = new Set(messages.map((message) => receiverOf(lineOf(message))));
      turns.drop(shares.map(({ line }) => line).filter((line) => !served.has(receiverOf(line))));
      return messages;
    };

    /** Starts what can be started now; false when that is nothing. */
    const startMore = async (): Promise<boolean> => {
      const messages = await claim();
      if (messages === null) return false;
      if (messages.length === 0) return true;
      hasWorked = true;
      for (const delivery of await prepareHeld(messages)) {
        const sending = deliver(delivery).finally(() => underWay.delete(sending));
        underWay.set(sending, lineOf(delivery.message));
        // Requests come first: each message waits until those that have come in meanwhile had their turn.
        await new Promise(setImmediate);
      }
      return true;
    };

    /** A receiver may take minutes, in which a database that was away for a moment must not end the search for more. */
    const startMoreBesides = (): Promise<boolean> =>
      startMore().catch((error: unknown) => {
        if (underWay.size === 0) throw error;
        log.error({ lane, err: error }, 'messages could not be claimed; it will be tried again');
        return false;
      });

    try {
      while (!signal?.aborted) {
        if (await startMoreBesides()) continue;
        if (underWay.size === 0) break;
        isSlow = await oneOf(underWay.keys());
      }
    } finally {
      await Promise.all(underWay.keys());
      clearInterval(renewal);
    }
    return hasWorked;
  };
  return { name: `send ${lane}`, run, ...(close && { close }) };
}
