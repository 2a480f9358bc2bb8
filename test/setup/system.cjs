const { execFileSync } = require('node:child_process');

/** The start of `npm run test:system`, whose tests run the programs as they are shipped. */
module.exports = async () => {
  execFileSync(process.execPath, ['tools/build.mjs'], { stdio: 'inherit' });
  await require('./start-run.ts').startRun();
};
