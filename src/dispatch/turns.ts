/** How long a list of waiting stores is believed: finding them costs a look at the index for each store with something queued. */
const BELIEVED_MS = 500;

/** Whose turn it is in a lane. */
export type Turns = {
  /** Up to `count` stores that have something due and are free for it, in turn; none when there is none. */
  next(count: number, isFree: (pid: string) => boolean): Promise<string[]>;
  /** These had nothing left. */
  drop(pids: readonly string[]): void;
};

/** Lets stores take turns; `find` says which have something due. */
export function createTurns(find: () => Promise<string[]>): Turns {
  let waiting: string[] = [];
  let foundAt = -Infinity;
  return {
    async next(count, isFree) {
      if (performance.now() - foundAt > BELIEVED_MS) {
        waiting = await find();
        foundAt = performance.now();
      }
      const chosen = waiting.filter(isFree).slice(0, count);
      waiting = [...waiting.filter((pid) => !chosen.includes(pid)), ...chosen];
      return chosen;
    },
    drop(pids) {
      waiting = waiting.filter((pid) => !pids.includes(pid));
    },
  };
}
