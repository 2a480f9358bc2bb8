import { isatty } from 'node:tty';
import { pino } from 'pino';
import type { DestinationStream } from 'pino';

type Entry = { level: number; time: string; msg?: string; err?: LoggedError; [field: string]: unknown };
type LoggedError = { type?: string; message?: string; code?: string; stack?: string; cause?: LoggedError };

/** A longer list is shown by its first and last entry. */
const MAX_ENTRIES = 3;

/** A caller's text must not control the terminal, so unprintable characters are escaped. */
const printable = (text: string): string =>
  text.replace(
    /[\p{Cc}\p{Cf}\u2028\u2029]/gu,
    (sign) => `\\u${sign.codePointAt(0)!.toString(16).padStart(4, '0')}`,
  );

function valueText(value: unknown): string {
  if (typeof value === 'string') return /[\s"]/.test(value) ? JSON.stringify(value) : value;
  if (Array.isArray(value) && value.length > MAX_ENTRIES)
    return `${valueText(value[0])} … ${valueText(value.at(-1))}`;
  return JSON.stringify(value);
}

function errorLines({ type, message, code, stack, cause }: LoggedError): string[] {
  const head = `${type ?? 'Error'}: ${message ?? ''}${code === undefined ? '' : ` (${code})`}`;
  const places = stack ? stack.split('\n').map((line) => `  ${line.trim()}`) : [];
  return [head, ...places, ...(cause ? errorLines(cause).map((line) => `  ${line}`) : [])];
}

export function readableLine(json: string): string {
  const { level, time, msg = '', err, ...fields } = JSON.parse(json) as Entry;
  const at = new Date(time).toTimeString().slice(0, 8);
  const name = (pino.levels.labels[level] ?? String(level)).toUpperCase().padEnd(5);
  const pairs = Object.entries(fields).map(([field, value]) => `  ${field}=${valueText(value)}`);
  const lines = [`${at} ${name} ${msg}${pairs.join('')}`];
  if (err) lines.push(...errorLines(err).map((line) => `         ${line}`));
  return `${lines.map(printable).join('\n')}\n`;
}

/** Writes to standard output (1) or standard error (2): readable lines on a terminal, JSON to a pipe or a file. */
export function logTo(fd: 1 | 2): DestinationStream {
  const out = pino.destination(fd);
  return isatty(fd) ? { write: (json) => void out.write(readableLine(json)) } : out;
}
