import type { ServerResponse } from 'node:http';
import type { Request } from 'express';
import { LRUCache } from 'lru-cache';
import type { Viewer } from '../context.ts';
import { createFairQueue } from '../platform/fair-queue.ts';
import type { FairQueue, Party, Ticket } from '../platform/fair-queue.ts';
import type { Logger } from '../platform/log.ts';
import { METRICS, measure } from '../platform/metrics.ts';
import { letOthersConnect } from './new-connections.ts';
import { onLeave } from './on-leave.ts';
import { addressGroup } from './limit.ts';
import type { Credentials } from './credentials.ts';

/** How long requests may wait for their turn, and how many are served at a time; 0 sets no limit. */
export type RequestLimits = { maxRequests: number; queueWaitMs: number };

/** The line that every request waits in before anything is done for it. */
export type RequestQueue = {
  /** Waits for the turn of a request whose body has come. */
  enter(req: Request, res: ServerResponse, credentials: Credentials): Promise<void>;
  /** Notes whose credentials these are: the next request with them waits in the line of that caller. */
  recognise(credentials: Credentials, viewer: Viewer): void;
  /**
   * For a request that waits for something outside of this process, such as a mail server: it gives its place to others and takes one of the few that each
   * store has for such requests.
   */
  goOutside: (res: ServerResponse, party: Party) => Promise<void>;
};

/** Shares of the places: a page sends a few requests at once, a store's back end many; no store has all of them. */
const SHARES = { shopper: 1 / 8, address: 1 / 8, key: 1 / 4, store: 3 / 4 };
/** Requests of one store, or of one address without credentials, that may wait. */
const MAX_WAITING = 2_000;
/** Requests of one store that wait for something outside of this process: four at a time. */
const OUTSIDE = {
  weight: 1,
  capacity: Infinity,
  perStore: 4,
  perCaller: 4,
  waitMs: 5_000,
  maxWaiting: MAX_WAITING,
};
/** So many more wait for that without a place; the next ones keep theirs, so that a store which sends too many holds up itself. */
const MAX_WAITING_OUTSIDE = 8;
/** Credentials that were found right lately. */
const MAX_KNOWN = 50_000;
/** While requests are refused, the log says so this often. */
const LOG_MS = 10_000;

type Tickets = WeakMap<ServerResponse, Ticket>;
const places: Tickets = new WeakMap();
const outside: Tickets = new WeakMap();

function release(tickets: Tickets, res: ServerResponse): void {
  tickets.get(res)?.release();
  tickets.delete(res);
}

/** Gives the place of a request to the next, because it waits for something else. */
export const releasePlace = (res: ServerResponse): void => release(places, res);

/** Gives all that a request holds to the next: its response begins, or its caller has left. */
export function releaseAll(res: ServerResponse): void {
  release(places, res);
  release(outside, res);
}

/** Takes a ticket of a queue for a request. */
function take(tickets: Tickets, queue: FairQueue, res: ServerResponse, party: Party): Ticket {
  release(tickets, res);
  const ticket = queue.enter(party);
  tickets.set(res, ticket);
  onLeave(res, () => releaseAll(res));
  return ticket;
}

/** What credentials are remembered by; empty where there are none. */
function nameOf({ authorization, session, actsFor, pid, regid, sessionid }: Credentials): string {
  if (authorization !== '' || session !== '') return `${authorization} ${session} ${actsFor}`;
  return sessionid && `${pid} ${regid} ${sessionid}`;
}

/** Makes the queue of a process. */
export function createRequestQueue({ maxRequests, queueWaitMs }: RequestLimits, log: Logger): RequestQueue {
  const capacity = maxRequests === 0 ? Infinity : maxRequests;
  const shareOf = (name: keyof typeof SHARES): number => Math.max(1, Math.ceil(capacity * SHARES[name]));
  const queue = createFairQueue({
    weight: 1,
    capacity,
    perStore: shareOf('store'),
    perCaller: shareOf('shopper'),
    waitMs: queueWaitMs,
    maxWaiting: MAX_WAITING,
  });
  const linesOutside = createFairQueue(OUTSIDE);
  const known = new LRUCache<string, Party>({ max: MAX_KNOWN });
  let [refused, loggedAt] = [0, -Infinity];
  measure(METRICS.requestsUnderWay, () => queue.figures().held);
  measure(METRICS.requestsWaiting, () => queue.figures().waiting);

  const countRefused = (): void => {
    METRICS.shed.inc();
    refused += 1;
    if (performance.now() - loggedAt < LOG_MS) return;
    log.warn({ refused, ...queue.figures() }, 'requests were refused: they waited too long for their turn');
    [refused, loggedAt] = [0, performance.now()];
  };

  const partyOf = (req: Request, credentials: Credentials): Party => {
    const caller = known.get(nameOf(credentials));
    if (caller) return caller;
    const address = addressGroup(req.ip ?? '');
    return { store: `address ${address}`, caller: address, most: shareOf('address') };
  };

  /** The dashboard has a line of its own beside that of the key it was opened with. */
  const callerOf = (
    { session }: Credentials,
    { store, shopper, keyId, operatorId }: Viewer,
  ): Party | null => {
    const owner = keyId ?? operatorId;
    if (owner === null) return shopper && { store: shopper.pid, caller: shopper.regid };
    const kind = session === '' ? 'key' : 'session';
    return { store: store?.pid ?? '', caller: `${kind} ${owner}`, most: shareOf('key') };
  };

  return {
    async enter(req, res, credentials) {
      try {
        await take(places, queue, res, partyOf(req, credentials)).admitted;
        await letOthersConnect();
      } catch (error) {
        if (!res.destroyed) countRefused();
        throw error;
      }
    },
    recognise(credentials, viewer) {
      const name = nameOf(credentials);
      const party = name && callerOf(credentials, viewer);
      if (!party) known.delete(name);
      else if (known.get(name)?.caller !== party.caller) known.set(name, party);
    },
    async goOutside(res, party) {
      const ticket = outside.get(res) ?? take(outside, linesOutside, res, party);
      if (ticket.position <= MAX_WAITING_OUTSIDE) releasePlace(res);
      await ticket.admitted;
      releasePlace(res);
    },
  };
}
