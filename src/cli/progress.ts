import type { ImportRun } from '../stores/catalogue/import.service.ts';

const WIDTH = 28;
const TTY_PAUSE_MS = 100;
const PLAIN_PAUSE_MS = 5_000;

function clock(seconds: number): string {
  const minutes = Math.floor(seconds / 60);
  return `${minutes}:${String(Math.floor(seconds % 60)).padStart(2, '0')}`;
}

/** Reports progress: redraws one line on a terminal, and prints a plain line at intervals elsewhere. */
export function createTicker(out: NodeJS.WriteStream) {
  // Work that ends within moments prints no line.
  let shownAt = Date.now();
  return {
    show(text: () => string): void {
      const now = Date.now();
      if (now - shownAt < (out.isTTY ? TTY_PAUSE_MS : PLAIN_PAUSE_MS)) return;
      shownAt = now;
      out.write(out.isTTY ? `\r\u001b[K${text()}` : `${text()}\n`);
    },
    /** Prints a permanent line; the progress line returns with the next update. */
    line(message: string): void {
      out.write(out.isTTY ? `\r\u001b[K${message}\n` : `${message}\n`);
      if (out.isTTY) shownAt = 0;
    },
  };
}

/** On a terminal, a bar before the percentage. */
export function drawBar(share: number, out: NodeJS.WriteStream): string {
  const bar = out.isTTY ? `[${'#'.repeat(Math.round(share * WIDTH)).padEnd(WIDTH, '.')}] ` : '';
  return `${bar}${Math.floor(share * 100)}%`;
}

export function createProgress(out: NodeJS.WriteStream, from: ImportRun, totalBytes: number) {
  const started = Date.now();
  const ticker = createTicker(out);

  const text = ({ offset, line, skipped }: ImportRun): string => {
    const seconds = Math.max(0.001, (Date.now() - started) / 1000);
    const share = totalBytes === 0 ? 1 : offset / totalBytes;
    const bytesPerSecond = (offset - from.offset) / seconds;
    const left = bytesPerSecond > 0 ? clock((totalBytes - offset) / bytesPerSecond) : '-:--';
    const rate = Math.round((line - from.line) / seconds).toLocaleString('en');
    const bad = skipped > 0 ? `, ${skipped.toLocaleString('en')} bad` : '';
    return `${drawBar(share, out)} ${line.toLocaleString('en')} lines${bad}, ${rate}/s, ${left} left`;
  };

  return {
    ...ticker,
    show: (run: ImportRun): void => ticker.show(() => text(run)),
    end: (run: ImportRun): void => ticker.line(text(run)),
  };
}
