/** What a progress line tells. */
export type Progress = { bytes: number; totalBytes: number; lines: number; skipped: number };

const WIDTH = 28;
const TTY_PAUSE_MS = 100;
const PLAIN_PAUSE_MS = 5_000;

function clock(seconds: number): string {
  const minutes = Math.floor(seconds / 60);
  return `${minutes}:${String(Math.floor(seconds % 60)).padStart(2, '0')}`;
}

/** Writes progress: a bar that redraws itself on a terminal, now and then a plain line elsewhere. */
export function createProgress(out: NodeJS.WriteStream, startBytes: number, startLines: number) {
  const started = Date.now();
  let shownAt = 0;

  const text = ({ bytes, totalBytes, lines, skipped }: Progress): string => {
    const seconds = Math.max(0.001, (Date.now() - started) / 1000);
    const share = totalBytes === 0 ? 1 : bytes / totalBytes;
    const bytesPerSecond = (bytes - startBytes) / seconds;
    const left = bytesPerSecond > 0 ? clock((totalBytes - bytes) / bytesPerSecond) : '-:--';
    const rate = Math.round((lines - startLines) / seconds).toLocaleString('en');
    const bar = out.isTTY ? `[${'#'.repeat(Math.round(share * WIDTH)).padEnd(WIDTH, '.')}] ` : '';
    const bad = skipped > 0 ? `, ${skipped.toLocaleString('en')} bad` : '';
    return `${bar}${Math.floor(share * 100)}% ${lines.toLocaleString('en')} lines${bad}, ${rate}/s, ${left} left`;
  };

  return {
    /** Shows how far it is, unless that was shown a moment ago. */
    show(progress: Progress): void {
      const now = Date.now();
      if (now - shownAt < (out.isTTY ? TTY_PAUSE_MS : PLAIN_PAUSE_MS)) return;
      shownAt = now;
      out.write(out.isTTY ? `\r\u001b[K${text(progress)}` : `${text(progress)}\n`);
    },
    /** Writes a line of its own; the bar comes back at the next progress. */
    line(message: string): void {
      out.write(out.isTTY ? `\r\u001b[K${message}\n` : `${message}\n`);
      if (out.isTTY) shownAt = 0;
    },
    /** Shows the last state and leaves it there. */
    end(progress: Progress): void {
      out.write(out.isTTY ? `\r\u001b[K${text(progress)}\n` : `${text(progress)}\n`);
    },
  };
}
