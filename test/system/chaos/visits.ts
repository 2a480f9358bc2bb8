import { setTimeout as delay } from 'node:timers/promises';
import type { TestShopper } from '../../harness.ts';
import { asShopper, createCaller } from './caller.ts';
import type { Caller, Operation, Tally } from './caller.ts';

/** A list that shoppers fill: what was sent, and what was acknowledged. */
type Filled = { lid: string; sent: number; acknowledged: Set<number> };

/** Shoppers who come whether or not the ones before them were answered, as real ones do. */
export type Visits = {
  /** Begins a new list and forgets the gaps so far. */
  mark(): Promise<void>;
  /** The longest time since `mark` in which nothing of a kind succeeded, in milliseconds. */
  gaps(): { writes: number; reads: number };
  lists: Filled[];
  /** Ends them and waits for the last answer. */
  end(): Promise<void>;
};

const CREATE: Operation = [
  '/api/v3/lists/create',
  'mutation ($lname: String!) { r: createList(input: { lname: $lname }) { lid } }',
];
const ADD: Operation = [
  '/api/v3/lists/update-ctx',
  'mutation ($lid: ID!, $a: [ItemInput!]) { r: updateListContents(lid: $lid, a: $a) { cnt } }',
];
const READ: Operation = [
  '/api/v3/lists/fetch-list-with-contents',
  'query ($lid: ID!, $limit: Int) { r: listContents(lid: $lid, limit: $limit) { list { cnt } } }',
];

/** A write and a read begin this often. */
const EVERY_MS = 200;

/** Since when nothing of a kind succeeded, and the longest such time. */
function watchGap() {
  let last = performance.now();
  let longest = 0;
  const note = (): void => {
    longest = Math.max(longest, performance.now() - last);
    last = performance.now();
  };
  return {
    note,
    reset: () => void ([last, longest] = [performance.now(), 0]),
    longest: () => Math.round(Math.max(longest, performance.now() - last)),
  };
}

/** Starts them with one shopper; REST and GraphQL in turn. */
export async function startVisits(base: () => string, shopper: TestShopper, tally: Tally): Promise<Visits> {
  const caller: Caller = createCaller(base, asShopper(shopper), tally);
  const lists: Filled[] = [];
  const [writes, reads] = [watchGap(), watchGap()];
  const underWay = new Set<Promise<void>>();
  let isOver = false;

  const mark = async (): Promise<void> => {
    const answer = await caller.settle(CREATE, { lname: `Visits ${lists.length + 1}` }, {}, [
      'duplicate-lname',
    ]);
    // One that was made and never told is not used.
    if (answer?.status === 200)
      lists.push({ lid: String(answer.body['lid']), sent: 0, acknowledged: new Set() });
    writes.reset();
    reads.reset();
  };

  const write = async (list: Filled, isGraphql: boolean): Promise<void> => {
    const epi = (list.sent += 1);
    const values = { lid: list.lid, a: [{ epi, empi: epi, du: '/p' }] };
    const answer = await caller.call(ADD, values, { isGraphql });
    if (answer?.status !== 200) return;
    list.acknowledged.add(epi);
    writes.note();
  };

  const read = async (list: Filled, isGraphql: boolean): Promise<void> => {
    const known = list.acknowledged.size;
    const answer = await caller.call(READ, { lid: list.lid, limit: 1 }, { isGraphql });
    if (answer?.status !== 200) return;
    reads.note();
    const { cnt } = (answer.body['list'] ?? answer.body) as { cnt: number };
    if (!(cnt >= known)) tally.faults.push(`a read is behind: ${cnt} of ${known} in ${list.lid}`);
  };

  await mark();
  const ended = (async () => {
    for (let n = 0; !isOver; n += 1) {
      const list = lists.at(-1)!;
      for (const call of [write(list, n % 2 === 0), read(list, n % 2 === 1)]) {
        underWay.add(call);
        void call.finally(() => underWay.delete(call));
      }
      await delay(EVERY_MS);
    }
    await Promise.all(underWay);
  })();
  return {
    mark,
    gaps: () => ({ writes: writes.longest(), reads: reads.longest() }),
    lists,
    async end() {
      isOver = true;
      await ended;
    },
  };
}
