import { parseArgs } from 'node:util';
import { UsageError } from './usage.ts';

export type Flag = { type: 'string' | 'boolean'; help: string; value?: string };

export type Values = { [flag: string]: string | boolean | undefined };

export const COMMON_FLAGS: Record<string, Flag> = {
  json: { type: 'boolean', help: 'print one line of JSON instead of text' },
  help: { type: 'boolean', help: 'show this help' },
};

/** Joins each value to its flag, because one id in 64 begins with a dash and must not be read as a flag. */
function joinValues(args: readonly string[], options: Record<string, Pick<Flag, 'type'>>): string[] {
  const flagOf = (arg = '') => (arg.startsWith('--') ? options[arg.slice(2).split('=')[0]!] : undefined);
  const isValue = (arg: string, before?: string): boolean =>
    arg.startsWith('-') && !flagOf(arg) && !before?.includes('=') && flagOf(before)?.type === 'string';
  return args.flatMap((arg, index) => {
    const next = args[index + 1];
    if (isValue(arg, args[index - 1])) return [];
    return next !== undefined && isValue(next, arg) ? [`${arg}=${next}`] : [arg];
  });
}

/** Throws a UsageError that names the flag. */
export function readFlags(args: string[], flags: Record<string, Pick<Flag, 'type'>>): Values {
  const options = Object.fromEntries(
    Object.entries({ ...flags, ...COMMON_FLAGS }).map(([name, { type }]) => [name, { type }]),
  );
  try {
    return parseArgs({ args: joinValues(args, options), options, strict: true, allowPositionals: false })
      .values;
  } catch (error) {
    const { code = '', message } = error as Error & { code?: string };
    const [given] = /(?<=')-{0,2}[^'\s]+/.exec(message) ?? [];
    if (code === 'ERR_PARSE_ARGS_UNKNOWN_OPTION')
      throw new UsageError(`There is no flag ${given}; see --help`);
    if (code === 'ERR_PARSE_ARGS_UNEXPECTED_POSITIONAL')
      throw new UsageError(`"${given}" belongs to no flag; see --help`);
    if (code !== 'ERR_PARSE_ARGS_INVALID_OPTION_VALUE') throw error;
    const isSwitch = message.includes('does not take an argument');
    throw new UsageError(isSwitch ? `${given} takes no value` : `${given} needs a value`);
  }
}

/** Returns an empty text without the flag. */
export const textOf = (values: Values, flag: string): string => String(values[flag] ?? '');

export function required(values: Values, flag: string): string {
  const value = textOf(values, flag);
  if (value.trim() === '') throw new UsageError(`--${flag} is missing`);
  return value;
}

/** Throws a UsageError for none or several. */
export function oneOf<Name extends string>(values: Values, ...flags: Name[]): Name {
  const given = flags.filter((flag) => values[flag] !== undefined);
  if (given.length !== 1)
    throw new UsageError(`Give exactly one of ${flags.map((flag) => `--${flag}`).join(', ')}`);
  return given[0]!;
}

export const whole =
  (flag: string) =>
  (text: string | boolean): number => {
    if (!/^\d{1,9}$/.test(String(text))) throw new UsageError(`--${flag} must be a whole number`);
    return Number(text);
  };
