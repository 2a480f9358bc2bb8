/** The start of `npm test`. Jest reads this file itself, so it is JavaScript. */
module.exports = async ({ testPathPatterns }) => {
  const [{ bundle }, { generate }] = await Promise.all([
    import('../../tools/bundle.mjs'),
    import('../../tools/generate.mjs'),
  ]);
  await generate();
  await bundle();
  const isStarted = require('./start-run.ts').startRun();
  // A run of a few files takes place in this process, which loads the service while PostgreSQL starts.
  if (testPathPatterns.patterns.length > 0) require('../harness.ts');
  await isStarted;
};
