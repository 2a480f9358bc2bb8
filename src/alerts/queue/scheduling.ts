import { LRUCache } from 'lru-cache';
import type { Flow, Share } from './outbox.repo.ts';

// Fair scheduling: flows (stores, or webhooks of a store) are served round-robin, within the limits of queue, store and receiver.

/** Cache time of the due flows; finding them costs one index lookup per flow with queued messages. */
const BELIEVED_MS = 500;

export const keyOf = ({ pid, recipient }: Flow): string => `${pid} ${recipient}`;

export function createRoundRobin(findDue: () => Promise<Flow[]>) {
  let waiting: Flow[] = [];
  let foundAt = -Infinity;
  return {
    /** Returns the next flows that `isFree` accepts, at most `count`. */
    async next(count: number, isFree: (flow: Flow) => boolean): Promise<Flow[]> {
      if (performance.now() - foundAt > BELIEVED_MS) {
        waiting = await findDue();
        foundAt = performance.now();
      }
      const chosen = waiting.filter(isFree).slice(0, count);
      waiting = [...waiting.filter((flow) => !chosen.includes(flow)), ...chosen];
      return chosen;
    },
    drop(keys: ReadonlySet<string>): void {
      waiting = waiting.filter((flow) => !keys.has(keyOf(flow)));
    },
  };
}

/** An attempt that fails faster than this blocks nobody. */
const SLOW_MS = 3_000;
const MAX_REMEMBERED = 10_000;

/** Each delivery doubles a receiver's concurrency from one up to `most`; a hanging attempt resets it to one slot. */
export function createCircuitBreaker(most: number) {
  const limits = new LRUCache<string, number>({ max: MAX_REMEMBERED });
  const limitOf = (flow: Flow): number => Math.max(1, limits.get(keyOf(flow)) ?? 1);
  return {
    limitOf,
    /** Whether the receiver's last attempt hung. */
    isOpen: (flow: Flow): boolean => limits.get(keyOf(flow)) === 0,
    record(flow: Flow, isDelivered: boolean, tookMs: number): void {
      if (isDelivered) limits.set(keyOf(flow), Math.min(most, limitOf(flow) * 2));
      else if (tookMs >= SLOW_MS) limits.set(keyOf(flow), 0);
    },
  };
}

export type CircuitBreaker = ReturnType<typeof createCircuitBreaker>;

/** `breaker` is undefined if all messages go to the same provider. */
type Limits = { concurrency: number; perStore: number; breaker: CircuitBreaker | undefined };

/** Hanging receivers have one slot each and at most half of the queue together. */
export function capacityBeside({ concurrency, perStore, breaker }: Limits, inFlight: Iterable<Flow>) {
  const byStore = new Map<string, number>();
  const byReceiver = new Map<string, number>();
  let hanging = 0;
  let free = concurrency;
  const isHanging = (flow: Flow): boolean => breaker?.isOpen(flow) ?? false;
  const occupy = (flow: Flow, count: number): void => {
    byStore.set(flow.pid, (byStore.get(flow.pid) ?? 0) + count);
    byReceiver.set(keyOf(flow), (byReceiver.get(keyOf(flow)) ?? 0) + count);
    if (isHanging(flow)) hanging += count;
    free -= count;
  };
  for (const flow of inFlight) occupy(flow, 1);

  /** How many more messages of a flow may be in flight. */
  const roomFor = (flow: Flow): number => {
    const ofStore = perStore - (byStore.get(flow.pid) ?? 0);
    const ofReceiver = (breaker?.limitOf(flow) ?? Infinity) - (byReceiver.get(keyOf(flow)) ?? 0);
    const ofHanging = isHanging(flow) ? concurrency / 2 - hanging : Infinity;
    return Math.floor(Math.max(0, Math.min(free, ofStore, ofReceiver, ofHanging)));
  };
  return {
    free,
    roomFor,
    /** Divides the free slots among flows, and omits a flow that would get none. */
    share(flows: readonly Flow[]): Share[] {
      const each = Math.floor(free / flows.length);
      return flows.flatMap((flow) => {
        const most = Math.min(each, roomFor(flow));
        if (most === 0) return [];
        occupy(flow, most);
        return [{ ...flow, most }];
      });
    },
  };
}
