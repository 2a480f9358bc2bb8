import { createTasks } from '../alerts/dispatch/dispatcher.ts';
import { startWorker } from '../alerts/queue/worker.ts';
import { listenForMetrics } from '../api/metrics.ts';
import { readConfig } from '../config.ts';
import { endSignal, limitShutdown } from '../platform/end-signal.ts';
import { describeFailure } from '../platform/errors.ts';
import { createLogger } from '../platform/log.ts';
import { openRuntime, startTracing } from '../services.ts';
import { describeDatabase, requireDatabase } from './database.ts';
import { UsageError, readFlags } from './flags.ts';

const HELP = `Send messages and do other background work, without serving requests, until stopped. You can run any number of workers.

Usage: npm run worker

  --help   show this help

Set the same environment variables as for the server, such as DATABASE_URL or DATA_DIR (see .env.example).
`;

async function start(args: string[]): Promise<void> {
  if (readFlags(args, {})['help'] === true) return void process.stdout.write(HELP);
  const config = readConfig();
  await requireDatabase(config);
  const log = createLogger(config.logLevel);
  let isUp = false;
  // A worker that is up finishes its messages, however long they take.
  const { ended, isEnding } = endSignal(log, () => isUp || limitShutdown(log));
  await startTracing(config, log);
  const runtime = await openRuntime(config, log);
  if (!isEnding()) {
    await listenForMetrics(runtime);
    const worker = startWorker(createTasks(runtime), log);
    runtime.db.onWork(worker.wake);
    isUp = true;
    log.info({ database: describeDatabase(config) }, 'Worker started');
    await ended;
    log.info('Worker stopping after its current messages');
    await worker.stop();
  }
  await runtime.close();
  process.exit(await ended);
}

start(process.argv.slice(2)).catch((error: unknown) => {
  process.stderr.write(`The worker did not start: ${describeFailure(error)}\n`);
  process.exit(error instanceof UsageError ? 2 : 1);
});
