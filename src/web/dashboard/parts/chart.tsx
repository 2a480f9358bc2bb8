import { useEffect, useRef } from 'preact/hooks';
import uPlot from 'uplot';
import { formatChange, formatDay, formatNumber, formatShort } from '../format.ts';

type Point = { day: string; value: number };

const HEIGHT = 170;
const DAY_LABEL_PX = 62;

/** Steps between grid lines: 1, 2 and 5 of every power of ten. */
const STEPS = Array.from({ length: 10 }, (_, power) => [1, 2, 5].map((digit) => digit * 10 ** power)).flat();

function resolve(element: HTMLElement, name: string): string {
  element.style.color = `var(${name})`;
  return getComputedStyle(element).color;
}

function dayTicks(count: number, widthPx: number): number[] {
  const step = Math.max(1, Math.ceil(count / Math.max(2, Math.floor(widthPx / DAY_LABEL_PX))));
  return Array.from({ length: Math.ceil(count / step) }, (_, index) => count - 1 - index * step).reverse();
}

/** Returns the next round number, so that the highest bar stays below the top. */
function roundUp(value: number): number {
  if (value < 4) return 4;
  const size = 10 ** Math.floor(Math.log10(value));
  const step = [1, 1.5, 2, 3, 4, 5, 6, 8, 10].find((factor) => factor * size >= value * 1.02) ?? 15;
  return step * size;
}

function optionsFor(element: HTMLElement, points: Point[], colour: string): uPlot.Options {
  const ink = resolve(element, '--soft');
  const grid = resolve(element, '--chart-grid');
  const font = `12px ${getComputedStyle(element).fontFamily}`;
  return {
    width: element.clientWidth,
    height: HEIGHT,
    legend: { show: false },
    cursor: { y: false, points: { show: false }, drag: { x: false, y: false } },
    scales: {
      x: { time: false, range: [-0.6, points.length - 0.4] },
      y: { range: (_plot, _min, max) => [0, roundUp(max)] },
    },
    axes: [
      {
        stroke: ink,
        font,
        grid: { show: false },
        ticks: { show: false },
        size: 28,
        splits: ({ bbox }) => dayTicks(points.length, bbox.width / devicePixelRatio),
        values: (_plot, splits) => splits.map((index) => (points[index] ? formatDay(points[index].day) : '')),
      },
      {
        stroke: ink,
        font,
        size: 44,
        ticks: { show: false },
        grid: { stroke: grid, width: 1 },
        incrs: STEPS,
        values: (_plot, splits) => splits.map(formatShort),
      },
    ],
    series: [
      {},
      {
        fill: colour,
        stroke: colour,
        width: 0,
        paths: uPlot.paths.bars?.({ size: [0.7, 40], radius: 0.15 }),
        points: { show: false },
      },
    ],
  };
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
  const box = useRef<HTMLDivElement>(null);
  const reading = useRef<HTMLParagraphElement>(null);
  const total = points.reduce((sum, { value }) => sum + value, 0);
  const peak = points.reduce<Point | null>(
    (best, point) => (point.value > (best?.value ?? 0) ? point : best),
    null,
  );
  useEffect(() => {
    const element = box.current;
    if (element === null) return undefined;
    let plot: uPlot | null = null;
    const draw = (): void => {
      plot?.destroy();
      const options = optionsFor(element, points, resolve(element, colour));
      const showReading = ({ cursor: { idx } }: uPlot): void => {
        const point = idx == null ? null : points[idx];
        if (reading.current)
          reading.current.textContent = point ? `${formatDay(point.day)}: ${formatNumber(point.value)}` : '';
      };
      plot = new uPlot(
        { ...options, hooks: { setCursor: [showReading] } },
        [points.map((_, index) => index), points.map(({ value }) => value)],
        element,
      );
    };
    const resized = new ResizeObserver(() => plot?.setSize({ width: element.clientWidth, height: HEIGHT }));
    const scheme = matchMedia('(prefers-color-scheme: dark)');
    draw();
    resized.observe(element);
    scheme.addEventListener('change', draw);
    return () => {
      resized.disconnect();
      scheme.removeEventListener('change', draw);
      plot?.destroy();
    };
  }, [points, colour]);
  const sentence = peak
    ? `${name} a day: ${formatNumber(total)} in all, most on ${formatDay(peak.day)} with ${formatNumber(peak.value)}`
    : `${name} a day: none`;
  return (
    <figure class="chart">
      <figcaption>
        <a class="muted chart-name" href={href}>
          {name}
        </a>
        <strong class="chart-total">{formatNumber(total)}</strong>{' '}
        <span
          class="muted chart-change"
          title={`${formatNumber(before)} in the ${points.length} days before`}
        >
          {formatChange(total, before) ?? (total > 0 ? 'new' : '')}
          <span class="visually-hidden"> against the {points.length} days before</span>
        </span>
      </figcaption>
      <p class="muted chart-reading" ref={reading} aria-hidden="true" />
      <div ref={box} role="img" aria-label={sentence} class="chart-box" />
    </figure>
  );
}
