// What processes use, as Linux tells it. Elsewhere there is no /proc, and the figures are left out.
import { readFileSync, readdirSync } from 'node:fs';

/** Linux counts in hundredths of a second wherever Node runs. */
const TICK_US = 10_000;

/** Fields of /proc/PID/stat behind the name, which may itself have blanks and brackets. */
function statOf(pid: number | string): string[] | null {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'latin1');
    return text.slice(text.lastIndexOf(')') + 2).split(' ');
  } catch {
    return null;
  }
}

const parentOf = (stat: string[]): number => Number(stat[1]);
const cpuOf = (stat: string[]): number => (Number(stat[11]) + Number(stat[12])) * TICK_US;
const cpuOfEnded = (stat: string[]): number => (Number(stat[13]) + Number(stat[14])) * TICK_US;

/** CPU time of a process so far, in microseconds; null where that is not told. */
export function cpuUs(pid: number): number | null {
  const stat = statOf(pid);
  return stat && cpuOf(stat);
}

/** The process that all of PostgreSQL's are children of, given one of them; null where it is on another machine. */
export function postmasterOf(backend: number): number | null {
  const stat = statOf(backend);
  if (stat === null) return null;
  const parent = parentOf(stat);
  const name = readFileSync(`/proc/${parent}/comm`, 'latin1');
  return name.startsWith('postgres') ? parent : null;
}

/** CPU time of a whole PostgreSQL so far, in microseconds. */
export function postgresCpuUs(postmaster: number): number | null {
  const own = statOf(postmaster);
  if (own === null) return null;
  const children = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(statOf)
    .filter((stat) => stat !== null && parentOf(stat) === postmaster);
  return children.reduce((sum, stat) => sum + cpuOf(stat!), cpuOf(own) + cpuOfEnded(own));
}

/** Memory of a process now and at its highest so far, in megabytes; null where that is not told. */
export function memoryMb(pid: number): { now: number; peak: number } | null {
  try {
    const text = readFileSync(`/proc/${pid}/status`, 'latin1');
    const read = (name: string): number => Number(new RegExp(`${name}:\\s+(\\d+)`).exec(text)?.[1]) / 1_024;
    const memory = { now: read('VmRSS'), peak: read('VmHWM') };
    // A process that has just ended has a status without memory.
    return Number.isNaN(memory.now) ? null : memory;
  } catch {
    return null;
  }
}
