// The ratios as a picture: a group of bars for each measurement, the peer that is 1.00 as a line through all of them.
import type { Result, Row } from './bench.ts';

/** The measurements that one picture can show: more is better in all of them. */
const SHOWN = ['lists', 'contents', 'graphql', 'write', 'subscribe', 'handover', 'import'];

const WIDTH = 820;
const LABELS = 300;
const BAR = 16;
const GAP = 4;
const GROUP = 34;
const TOP = 44;

/** Read on white and on black. */
const COLOURS = { ours: '#2f9e62', peer: '#8a94a3', text: '#7a8494', line: '#c2772e' };

const escapeXml = (text: string): string => text.replace(/[<>&"]/g, (letter) => `&#${letter.charCodeAt(0)};`);

const text = (x: number, y: number, content: string, more = ''): string =>
  `<text x="${x.toFixed(1)}" y="${y.toFixed(1)}" ${more}>${escapeXml(content)}</text>`;

/** An SVG of the results; those without ratios are left out. */
export function plot(results: readonly Result[]): string {
  const groups = results.filter(({ name, rows }) => SHOWN.includes(name) && rows.some(({ ratio }) => ratio));
  const top = Math.max(1, ...groups.flatMap(({ rows }) => rows.map(({ ratio = 0 }) => ratio)));
  const scale = (WIDTH - LABELS - 60) / top;
  const parts: string[] = [];
  let y = TOP;
  const bar = ({ name, ratio = 0 }: Row): void => {
    const colour = name.startsWith('wishgate') ? COLOURS.ours : COLOURS.peer;
    const length = ratio * scale;
    parts.push(
      text(LABELS - 8, y + BAR - 4, name, 'text-anchor="end"'),
      `<rect x="${LABELS}" y="${y}" width="${length.toFixed(1)}" height="${BAR}" rx="2" fill="${colour}"/>`,
      text(LABELS + length + 6, y + BAR - 4, ratio.toFixed(2)),
    );
    y += BAR + GAP;
  };
  for (const { title, rows } of groups) {
    parts.push(text(8, y + 12, title, 'font-weight="bold"'));
    y += 22;
    rows.forEach(bar);
    y += GROUP - 22;
  }
  const one = LABELS + scale;
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${y}" font-family="system-ui, sans-serif" font-size="12" fill="${COLOURS.text}">`,
    '<title>Performance of wishgate and its peers, relative to the first of each group</title>',
    text(8, 20, 'Performance relative to the first of each group; longer is better', 'font-size="13"'),
    ...parts,
    `<line x1="${one.toFixed(1)}" x2="${one.toFixed(1)}" y1="${TOP - 8}" y2="${y}" stroke="${COLOURS.line}" stroke-dasharray="4 3"/>`,
    '</svg>',
    '',
  ].join('\n');
}
