import type { IncomingMessage, ServerResponse } from 'node:http';
import { fail } from './errors.ts';
import { createFairQueue } from './fair-queue.ts';
import type { FairQueue, Party, Ticket } from './fair-queue.ts';

/** What identifies the caller and its open connection while a request is served. */
export type Connection = { response: ServerResponse; party: Party };

/** Requests of one store that wait for a template, a name server or a mail server: four at a time. */
const OUTSIDE = {
  weight: 1,
  capacity: Infinity,
  perStore: 4,
  perCaller: 4,
  waitMs: 5_000,
  maxWaiting: 2_000,
};
/** This many more wait without a place in flight; later ones keep theirs, so that a store with too many delays only itself. */
const MAX_WAITING_OUTSIDE = 8;
/** A stream whose reader takes nothing for this long is cut. */
const STALL_MS = 60_000;
/** Thousands of requests may wait for a change, each with its body in memory. */
const MAX_WAITING_BODY = 50_000;

type Tickets = WeakMap<ServerResponse, Ticket>;
const places: Tickets = new WeakMap();
const outside: Tickets = new WeakMap();
const outsideQueue = createFairQueue(OUTSIDE);

/** Calls `listener` when the response has ended or its caller has left; at once where that has happened already. */
export function onLeave(res: ServerResponse, listener: () => void): void {
  if (res.destroyed) listener();
  else res.once('close', listener);
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

/** Waits for the turn of a request. */
export function takePlace(queue: FairQueue, res: ServerResponse, party: Party): Promise<void> {
  return takeTicket(places, queue, res, party).admitted;
}

/** Gives the place of a request to the next one, because it waits for something else. */
export function releasePlace(res: ServerResponse): void {
  releaseTicket(places, res);
}

/** Gives back everything that a request holds: its response begins, or its caller has left. */
export function releaseAll(res: ServerResponse): void {
  releaseTicket(places, res);
  releaseTicket(outside, res);
}

/** For a request that waits for a change or writes a stream: gives back its place and its body. */
export function releaseWhileWaiting({ response }: Connection): void {
  const req: IncomingMessage & { body?: unknown } = response.req;
  if (Buffer.isBuffer(req.body) && req.body.length > MAX_WAITING_BODY)
    fail('request-too-large', 'The body of a call that waits must not be larger than 50 kB');
  req.body = undefined;
  releasePlace(response);
}

/** For a request that waits for something outside of this process: takes one of the few places that its store has for that. */
export async function goOutside(ctx: { connection: Connection }): Promise<void> {
  const { response, party } = ctx.connection;
  const ticket = outside.get(response) ?? takeTicket(outside, outsideQueue, response, party);
  if (ticket.position <= MAX_WAITING_OUTSIDE) releasePlace(response);
  await ticket.admitted;
  releasePlace(response);
}

/** Waits until the caller has received what was sent; a caller that takes nothing for long is cut. */
export async function untilDrained({ response }: Connection): Promise<void> {
  if (!response.writableNeedDrain || response.destroyed) return;
  const cut = setTimeout(() => response.destroy(), STALL_MS);
  await new Promise<void>((done) => void response.once('drain', done).once('close', done));
  clearTimeout(cut);
}
