// What every measurement is given.
import type { ContenderName, Running } from './servers.ts';
import { startContender } from './servers.ts';
import type { Loader } from './load.ts';
import type { Prepared, SizeName } from './prepare.ts';
import type { Progress } from './progress.ts';

/** The run: the data, the load, and the servers that are up. */
export type Bench = {
  data: Prepared;
  /** Opens the data of another size. */
  open(name: SizeName): Promise<Prepared>;
  loader: Loader;
  progress: Progress;
  rounds: number;
  roundMs: number;
  /** PostgreSQL's first process; null where it is on another machine. */
  postmaster: number | null;
  /** A folder for what servers write; it goes with the run. */
  scratch: string;
  servers: Servers;
  /** Set when the run is to end. */
  signal: AbortSignal;
};

/** The servers that are up, by name: a measurement finds what the one before has started. */
export type Servers = {
  start(name: ContenderName): Promise<Running>;
  /** One that is nobody else's; the caller stops it. */
  startApart(name: ContenderName, env?: Record<string, string>): Promise<Running>;
  stopAll(): Promise<void>;
};

/** Keeps servers for one database. */
export function createServers(databaseUrl: string, scratch: string): Servers {
  const env = { DATABASE_URL: databaseUrl, DATA_DIR: scratch };
  const shared = new Map<ContenderName, Running>();
  const up = new Set<Running>();
  const startApart: Servers['startApart'] = async (name, more = {}) => {
    const running = await startContender(name, { ...env, ...more });
    up.add(running);
    return running;
  };
  return {
    startApart,
    async start(name) {
      const running = shared.get(name) ?? (await startApart(name));
      shared.set(name, running);
      return running;
    },
    async stopAll() {
      await Promise.all([...up].map(({ stop }) => stop()));
      up.clear();
      shared.clear();
    },
  };
}

/** A line of a result. What is not measured is left out. */
export type Row = {
  name: string;
  /** What was measured, in the result's unit. */
  value: number;
  /** Against the row that is 1.00; more is better. */
  ratio?: number;
  /** What the ratio must be at least (or, of a time, at most). */
  goal?: { atLeast: number } | { atMost: number };
  p50Ms?: number;
  p99Ms?: number;
  cpuUs?: number | null;
  postgresUs?: number | null;
};

/** What one measurement found. */
export type Result = {
  name: string;
  title: string;
  unit: string;
  rows: Row[];
  notes?: string[];
  failure?: string;
};

/** A measurement that `--only` can name. */
export type Case = {
  name: string;
  title: string;
  /** Whether it needs the full data. */
  isFullOnly?: true;
  run(bench: Bench): Promise<Omit<Result, 'name' | 'title'>>;
};
