import { outcomeOfError } from '../send/outcome.ts';
import type { Outcome } from '../send/outcome.ts';
import type { Services } from '../../context.ts';
import { METRICS } from '../../platform/metrics.ts';
import { readTraceparent, startSpan } from '../../platform/tracing.ts';
import { claimMessages, findDueFlows, renewLeases } from './outbox.repo.ts';
import type { ClaimedMessage, Flow, QueueKey } from './outbox.repo.ts';
import { MAX_ATTEMPTS, createAcknowledger } from './outbox.service.ts';
import type { OnEnded } from './outbox.service.ts';
import { capacityBeside, createRoundRobin, keyOf } from './scheduling.ts';
import type { CircuitBreaker } from './scheduling.ts';
import type { Task } from './worker.ts';

/** What is sent as one message: `others` were claimed, too, and end or wait together with it. */
export type Delivery = {
  message: ClaimedMessage;
  others?: readonly ClaimedMessage[];
  attempt: () => Promise<Outcome>;
};

/** The stores whose messages a queue sends, where two queues divide them. */
export type Stores =
  | Record<'only', () => Promise<ReadonlySet<string>>>
  | Record<'except', () => Promise<ReadonlySet<string>>>;

/** What a kind of messages gives the engine. */
export type QueueOptions = {
  key: QueueKey;
  /** All stores when left out. */
  stores?: Stores;
  /** Messages in flight at a time. */
  concurrency: number;
  /** Those of one store; all of them when left out. */
  perStore?: number;
  /** Limits the messages of one receiver, where receivers do not share a provider. */
  breaker?: CircuitBreaker;
  /** Loads what a batch needs and says what to send. It may leave out what it has put back itself, and add what it has claimed. */
  prepare: (messages: ClaimedMessage[]) => Promise<Delivery[]>;
  onEnded?: OnEnded;
  close?: () => void;
};

const all = ({ message, others = [] }: Delivery): ClaimedMessage[] => [message, ...others];

/** Slots that must be free before a claim, which costs the same for one message as for many. */
const MIN_BATCH = 4;
/** How long a queue with free slots waits for slow receivers before it looks for something new. */
const LOOK_AGAIN_MS = 500;

/** Waits until one message is done, or `LOOK_AGAIN_MS`; returns whether none was. */
async function waitForOne(inFlight: Iterable<Promise<void>>): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const pause = new Promise<true>((resolve) => (timer = setTimeout(() => resolve(true), LOOK_AGAIN_MS)));
  const isLong = await Promise.race([...inFlight, pause]);
  clearTimeout(timer);
  return isLong === true;
}

/**
 * Sends the messages of one queue until none is due. Free slots are refilled at once, so that a slow receiver does not hold up others, and stores are served
 * round-robin, so that one store's storm does not delay all. A message in flight at a crash is claimed again when its lease ends.
 */
export function createQueue(services: Services, options: QueueOptions): Task {
  const { key, stores, concurrency, perStore = concurrency, breaker, prepare, close } = options;
  const { config, db, log, now } = services;
  const kind = key.medium === null ? key.lane : `${key.lane}-${key.medium}`;
  const name = stores && 'only' in stores ? `${kind}-own` : kind;
  const least = Math.min(concurrency / 2, MIN_BATCH);
  // One claim for many costs little more than one for a few; but separate receivers do not wait for each other.
  const enough = breaker ? least : Math.max(least, concurrency / 4);
  const acknowledge = createAcknowledger(services, options.onEnded);
  const held = new Set<ClaimedMessage>();
  const flowOf = ({ pid, recipient }: ClaimedMessage): Flow => ({
    pid,
    recipient: key.lane === 'webhook' ? recipient : '',
  });
  let renewing: Promise<void> = Promise.resolve();

  const findFlows = async (): Promise<Flow[]> => {
    if (stores && 'only' in stores) {
      const only = await stores.only();
      return only.size === 0 ? [] : findDueFlows(db, key, now(), [...only]);
    }
    const flows = await findDueFlows(db, key, now());
    if (!stores || flows.length === 0) return flows;
    const except = await stores.except();
    return flows.filter(({ pid }) => !except.has(pid));
  };

  /** A slow receiver may outlast the lease; no other dispatcher may send the message meanwhile. */
  const renew = async (): Promise<void> => {
    if (held.size === 0) return;
    try {
      await renewLeases(db, [...held], new Date(now().getTime() + config.dispatchLeaseMs));
    } catch (error) {
      log.error({ lane: name, err: error }, 'leases could not be renewed');
    }
  };

  /** What the log says of a message; never whom it is for. */
  const describe = ({ pid, kind: purpose, id, traceparent }: ClaimedMessage) => ({
    traceId: readTraceparent(traceparent)?.traceId,
    lane: name,
    store: pid,
    kind: purpose,
    alertId: id,
  });

  /** One attempt with its span, which belongs to the request that queued the message. */
  const send = async (message: ClaimedMessage, attempt: Delivery['attempt']): Promise<Outcome> => {
    const attributes = {
      'wishgate.store': message.pid,
      'wishgate.kind': message.kind,
      'wishgate.medium': key.medium ?? 'webhook',
      'wishgate.attempt': message.attempts,
    };
    const span = startSpan('send', `send ${name}`, attributes, readTraceparent(message.traceparent));
    const startedAt = performance.now();
    const outcome = await (span ? span.run(attempt) : attempt()).catch(outcomeOfError);
    const durationMs = performance.now() - startedAt;
    const failure = outcome.kind === 'retry' || outcome.kind === 'failed' ? outcome.kind : undefined;
    // What is withheld or deferred reached no provider.
    if (failure || outcome.kind === 'sent')
      METRICS.sends.observe({ lane: key.lane, medium: key.medium ?? '' }, durationMs / 1_000);
    span?.end({ attributes: { 'wishgate.outcome': outcome.kind }, failure });
    log.debug(
      { ...describe(message), outcome: outcome.kind, durationMs: Math.round(durationMs) },
      'a try to deliver',
    );
    return outcome;
  };

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
      const outcome: Outcome =
        message.attempts > MAX_ATTEMPTS
          ? { kind: 'failed', reason: `gave up after ${MAX_ATTEMPTS} tries` }
          : await send(message, attempt);
      for (const one of all(delivery)) held.delete(one);
      breaker?.record(flowOf(message), outcome.kind === 'sent', performance.now() - startedAt);
      // A renewal in flight would overwrite when the next attempt is due.
      await renewing;
      if (outcome.kind === 'failed')
        log.warn({ ...describe(message), reason: outcome.reason }, 'a message is a dead letter');
      await acknowledge({ message, others, outcome });
    } catch (error) {
      // Left as it is: the lease ends and another attempt follows.
      log.error({ ...describe(message), err: error }, 'the outcome of a message could not be recorded');
    } finally {
      for (const one of all(delivery)) held.delete(one);
    }
  };

  const run = async (signal?: AbortSignal): Promise<boolean> => {
    const inFlight = new Map<Promise<void>, Flow>();
    const roundRobin = createRoundRobin(findFlows);
    const renewal = setInterval(() => (renewing = renewing.then(renew)), config.dispatchLeaseMs / 3);
    renewal.unref();
    let hasWorked = false;
    let isSlow = false;

    /** Null when nothing can be claimed now. */
    const claim = async (): Promise<ClaimedMessage[] | null> => {
      const capacity = capacityBeside({ concurrency, perStore, breaker: breaker ?? null }, inFlight.values());
      if (capacity.free < (isSlow ? least : enough)) return null;
      const flows = await roundRobin.next(capacity.free, (flow) => capacity.roomFor(flow) > 0);
      if (flows.length === 0) return null;
      const shares = capacity.share(flows);
      const messages = await claimMessages(db, key, shares, config.dispatchLeaseMs, now());
      const served = new Set(messages.map((message) => keyOf(flowOf(message))));
      roundRobin.drop(shares.map(({ flow }) => flow).filter((flow) => !served.has(keyOf(flow))));
      return messages;
    };

    /** Starts what can be started now; false when that is nothing. */
    const startMore = async (): Promise<boolean> => {
      const messages = await claim();
      if (messages === null) return false;
      if (messages.length === 0) return true;
      hasWorked = true;
      for (const delivery of await prepareHeld(messages)) {
        const sending = deliver(delivery).finally(() => inFlight.delete(sending));
        inFlight.set(sending, flowOf(delivery.message));
        // Requests that came in meanwhile are served before the next message.
        await new Promise(setImmediate);
      }
      return true;
    };

    /** While receivers take minutes, a database that is away for a moment must not end the search for more. */
    const startMoreBeside = (): Promise<boolean> =>
      startMore().catch((error: unknown) => {
        if (inFlight.size === 0) throw error;
        log.error({ lane: name, err: error }, 'messages could not be claimed; it will be tried again');
        return false;
      });

    try {
      while (!signal?.aborted) {
        if (await startMoreBeside()) continue;
        if (inFlight.size === 0) break;
        isSlow = await waitForOne(inFlight.keys());
      }
    } finally {
      await Promise.all(inFlight.keys());
      clearInterval(renewal);
    }
    return hasWorked;
  };
  return { name: `send ${name}`, run, ...(close && { close }) };
}
