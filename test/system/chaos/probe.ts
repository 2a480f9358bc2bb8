import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { MainProcess, ProgramOptions } from '../fault/fixtures/main-process.ts';

/** What a process holds after a garbage collection; `sockets` are those of callers and mail servers, not of the database. */
export type Held = { heapMb: number; rssMb: number; resources: Record<string, number>; sockets: number };

/** Starts a process that can be asked by `readHeld`. */
export const PROBED: ProgramOptions = {
  node: ['--expose-gc', '--import', fileURLToPath(new URL('./probe.mjs', import.meta.url))],
  hasChannel: true,
};

export async function readHeld({ child }: MainProcess): Promise<Held> {
  const answer = once(child, 'message') as Promise<[Held]>;
  child.send('tell');
  const [held] = await answer;
  return held;
}
