import { AppError } from './errors.ts';

/** Who waits at a gate: its store, and the shopper or caller within it. */
export type Party = { store: string; caller: string };

/** A place behind the gate, held until `release`. */
export type Lease = {
  /** Goes on with less: what is left over serves the next. */
  shrink(weight: number): void;
  release: () => void;
};

/** Lets so much in at a time; see `createGate`. */
export type Gate = {
  /** Waits for a turn; `leave` ends the wait of a caller who went away. */
  enter(party: Party): { lease: Promise<Lease>; leave: () => void };
};

/** Bounds of a gate, all in one unit. */
export type GateLimits = {
  /** What one lease weighs when it enters. */
  weight: number;
  capacity: number;
  perStore: number;
  perCaller: number;
};

type Waiting = { party: Party; admit: (lease: Lease) => void };

/** How long a caller waits for its turn before it is asked to come back. */
const MAX_WAIT_MS = 20_000;
/** So many of one caller may wait. */
const MAX_WAITING = 200;

/** Counts by name; a name at zero is forgotten. */
function createCounts() {
  const counts = new Map<string, number>();
  return {
    of: (name: string): number => counts.get(name) ?? 0,
    add(name: string, amount: number): void {
      const count = (counts.get(name) ?? 0) + amount;
      if (count === 0) counts.delete(name);
      else counts.set(name, count);
    },
  };
}

/**
 * A gate in front of something scarce, such as memory for large answers. Stores take turns, and within a store its callers do, and each has
 * a share of its own: whoever asks for much waits behind itself, not in front of others.
 */
export function createGate({ weight, capacity, perStore, perCaller }: GateLimits): Gate {
  const stores = new Map<string, Map<string, Waiting[]>>();
  const held = { total: 0, store: createCounts(), caller: createCounts() };
  const callerOf = ({ store, caller }: Party): string => JSON.stringify([store, caller]);

  const count = (party: Party, amount: number): void => {
    held.total += amount;
    held.store.add(party.store, amount);
    held.caller.add(callerOf(party), amount);
  };

  const lease = (party: Party): Lease => {
    let mine = weight;
    const shrink = (to: number): void => {
      if (to >= mine) return;
      count(party, to - mine);
      mine = to;
      admitNext();
    };
    count(party, weight);
    return { shrink, release: () => shrink(0) };
  };

  const remove = (waiting: Waiting): void => {
    const { store, caller } = waiting.party;
    const callers = stores.get(store);
    const queue = callers?.get(caller)?.filter((other) => other !== waiting) ?? [];
    if (queue.length > 0) callers?.set(caller, queue);
    else callers?.delete(caller);
    if (callers?.size === 0) stores.delete(store);
  };

  /** The next in turn who may enter; its caller and its store go to the end of their lines. */
  const takeNext = (): Waiting | null => {
    for (const [store, callers] of stores) {
      if (held.store.of(store) + weight > perStore) continue;
      for (const [caller, queue] of callers) {
        if (held.caller.of(callerOf({ store, caller })) + weight > perCaller) continue;
        const next = queue[0]!;
        callers.delete(caller);
        callers.set(caller, queue);
        stores.delete(store);
        stores.set(store, callers);
        remove(next);
        return next;
      }
    }
    return null;
  };

  const admitNext = (): void => {
    while (held.total + weight <= capacity) {
      const next = takeNext();
      if (next === null) return;
      next.admit(lease(next.party));
    }
  };

  const queueOf = ({ store, caller }: Party): Waiting[] => {
    const callers = stores.get(store) ?? new Map<string, Waiting[]>();
    const queue = callers.get(caller) ?? [];
    stores.set(store, callers.set(caller, queue));
    return queue;
  };

  return {
    enter(party) {
      const queue = queueOf(party);
      let end: (failure: AppError) => void = () => undefined;
      const lease = new Promise<Lease>((resolve, reject) => {
        const waiting: Waiting = {
          party,
          admit: (admitted) => {
            clearTimeout(limit);
            resolve(admitted);
          },
        };
        end = (failure) => {
          clearTimeout(limit);
          remove(waiting);
          reject(failure);
        };
        const limit = setTimeout(() => end(tooBusy()), MAX_WAIT_MS).unref();
        if (queue.length >= MAX_WAITING) return end(tooMany());
        queue.push(waiting);
        admitNext();
      });
      return { lease, leave: () => end(tooBusy()) };
    },
  };
}

const RETRY: Record<string, string> = { 'Retry-After': '5' };

function tooBusy(): AppError {
  return new AppError('unavailable', 'Too many large requests are under way; retry later', RETRY);
}

function tooMany(): AppError {
  return new AppError('too-many-requests', 'Too many large requests at once; retry later', RETRY);
}
