import { fork } from 'node:child_process';
import { dirname, extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ROOT } from '../../platform/places.ts';
import type { Part } from '../send/channels.ts';
import type { JobResult, JoinJob, RenderJob } from './template.job.ts';

/** Node runs the TypeScript sources directly in development and in tests. */
const IS_SOURCE = extname(import.meta.url) === '.ts';
const ENTRY = fileURLToPath(
  new URL(`${IS_SOURCE ? 'src' : 'dist'}/alerts/compose/template.process.${IS_SOURCE ? 'ts' : 'js'}`, ROOT),
);
const LOADER = join(fileURLToPath(ROOT), 'tools/typescript.cjs');
const LIMITS = ['--max-old-space-size=128', '--max-semi-space-size=8'];

/** The child interrupts a job after one second; this limit covers the cases in which it cannot. */
const JOB_LIMIT_MS = 2_500;
/** Generous, because a slow process start on a busy machine is not the template's fault. */
const START_LIMIT_MS = 30_000;

/** The job's result, or the part that was being rendered when the process died. */
export type JobEnd = JobResult | { part: Part | null };

export type RenderProcess = ReturnType<typeof startRenderProcess>;

/** The child has no environment variables, connections or output; it exits at its memory or time limit and with its parent. */
export function startRenderProcess() {
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
    // If this process was blocked itself, the response has arrived meanwhile and `setImmediate` reads it first.
    limit = setTimeout(() => setImmediate(() => settle && child.kill('SIGKILL')), ms);
  };
  child.on('message', (message: JobResult | 'ready' | Part) => {
    if (typeof message === 'object') return finish(message);
    if (message !== 'ready') return void (part = message);
    isReady = true;
    if (settle) endAfter(JOB_LIMIT_MS);
  });
  // Unlike `exit`, `disconnect` fires after all pending messages.
  child.once('disconnect', () => finish({ part }));
  child.once('error', () => finish({ part: null }));
  return {
    isAlive: (): boolean => child.connected,
    run: (job: RenderJob | JoinJob): Promise<JobEnd> =>
      new Promise((resolve) => {
        part = null;
        settle = resolve;
        endAfter(isReady ? JOB_LIMIT_MS : START_LIMIT_MS);
        child.send(job, (error) => error && finish({ part: null }));
      }),
    end: (): void => void child.kill('SIGKILL'),
  };
}
