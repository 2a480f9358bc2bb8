/** A command line that cannot be parsed; the message names the flag, and the exit code is 2. */
export class UsageError extends Error {}
