import { createBatch } from '../../src/platform/batch.ts';
import type { BatchOutcome } from '../../src/platform/batch.ts';

type Write = { subject: string; n: number };
type Batch = {
  writes: readonly Write[];
  end: (outcomes: BatchOutcome<number>[]) => void;
  fail: (error: Error) => void;
};

/** A batch whose transactions end when the test says so. */
function open(maxInFlight: number) {
  const batches: Batch[] = [];
  const alone: Write[] = [];
  const write = createBatch<Write, number>({
    kind: 'write',
    maxBatch: 50,
    together: (writes) =>
      new Promise((end, fail) => {
        batches.push({ writes, end, fail });
      }),
    async alone(one) {
      alone.push(one);
      return -one.n;
    },
    subjectOf: ({ subject }) => subject,
    maxInFlight,
  });
  return { batches, alone, write: (subject: string, n: number) => write({ subject, n }) };
}

const turn = () => new Promise((done) => setImmediate(done));
const done = ({ writes, end }: Batch) => end(writes.map(({ n }) => ({ result: n })));
const numbers = ({ writes }: Batch) => writes.map(({ n }) => n);

test('writes that come while a transaction is under way share the next one', async () => {
  const { batches, write } = open(1);
  const first = write('a', 1);
  await turn();
  const later = [write('b', 2), write('c', 3), write('d', 4)];
  await turn();
  expect(batches.map(numbers)).toEqual([[1]]);
  done(batches[0]!);
  expect(await first).toBe(1);
  await turn();
  expect(batches.map(numbers)).toEqual([[1], [2, 3, 4]]);
  done(batches[1]!);
  expect(await Promise.all(later)).toEqual([2, 3, 4]);
});

test('writes with one subject follow each other in their order, though there is room beside', async () => {
  const { batches, write } = open(2);
  const all = [write('a', 1), write('a', 2), write('b', 3), write('a', 4)];
  await turn();
  expect(batches.map(numbers)).toEqual([[1, 3]]);
  done(batches[0]!);
  await all[0];
  await turn();
  expect(batches.map(numbers)).toEqual([[1, 3], [2]]);
  done(batches[1]!);
  await all[1];
  await turn();
  done(batches[2]!);
  expect(await Promise.all(all)).toEqual([1, 2, 3, 4]);
});

test('each caller of a shared write gets its own outcome: refused, done alone or done', async () => {
  const { batches, alone, write } = open(1);
  const all = [write('a', 1), write('b', 2), write('c', 3)];
  await turn();
  batches[0]!.end([{ error: new Error('refused') }, 'alone', { result: 3 }]);
  await expect(all[0]).rejects.toThrow('refused');
  expect(await all[1]).toBe(-2);
  expect(await all[2]).toBe(3);
  expect(alone.map(({ n }) => n)).toEqual([2]);
});

test('a transaction that fails fails all writes in it, and the next writes go on', async () => {
  const { batches, write } = open(1);
  const all = [write('a', 1), write('b', 2)];
  await turn();
  batches[0]!.fail(new Error('away'));
  expect((await Promise.allSettled(all)).map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  const next = write('a', 3);
  await turn();
  done(batches[1]!);
  expect(await next).toBe(3);
});
