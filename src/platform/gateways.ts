import cluster from 'node:cluster';
import type { Worker } from 'node:cluster';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { AggregatorRegistry } from 'prom-client';
import { RateLimiterClusterMaster } from 'rate-limiter-flexible';
import type { Logger } from './log.ts';
import { registry } from './metrics.ts';

/** A gateway reports its address once it serves, or why it did not start, and asks for the metrics of all (`scrape`). */
type Message = { url?: string; fault?: string; scrape?: string; text?: string };

const MAX_PAUSE_MS = 5_000;

/** A message to a process that has just ended fails with an event, which would end the sender, too. */
const ignore = (): void => undefined;

/** Runs the gateways of one service on one port, replaces those that end, and counts their rate limits. */
export function startGateways(count: number, log: Logger) {
  // Round-robin would pass connections through this process: one on its way to a gateway that is killed never gets a response.
  cluster.schedulingPolicy = cluster.SCHED_NONE;
  const metrics = new AggregatorRegistry();
  new RateLimiterClusterMaster();
  const running = new Set<Worker>();
  let [serving, isEnding] = [0, false];
  let status: 0 | 1 = 0;
  let settle: { resolve: (url: string) => void; reject: (error: Error) => void };
  const url = new Promise<string>((resolve, reject) => (settle = { resolve, reject }));

  const open = (pauseMs: number): void => {
    if (isEnding) return;
    const worker = cluster.fork().on('error', ignore);
    running.add(worker);
    let reason: string | undefined;
    let nextPauseMs = Math.min(pauseMs * 2, MAX_PAUSE_MS);
    worker.on('message', ({ url: address, fault, scrape }: Message) => {
      reason = fault;
      if (address !== undefined) {
        nextPauseMs = 100;
        if ((serving += 1) === count) settle.resolve(address);
      }
      if (scrape === undefined) return;
      const send = (answer: Message): boolean => worker.send({ scrape, ...answer });
      metrics.clusterMetrics().then(
        (text) => send({ text }),
        (error: Error) => send({ fault: error.message }),
      );
    });
    worker.once('exit', (code, signal) => {
      running.delete(worker);
      if (isEnding && code !== 0) status = 1;
      if (isEnding) return;
      const end = { pid: worker.process.pid, end: signal ?? code, reason };
      settle.reject(new Error(reason ?? `A gateway ended with ${end.end} at its start`));
      log.error(end, 'A gateway has ended; starting another one');
      setTimeout(open, nextPauseMs, nextPauseMs);
    });
  };
  for (let n = 0; n < count; n += 1) open(100);

  return {
    /** The address of all gateways, once each of them serves; rejects if one ends before. */
    url,
    /** Resolves to the exit code of the service once all gateways have finished their requests. */
    async stop(): Promise<0 | 1> {
      isEnding = true;
      for (const worker of running) worker.process.kill('SIGTERM');
      while (running.size > 0) await once(cluster, 'exit');
      return status;
    },
  };
}

/** Lets the main process, which started this gateway, collect its metrics. */
export function joinService(worker: Worker): void {
  // When the main process is killed, Node would end this one at once, with all requests in progress.
  worker.exitedAfterDisconnect = true;
  AggregatorRegistry.setRegistries(registry);
  new AggregatorRegistry();
  process.on('error', ignore);
}

/** Of all gateways of the service, or of this process, if it is alone. */
export function collectMetrics(): Promise<string> {
  if (!cluster.worker?.isConnected()) return registry.metrics();
  const scrape = randomUUID();
  return new Promise((resolve, reject) => {
    const receive = (message: Message): void => {
      if (message.scrape !== scrape) return;
      process.off('message', receive);
      if (message.text === undefined) reject(new Error(message.fault));
      else resolve(message.text);
    };
    process.on('message', receive);
    cluster.worker!.send({ scrape });
  });
}
