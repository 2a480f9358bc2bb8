import { fork } from 'node:child_process';
import { dirname, extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Part } from '../send/channels.ts';
import { ROOT } from '../../platform/places.ts';
import type { BatchAnswer, JoinJob, RenderJob } from './template.job.ts';

/** Whether the sources run as they are, in development and in tests. */
const IS_SOURCE = extname(import.meta.url) === '.ts';
const ENTRY = fileURLToPath(
  new URL(`${IS_SOURCE ? 'src' : 'dist'}/alerts/compose/template.process.${IS_SOURCE ? 'ts' : 'js'}`, ROOT),
);
const LOADER = join(fileURLToPath(ROOT), 'tools/typescript.cjs');
const LIMITS = ['--max-old-space-size=128', '--max-semi-space-size=8'];

/** A batch takes a second and a half at most where a process can still stop itself. */
const BATCH_LIMIT_MS = 2_500;
/** Nobody is blamed for a machine on which a process needs long to start. */
const START_LIMIT_MS = 30_000;

/** How a batch ended: with answers, or with the process, `part` being what it was busy with. */
export type BatchEnd = BatchAnswer | { part: Part | null };

/** A process that renders templates, one batch at a time. */
export type RenderProcess = {
  isAlive: () => boolean;
  run: (jobs: readonly (RenderJob | JoinJob)[]) => Promise<BatchEnd>;
  end: () => void;
};

/**
 * Starts a process for templates. It knows nothing of ours but what its jobs say: no variables, no connections, no output. It ends when
 * it takes more memory or time than allowed, and when this process is gone, however that ended.
 */
export function startRenderProcess(): RenderProcess {
  const child = fork(IS_SOURCE ? LOADER : ENTRY, [ENTRY], {
    cwd: dirname(ENTRY),
    env: {},
    execArgv: LIMITS,
    // Messages that go to a topic's 100,000 subscribers hold its texts once.
    serialization: 'advanced',
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
  });
  let isReady = false;
  let part: Part | null = null;
  let settle: ((end: BatchEnd) => void) | null = null;
  let limit: NodeJS.Timeout | undefined;

  const finish = (end: BatchEnd): void => {
    clearTimeout(limit);
    settle?.(end);
    settle = null;
  };
  const endAfter = (ms: number): void => {
    clearTimeout(limit);
    // If it was this process that stood still, the answer has arrived meanwhile and is read before the second look.
    limit = setTimeout(() => setImmediate(() => settle && child.kill('SIGKILL')), ms);
  };
  child.on('message', (message: BatchAnswer | 'ready' | Part) => {
    if (typeof message === 'object') return finish(message);
    if (message !== 'ready') return void (part = message);
    isReady = true;
    if (settle) endAfter(BATCH_LIMIT_MS);
  });
  // Unlike `exit`, this comes after everything that was said before the end.
  child.once('disconnect', () => finish({ part }));
  child.once('error', () => finish({ part: null }));
  return {
    isAlive: () => child.connected,
    run: (jobs) =>
      new Promise((resolve) => {
        part = null;
        settle = resolve;
        endAfter(isReady ? BATCH_LIMIT_MS : START_LIMIT_MS);
        child.send(jobs, (error) => error && finish({ part: null }));
      }),
    end: () => void child.kill('SIGKILL'),
  };
}
