// The program of the processes that render templates: src/domain/template/template.pool.ts starts them and talks with them.
import { runJob } from './template.job.ts';
import type { BatchAnswer, RenderAnswer, RenderJob } from './template.job.ts';

/** After so long the rest of a batch is given back, so that an answer never takes long. */
const BATCH_MS = 500;

const send = (message: unknown): void => void process.send!(message);

process.on('message', (jobs: RenderJob[]) => {
  const end = performance.now() + BATCH_MS;
  const before = process.cpuUsage();
  // Who ends this process is known only where it was alone here.
  const tell = jobs.length === 1 ? send : undefined;
  const answers: RenderAnswer[] = [];
  for (const job of jobs) {
    if (performance.now() > end) break;
    answers.push(runJob(job, tell));
  }
  const { user, system } = process.cpuUsage(before);
  send({ answers, tookMs: (user + system) / 1_000 } satisfies BatchAnswer);
});

// Nothing of ours may outlive the service; a signal to the whole group lets it finish its messages first.
process.on('disconnect', () => process.exit());
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => undefined);

send('ready');
