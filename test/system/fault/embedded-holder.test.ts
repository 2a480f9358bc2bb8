import { readFile, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { holdHome } from '../../../src/platform/database/embedded-lock.ts';
import type { HomeHold } from '../../../src/platform/database/embedded-lock.ts';
import { createLogger } from '../../../src/platform/log.ts';
import { inFull } from '../../tier.ts';
import { until } from '../../until.ts';
import * as kit from './fixtures/embedded-kit.ts';

// Several machines on one folder, played by one process: what tells them apart is their place. Beats are sixty times as
// frequent as the watch is long, so that a busy machine does not make a live holder look dead.
const TIMES = { beatMs: 50, watchMs: 3_000 };
const silent = createLogger('silent');
const holds: HomeHold[] = [];

const placeOf = (machine: number): string => `machine-${machine} pid:[${machine}]`;
const claimsIn = async (dir: string): Promise<string[]> =>
  (await readdir(dir)).filter((name) => /holder\.\d+$/.test(name));

/** What the only claim says. */
async function signOf(dir: string): Promise<string> {
  const claims = await claimsIn(dir);
  expect(claims).toHaveLength(1);
  return readFile(join(dir, claims[0]!), 'utf8');
}

async function hold(
  dir: string,
  machine: number,
  log = silent,
  pause?: () => Promise<void>,
): Promise<HomeHold> {
  const held = await holdHome(dir, log, { ...TIMES, place: placeOf(machine), pause });
  holds.push(held);
  return held;
}

afterEach(async () => {
  for (const held of holds.splice(0)) await held.end(true);
  await kit.cleanUp();
});

// Rounds of staggered arrivals: one alone rarely shows two that win.
test.each(Array.from({ length: inFull(4, 1) }, (_, round) => round))(
  'a dead holder, a claim that was never written and one that was given free are succeeded by one of twelve machines that come at once, and the others name it (round %i)',
  async () => {
    const succeed = async (number: number, text: string): Promise<void> => {
      const dir = await kit.makeDataDir();
      await writeFile(join(dir, `postgres.holder.${number}`), text);
      const arrive = async (machine: number): Promise<number> => {
        for (let step = 1; step < machine; step += 1) await readdir(dir);
        await hold(dir, machine);
        return machine;
      };
      const outcomes = await Promise.allSettled(Array.from({ length: 12 }, (_, index) => arrive(index + 1)));
      const winners = outcomes.flatMap((outcome) => (outcome.status === 'fulfilled' ? [outcome.value] : []));
      expect([text, winners]).toEqual([text, [expect.any(Number)]]);
      const name = `machine-${winners[0]}`;
      for (const outcome of outcomes)
        if (outcome.status === 'rejected')
          expect(outcome.reason).toMatchObject({ message: expect.stringContaining(`container ${name} `) });
      expect((await signOf(dir)).startsWith(`${placeOf(winners[0]!)} `)).toBe(true);
    };
    await Promise.all([succeed(3, 'machine-99 pid:[9] 8 1\n'), succeed(5, ''), succeed(8, 'released\n')]);
  },
);

test('of two that find a holder dead, one that stands still before it creates its number, looks whether it was passed, or looks once more, gives way to the one that goes past it', async () => {
  const standStill = async (stop: number): Promise<void> => {
    const dir = await kit.makeDataDir();
    await writeFile(join(dir, 'postgres.holder.1'), 'machine-0 pid:[0] 7 1\n');
    let goOn = (): void => undefined;
    const gate = new Promise<void>((resolve) => (goOn = resolve));
    let steps = 0;
    const slow = hold(dir, 1, silent, () => ((steps += 1) === stop ? gate : Promise.resolve()));
    slow.catch(() => undefined);
    await until(async () => steps === stop);
    const fast = await hold(dir, 2);
    goOn();
    await expect(slow).rejects.toThrow('on the host or container machine-2 ');
    await fast.confirm();
    expect((await signOf(dir)).startsWith(placeOf(2))).toBe(true);
  };
  await Promise.all([1, 2, 3].map(standStill));
});

test('a holder that was taken over while it slept leaves the new one’s sign alone, says so, and cannot go on', async () => {
  const dir = await kit.makeDataDir();
  const lines: string[] = [];
  const sleeper = await hold(dir, 1, createLogger('error', { write: (line) => void lines.push(line) }));
  const theirs = join(dir, 'postgres.holder.2');
  await writeFile(theirs, `${placeOf(2)} 9 1\n`);
  await until(async () => lines.length > 0);
  expect(lines).toEqual([expect.stringContaining('taken over DATA_DIR')]);
  let beats = 0;
  let beat = Promise.resolve();
  const beating = setInterval(
    () => (beat = writeFile(theirs, `${placeOf(2)} 9 ${(beats += 1)}\n`)),
    TIMES.beatMs,
  );
  await expect(sleeper.confirm()).rejects.toThrow('in use by process 9 on the host or container machine-2 ');
  clearInterval(beating);
  // A file that is just being written is empty for a moment.
  await beat;
  await sleeper.end(true);
  expect(await readFile(theirs, 'utf8')).toBe(`${placeOf(2)} 9 ${beats}\n`);
});

test('a machine that wakes late finds a higher number and gives way, whatever was cleared away meanwhile', async () => {
  const dir = await kit.makeDataDir();
  const first = await hold(dir, 1);
  await first.end(true);
  const second = await hold(dir, 2);
  // Its look was before all this, so it goes for the number after the one it saw, which is free again.
  expect(await claimsIn(dir)).toEqual(['postgres.holder.2']);
  await writeFile(join(dir, 'postgres.holder.1'), `${placeOf(3)} 9 1\n`, { flag: 'wx' });
  await expect(hold(dir, 4)).rejects.toThrow('on the host or container machine-2 ');
  await second.confirm();
});
