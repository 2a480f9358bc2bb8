import { bundle } from '../../tools/bundle.mjs';
import { generate } from '../../tools/generate.mjs';

/** The start of `npm test`. Jest reads this file itself, so it is JavaScript. */
export default async () => {
  await generate();
  await bundle();
  const { startRun } = await import('./start-run.ts');
  await startRun();
};
