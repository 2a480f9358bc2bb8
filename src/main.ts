import cluster from 'node:cluster';
import { once } from 'node:events';
import type { Server } from 'node:http';
import { createServer } from 'node:net';
import type { AddressInfo, Server as NetServer } from 'node:net';
import { join } from 'node:path';
import { createTasks } from './alerts/dispatch/dispatcher.ts';
import { startWorker } from './alerts/queue/worker.ts';
import type { Worker } from './alerts/queue/worker.ts';
import { MEDIA, channelOf } from './alerts/send/channels.ts';
import type { Lifecycle } from './api/health.ts';
import { createHttpServer } from './api/http.ts';
import { listenForMetrics } from './api/metrics.ts';
import { createApp } from './app.ts';
import { httpAddress, readConfig } from './config.ts';
import type { Config } from './config.ts';
import { endSignal, limitShutdown } from './platform/end-signal.ts';
import type { EndSignal } from './platform/end-signal.ts';
import { describeFailure } from './platform/errors.ts';
import { joinService, startGateways } from './platform/gateways.ts';
import { createLogger } from './platform/log.ts';
import type { Logger } from './platform/log.ts';
import { openRuntime, startTracing } from './services.ts';
import type { Runtime } from './services.ts';
import { makeFirstOperatorKey } from './stores/operator.service.ts';
import { ensureDemoStore } from './web/demo-store/demo.ts';
import type { DemoStore } from './web/demo-store/demo.ts';

/** Requests that are not finished by then are cut, so that the process always ends within ten seconds. */
const DRAIN_LIMIT_MS = 6_000;
/** New requests are accepted for at most this long; the rest of the time is for those in flight. */
const LISTEN_LIMIT_MS = 4_000;
/** Load balancers and monitors never stop asking, so their requests do not delay the shutdown. */
const IS_WATCHING = /^\/(healthz|readyz|metrics)\b/;
/** During shutdown, connections that have finished their response are closed this soon. */
const IDLE_MS = 50;

/** Pending connections: beyond them the system drops packets, and clients wait for seconds. The system caps this number. */
const BACKLOG = 4_096;

type Service = { server: Server; worker: Worker; runtime: Runtime; lifecycle: Lifecycle };

function placesIn({ config: { dataDir, channels }, place }: Runtime): string[] {
  const toFiles = MEDIA.filter((medium) => channels[medium] === undefined);
  const files = toFiles.map((medium) => channelOf(medium).messages).join(' and ');
  return [
    `  database   ${place ? `bundled PostgreSQL in ${place.dir}${place.isShared ? ' (shared with another running process)' : ''}` : 'PostgreSQL at DATABASE_URL'}`,
    place?.isOutside
      ? `             not in DATA_DIR (${dataDir}), because the user postgres cannot access it: keep both folders`
      : [],
    files ? `  messages   ${files} are written to ${join(dataDir, 'outbox')}` : [],
    place?.warning ? ['', `  WARNING    ${place.warning}`] : [],
  ].flat();
}

async function banner(localUrl: string, runtime: Runtime, demo: DemoStore | null): Promise<string> {
  const { publicUrl } = runtime.config;
  // Shown only on a terminal to the operator who starts the service for the first time; a log or a file must not hold a key.
  const operatorKey = process.stdout.isTTY ? await makeFirstOperatorKey(runtime) : null;
  const lines = [
    '',
    `  wishgate is running at ${localUrl}`,
    publicUrl === localUrl ? [] : `  public URL: ${publicUrl}`,
    '',
    `  docs       ${localUrl}/docs`,
    `  dashboard  ${localUrl}/dashboard`,
    `  GraphQL    ${localUrl}/graphql`,
    `  GraphiQL   ${localUrl}/graphiql`,
    `  health     ${localUrl}/healthz  ${localUrl}/readyz`,
    placesIn(runtime),
    operatorKey === null ? '  operator   to create stores, run: npm run operator -- key' : [],
    demo ? ['', '  demo store (DEMO=0 disables it)', `    shop     ${localUrl}/demo`] : [],
    demo ? [`    pid      ${demo.pid}`, `    API key  ${demo.apiKey}`] : [],
    // Printed last, where it is noticed, because it is never shown again.
    operatorKey === null
      ? []
      : [
          '',
          '  operator key: sign in to the dashboard with it to create stores (shown only once)',
          '    user     operator',
          `    key      ${operatorKey}`,
        ],
  ];
  return `${lines.flat().join('\n')}\n\n`;
}

/** Throws at once where PORT cannot be opened, before a database is created for a start that fails. */
async function checkPort(config: Config): Promise<void> {
  const probe = createServer((socket) => socket.destroy());
  await listen(probe, config);
  probe.close();
  await once(probe, 'close');
}

async function listen(server: NetServer, { port, host }: Config): Promise<string> {
  server.listen({ port, host, backlog: BACKLOG });
  await once(server, 'listening').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'EADDRINUSE')
      throw new Error(
        `PORT ${port} is already in use on ${host}. Stop the other program, or start with another port: PORT=${port < 65_535 ? port + 1 : 4000} npm start`,
      );
    if (error.code === 'EACCES') throw new Error(`This user may not open PORT ${port}; choose another PORT`);
    if (error.code === 'EADDRNOTAVAIL' || error.code === 'ENOTFOUND')
      throw new Error(`HOST ${host} is not an address of this machine; choose another HOST`);
    throw error;
  });
  return httpAddress(host, (server.address() as AddressInfo).port);
}

/** With PORT=0 the system chooses the port; everything that creates links is created once it is known. */
const withAddress = (config: Config, localUrl: string): Config =>
  config.hasPublicUrl ? config : { ...config, publicUrl: localUrl };

/** Null when a signal arrived before the service was up; it has then closed what it had opened. */
async function start(given: Config, log: Logger, isEnding: () => boolean): Promise<Service | null> {
  await startTracing(given, log);
  if (cluster.isPrimary) await checkPort(given);
  const runtime = await openRuntime(given, log);
  let worker: Worker | null = null;
  try {
    // The rest of the start takes longer than a supervisor may wait, and nobody would use it.
    if (isEnding()) {
      await runtime.close();
      return null;
    }
    const lifecycle: Lifecycle = { isDraining: false };
    const { server, serve } = createHttpServer(given);
    const localUrl = await listen(server, given);
    const config = withAddress(given, localUrl);
    const services = Object.freeze({ ...runtime, config });
    const demo = config.demo ? await ensureDemoStore(services) : null;
    serve(await createApp(services, lifecycle, demo));
    worker = startWorker(createTasks(services), log);
    runtime.db.onWork(worker.wake);
    await listenForMetrics(services);
    if (cluster.worker) cluster.worker.send({ url: localUrl });
    else process.stdout.write(await banner(localUrl, services, demo));
    return { server, worker, runtime, lifecycle };
  } catch (error) {
    // A start that fails leaves no database process behind.
    await worker?.stop();
    await runtime.close();
    throw error;
  }
}

/** Runs several gateways until the end, and resolves to the exit code; this process only holds the database open for them. */
async function runGateways(config: Config, log: Logger, signal: EndSignal): Promise<0 | 1> {
  await checkPort(config);
  const runtime = await openRuntime({ ...config, databasePool: 2 }, log);
  let gateways: ReturnType<typeof startGateways> | null = null;
  try {
    const demo = config.demo ? await ensureDemoStore(runtime) : null;
    if (signal.isEnding()) return 0;
    gateways = startGateways(config.processes, log);
    const localUrl = await Promise.race([gateways.url, signal.ended]);
    if (typeof localUrl === 'string')
      process.stdout.write(
        await banner(localUrl, { ...runtime, config: withAddress(config, localUrl) }, demo),
      );
    const status = await signal.ended;
    return (await gateways.stop()) || status;
  } finally {
    await gateways?.stop();
    await runtime.close();
  }
}

/** Resolves once the server has been idle for `quietMs`; load balancers that check /readyz rarely still send requests until then. */
function untilQuiet(server: Server, quietMs: number): Promise<void> {
  return new Promise((resolve) => {
    const quiet = setTimeout(resolve, quietMs);
    setTimeout(resolve, Math.max(quietMs, LISTEN_LIMIT_MS)).unref();
    const stay = (): void => void quiet.refresh();
    server.prependListener('request', ({ url = '' }, res) => {
      // A client that keeps its connection busy would be served on it until it is cut.
      res.setHeader('Connection', 'close');
      if (IS_WATCHING.test(url)) return;
      stay();
      // A client that sends requests one after another sends the next one now.
      res.once('close', stay);
    });
  });
}

async function drain({ server, worker, runtime, lifecycle }: Service): Promise<void> {
  lifecycle.isDraining = true;
  const start = performance.now();
  // Alongside the requests, not after them, so that both end within the ten seconds.
  const stopped = worker.stop();
  // Without its main process, a gateway must free the port for the next start.
  await untilQuiet(server, cluster.worker?.isConnected() === false ? 0 : runtime.config.drainDelayMs);
  const closed = once(server, 'close');
  server.close();
  // Only now, so that clients of streams reconnect to another process.
  lifecycle.endStreams?.();
  const idle = setInterval(() => server.closeIdleConnections(), IDLE_MS);
  const leftMs = Math.max(0, DRAIN_LIMIT_MS - (performance.now() - start));
  const cut = setTimeout(() => server.closeAllConnections(), leftMs);
  await closed;
  clearTimeout(cut);
  clearInterval(idle);
  await stopped;
  await runtime.close();
}

const HELP = `Serve REST, GraphQL, the dashboard and the pages for shoppers, and do the background work, until stopped.

Usage: npm start

  --help   show this help

Configure it with environment variables such as PORT, DATA_DIR, DATABASE_URL and PUBLIC_URL (see .env.example).
`;

async function main(flag: string | undefined): Promise<void> {
  if (flag === '--help') return void process.stdout.write(HELP);
  if (flag !== undefined) {
    process.stderr.write(`Unknown flag ${flag}; see --help\n`);
    process.exit(2);
  }
  const config = readConfig();
  const log = createLogger(config.logLevel);
  const signal = endSignal(log, () => limitShutdown(log));
  if (cluster.worker) joinService(cluster.worker);
  else if (config.processes > 1) process.exit(await runGateways(config, log, signal));
  const service = await start(config, log, signal.isEnding);
  const status = await signal.ended;
  if (service)
    await drain(service).catch((error: unknown) => {
      log.error({ err: error }, 'Shutdown failed');
      process.exit(1);
    });
  process.exit(status);
}

main(process.argv[2]).catch((error: unknown) => {
  const fault = describeFailure(error);
  const exit = (): never => process.exit(1);
  // The main process reports it once, for all gateways.
  if (cluster.worker) cluster.worker.send({ fault }, exit);
  else process.stderr.write(`wishgate did not start: ${fault}\n`, exit);
});
