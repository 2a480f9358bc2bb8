import { readFile } from 'node:fs/promises';

/** Megabytes that a process has in memory; 0 where the system does not tell. */
export async function readMemory(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '');
  return Math.round(Number(/VmRSS:\s+(\d+)/.exec(status)?.[1] ?? 0) / 1_000);
}
