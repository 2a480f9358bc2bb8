import { loadEnvFile, readConfig } from '../config.ts';
import { createTasks } from '../dispatch/tasks.ts';
import { startWorker } from '../dispatch/worker.ts';
import { openRuntime, startTracing } from '../runtime.ts';
import { createLogger } from '../shared/log.ts';
import { watchUnexpected } from '../shared/unexpected.ts';
import { listenForMetrics } from '../transport/metrics.ts';

/** Runs the background work without the server; as many of these as one likes work side by side. */
async function start(): Promise<void> {
  loadEnvFile();
  const config = readConfig();
  const log = createLogger(config.logLevel);
  await startTracing(config, log);
  const runtime = await openRuntime(config, log);
  await listenForMetrics(runtime);
  const worker = startWorker(createTasks(runtime), log);
  runtime.db.onWork(worker.wake);
  log.info('worker started');
  let isStopping = false;
  const stop = async (status: 0 | 1, signal?: string): Promise<void> => {
    if (isStopping) return;
    isStopping = true;
    log.info({ signal }, 'worker stopping: messages under way are finished');
    await worker.stop();
    await runtime.close();
    process.exit(status);
  };
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => void stop(0, signal));
  watchUnexpected(log, () => void stop(1));
}

start().catch((error: Error) => {
  process.stderr.write(`The worker did not start: ${error.message}\n`);
  process.exit(1);
});
