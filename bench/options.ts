// The flags of `npm run bench`.
import { parseArgs } from 'node:util';
import { CASES } from './cases/cases.ts';
import type { Case } from './bench.ts';
import type { SizeName } from './prepare.ts';

/** What was asked for. */
export type Options = {
  size: SizeName;
  cases: readonly Case[];
  rounds: number;
  seconds: number;
  isJson: boolean;
  isMarkdown: boolean;
  docs: string | null;
  plot: string | null;
  /** Results of before; nothing is measured then. */
  from: string | null;
};

/** What `--help` prints. */
export const HELP = `npm run bench -- [flags]

Compares wishgate with what a team would write, on one database, in alternating rounds.
Without flags: every measurement on the small data, about ten minutes.

  --only NAME     only this measurement; more than one with commas, or by repeating the flag
  --small         200,000 items (default)
  --full          1,000,000 lists, 10,000,000 items over 200 stores; the first run loads them
  --rounds N      interleaved rounds, of which the median counts (default 5)
  --seconds S     load on each contender in each round (default 2)
  --json          the result as JSON on stdout, with npm run --silent; progress goes to stderr
  --markdown      the result as Markdown tables on stdout
  --docs FILE     writes these tables into the place that is marked for them (docs/performance.md)
  --plot FILE     writes the ratios as an SVG picture
  --from FILE     measures nothing: takes what --json printed before
  --help          this text

Environment: DATABASE_URL takes another PostgreSQL than the bundled one. The databases wishgate_bench_small
and wishgate_bench_full are made there and kept for the next run; nothing else on it is touched.

Measurements:
${CASES.map(({ name, title }) => `  ${name.padEnd(14)}  ${title}`).join('\n')}
`;

const FLAGS = {
  only: { type: 'string', multiple: true },
  small: { type: 'boolean' },
  full: { type: 'boolean' },
  rounds: { type: 'string', default: '5' },
  seconds: { type: 'string', default: '2' },
  json: { type: 'boolean', default: false },
  markdown: { type: 'boolean', default: false },
  docs: { type: 'string' },
  plot: { type: 'string' },
  from: { type: 'string' },
  help: { type: 'boolean' },
} as const;

/** Reads the flags; null when help was asked for. Throws an Error whose message says what is wrong. */
export function readOptions(args: string[]): Options | null {
  const { values } = parseArgs({ args, options: FLAGS });
  if (values.help) return null;
  if (values.small && values.full) throw new Error('--small and --full exclude each other');
  const size: SizeName = values.full ? 'full' : 'small';
  return {
    size,
    cases: chooseCases(values.only, size),
    rounds: readNumber('rounds', values.rounds, 1),
    seconds: readNumber('seconds', values.seconds, 0.1),
    isJson: values.json,
    isMarkdown: values.markdown,
    docs: values.docs ?? null,
    plot: values.plot ?? null,
    from: values.from ?? null,
  };
}

function readNumber(flag: string, text: string, min: number): number {
  const value = Number(text);
  if (Number.isNaN(value) || value < min) throw new Error(`--${flag} must be a number of at least ${min}`);
  return value;
}

function chooseCases(only: string[] | undefined, size: SizeName): readonly Case[] {
  const isPossible = ({ isFullOnly }: Case): boolean => !isFullOnly || size === 'full';
  if (only === undefined) return CASES.filter(isPossible);
  const names = only.flatMap((text) => text.split(',')).filter(Boolean);
  return names.map((name) => {
    const found = CASES.find((one) => one.name === name);
    if (!found)
      throw new Error(
        `There is no measurement ${name}; there are ${CASES.map((one) => one.name).join(', ')}`,
      );
    if (!isPossible(found)) throw new Error(`${name} needs the full data: add --full`);
    return found;
  });
}
