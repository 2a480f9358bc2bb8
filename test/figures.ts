import { appendFile, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fromSetup } from './setup/run.ts';

const FILE = 'figures.txt';

/** Notes what a long test has seen; the end of the run prints it. */
export async function noteFigures(name: string, figures: Record<string, unknown>): Promise<void> {
  const parts = Object.entries(figures).map(([label, value]) => `${label} ${JSON.stringify(value)}`);
  await appendFile(join(fromSetup('folder'), FILE), `${name}: ${parts.join(', ')}\n`);
}

/** What was noted in the folder of a run; nothing when no such test was run. */
export function readFigures(folder: string): Promise<string> {
  return readFile(join(folder, FILE), 'utf8').catch(() => '');
}
