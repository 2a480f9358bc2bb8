/** The command line was not understood; the text names the flag, and the exit status is 2. */
export class UsageError extends Error {}
