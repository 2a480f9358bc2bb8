import { useState } from 'preact/hooks';
import { formatDay, formatNumber, formatShort } from '../format.ts';
import { t } from '../text.ts';
import { Change } from './period.tsx';

type Point = { day: string; value: number };

const DAY_LABELS = 4;
const GRID_LINES = 4;

/** The values of the grid lines, in steps of 1, 2 or 5 of a power of ten; the highest bar stays below the last one. */
function gridOf(most: number): number[] {
  const least = Math.max(1, most / GRID_LINES);
  const size = 10 ** Math.floor(Math.log10(least));
  const step = size * [1, 2, 5, 10].find((factor) => factor * size >= least)!;
  return Array.from({ length: Math.floor(most / step) + 2 }, (_, index) => index * step);
}

type Props = {
  name: string;
  colour: string;
  points: Point[];
  /** The sum of the same number of days before these. */
  before: number;
  href: string;
};

/** Bars of one figure per day; screen readers get one sentence, and the page has the table. */
export function DayChart({ name, colour, points, before, href }: Props) {
  const [pointed, setPointed] = useState<Point | null>(null);
  const total = points.reduce((sum, { value }) => sum + value, 0);
  const most = Math.max(...points.map(({ value }) => value));
  const peak = points.find(({ value }) => value === most);
  const grid = gridOf(most);
  const top = grid.at(-1)!;
  const yOf = (value: number): string => `${(1 - value / top) * 100}%`;
  const xOf = (index: number): string => `${(index / points.length) * 100}%`;
  const step = Math.ceil(points.length / DAY_LABELS);
  const sentence =
    peak && most > 0
      ? t('chart.summary', { name, total, day: formatDay(peak.day), most })
      : t('chart.none', { name });
  return (
    <figure class="chart">
      <figcaption>
        <a class="muted chart-name" href={href}>
          {name}
        </a>
        <strong class="chart-total">{formatNumber(total)}</strong>{' '}
        <Change now={total} before={before} days={points.length} />
      </figcaption>
      <p class="muted chart-reading" aria-hidden="true">
        {pointed && `${formatDay(pointed.day)}: ${formatNumber(pointed.value)}`}
      </p>
      <svg role="img" aria-label={sentence} onPointerLeave={() => setPointed(null)}>
        {grid.map((value) => (
          <g key={value}>
            <line x2="100%" y1={yOf(value)} y2={yOf(value)} />
            <text x="-6" y={yOf(value)} dy="4" text-anchor="end">
              {formatShort(value)}
            </text>
          </g>
        ))}
        {points.map((point, index) => (
          <g key={point.day} onPointerEnter={() => setPointed(point)}>
            <rect x={xOf(index)} width={xOf(1)} height="100%" opacity="0" />
            <rect
              x={xOf(index + 0.15)}
              y={yOf(point.value)}
              width={xOf(0.7)}
              height={`${(point.value / top) * 100}%`}
              rx="1.5"
              fill={colour}
            />
            {(points.length - 1 - index) % step === 0 && (
              <text x={xOf(index + 0.5)} y="100%" dy="14" text-anchor="middle">
                {formatDay(point.day)}
              </text>
            )}
          </g>
        ))}
      </svg>
    </figure>
  );
}
