// Results for people, for programs and for docs/performance.md.
import type { Result, Row } from './bench.ts';

const number = (value: number): string =>
  value.toLocaleString('en', { maximumFractionDigits: value < 10 ? 2 : value < 100 ? 1 : 0 });

const orNothing = (value: number | null | undefined, digits = 0): string =>
  value == null ? '' : value.toFixed(digits);

/** Whether a row is what it has to be; null where nothing is asked of it. */
export function isMet({ ratio, goal }: Row): boolean | null {
  if (!goal || ratio === undefined) return null;
  // As it is shown: what reads 1.40 has reached 1.4.
  const shown = Number(ratio.toFixed(2));
  return 'atLeast' in goal ? shown >= goal.atLeast : shown <= goal.atMost;
}

const goalText = ({ goal }: Row): string =>
  !goal ? '' : 'atLeast' in goal ? `≥ ${goal.atLeast}` : `≤ ${goal.atMost}`;

const COLUMNS: { title: string; text(row: Row): string }[] = [
  { title: 'ratio', text: ({ ratio }) => orNothing(ratio, 2) },
  { title: 'goal', text: (row) => goalText(row) + (isMet(row) === false ? ' missed' : '') },
  { title: 'p50 ms', text: ({ p50Ms }) => orNothing(p50Ms, 1) },
  { title: 'p99 ms', text: ({ p99Ms }) => orNothing(p99Ms, 1) },
  { title: 'CPU µs', text: ({ cpuUs }) => orNothing(cpuUs) },
  { title: 'PostgreSQL µs', text: ({ postgresUs }) => orNothing(postgresUs) },
];

const table = ({ unit, rows }: Result): string[][] => {
  const used = COLUMNS.filter(({ text }) => rows.some((row) => text(row) !== ''));
  return [
    ['', unit, ...used.map(({ title }) => title)],
    ...rows.map((row) => [row.name, number(row.value), ...used.map(({ text }) => text(row))]),
  ];
};

/** A result as a table for a terminal. */
export function toText(result: Result): string {
  const lines = table(result);
  const widths = lines[0]!.map((_, column) => Math.max(...lines.map((line) => line[column]!.length)));
  const body = lines.map((line) =>
    line
      .map((cell, column) => (column === 0 ? cell.padEnd(widths[0]!) : cell.padStart(widths[column]!)))
      .join('  ')
      .trimEnd(),
  );
  return [result.title, ...body.map((line) => `  ${line}`), ...notesOf(result, '  ')].join('\n');
}

/** A result as a section of docs/performance.md. */
export function toMarkdown(result: Result): string {
  const [head, ...rows] = table(result);
  const line = (cells: string[]): string => `| ${cells.join(' | ')} |`;
  const rule = line(head!.map((_, column) => (column === 0 ? '---' : '--:')));
  const notes = notesOf(result, '');
  return [
    `### ${result.title}`,
    '',
    line(head!),
    rule,
    ...rows.map(line),
    ...(notes.length ? ['', ...notes] : []),
  ].join('\n');
}

const notesOf = ({ notes = [], failure }: Result, indent: string): string[] => [
  ...notes.map((note) => `${indent}${note}`),
  ...(failure ? [`${indent}FAILED: ${failure}`] : []),
];
