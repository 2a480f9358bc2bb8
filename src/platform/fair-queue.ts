import { AppError } from './errors.ts';

/** Stores take turns, and so do the callers within a store. A caller without credentials counts as a store of its own. */
export type Party = {
  store: string;
  caller: string;
  /** The limit of this caller, where it differs from `perCaller`. */
  most?: number;
};

export type Ticket = {
  /** Resolves when the ticket is admitted; rejects with 503 after `waitMs`. */
  admitted: Promise<void>;
  /** The number of waiting tickets of its store on arrival, including this one; 0 if it was admitted immediately. */
  position: number;
  shrink(weight: number): void;
  release: () => void;
};

/** Limits of a queue; all but the last two have the same unit, such as requests or bytes. */
export type QueueLimits = {
  /** The capacity that one ticket uses. */
  weight: number;
  capacity: number;
  perStore: number;
  perCaller: number;
  waitMs: number;
  /** The waiting tickets of one store; beyond that the newest ticket of its busiest caller is rejected. */
  maxWaiting: number;
};

export type FairQueue = ReturnType<typeof createFairQueue>;

type WaitingTicket = { since: number; admit: () => void; refuse: () => void };
type Line = { caller: string; held: number; most: number; waiting: Set<WaitingTicket> };
type Store = { pid: string; held: number; waiting: number; lines: Map<string, Line> };

/** The interval at which waiting tickets are checked against `waitMs`. */
const CHECK_MS = 20;
const IMMEDIATELY = Promise.resolve();
const TOO_BUSY = 'Too many requests are in progress; retry later';

/**
 * A queue in front of a scarce resource. A ticket that fits is admitted at once; the others wait per caller in round-robin order,
 * so that a crowd delays itself and hardly any other caller.
 */
export function createFairQueue(limits: QueueLimits) {
  const { weight, capacity, perStore } = limits;
  const stores = new Map<string, Store>();
  /** All waiting tickets, oldest first. */
  const everybody = new Set<WaitingTicket>();
  let held = 0;
  let check: NodeJS.Timeout | undefined;

  const fits = (store: Store, line: Line): boolean =>
    held + weight <= capacity && store.held + weight <= perStore && line.held + weight <= line.most;

  const hold = (store: Store, line: Line, amount: number): void => {
    held += amount;
    store.held += amount;
    line.held += amount;
  };

  const forgetIdle = (store: Store, line: Line): void => {
    if (line.held > 0 || line.waiting.size > 0) return;
    store.lines.delete(line.caller);
    if (store.lines.size === 0) stores.delete(store.pid);
  };

  /** Returns the next ticket that fits; its caller and its store move to the end. */
  const findNext = (): WaitingTicket | null => {
    for (const store of stores.values()) {
      if (store.waiting === 0 || store.held + weight > perStore) continue;
      for (const line of store.lines.values()) {
        if (line.waiting.size === 0 || line.held + weight > line.most) continue;
        store.lines.delete(line.caller);
        store.lines.set(line.caller, line);
        stores.delete(store.pid);
        stores.set(store.pid, store);
        return line.waiting.values().next().value!;
      }
    }
    return null;
  };

  const admitWaiting = (): void => {
    while (everybody.size > 0 && held + weight <= capacity) {
      const next = findNext();
      if (next === null) return;
      next.admit();
    }
  };

  const refuseLate = (): void => {
    const latest = performance.now() - limits.waitMs;
    for (const one of everybody) {
      if (one.since > latest) return;
      one.refuse();
    }
    clearInterval(check);
    check = undefined;
  };

  const refuseNewestOf = ({ lines }: Store): void => {
    let longest: Line | undefined;
    for (const line of lines.values()) if (line.waiting.size > (longest?.waiting.size ?? 0)) longest = line;
    [...(longest?.waiting ?? [])].at(-1)?.refuse();
  };

  const find = ({ store: pid, caller, most = limits.perCaller }: Party): { store: Store; line: Line } => {
    const store = stores.get(pid) ?? { pid, held: 0, waiting: 0, lines: new Map<string, Line>() };
    const line = store.lines.get(caller) ?? { caller, held: 0, most, waiting: new Set<WaitingTicket>() };
    stores.set(pid, store);
    store.lines.set(caller, line);
    return { store, line };
  };

  return {
    enter(party: Party): Ticket {
      const { store, line } = find(party);
      let mine = 0;
      let waiting: WaitingTicket | null = null;
      const take = (): void => hold(store, line, (mine = weight));
      const shrink = (to: number): void => {
        if (to >= mine) return;
        hold(store, line, to - mine);
        mine = to;
        forgetIdle(store, line);
        admitWaiting();
      };
      const release = (): void => (waiting ? waiting.refuse() : shrink(0));
      if (fits(store, line)) {
        take();
        return { admitted: IMMEDIATELY, position: 0, shrink, release };
      }
      const admitted = new Promise<void>((resolve, reject) => {
        const leave = (): void => {
          everybody.delete(waiting!);
          line.waiting.delete(waiting!);
          store.waiting -= 1;
          waiting = null;
        };
        const admit = (): void => {
          leave();
          take();
          resolve();
        };
        const refuse = (): void => {
          leave();
          forgetIdle(store, line);
          reject(new AppError('unavailable', TOO_BUSY, { 'Retry-After': '2' }));
        };
        waiting = { since: performance.now(), admit, refuse };
      });
      // Nobody awaits the ticket of a client that has disconnected.
      admitted.catch(() => undefined);
      everybody.add(waiting!);
      line.waiting.add(waiting!);
      store.waiting += 1;
      check ??= setInterval(refuseLate, CHECK_MS).unref();
      const position = store.waiting;
      if (position > limits.maxWaiting) refuseNewestOf(store);
      return { admitted, position, shrink, release };
    },
    figures: () => ({ held, waiting: everybody.size }),
  };
}
