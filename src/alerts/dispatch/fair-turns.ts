import type { Line } from '../queue/outbox.service.ts';

/** How long a list of waiting lines is believed: finding them costs a look at the index for each one with something queued. */
const BELIEVED_MS = 500;

/** Whose turn it is in a lane. */
export type Turns = {
  /** Up to `count` lines that have something due and are free for it, in turn; none when there is none. */
  next(count: number, isFree: (line: Line) => boolean): Promise<Line[]>;
  /** These had nothing left. */
  drop(lines: readonly Line[]): void;
};

/** Lets lines take turns; `find` says which have something due. */
export function createTurns(find: () => Promise<Line[]>): Turns {
  let waiting: Line[] = [];
  let foundAt = -Infinity;
  return {
    async next(count, isFree) {
      if (performance.now() - foundAt > BELIEVED_MS) {
        waiting = await find();
        foundAt = performance.now();
      }
      const chosen = waiting.filter(isFree).slice(0, count);
      waiting = [...waiting.filter((line) => !chosen.includes(line)), ...chosen];
      return chosen;
    },
    drop(lines) {
      waiting = waiting.filter((line) => !lines.includes(line));
    },
  };
}
