/** PostgreSQL's code for a write in a read-only transaction. */
export const READ_ONLY = '25006';
const AWAY_CODES =
  /^(ECONNREFUSED|ECONNRESET|EPIPE|ENOTFOUND|EAI_AGAIN|ETIMEDOUT|08...|57P0[1-5]|57014|53300|25006|25P03|P1001|P1002|P1008|P1017|P2024)$/;
const AWAY_TEXT =
  /Connection terminated|timeout exceeded when trying to connect|Client has encountered a connection error|server closed the connection|Query read timeout|DatabaseNotReachable|ConnectionClosed/;

/** By shape: `instanceof Error` is false for errors of another realm, and Prisma stores the driver's error in `meta`. */
function someFailure(error: unknown, fits: (code: string, message: string) => boolean): boolean {
  if (typeof error !== 'object' || error === null) return false;
  const { message, code, originalCode, cause, errors, meta } = error as Record<string, unknown> & {
    meta?: { driverAdapterError?: unknown };
  };
  const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');
  if (fits(textOf(originalCode ?? code), textOf(message))) return true;
  const inner = [cause, meta?.driverAdapterError, ...(Array.isArray(errors) ? (errors as unknown[]) : [])];
  return inner.some((failure) => someFailure(failure, fits));
}

/** PostgreSQL is unavailable, starting or shutting down: callers get 503 and may retry. */
export const isDatabaseAway = (error: unknown): boolean =>
  someFailure(error, (code, message) => AWAY_CODES.test(code) || AWAY_TEXT.test(message));

const hasOne =
  (...codes: string[]) =>
  (error: unknown): boolean =>
    someFailure(error, (code) => codes.includes(code));

/** The server is a replica, or an operator has made it read-only. */
export const isReadOnly = hasOne(READ_ONLY);

/** PostgreSQL refused a text, such as one with NUL. Fields validate theirs; this catches an id that no code validated. */
export const isUnstorableText = hasOne('22021', '22P05');

/** The fence of a store that moves to another server refused a write. */
export const isMoving = hasOne('WGMOV');

/** A concurrent transaction has inserted the same unique key. */
export const isUniqueViolation = hasOne('23505');

/** A deadlock, or a conflict of serializable transactions. */
export const isRetryable = hasOne('40001', '40P01');
