import { AppError, fail } from './errors.ts';
import { createFairQueue } from './fair-queue.ts';
import type { FairQueue, Party, Ticket } from './fair-queue.ts';
import { measureAnswer } from './json-response.ts';
import { createTurns } from './turns.ts';

const KB = 1_000;
const MB = 1_000_000;

/**
 * Bounds of one request, whatever it asks for and however often: what it may read and answer in all, and how many values may be written
 * one by one (they take 0.1 s).
 */
export const ANSWER_LIMITS = { bytes: 32 * MB, values: 500_000 };

/** So much a request may read, and hand to its reader, without asking; nearly all of them need no more. */
const FREE_BYTES = { read: 1 * MB, answer: 256 * KB };

/**
 * Beyond it, requests take turns by what they may come to: 48 of up to a megabyte at a time, 12 of up to four, two of more. An answer weighs what it
 * really takes until it has left the process, and those on their way leave room for the next.
 */
const GATES = [
  { weight: 1 * MB, capacity: 48 * MB, perStore: 40 * MB, perCaller: 32 * MB },
  { weight: 4 * MB, capacity: 48 * MB, perStore: 40 * MB, perCaller: 24 * MB },
  { weight: ANSWER_LIMITS.bytes, capacity: 96 * MB, perStore: 60 * MB, perCaller: 48 * MB },
];

/** Large requests wait longer than others: who reads much takes its time anyway. */
const PATIENCE = { waitMs: 20_000, maxWaiting: 200 };

/** What was read is written a few times at most: the contents of a list stand in their answer three times. */
const LIGHT_BYTES = FREE_BYTES.answer / 8;

/** Values that are resolved in a row before others get a turn: about 20 ms of an interpreted document. */
const VALUES_IN_A_ROW = 20_000;

/** What one request takes of the process's memory and time. */
export type Budget = {
  /**
   * Reads within what there is room for, waiting for its turn when that is much: `read` is told how many bytes it may take, at most as many as
   * asked for, and answers with how many it took. One that fails took none.
   */
  within<Value>(
    bytes: number,
    read: (maxBytes: number) => Promise<{ value: Value; bytes: number }>,
  ): Promise<Value>;
  /** Counts what is in memory already, and refuses it where that is too much. */
  charge(bytes: number): void;
  /** A promise when so much work should wait until others had a turn. */
  pause(values: number): Promise<void> | null;
  /** Counts values that are about to be resolved; a promise when others should have a turn first. */
  resolve(values: number): Promise<void> | null;
  /** Whether what was read was counted, and is so little that an answer which repeats nothing needs no measuring. */
  isLight(): boolean;
  /** Counts the answer as it will be written; from here on it holds no more than that. */
  answer(value: unknown): Promise<void>;
  /** The answer has left, or its reader has. */
  close: () => void;
};

/** Makes the budgets of a process's requests; `onLarge` is told when one takes its turn among large ones. */
export type Budgets = (party: Party, onLarge?: () => void) => Budget;

/** Refuses what no budget allows. */
export function failTooMuch(): never {
  return fail('limit-reached', 'This is more than can be answered at once; read it page by page');
}

/** Reads as much as wanted, or less where that is more than the request may read. */
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

/** Lets `VALUES_IN_A_ROW` values of all requests together be resolved in one turn of the event loop; the next ones wait for the next turn. */
function createPace(): (values: number) => Promise<void> | null {
  let inRow = 0;
  let isCounting = false;
  let turn: Promise<void> | null = null;
  const nextTurn = createTurns();
  return (values) => {
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
  };
}

/** Opens the gates of a process. */
export function createBudgets(): Budgets {
  const gates = GATES.map((limits) => ({ ...limits, gate: createFairQueue({ ...limits, ...PATIENCE }) }));
  const pace = createPace();
  return (party, onLarge) => createBudget(party, gates, pace, onLarge);
}

function createBudget(
  party: Party,
  gates: readonly { weight: number; gate: FairQueue }[],
  pace: ReturnType<typeof createPace>,
  onLarge?: () => void,
): Budget {
  let held = 0;
  let reading = 0;
  let values = 0;
  let isClosed = false;
  const tickets: Ticket[] = [];
  const entered: Promise<void>[] = [];
  let waiting: (() => void)[] = [];

  const enter = (level: number): Promise<void> => {
    onLarge?.();
    const ticket = gates[level]!.gate.enter(party);
    tickets.push(ticket);
    if (isClosed) ticket.release();
    return ticket.admitted;
  };

  /** Enters the gates that what is held asks for, always in the same order, so that no two requests wait for each other. */
  const cover = async (free: number): Promise<void> => {
    for (let level = 0; level < gates.length; level += 1) {
      if (held <= (level === 0 ? free : gates[level - 1]!.weight)) return;
      await (entered[level] ??= enter(level));
    }
  };

  /** Until a read of this request is over: it may have taken less than it reserved. */
  const oneIsOver = (): Promise<void> => new Promise((done) => waiting.push(done));

  const reserve = async (bytes: number): Promise<number> => {
    while (held + bytes > ANSWER_LIMITS.bytes && reading > 0) await oneIsOver();
    const granted = Math.min(bytes, ANSWER_LIMITS.bytes - held);
    if (granted < 0 || (granted === 0 && bytes > 0)) failTooMuch();
    held += granted;
    reading += 1;
    if (held > FREE_BYTES.read) await cover(FREE_BYTES.read);
    return granted;
  };

  const settle = (reserved: number, used: number): void => {
    held += used - reserved;
    reading -= 1;
    const told = waiting;
    waiting = [];
    for (const tell of told) tell();
  };

  return {
    async within(bytes, read) {
      const maxBytes = await reserve(bytes);
      let used = 0;
      try {
        const done = await read(maxBytes);
        used = done.bytes;
        return done.value;
      } finally {
        settle(maxBytes, used);
      }
    },
    charge(bytes) {
      held += bytes;
      if (held > ANSWER_LIMITS.bytes) failTooMuch();
    },
    pause: pace,
    resolve(count) {
      values += count;
      if (values > ANSWER_LIMITS.values)
        fail('limit-reached', 'The query asks for too many values; ask for fewer fields or smaller pages');
      return pace(count);
    },
    isLight: () => held > 0 && held <= LIGHT_BYTES,
    async answer(value) {
      const size = measureAnswer(value, ANSWER_LIMITS);
      if (size.bytes > ANSWER_LIMITS.bytes || size.values > ANSWER_LIMITS.values) failTooMuch();
      held = size.bytes;
      if (held > FREE_BYTES.answer) await cover(FREE_BYTES.answer);
      // The ticket of the outermost gate stands for the whole answer.
      tickets.forEach((ticket, level) => ticket.shrink(level === tickets.length - 1 ? held : 0));
    },
    close() {
      isClosed = true;
      for (const ticket of tickets) ticket.release();
    },
  };
}
