// The program of the processes that render templates: src/alerts/compose/template.pool.ts starts them and talks with them.
import { runJob } from './template.job.ts';
import type { BatchAnswer, JoinJob, RenderAnswer, RenderJob } from './template.job.ts';

/** After so long the rest of a batch is given back, so that an answer never takes long. */
const BATCH_MS = 500;

const wallClock = performance.now.bind(performance);

// What a template takes is counted in processor time: none is to blame for a machine that is busy with something else.
performance.now = () => {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1_000;
};

const send = (message: unknown): void => void process.send!(message);

process.on('message', (jobs: (RenderJob | JoinJob)[]) => {
  const start = performance.now();
  const end = wallClock() + BATCH_MS;
  // Who ends this process is known only where it was alone here.
  const tell = jobs.length === 1 ? send : undefined;
  const answers: RenderAnswer[] = [];
  let isStalled = false;
  for (const job of jobs) {
    if (wallClock() > end) break;
    const answer = runJob(job, tell);
    isStalled = answer === null;
    if (answer === null) break;
    answers.push(answer);
  }
  send({ answers, tookMs: performance.now() - start, isStalled } satisfies BatchAnswer);
});

// Nothing of ours may outlive the service; a signal to the whole group lets it finish its messages first.
process.on('disconnect', () => process.exit());
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => undefined);

send('ready');
