import { bundle } from '../../tools/bundle.mjs';
import { generate } from '../../tools/generate.mjs';

/** The start of `npm test`. Jest reads this file itself, so it is JavaScript. */
export default async ({ testPathPatterns }) => {
  await generate();
  await bundle();
  const { startRun } = await import('./start-run.ts');
  // A run of a few files takes place in this process, which need not wait for PostgreSQL to load the service.
  const isShort = testPathPatterns.patterns.length > 0;
  await Promise.all([startRun(), isShort && import('../harness.ts')]);
};
