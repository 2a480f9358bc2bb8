import { once } from 'node:events';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createApp } from './app.ts';
import { loadEnvFile, readConfig } from './config.ts';
import type { Config } from './config.ts';
import { ensureDemoStore } from './demo/demo.ts';
import type { DemoStore } from './demo/demo.ts';
import { createTasks } from './dispatch/tasks.ts';
import { startWorker } from './dispatch/worker.ts';
import type { Worker } from './dispatch/worker.ts';
import { openRuntime } from './runtime.ts';
import type { Runtime } from './runtime.ts';
import { createLogger } from './shared/log.ts';
import type { Lifecycle } from './transport/health.ts';
import { createHttpServer } from './transport/http.ts';

/** Requests that are not answered by then are cut, so that the process always ends within ten seconds. */
const DRAIN_LIMIT_MS = 8_000;

function banner(url: string, config: Config, demo: DemoStore | null): string {
  const database =
    config.databaseUrl === null ? `bundled PostgreSQL in ${config.dataDir}` : 'PostgreSQL at DATABASE_URL';
  const lines = [
    '',
    `  wishgate is running at ${url}`,
    '',
    `  GraphQL    ${url}/graphql`,
    `  GraphiQL   ${url}/graphiql`,
    `  health     ${url}/healthz  ${url}/readyz`,
    `  database   ${database}`,
  ];
  if (demo)
    lines.push(
      '',
      '  demo store (DEMO=0 turns it off)',
      `    pid      ${demo.pid}`,
      `    API key  ${demo.apiKey}`,
    );
  return `${lines.join('\n')}\n\n`;
}

/** Lets requests under way finish, then closes the listener, the pool and the bundled database. */
async function drain(server: Server, worker: Worker, runtime: Runtime, lifecycle: Lifecycle): Promise<void> {
  lifecycle.isDraining = true;
  // Load balancers see /readyz fail before the listener closes.
  await new Promise((resolve) => setTimeout(resolve, runtime.config.drainDelayMs));
  const closed = once(server, 'close');
  server.close();
  server.closeIdleConnections();
  const cut = setTimeout(() => server.closeAllConnections(), DRAIN_LIMIT_MS - runtime.config.drainDelayMs);
  await closed;
  clearTimeout(cut);
  await worker.stop();
  await runtime.close();
}

async function start(): Promise<void> {
  loadEnvFile();
  const config = readConfig();
  const log = createLogger(config.logLevel);
  const runtime = await openRuntime(config, log);
  const lifecycle: Lifecycle = { isDraining: false };
  const demo = config.demo ? await ensureDemoStore(runtime) : null;
  const worker = startWorker(createTasks(runtime), log);
  runtime.wake = worker.wake;
  const server = createHttpServer(await createApp(runtime, lifecycle, demo));
  server.listen(config.port, config.host);
  await once(server, 'listening').catch(async (error: NodeJS.ErrnoException) => {
    await worker.stop();
    await runtime.close();
    throw error.code === 'EADDRINUSE'
      ? new Error(`PORT ${config.port} is in use on ${config.host}; set another PORT`)
      : error;
  });
  const { port } = server.address() as AddressInfo;
  process.stdout.write(
    banner(config.port === 0 ? `http://${config.host}:${port}` : config.publicUrl, config, demo),
  );

  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    process.on(signal, () => {
      if (lifecycle.isDraining) return;
      log.info({ signal }, 'shutting down');
      drain(server, worker, runtime, lifecycle).then(
        () => process.exit(0),
        (error: unknown) => {
          log.error({ err: error }, 'the shutdown failed');
          process.exit(1);
        },
      );
    });
  }
}

start().catch((error: Error) => {
  process.stderr.write(`wishgate did not start: ${error.message}\n`);
  process.exit(1);
});
