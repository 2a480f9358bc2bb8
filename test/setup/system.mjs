import { execFileSync } from 'node:child_process';

/** The start of `npm run test:system`, whose tests run the programs as they are shipped. */
export default async () => {
  execFileSync(process.execPath, ['tools/build.mjs'], { stdio: 'inherit' });
  const { startRun } = await import('./start-run.ts');
  await startRun();
};
