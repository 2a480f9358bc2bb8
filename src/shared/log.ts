import { pino } from 'pino';
import type { Logger } from 'pino';

export type { Logger } from 'pino';

/** Values under these keys never reach a log line, at any depth that our code logs. */
const SECRET_KEYS = [
  'apiKey',
  'key',
  'sessionid',
  'regid',
  'useremail',
  'email',
  'em',
  'phone',
  'mediumvalue',
  'authorization',
  'password',
];

/** Makes the process logger: one JSON object a line on standard output, so that any collector can read it. */
export function createLogger(level: string): Logger {
  return pino({
    level,
    base: undefined,
    timestamp: pino.stdTimeFunctions.isoTime,
    redact: { paths: SECRET_KEYS.flatMap((key) => [key, `*.${key}`, `*.*.${key}`]), censor: '[hidden]' },
  });
}
