import { formatMoment, formatNumber } from '../format.ts';

type Change = { at: number; before: number | null; after: number | null };

const WIDTH = 1_000;
const HEIGHT = 100;
/** Room for the line itself at both ends. */
const MARGIN = 4;

/** Stock as steps over time, oldest first, each until the next; unknown stock is a gap. Changes come newest first. */
function stepsOf(changes: Change[], now: number): { from: number; to: number; stock: number }[] {
  const rising = [...changes].reverse();
  return rising.flatMap(({ at, after }, index) =>
    after === null ? [] : [{ from: at, to: rising[index + 1]?.at ?? now, stock: after }],
  );
}

/** The steps of the kept changes as a line. One sentence for those who cannot see it; the table below has every number. */
export function StockChart({ changes }: { changes: Change[] }) {
  const now = Math.max(Date.now(), ...changes.map(({ at }) => at));
  const steps = stepsOf(changes, now);
  if (changes.length < 2 || steps.length === 0) return null;
  const [from, stocks] = [changes.at(-1)!.at, steps.map(({ stock }) => stock)];
  const [least, most] = [Math.min(0, ...stocks), Math.max(1, ...stocks)];
  const x = (at: number): number => Math.round(((at - from) / Math.max(1, now - from)) * WIDTH);
  const y = (stock: number): number =>
    Math.round(HEIGHT - MARGIN - ((stock - least) / (most - least)) * (HEIGHT - 2 * MARGIN));
  const line = steps.map((step, index) => {
    const isGap = steps[index - 1]?.to !== step.from;
    return `${isGap ? `M${x(step.from)} ${y(step.stock)}` : `V${y(step.stock)}`}H${x(step.to)}`;
  });
  const sentence = `Stock since ${formatMoment(from)}: at most ${formatNumber(Math.max(...stocks))}, at least ${formatNumber(Math.min(...stocks))}`;
  return (
    <figure class="stock-chart">
      <svg viewBox={`0 0 ${WIDTH} ${HEIGHT}`} preserveAspectRatio="none" role="img" aria-label={sentence}>
        <path class="stock-zero" d={`M0 ${y(0)}H${WIDTH}`} />
        <path class="stock-line" d={line.join('')} />
      </svg>
      <figcaption class="muted">
        <span>{formatMoment(from)}</span>
        <span>at most {formatNumber(Math.max(...stocks))}</span>
        <span>now</span>
      </figcaption>
    </figure>
  );
}
