import type { IncomingMessage, ServerResponse } from 'node:http';
import { fail } from './errors.ts';
import { createFairQueue } from './fair-queue.ts';
import type { FairQueue, Party, Ticket } from './fair-queue.ts';

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

type Tickets = WeakMap<ServerResponse, Ticket>;
const places: Tickets = new WeakMap();
const outside: Tickets = new WeakMap();

const leaving = new WeakMap<ServerResponse, (() => void)[]>();

/**
 * Calls `listener` when the response has ended or the client has disconnected; immediately if that has already happened. Node gets one listener only: each one costs
 * time, and it warns of a leak at eleven, which a document with many waiting fields has.
 */
export function onLeave(res: ServerResponse, listener: () => void): void {
  const listeners = leaving.get(res);
  if (res.destroyed) listener();
  else if (listeners) listeners.push(listener);
  else {
    const all = [listener];
    leaving.set(res, all);
    res.once('close', () => all.forEach((one) => one()));
  }
}

function releaseTicket(tickets: Tickets, res: ServerResponse): void {
  tickets.get(res)?.release();
  tickets.delete(res);
}

function takeTicket(tickets: Tickets, queue: FairQueue, res: ServerResponse, party: Party): Ticket {
  releaseTicket(tickets, res);
  const ticket = queue.enter(party);
  tickets.set(res, ticket);
  onLeave(res, () => releaseAll(res));
  return ticket;
}

export function takePlace(queue: FairQueue, res: ServerResponse, party: Party): Promise<void> {
  return takeTicket(places, queue, res, party).admitted;
}

/** Gives the slot of a request to the next one, because this one waits for something else. */
export function releasePlace(res: ServerResponse): void {
  releaseTicket(places, res);
}

/** Releases everything that a request holds once its response begins or its client has disconnected. */
export function releaseAll(res: ServerResponse): void {
  releaseTicket(places, res);
  releaseTicket(outside, res);
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
  const ticket = outside.get(response) ?? takeTicket(outside, outsideQueue, response, party);
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
