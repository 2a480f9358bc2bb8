import { parseArgs } from 'node:util';

/** A command line that cannot be parsed; the message names the flag, and the exit code is 2. */
export class UsageError extends Error {}

export type Flag = { type: 'string' | 'boolean'; help: string; value?: string };

export type Values = { [flag: string]: string | boolean | undefined };

export const COMMON_FLAGS: Record<string, Flag> = {
  json: { type: 'boolean', help: 'print one line of JSON instead of text' },
  help: { type: 'boolean', help: 'show this help' },
};

export const CLI_NOTE =
  'Set DATABASE_URL or DATA_DIR as for the server. Exit codes: 0 success, 1 error, 2 usage error';

export function columns(rows: (readonly [string, string])[]): string {
  const width = Math.max(...rows.map(([left]) => left.length)) + 3;
  return rows.map(([left, right]) => `  ${left.padEnd(width)}${right}`).join('\n');
}

export function describeFlags(flags: Record<string, Flag>): string {
  const all = Object.entries({ ...flags, ...COMMON_FLAGS });
  return columns(all.map(([flag, { value, help }]) => [`--${flag} ${value ?? ''}`.trim(), help]));
}

/** Throws a UsageError that names the flag; arguments without one are added to `files`, or refused. */
export function readFlags(args: string[], flags: Record<string, Pick<Flag, 'type'>>, files?: string[]) {
  const options: typeof flags = { ...flags, ...COMMON_FLAGS };
  const isFlag = (text: string): boolean =>
    text.startsWith('--') && Object.hasOwn(options, text.slice(2).split('=')[0]!);
  const { tokens, values } = parseArgs({ args, options, strict: false, tokens: true });
  for (const token of tokens) {
    if (token.kind === 'option-terminator') continue;
    if (token.kind === 'positional') {
      if (!files) throw new UsageError(`Unexpected argument "${token.value}"; see --help`);
      files.push(token.value);
    } else if (!isFlag(token.rawName)) throw new UsageError(`Unknown flag ${token.rawName}; see --help`);
    else if (options[token.name]!.type === 'boolean') {
      if (token.value !== undefined) throw new UsageError(`${token.rawName} takes no value`);
    } else if (token.value === undefined || (!token.inlineValue && isFlag(token.value)))
      // A value may begin with a dash, as one id in 64 does.
      throw new UsageError(`${token.rawName} needs a value`);
  }
  return values;
}

/** Returns an empty text without the flag. */
export const textOf = (values: Values, flag: string): string => String(values[flag] ?? '');

export function required(values: Values, flag: string): string {
  const value = textOf(values, flag);
  if (value.trim() === '') throw new UsageError(`--${flag} is missing; see --help`);
  return value;
}

/** Throws a UsageError for none or several. */
export function oneOf<Name extends string>(values: Values, ...flags: Name[]): Name {
  const given = flags.filter((flag) => values[flag] !== undefined);
  if (given.length !== 1)
    throw new UsageError(`Use exactly one of ${flags.map((flag) => `--${flag}`).join(', ')}`);
  return given[0]!;
}

export function whole(flag: string, text: string): number {
  if (!/^\d{1,9}$/.test(text)) throw new UsageError(`--${flag} must be a whole number`);
  return Number(text);
}
