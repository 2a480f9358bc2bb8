import { loadEnvFile, readConfig } from '../config.ts';
import { createTasks } from '../dispatch/tasks.ts';
import { startWorker } from '../dispatch/worker.ts';
import { openRuntime, startTracing } from '../runtime.ts';
import { endSignal, limitShutdown } from '../shared/end-signal.ts';
import { createLogger } from '../shared/log.ts';
import { listenForMetrics } from '../transport/metrics.ts';

/** Runs the background work without the server; as many of these as one likes work side by side. */
async function start(): Promise<void> {
  loadEnvFile();
  const config = readConfig();
  const log = createLogger(config.logLevel);
  let isUp = false;
  // One that is up finishes its messages, however long they take.
  const { ended, isEnding } = endSignal(log, () => isUp || limitShutdown(log));
  await startTracing(config, log);
  const runtime = await openRuntime(config, log);
  if (!isEnding()) {
    await listenForMetrics(runtime);
    const worker = startWorker(createTasks(runtime), log);
    runtime.db.onWork(worker.wake);
    isUp = true;
    log.info('worker started');
    await ended;
    log.info('worker stopping: messages under way are finished');
    await worker.stop();
  }
  await runtime.close();
  process.exit(await ended);
}

start().catch((error: Error) => {
  process.stderr.write(`The worker did not start: ${error.message}\n`);
  process.exit(1);
});
