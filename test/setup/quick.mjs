/** The start of `npm test`. Jest reads this file itself, so it is JavaScript. */
export default async () => {
  const { startRun } = await import('./start-run.ts');
  await startRun(['generate', 'bundle']);
};
