import type { Services } from '../../context.ts';
import { METRICS } from '../../platform/metrics.ts';
import { readTraceparent, startSpan } from '../../platform/tracing.ts';
import { outcomeOfError } from '../send/outcome.ts';
import type { Outcome } from '../send/outcome.ts';
import { claimMessages, findDueFlows, renewLeases } from './outbox.repo.ts';
import type { ClaimedMessage, Flow, QueueKey } from './outbox.repo.ts';
import { MAX_ATTEMPTS, createAcknowledger } from './outbox.service.ts';
import type { OnEnded } from './outbox.service.ts';
import { capacityBeside, createRoundRobin, keyOf } from './scheduling.ts';
import type { CircuitBreaker } from './scheduling.ts';
import type { Task } from './worker.ts';

/** One message to send: `others` are claimed alerts that share its outcome. */
export type Delivery = {
  message: ClaimedMessage;
  others?: readonly ClaimedMessage[];
  attempt: () => Promise<Outcome>;
};

export type Stores =
  | Record<'only', () => Promise<ReadonlySet<string>>>
  | Record<'except', () => Promise<ReadonlySet<string>>>;

export type QueueOptions = {
  key: QueueKey;
  stores?: Stores;
  concurrency: number;
  /** Maximum per store; the whole concurrency if omitted. */
  perStore?: number;
  /** Limits each receiver, if receivers do not share a provider. */
  breaker?: CircuitBreaker;
  /** Loads a batch and returns what to send. It may omit messages that it has postponed, and add others that it has claimed. */
  prepare: (messages: ClaimedMessage[]) => Promise<Delivery[]>;
  onEnded?: OnEnded;
  close?: () => void;
};

const all = ({ message, others = [] }: Delivery): ClaimedMessage[] => [message, ...others];

/** Minimum free slots for a claim, which costs the same for one message as for many. */
const MIN_BATCH = 4;
/** A queue with free slots waits this long for slow receivers before it looks for new messages. */
const LOOK_AGAIN_MS = 500;

/** Waits for one message to finish, or `LOOK_AGAIN_MS`; returns true after the timeout. */
async function waitForOne(inFlight: Iterable<Promise<void>>): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const pause = new Promise<true>((resolve) => (timer = setTimeout(() => resolve(true), LOOK_AGAIN_MS)));
  const isLong = await Promise.race([...inFlight, pause]);
  clearTimeout(timer);
  return isLong === true;
}

/** Refills free slots at once and serves stores round-robin, so that neither a slow receiver nor one store's burst delays others. */
export function createQueue(services: Services, options: QueueOptions): Task {
  const { key, stores, concurrency, perStore = concurrency, breaker, prepare, close } = options;
  const { config, db, log, now } = services;
  const kind = key.medium === null ? key.lane : `${key.lane}-${key.medium}`;
  const name = stores && 'only' in stores ? `${kind}-own` : kind;
  const least = Math.min(concurrency / 2, MIN_BATCH);
  // A claim of many messages costs little more than one of few, but separate receivers do not wait for each other.
  const enough = breaker ? least : Math.max(least, concurrency / 4);
  const acknowledge = createAcknowledger(services, options.onEnded);
  const held = new Set<ClaimedMessage>();
  const flowOf = ({ pid, recipient }: ClaimedMessage): Flow =>
    key.lane === 'webhook' ? { pid, recipient } : { pid, recipient: '' };
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

  /** A slow receiver may outlast the lease, and no other dispatcher may send the message in that time. */
  const renew = async (): Promise<void> => {
    if (held.size === 0) return;
    try {
      await renewLeases(db, [...held], new Date(now().getTime() + config.dispatchLeaseMs));
    } catch (error) {
      log.error({ lane: name, err: error }, 'Could not renew leases');
    }
  };

  /** The log never contains the recipient. */
  const describe = ({ pid, kind: purpose, id, traceparent }: ClaimedMessage) => ({
    traceId: readTraceparent(traceparent)?.traceId,
    lane: name,
    store: pid,
    kind: purpose,
    alertId: id,
  });

  /** Makes one attempt in a span of the request that queued the message. */
  const send = async ({ message, attempt }: Delivery): Promise<Outcome> => {
    if (message.attempts > MAX_ATTEMPTS)
      return { kind: 'failed', reason: `failed after ${MAX_ATTEMPTS} attempts` };
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
    // A suppressed or deferred message reached no provider.
    if (failure || outcome.kind === 'sent')
      METRICS.sends.observe({ lane: key.lane, medium: key.medium ?? '' }, durationMs / 1_000);
    span?.end({ attributes: { 'wishgate.outcome': outcome.kind }, failure });
    const result = { outcome: outcome.kind, durationMs: Math.round(durationMs) };
    log.debug({ ...describe(message), ...result }, 'Delivery attempt');
    return outcome;
  };

  const prepareHeld = async (messages: ClaimedMessage[]): Promise<Delivery[]> => {
    for (const message of messages) held.add(message);
    const deliveries = await prepare(messages).finally(() => messages.forEach((one) => held.delete(one)));
    for (const message of deliveries.flatMap(all)) held.add(message);
    return deliveries;
  };

  const deliver = async (delivery: Delivery): Promise<void> => {
    const { message, others } = delivery;
    const startedAt = performance.now();
    const release = (): void => all(delivery).forEach((one) => held.delete(one));
    try {
      const outcome = await send(delivery).finally(release);
      breaker?.record(flowOf(message), outcome.kind === 'sent', performance.now() - startedAt);
      // A renewal in flight would overwrite the due time of the next attempt.
      await renewing;
      if (outcome.kind === 'failed')
        log.warn({ ...describe(message), reason: outcome.reason }, 'A message failed for good');
      await acknowledge({ message, others, outcome });
    } catch (error) {
      // The message stays as it is: its lease expires and another attempt follows.
      log.error({ ...describe(message), err: error }, 'Could not save the outcome of a message');
    }
  };

  const run = async (signal?: AbortSignal): Promise<boolean> => {
    const inFlight = new Map<Promise<void>, Flow>();
    const roundRobin = createRoundRobin(findFlows);
    const renewal = setInterval(() => (renewing = renewing.then(renew)), config.dispatchLeaseMs / 3);
    renewal.unref();
    let hasWorked = false;
    let isSlow = false;

    /** Returns false if nothing can be started now. */
    const startMore = async (): Promise<boolean> => {
      const capacity = capacityBeside({ concurrency, perStore, breaker }, inFlight.values());
      if (capacity.free < (isSlow ? least : enough)) return false;
      const flows = await roundRobin.next(capacity.free, (flow) => capacity.roomFor(flow) > 0);
      if (flows.length === 0) return false;
      const shares = capacity.share(flows);
      const messages = await claimMessages(db, key, shares, config.dispatchLeaseMs, now());
      const unserved = new Set(shares.map(keyOf));
      for (const message of messages) unserved.delete(keyOf(flowOf(message)));
      roundRobin.drop(unserved);
      if (messages.length === 0) return true;
      hasWorked = true;
      for (const delivery of await prepareHeld(messages)) {
        const sending = deliver(delivery).finally(() => inFlight.delete(sending));
        inFlight.set(sending, flowOf(delivery.message));
        // Yields to pending requests before the next message.
        await new Promise(setImmediate);
      }
      return true;
    };

    /** While receivers take minutes, a short database outage must not end the search for more messages. */
    const startMoreBeside = (): Promise<boolean> =>
      startMore().catch((error: unknown) => {
        if (inFlight.size === 0) throw error;
        log.error({ lane: name, err: error }, 'Messages could not be claimed; retrying');
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
