import { Counter, Gauge, Histogram, Registry, collectDefaultMetrics } from 'prom-client';
import { describeFailure } from './errors.ts';
import type { Logger } from './log.ts';

/**
 * Labels only have values from a set in the source (routes, schema fields, statement names), never from a request. A gauge costs
 * nothing until a scrape; the code that knows its value calls `measure(METRICS.openStreams, () => open)`.
 */
export const registry = new Registry();

const registers = [registry];

type Read = (gauge: Gauge) => unknown;
const readers = new Map<string, Read>();

function counter<Label extends string>(name: string, help: string, ...labelNames: Label[]): Counter<Label> {
  return new Counter({ name: `wishgate_${name}`, help, labelNames, registers });
}

function histogram<Label extends string>(
  name: string,
  help: string,
  buckets: number[],
  ...labelNames: Label[]
): Histogram<Label> {
  return new Histogram({ name: `wishgate_${name}`, help, buckets, labelNames, registers });
}

function gauge<Label extends string>(name: string, help: string, ...labelNames: Label[]): Gauge<Label> {
  const full = `wishgate_${name}`;
  return new Gauge<Label>({
    name: full,
    help,
    labelNames,
    registers,
    async collect() {
      await readers.get(full)?.(this);
    },
  });
}

const REQUEST_SECONDS = [0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10];
const STATEMENT_SECONDS = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.1, 0.5, 2.5, 10];
const SEND_SECONDS = [0.01, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 15, 60];

export const METRICS = {
  requests: histogram(
    'http_request_duration_seconds',
    'Time from a request to the end of its answer, by route, operation and status; 499 where the caller left',
    REQUEST_SECONDS,
    'route',
    'operation',
    'status',
  ),
  failures: counter('failures_total', 'Answers that told a failure, by its type', 'type'),
  rateLimited: counter('rate_limit_refusals_total', 'Requests beyond a rate limit, by its kind', 'kind'),
  rateLimitsShared: gauge(
    'rate_limits_shared',
    'With REDIS_URL: 1 while rate limits are counted in Redis, 0 while it is away',
  ),
  requestsUnderWay: gauge('requests_under_way', 'Requests that are being served now'),
  requestsWaiting: gauge('requests_waiting', 'Requests that wait for their turn now'),
  shed: counter('shed_requests_total', 'Requests refused because they waited too long for their turn'),
  openStreams: gauge('open_streams', 'Streams and waiting calls that are open'),
  keptAnswers: counter(
    'kept_answers_total',
    'Reads by whether a kept answer served them: hit, miss',
    'result',
  ),
  keptBytes: gauge('kept_answers_bytes', 'Bytes that kept answers take'),
  batchSize: histogram(
    'batch_size',
    'Requests that shared one statement or transaction, by kind: read, write',
    [1, 2, 5, 10, 25, 50, 100, 200],
    'kind',
  ),
  poolConnections: gauge('database_connections', 'Open connections, by state: idle, busy', 'server', 'state'),
  poolMax: gauge(
    'database_connections_max',
    'Connections that this process may open (DATABASE_POOL)',
    'server',
  ),
  poolWaiting: gauge('database_waiting', 'Requests that wait for a connection now', 'server'),
  poolWait: histogram(
    'database_wait_seconds',
    'Time that a statement waited for a connection',
    STATEMENT_SECONDS,
    'server',
  ),
  statements: histogram(
    'database_statement_duration_seconds',
    'Time from a statement to its result, by its name',
    STATEMENT_SECONDS,
    'statement',
    'server',
  ),
  outboxQueued: gauge(
    'outbox_queued',
    'Messages that wait, by kind; counted up to 100,000',
    'lane',
    'medium',
  ),
  outboxLate: gauge(
    'outbox_oldest_due_seconds',
    'How long the oldest message that could leave has been due, by kind',
    'lane',
    'medium',
  ),
  messages: counter(
    'messages_total',
    'Tries to deliver, by kind and outcome: sent, retry, dead (no further try), withheld, deferred',
    'lane',
    'medium',
    'outcome',
  ),
  sends: histogram(
    'send_duration_seconds',
    'Time that a mail server, provider or webhook took for one try',
    SEND_SECONDS,
    'lane',
    'medium',
  ),
  taskFailures: counter(
    'background_failures_total',
    'Background work that failed and is tried again',
    'task',
  ),
  scrapeFailures: counter(
    'scrape_failures_total',
    'Values that could not be read for a scrape, by metric',
    'metric',
  ),
  build: gauge('build_info', 'Always 1; the labels say what runs', 'version', 'node'),
};

/** Sets the function that reads a gauge at each scrape; the last call wins. */
export function measure<Label extends string>(
  one: Gauge<Label>,
  read: (gauge: Gauge<Label>) => number | void | Promise<void>,
  log?: Logger,
): void {
  const { name } = one as unknown as { name: string };
  readers.set(name, async (gauge) => {
    try {
      const value = await read(gauge);
      if (typeof value === 'number') gauge.set(value);
    } catch (error) {
      // The previous value would be wrong; the other metrics are needed most when something is wrong.
      gauge.reset();
      METRICS.scrapeFailures.inc({ metric: name });
      log?.warn({ metric: name, reason: describeFailure(error) }, 'a metric could not be read');
    }
  });
}

let isStarted = false;

export function watchProcess(version: string): void {
  if (isStarted) return;
  isStarted = true;
  collectDefaultMetrics({ register: registry });
  measure(METRICS.build, (build) => build.set({ version, node: process.version }, 1));
}
