import { createTurns } from '../../src/platform/turns.ts';
import { letOthersConnect, noteConnection } from '../../src/api/http.ts';

/** Runs each, and says in which turn of the event loop from now on it was over; 0 is this one. */
async function turnsOf(calls: (() => Promise<void>)[]): Promise<number[]> {
  let turn = 0;
  let isOver = false;
  const next = (): void => {
    turn += 1;
    if (!isOver) setImmediate(next);
  };
  const all = Promise.all(calls.map((call) => call().then(() => turn)));
  setImmediate(next);
  return all.finally(() => (isOver = true));
}

test('what takes long comes one a turn, so that everything else is served in between', async () => {
  const nextTurn = createTurns();
  expect(await turnsOf([nextTurn, nextTurn, nextTurn])).toEqual([0, 1, 2]);
  expect(await turnsOf([nextTurn, nextTurn])).toEqual([0, 1]);
});

test('a turn is shared by two where two may share it', async () => {
  const nextTurn = createTurns(2);
  expect(await turnsOf([nextTurn, nextTurn, nextTurn, nextTurn, nextTurn])).toEqual([0, 0, 1, 1, 2]);
});

test('requests begin at once, and four a turn while many clients are being connected', async () => {
  const begin = (now: number) => turnsOf(Array.from({ length: 5 }, () => () => letOthersConnect(now)));
  // Long after the clients of other tests in this process.
  const start = 1e9;
  noteConnection(start);
  expect(await begin(start + 1)).toEqual([0, 0, 0, 0, 0]);
  for (let n = 1; n <= 3; n += 1) noteConnection(start + n);
  expect(await begin(start + 49)).toEqual([0, 0, 0, 0, 1]);
  expect(await begin(start + 50)).toEqual([0, 0, 0, 0, 0]);
});
