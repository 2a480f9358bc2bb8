/** The code of a failure: the driver's, Prisma's, or the driver's as Prisma hands it on. */
function codeOf(error: { code?: unknown; originalCode?: unknown }): string {
  const code = error.originalCode ?? error.code;
  return typeof code === 'string' ? code : '';
}

const AWAY_CODES =
  /^(ECONNREFUSED|ECONNRESET|EPIPE|ENOTFOUND|EAI_AGAIN|ETIMEDOUT|08...|57P0[1-5]|57014|53300|25006|25P03|P1001|P1002|P1008|P1017|P2024)$/;
const AWAY_TEXT =
  /Connection terminated|timeout exceeded when trying to connect|Client has encountered a connection error|server closed the connection|Query read timeout|DatabaseNotReachable|ConnectionClosed/;
/** PostgreSQL's code for a write where only reading is possible. */
export const READ_ONLY = '25006';
const UNSTORABLE_CODES = /^(22021|22P05)$/;

/**
 * Whether a failure, or one inside it, fits. Judged by shape, because an error can come from another realm, where
 * `instanceof Error` is false, and Prisma keeps the driver's error in its `meta`.
 */
export function someFailure(error: unknown, fits: (code: string, message: string) => boolean): boolean {
  if (typeof error !== 'object' || error === null) return false;
  const { message, cause, errors, meta } = error as {
    message?: unknown;
    cause?: unknown;
    errors?: unknown;
    meta?: { driverAdapterError?: unknown };
  };
  if (fits(codeOf(error), typeof message === 'string' ? message : '')) return true;
  const inner = [cause, meta?.driverAdapterError, ...(Array.isArray(errors) ? (errors as unknown[]) : [])];
  return inner.some((failure) => someFailure(failure, fits));
}

/** Whether a failure means that PostgreSQL is away, starting or shutting down: callers get 503 and may retry. */
export function isDatabaseAway(error: unknown): boolean {
  return someFailure(error, (code, message) => AWAY_CODES.test(code) || AWAY_TEXT.test(message));
}

/** Whether the server only reads: it follows another one, or an operator has closed it for writes. */
export function isReadOnly(error: unknown): boolean {
  return someFailure(error, (code) => code === READ_ONLY);
}

/** Whether PostgreSQL refused a text, such as one with NUL in it. Fields check theirs; this catches an id that nobody checked. */
export function isUnstorableText(error: unknown): boolean {
  return someFailure(error, (code) => UNSTORABLE_CODES.test(code));
}

/** Whether a row that another transaction wrote in the same moment stands in the way of a unique index. */
export function isUniqueViolation(error: unknown): boolean {
  return someFailure(error, (code) => code === '23505');
}
