// What a person sees while it runs; on stderr, so that stdout is the result alone.

/** A bar for work whose amount is known. */
export type Bar = { add(done: number): void; end(): void };

/** Tells how far the run is. */
export type Progress = {
  /** A line that stays. */
  say(text: string): void;
  /** A line that the next one takes the place of. */
  now(text: string): void;
  bar(title: string, total: number, unit: string): Bar;
};

const WIDTH = 24;
const REDRAW_MS = 100;

/** Progress on a stream; where that is no terminal, lines that would be replaced are left out. */
export function createProgress(out: NodeJS.WriteStream): Progress {
  const isTerminal = out.isTTY;
  const clear = isTerminal ? '\r\u001b[2K' : '';
  const now = (text: string): void => void (isTerminal && out.write(`${clear}${text}`));
  const say = (text: string): void => void out.write(`${clear}${text}\n`);
  return {
    say,
    now,
    bar(title, total, unit) {
      if (!isTerminal) say(`${title}: ${total.toLocaleString('en')} ${unit}`);
      const start = performance.now();
      let [done, drawnAt] = [0, 0];
      return {
        add(more) {
          done += more;
          if (performance.now() - drawnAt < REDRAW_MS) return;
          drawnAt = performance.now();
          const filled = Math.round((done / total) * WIDTH);
          const left = ((drawnAt - start) / done) * (total - done);
          now(
            `${title} [${'#'.repeat(filled)}${'.'.repeat(WIDTH - filled)}] ${done.toLocaleString('en')} of ` +
              `${total.toLocaleString('en')} ${unit}, ${Math.ceil(left / 1_000)} s left`,
          );
        },
        end: () => say(`${title}: done in ${((performance.now() - start) / 1_000).toFixed(1)} s`),
      };
    },
  };
}
