/** What the tests need of the build, and for a run of a few files, which takes place in this process, the service itself. */
async function prepare(isShort) {
  const { generate } = await import('../../tools/generate.mjs');
  await generate();
  const { bundle } = await import('../../tools/bundle.mjs');
  await bundle();
  if (isShort) require('../harness.ts');
}

/** The start of `npm test`. Jest reads this file itself, so it is JavaScript. */
module.exports = async ({ testPathPatterns }) => {
  const isStarted = require('./start-run.ts').startRun();
  try {
    await prepare(testPathPatterns.patterns.length > 0);
    await isStarted;
  } catch (error) {
    // Jest runs no teardown after a failed setup.
    await isStarted.then(() => globalThis.endWishgateTests());
    throw error;
  }
};
