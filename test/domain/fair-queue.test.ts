import { createFairQueue } from '../../src/platform/in-flight.ts';
import type { Ticket } from '../../src/platform/in-flight.ts';
import { until } from '../until.ts';

const LIMITS = { weight: 10, capacity: 30, perStore: 20, perCaller: 10, waitMs: 60_000, maxWaiting: 200 };

/** A queue whose guests are written down as they enter and as they are refused. */
function createProbe(limits: Partial<typeof LIMITS> = {}) {
  const queue = createFairQueue({ ...LIMITS, ...limits });
  const inside: string[] = [];
  const refused: string[] = [];
  const tickets = new Map<string, Ticket>();
  const enter = (store: string, caller: string, name = `${store}${caller}`, most?: number): void => {
    const ticket = queue.enter({ store, caller, ...(most !== undefined && { most }) });
    tickets.set(name, ticket);
    ticket.admitted.then(
      () => inside.push(name),
      () => refused.push(name),
    );
  };
  const release = (name: string): void => tickets.get(name)!.release();
  const settled = (): Promise<void> => new Promise((done) => setImmediate(done));
  return { queue, inside, refused, tickets, enter, release, settled };
}

test('a caller has its share, a store has its share, and the rest is for others', async () => {
  const { inside, enter, settled } = createProbe();
  for (const [store, caller] of [
    ['A', '1'],
    ['A', '1'],
    ['A', '2'],
    ['A', '3'],
    ['B', '1'],
    ['C', '1'],
  ] as const)
    enter(store, caller);
  await settled();
  expect(inside).toEqual(['A1', 'A2', 'B1']);
});

test('a place of others that becomes free goes to nobody whose share is used up', async () => {
  const { inside, release, enter, settled } = createProbe();
  for (const name of ['A1', 'A1 again', 'A1 once more']) enter('A', '1', name);
  for (const caller of ['2', '3', '4']) enter('A', caller);
  enter('B', '1');
  await settled();
  expect(inside).toEqual(['A1', 'A2', 'B1']);
  release('B1');
  await settled();
  expect(inside).toHaveLength(3);
  release('A2');
  await settled();
  expect(inside.slice(3)).toEqual(['A3']);
  release('A1');
  release('A3');
  await settled();
  expect(inside.slice(4).toSorted()).toEqual(['A1 again', 'A4']);
});

test('a caller with a share of its own may hold that much', async () => {
  const { inside, enter, settled } = createProbe();
  for (const name of ['a', 'b', 'c']) enter('A', 'key', name, 20);
  await settled();
  expect(inside).toEqual(['a', 'b']);
});

test('those who wait take turns by store and by caller, not by the order in which they came', async () => {
  const { inside, release, enter, settled } = createProbe({ capacity: 10 });
  enter('A', '1', 'first');
  for (const name of ['A1a', 'A1b', 'A1c']) enter('A', '1', name);
  enter('A', '2', 'A2a');
  enter('B', '1', 'B1a');
  for (let n = 0; n < 6; n += 1) {
    await settled();
    release(inside.at(-1)!);
  }
  expect(inside).toEqual(['first', 'A1a', 'B1a', 'A2a', 'A1b', 'A1c']);
});

test('who shrinks makes room, who leaves is forgotten, and releasing twice counts once', async () => {
  const { queue, inside, refused, tickets, release, enter, settled } = createProbe({
    perStore: 30,
    perCaller: 30,
  });
  for (const name of ['a', 'b', 'c', 'gone', 'd']) enter('A', '1', name);
  await settled();
  expect(inside).toEqual(['a', 'b', 'c']);
  release('gone');
  tickets.get('a')!.shrink(5);
  tickets.get('b')!.shrink(5);
  await settled();
  expect([inside, refused]).toEqual([['a', 'b', 'c', 'd'], ['gone']]);
  release('c');
  release('c');
  enter('A', '1', 'e');
  enter('A', '1', 'f');
  await settled();
  expect(inside).toEqual(['a', 'b', 'c', 'd', 'e']);
  for (const name of tickets.keys()) release(name);
  expect(queue.figures()).toEqual({ held: 0, waiting: 0 });
});

test('who waited longer than the limit is refused with 503, and others are served later', async () => {
  const { queue, inside, refused, release, enter } = createProbe({ capacity: 10, waitMs: 1 });
  enter('A', '1', 'inside');
  enter('A', '2', 'late');
  await until(() => refused.length === 1);
  await expect(queue.enter({ store: 'B', caller: '1' }).admitted).rejects.toMatchObject({
    type: 'unavailable',
    status: 503,
    headers: { 'Retry-After': expect.any(String) },
  });
  release('inside');
  enter('B', '1');
  await until(() => inside.length === 2);
  expect([inside, refused]).toEqual([['inside', 'B1'], ['late']]);
});

test('when too many of a store wait, the newest of its longest line is refused', async () => {
  const { refused, enter, settled } = createProbe({ capacity: 10, maxWaiting: 3 });
  enter('A', '1', 'inside');
  for (const name of ['crowd 1', 'crowd 2']) enter('A', '1', name);
  enter('A', '2', 'single');
  enter('A', '3', 'another');
  enter('B', '1', 'other store');
  await settled();
  expect(refused).toEqual(['crowd 2']);
});
