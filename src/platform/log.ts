import cluster from 'node:cluster';
import { pino } from 'pino';
import type { DestinationStream, Logger } from 'pino';
import { logTo } from './log-lines.ts';

export type { Logger } from 'pino';

/** Values under these keys never reach a log line, at any depth that our code logs. */
const SECRET_KEYS =
  'apiKey key sessionid regid useremail externalid externalId email em phone mediumvalue authorization password'.split(
    ' ',
  );

/** Errors quote requests and rows: addresses, phone numbers, and anything as long as a regid, sessionid or key. */
const SECRET_TEXT = /[^\s"'()=<>,;:]{1,200}@[^\s"'()=<>,;:]+|\+?\d[\d ().-]{7,40}\d|[A-Za-z0-9_-]{40,}/g;

/** A foreign mail server can send a text of any length, and searching 30 kB for secrets took 4 s. */
const MAX_TEXT = 2_000;

function hideSecrets(text: string): string {
  if (text.length <= MAX_TEXT) return text.replace(SECRET_TEXT, '[hidden]');
  // A word that was cut could be a part of a secret that the pattern no longer recognizes.
  const start = text.slice(0, MAX_TEXT);
  return `${start.slice(0, start.lastIndexOf(' ') + 1).replace(SECRET_TEXT, '[hidden]')}…`;
}

/** Only listed fields, and texts without secrets, because drivers quote the row's values in their errors. */
function serializeError(error: unknown, depth = 0): unknown {
  if (!(error instanceof Error)) return { type: typeof error };
  const { code, constraint, table, column, routine } = error as Error & Record<string, unknown>;
  const places = error.stack?.split('\n').filter((line) => /^\s+at /.test(line));
  return {
    type: error.name,
    message: hideSecrets(error.message),
    code,
    constraint,
    table,
    column,
    routine,
    stack: places?.join('\n'),
    cause: error.cause === undefined || depth > 2 ? undefined : serializeError(error.cause, depth + 1),
  };
}

/** Writes one JSON object per line, which any log collector can read, and readable lines on a terminal. */
export function createLogger(level: string, destination: DestinationStream = logTo(1)): Logger {
  return pino(
    {
      level,
      // Which gateway of the service wrote a line.
      base: cluster.isWorker ? { pid: process.pid } : undefined,
      timestamp: pino.stdTimeFunctions.isoTime,
      serializers: {
        err: (error: unknown) => serializeError(error),
        // Mail servers and SMS providers quote the recipient when they refuse.
        reason: (reason: unknown) => (typeof reason === 'string' ? hideSecrets(reason) : reason),
      },
      redact: { paths: SECRET_KEYS.flatMap((key) => [key, `*.${key}`, `*.*.${key}`]), censor: '[hidden]' },
    },
    destination,
  );
}
