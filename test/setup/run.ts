/** How the global setup tells the workers what the run has: variables of the environment. */
export const ENV = {
  adminUrl: 'WISHGATE_TEST_ADMIN_URL',
  template: 'WISHGATE_TEST_TEMPLATE',
  /** A folder for what one test file makes and the others use. */
  folder: 'WISHGATE_TEST_FOLDER',
} as const;

/** A value of this run. */
export function fromSetup(name: keyof typeof ENV): string {
  const value = process.env[ENV[name]];
  if (value === undefined)
    throw new Error(`${ENV[name]} is not set: run the tests through jest, whose global setup sets it`);
  return value;
}
