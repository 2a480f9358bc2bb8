// The entry point of the render processes, which template.pool.ts starts.
import { runJob } from './template.job.ts';
import type { JobResult, JoinJob, RenderJob } from './template.job.ts';

// The clock counts processor time, so that no template is blamed for a busy machine.
performance.now = () => {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1_000;
};

const send = (message: unknown): void => void process.send!(message);

process.on('message', (job: RenderJob | JoinJob) => {
  const start = performance.now();
  const result = runJob(job, send);
  send({ result, tookMs: performance.now() - start } satisfies JobResult);
});

// The process must not outlive the service. It ignores signals to the whole group, so that it can finish its messages.
process.on('disconnect', () => process.exit());
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => undefined);

send('ready');
