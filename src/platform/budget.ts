import { oncePerDatabase } from './batch.ts';
import { AppError, fail } from './errors.ts';
import { createFairQueue } from './in-flight.ts';
import type { Party, Ticket } from './in-flight.ts';
import { measureJson } from './json.ts';
import { createTurns } from './turns.ts';

const KB = 1_000;
const MB = 1_000_000;

/** Limits of one request: bytes that it may read and return, and values that are serialized one by one (500,000 take 0.1 s). */
export const RESPONSE_LIMITS = { bytes: 32 * MB, values: 500_000 };

/** A request may read and return this much without waiting; nearly all requests need no more. */
const FREE_BYTES = { read: 1 * MB, response: 256 * KB };

/** Larger requests wait for each other: 48 of up to 1 MB run at a time, 12 of up to 4 MB, and two larger ones. */
const GATES = [
  { weight: 1 * MB, capacity: 48 * MB, perStore: 40 * MB, perCaller: 32 * MB },
  { weight: 4 * MB, capacity: 48 * MB, perStore: 40 * MB, perCaller: 24 * MB },
  { weight: RESPONSE_LIMITS.bytes, capacity: 96 * MB, perStore: 60 * MB, perCaller: 48 * MB },
];

/** A response repeats the data it read a few times at most: the contents of a list appear in it three times. */
const LIGHT_BYTES = FREE_BYTES.response / 8;

/** The number of values resolved before other requests get a turn: about 20 ms of an interpreted document. */
const VALUES_IN_A_ROW = 20_000;

/** The memory that one request may use. Only the functions below change it. */
export type Budget = ReturnType<typeof openBudget>;

export function failTooMuch(): never {
  return fail('limit-reached', 'The response would be too large; request it page by page');
}

export async function readOrLess<Result>(
  read: (most: number) => Promise<Result>,
  wanted: number,
  less: number,
): Promise<Result> {
  try {
    return await read(wanted);
  } catch (error) {
    if (error instanceof AppError && error.type === 'limit-reached' && wanted > less) return read(less);
    throw error;
  }
}

const gatesOf = oncePerDatabase(() =>
  GATES.map((limits) => createFairQueue({ ...limits, waitMs: 20_000, maxWaiting: 200 })),
);

/** All requests of a database share the gates. `onLarge` is called when the request starts to wait at one. */
export function openBudget(services: { db: object }, party: Party, onLarge?: () => void) {
  return {
    party,
    gates: gatesOf(services),
    onLarge,
    held: 0,
    /** The number of reads in progress. */
    reading: 0,
    values: 0,
    isClosed: false,
    tickets: [] as Ticket[],
    entered: [] as Promise<void>[],
    waiting: [] as (() => void)[],
  };
}

function enterGate(budget: Budget, level: number): Promise<void> {
  budget.onLarge?.();
  const ticket = budget.gates[level]!.enter(budget.party);
  budget.tickets.push(ticket);
  if (budget.isClosed) ticket.release();
  return ticket.admitted;
}

/** Enters the gates that the held bytes require, always in the same order, so that two requests never deadlock. */
async function enterGates(budget: Budget, free: number): Promise<void> {
  for (let level = 0; level < GATES.length; level += 1) {
    if (budget.held <= (level === 0 ? free : GATES[level - 1]!.weight)) return;
    await (budget.entered[level] ??= enterGate(budget, level));
  }
}

async function reserve(budget: Budget, bytes: number): Promise<number> {
  // Another read of this request that is in progress may use less than it reserved.
  while (budget.held + bytes > RESPONSE_LIMITS.bytes && budget.reading > 0)
    await new Promise<void>((done) => budget.waiting.push(done));
  const granted = Math.min(bytes, RESPONSE_LIMITS.bytes - budget.held);
  if (granted < 0 || (granted === 0 && bytes > 0)) failTooMuch();
  budget.held += granted;
  budget.reading += 1;
  if (budget.held > FREE_BYTES.read) await enterGates(budget, FREE_BYTES.read);
  return granted;
}

/** Reads at most `bytes`, and first waits if that is much. `read` receives its limit and returns how many bytes it used. */
export async function readWithin<Value>(
  budget: Budget,
  bytes: number,
  read: (maxBytes: number) => Promise<{ value: Value; bytes: number }>,
): Promise<Value> {
  const reserved = await reserve(budget, bytes);
  let used = 0;
  try {
    const done = await read(reserved);
    used = done.bytes;
    return done.value;
  } finally {
    budget.held += used - reserved;
    budget.reading -= 1;
    for (const done of budget.waiting.splice(0)) done();
  }
}

/** Counts bytes that are already in memory. */
export function charge(budget: Budget, bytes: number): void {
  budget.held += bytes;
  if (budget.held > RESPONSE_LIMITS.bytes) failTooMuch();
}

let inRow = 0;
let isCounting = false;
let turn: Promise<void> | null = null;
const nextTurn = createTurns();

/** Returns a promise when the caller should let other requests have a turn first. */
export function pauseFor(values: number): Promise<void> | null {
  if (!isCounting) {
    isCounting = true;
    setImmediate(() => {
      isCounting = false;
      if (turn === null) inRow = 0;
    });
  }
  inRow += values;
  if (inRow > VALUES_IN_A_ROW) {
    inRow = values;
    const next = nextTurn();
    turn = next;
    void next.then(() => {
      if (turn === next) turn = null;
    });
  }
  return turn;
}

/** Counts values before they are resolved. Returns a promise when other requests should have a turn first. */
export function resolveValues(budget: Budget, count: number): Promise<void> | null {
  budget.values += count;
  if (budget.values > RESPONSE_LIMITS.values)
    fail('limit-reached', 'The query requests too many values; request fewer fields or smaller pages');
  return pauseFor(count);
}

/** The request has read so little that a response without repetitions need not be measured. */
export const isLight = ({ held }: Budget): boolean => held > 0 && held <= LIGHT_BYTES;

/** Counts the response at its serialized size; from here on the request holds no more than that. */
export async function chargeResponse(budget: Budget, value: unknown): Promise<void> {
  const size = measureJson(value, RESPONSE_LIMITS);
  if (size.bytes > RESPONSE_LIMITS.bytes || size.values > RESPONSE_LIMITS.values) failTooMuch();
  budget.held = size.bytes;
  if (budget.held > FREE_BYTES.response) await enterGates(budget, FREE_BYTES.response);
  // The ticket of the outermost gate covers the whole response.
  const last = budget.tickets.length - 1;
  budget.tickets.forEach((ticket, level) => ticket.shrink(level === last ? budget.held : 0));
}

/** Called when the response has been sent or the client has disconnected. */
export function closeBudget(budget: Budget): void {
  budget.isClosed = true;
  for (const ticket of budget.tickets) ticket.release();
}
