/** `npm run test:long` sets it: everything random is repeated in full. */
const isLong = process.env['TEST_TIER'] === 'long';

/** How often this run repeats what is random: in full before a release, a third of it at every change. */
export const times = (full: number): number => (isLong ? full : Math.ceil(full / 3));

/** A test that takes more than half a minute, and of which quick ones hold each part: before a release only. */
export const inLongRun = isLong ? test : test.skip;
