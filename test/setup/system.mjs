/** The start of `npm run test:system`, whose tests run the programs as they are shipped. */
export default async () => {
  const { startRun } = await import('./start-run.ts');
  await startRun(['build']);
};
