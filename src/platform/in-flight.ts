import type { IncomingMessage, ServerResponse } from 'node:http';
import { AppError, fail } from './errors.ts';

export type Connection = { response: ServerResponse; party: Party };

/** Four requests per store may wait for a template, a name server or a mail server at a time. */
const outsideQueue = createFairQueue({
  weight: 1,
  capacity: Infinity,
  perStore: 4,
  perCaller: 4,
  waitMs: 5_000,
  maxWaiting: 2_000,
});
/** This number of further requests wait without a slot in flight; later ones hold theirs, so that the store delays only itself. */
const MAX_WAITING_OUTSIDE = 8;
/** Thousands of requests may wait for a change, each with its body in memory. */
const MAX_WAITING_BODY = 50_000;

type Held = { place?: Ticket; outside?: Ticket; leaving?: (() => void)[] };
const HELD = Symbol('held');

/** A WeakMap would keep every finished request until V8 collects its old generation, because it treats values as used until then. */
function heldBy(res: ServerResponse & { [HELD]?: Held }): Held {
  return (res[HELD] ??= { place: undefined, outside: undefined, leaving: undefined });
}

/**
 * Calls `listener` when the response has ended or the client has disconnected; immediately if that has already happened. Node gets one listener only: each one costs
 * time, and it warns of a leak at eleven, which a document with many waiting fields has.
 */
export function onLeave(res: ServerResponse, listener: () => void): void {
  const held = heldBy(res);
  if (res.destroyed) listener();
  else if (held.leaving) held.leaving.push(listener);
  else {
    const all = (held.leaving = [listener]);
    res.once('close', () => all.forEach((one) => one()));
  }
}

function releaseTicket(kind: 'place' | 'outside', res: ServerResponse): void {
  const held = heldBy(res);
  held[kind]?.release();
  held[kind] = undefined;
}

function takeTicket(kind: 'place' | 'outside', queue: FairQueue, res: ServerResponse, party: Party): Ticket {
  releaseTicket(kind, res);
  const ticket = (heldBy(res)[kind] = queue.enter(party));
  onLeave(res, () => releaseAll(res));
  return ticket;
}

export function takePlace(queue: FairQueue, res: ServerResponse, party: Party): Promise<void> {
  return takeTicket('place', queue, res, party).admitted;
}

/** Gives the slot of a request to the next one, because this one waits for something else. */
export function releasePlace(res: ServerResponse): void {
  releaseTicket('place', res);
}

/** Releases everything that a request holds once its response begins or its client has disconnected. */
export function releaseAll(res: ServerResponse): void {
  releaseTicket('place', res);
  releaseTicket('outside', res);
}

/** Releases the slot and the body of a request that waits for a change or writes a stream. */
export function releaseWhileWaiting({ response }: Connection): void {
  const req: IncomingMessage & { body?: unknown } = response.req;
  if (Buffer.isBuffer(req.body) && req.body.length > MAX_WAITING_BODY)
    fail('request-too-large', 'The body of a long-polling call must not be larger than 50 kB');
  req.body = undefined;
  releasePlace(response);
}

/** Takes one of the store's few slots for requests that wait for an external system. */
export async function goOutside(ctx: { connection: Connection }): Promise<void> {
  const { response, party } = ctx.connection;
  const ticket = heldBy(response).outside ?? takeTicket('outside', outsideQueue, response, party);
  if (ticket.position <= MAX_WAITING_OUTSIDE) releasePlace(response);
  await ticket.admitted;
  releasePlace(response);
}

/** Waits until the client has received the data; the server disconnects a client that reads nothing (`cutStalled` in http.ts). */
export async function untilDrained({ response }: Connection): Promise<void> {
  if (!response.writableNeedDrain || response.destroyed) return;
  await new Promise<void>((resolve) => {
    const done = (): void => {
      response.off('drain', done).off('close', done);
      resolve();
    };
    response.on('drain', done).on('close', done);
  });
}

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
