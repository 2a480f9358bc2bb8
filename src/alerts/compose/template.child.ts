import { fork } from 'node:child_process';
import { dirname, extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Part } from '../send/channels.ts';
import { ROOT } from '../../platform/places.ts';
import type { JobResult, JoinJob, RenderJob } from './template.job.ts';

/** Whether the sources run as they are, in development and in tests. */
const IS_SOURCE = extname(import.meta.url) === '.ts';
const ENTRY = fileURLToPath(
  new URL(`${IS_SOURCE ? 'src' : 'dist'}/alerts/compose/template.process.${IS_SOURCE ? 'ts' : 'js'}`, ROOT),
);
const LOADER = join(fileURLToPath(ROOT), 'tools/typescript.cjs');
const LIMITS = ['--max-old-space-size=128', '--max-semi-space-size=8'];

/** A job takes a second at most where the process can still interrupt it. */
const JOB_LIMIT_MS = 2_500;
/** No template is blamed for a machine on which a process needs long to start. */
const START_LIMIT_MS = 30_000;

/** How a job ended: with a result, or with the process while it rendered `part`. */
export type JobEnd = JobResult | { part: Part | null };

/** A process that renders templates, one job at a time. */
export type RenderProcess = {
  isAlive: () => boolean;
  run: (job: RenderJob | JoinJob) => Promise<JobEnd>;
  end: () => void;
};

/**
 * Starts a process for templates. It knows only what its jobs say: no variables, no connections, no output. It ends when it takes more memory
 * or time than allowed, and when this process is gone.
 */
export function startRenderProcess(): RenderProcess {
  const child = fork(IS_SOURCE ? LOADER : ENTRY, [ENTRY], {
    cwd: dirname(ENTRY),
    env: {},
    execArgv: LIMITS,
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
  });
  let isReady = false;
  let part: Part | null = null;
  let settle: ((end: JobEnd) => void) | null = null;
  let limit: NodeJS.Timeout | undefined;

  const finish = (end: JobEnd): void => {
    clearTimeout(limit);
    settle?.(end);
    settle = null;
  };
  const endAfter = (ms: number): void => {
    clearTimeout(limit);
    // If this process stood still itself, the answer has arrived meanwhile and is read before the second look.
    limit = setTimeout(() => setImmediate(() => settle && child.kill('SIGKILL')), ms);
  };
  child.on('message', (message: JobResult | 'ready' | Part) => {
    if (typeof message === 'object') return finish(message);
    if (message !== 'ready') return void (part = message);
    isReady = true;
    if (settle) endAfter(JOB_LIMIT_MS);
  });
  // Unlike `exit`, this comes after everything that was said before the end.
  child.once('disconnect', () => finish({ part }));
  child.once('error', () => finish({ part: null }));
  return {
    isAlive: () => child.connected,
    run: (job) =>
      new Promise((resolve) => {
        part = null;
        settle = resolve;
        endAfter(isReady ? JOB_LIMIT_MS : START_LIMIT_MS);
        child.send(job, (error) => error && finish({ part: null }));
      }),
    end: () => void child.kill('SIGKILL'),
  };
}
