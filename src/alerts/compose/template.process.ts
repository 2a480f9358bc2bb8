// The program of the processes that render templates: src/alerts/compose/template.pool.ts starts them and talks with them.
import { runJob } from './template.job.ts';
import type { JobResult, JoinJob, RenderJob } from './template.job.ts';

// A template is charged processor time, so that none is blamed for a machine that is busy with something else.
performance.now = () => {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1_000;
};

const send = (message: unknown): void => void process.send!(message);

process.on('message', (job: RenderJob | JoinJob) => {
  const start = performance.now();
  const answer = runJob(job, send);
  send({ answer, tookMs: performance.now() - start } satisfies JobResult);
});

// Nothing of ours may outlive the service; a signal to the whole group lets it finish its messages first.
process.on('disconnect', () => process.exit());
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => undefined);

send('ready');
