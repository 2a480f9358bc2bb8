/** `npm run test:long` sets it: everything random is repeated in full. */
export const isLong = process.env['TEST_TIER'] === 'long';

/** How often this run repeats what is random: in full before a release, a sixth of it at every change. */
export const times = (full: number): number => (isLong ? full : Math.ceil(full / 6));

/** The part of the long run that one has time for: `LONG_SHARE=0.2 npm run test:long`. */
const share = Number(process.env['LONG_SHARE'] ?? 1);

/** How much of something this run does: all of it before a release, a taste of it at every change. */
export const inFull = (full: number, taste: number): number =>
  isLong ? Math.max(taste, Math.round(full * share)) : taste;

/** A test that takes more than half a minute, and of which quick ones hold each part: before a release only. */
export const inLongRun = (name: string, run: () => Promise<void>): void =>
  (isLong ? test : test.skip)(name, run);
