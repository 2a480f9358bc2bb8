// Results for people, for programs and for docs/performance.md.
import type { Result, Row } from './bench.ts';

/** A whole run, as `--json` prints it. */
export type Report = {
  at: string;
  machine: Record<string, string | number>;
  size: string;
  rounds: number;
  seconds: number;
  results: Result[];
};

const number = (value: number): string =>
  value.toLocaleString('en', { maximumFractionDigits: value < 10 ? 2 : value < 100 ? 1 : 0 });

const orNothing = (value: number | null | undefined, digits = 0): string =>
  value == null ? '' : value.toFixed(digits);

/** Whether a row is what it has to be; null where nothing is asked of it. */
function isMet({ ratio, goal }: Row): boolean | null {
  if (!goal || ratio === undefined) return null;
  // As it is shown: what reads 1.40 has reached 1.4.
  const shown = Number(ratio.toFixed(2));
  return 'atLeast' in goal ? shown >= goal.atLeast : shown <= goal.atMost;
}

const goalText = (row: Row): string =>
  !row.goal
    ? ''
    : ('atLeast' in row.goal ? `≥ ${row.goal.atLeast}` : `≤ ${row.goal.atMost}`) +
      (isMet(row) === false ? ', missed' : '');

/** How many times as much CPU the first row takes for one request, PostgreSQL's counted in: steady where the machine is not. */
function cpuRatio(row: Row, base: Row): number | null {
  const workOf = ({ cpuUs, postgresUs }: Row): number | null =>
    cpuUs == null || postgresUs == null ? null : cpuUs + postgresUs;
  const [own, first] = [workOf(row), workOf(base)];
  return own && first && first / own;
}

const COLUMNS: { title: string; text(row: Row, base: Row): string }[] = [
  { title: 'ratio', text: ({ ratio }) => orNothing(ratio, 2) },
  { title: 'goal', text: goalText },
  { title: 'p50 ms', text: ({ p50Ms }) => orNothing(p50Ms, 1) },
  { title: 'p99 ms', text: ({ p99Ms }) => orNothing(p99Ms, 1) },
  { title: 'CPU µs', text: ({ cpuUs }) => orNothing(cpuUs) },
  { title: 'PostgreSQL µs', text: ({ postgresUs }) => orNothing(postgresUs) },
  { title: 'CPU ratio', text: (row, base) => orNothing(cpuRatio(row, base), 2) },
];

const tableOf = ({ unit, rows }: Result): string[][] => {
  const used = COLUMNS.filter(({ text }) => rows.some((row) => text(row, rows[0]!) !== ''));
  return [
    ['', unit, ...used.map(({ title }) => title)],
    ...rows.map((row) => [row.name, number(row.value), ...used.map(({ text }) => text(row, rows[0]!))]),
  ];
};

const widthsOf = (lines: readonly string[][]): number[] =>
  lines[0]!.map((_, column) => Math.max(3, ...lines.map((line) => line[column]!.length)));

const notesOf = ({ notes = [], failure }: Result): string[] => [
  ...notes,
  ...(failure ? [`FAILED: ${failure}`] : []),
];

/** A result as a table for a terminal. */
export function toText(result: Result): string {
  const lines = tableOf(result);
  const widths = widthsOf(lines);
  const body = lines.map((line) =>
    line
      .map((cell, column) => (column === 0 ? cell.padEnd(widths[0]!) : cell.padStart(widths[column]!)))
      .join('  ')
      .trimEnd(),
  );
  return [result.title, ...[...body, ...notesOf(result)].map((line) => `  ${line}`)].join('\n');
}

/** A Markdown table as oxfmt leaves it; the first `texts` columns are texts, the others numbers. */
function markdownTable(lines: readonly string[][], texts: number): string[] {
  const widths = widthsOf(lines);
  const row = (cells: readonly string[]): string =>
    `| ${cells.map((cell, column) => (column < texts ? cell.padEnd(widths[column]!) : cell.padStart(widths[column]!))).join(' | ')} |`;
  const rule = widths.map((width, column) =>
    column < texts ? '-'.repeat(width) : `${'-'.repeat(width - 1)}:`,
  );
  const [head, ...rows] = lines;
  return [row(head!), row(rule), ...rows.map(row)];
}

/** What is asked for, in one table. */
function summaryOf(results: readonly Result[]): string[][] {
  const rows = results.flatMap(({ title, rows: [base, ...others] }) =>
    others
      .filter(({ goal }) => goal)
      .map((row) => [title, base!.name, row.name, orNothing(row.ratio, 2), goalText(row)]),
  );
  return [['Work', '1.00 is', 'measured', 'ratio', 'goal'], ...rows];
}

/** A run as the tables of docs/performance.md. */
export function toMarkdown({ at, machine, size, rounds, seconds, results }: Report): string {
  const facts = [
    `${machine['cpu']}, ${machine['cores']} cores, ${machine['memoryGb']} GB`,
    `Node ${machine['node']}`,
    `PostgreSQL ${machine['postgresql']}`,
    `${size} data`,
    `medians of ${rounds} rounds of ${seconds} s`,
    at.slice(0, 10),
  ];
  const sections = results.map((result) => {
    const notes = notesOf(result);
    return [
      `### ${result.title}`,
      '',
      ...markdownTable(tableOf(result), 1),
      ...(notes.length > 0 ? ['', ...notes] : []),
    ].join('\n');
  });
  return [`${facts.join('; ')}.`, markdownTable(summaryOf(results), 3).join('\n'), ...sections].join('\n\n');
}

const [START, END] = ['<!-- measured: npm run bench -- --docs -->', '<!-- end of measured -->'];

/** A document with the run's tables in the place that is marked for them. */
export function intoDocument(document: string, report: Report): string {
  const [start, end] = [document.indexOf(START), document.indexOf(END)];
  if (start < 0 || end < start) throw new Error(`The document has no place between ${START} and ${END}`);
  return `${document.slice(0, start)}${START}\n\n${toMarkdown(report)}\n\n${document.slice(end)}`;
}
