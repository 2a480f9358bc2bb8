import { Counter, Gauge, Histogram, Registry, collectDefaultMetrics } from 'prom-client';
import type { Aggregator } from 'prom-client';
import { describeFailure } from './errors.ts';
import type { Logger } from './log.ts';

/** Labels only have values from a set in the source (routes, schema fields, statement names), never from a request. */
export const registry = new Registry();

const readers = new Map<string, () => Promise<void>>();

const optionsOf = <Label extends string>(name: string, labelNames: readonly Label[], help: string) => ({
  name: `wishgate_${name}`,
  help,
  labelNames,
  registers: [registry],
});

const counter = <Label extends string>(name: string, labels: readonly Label[], help: string) =>
  new Counter<Label>(optionsOf(name, labels, help));

const histogram = <Label extends string>(
  name: string,
  labels: readonly Label[],
  buckets: number[],
  help: string,
) => new Histogram<Label>({ ...optionsOf(name, labels, help), buckets });

/** `aggregator` combines the values of the gateways of one service. */
const gauge = <Label extends string>(
  name: string,
  labels: readonly Label[],
  help: string,
  aggregator: Aggregator = 'sum',
) => {
  const options = optionsOf(name, labels, help);
  return new Gauge<Label>({ ...options, aggregator, collect: () => readers.get(options.name)?.() });
};

const REQUEST_SECONDS = [0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10];
const STATEMENT_SECONDS = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.1, 0.5, 2.5, 10];
const SEND_SECONDS = [0.01, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 15, 60];
const MESSAGE = ['lane', 'medium'] as const;

export const METRICS = {
  requests: histogram(
    'http_request_duration_seconds',
    ['route', 'operation', 'status'],
    REQUEST_SECONDS,
    'Time from a request to the end of its response, by route, operation and status; 499 if the caller disconnected',
  ),
  failures: counter('failures_total', ['type'], 'Error responses, by error type'),
  rateLimited: counter(
    'rate_limit_refusals_total',
    ['kind'],
    'Requests beyond a rate limit, by kind of limit',
  ),
  rateLimitsShared: gauge(
    'rate_limits_shared',
    [],
    'With REDIS_URL: 1 while rate limits are counted in Redis, 0 while it is unavailable',
    'min',
  ),
  requestsUnderWay: gauge('requests_under_way', [], 'Requests in progress'),
  requestsWaiting: gauge('requests_waiting', [], 'Requests waiting in the queue'),
  shed: counter('shed_requests_total', [], 'Requests rejected because they waited too long in the queue'),
  openStreams: gauge('open_streams', [], 'Open streams and long-polling calls'),
  keptAnswers: counter(
    'kept_answers_total',
    ['result'],
    'Reads by whether the response cache served them: hit, miss',
  ),
  keptBytes: gauge('kept_answers_bytes', [], 'Size of the response cache in bytes'),
  guestsExamined: counter(
    'guests_examined_total',
    [],
    'Shoppers examined by the daily removal of idle guests',
  ),
  guestsRemoved: counter(
    'guests_removed_total',
    ['how'],
    'Idle guests removed: deleted, or reduced to regid and epoch',
  ),
  batchSize: histogram(
    'batch_size',
    ['kind'],
    [1, 2, 5, 10, 25, 50, 100, 200],
    'Requests that shared one statement or transaction, by kind: read, write',
  ),
  poolConnections: gauge(
    'database_connections',
    ['server', 'state'],
    'Open connections, by state: idle, busy',
  ),
  poolMax: gauge(
    'database_connections_max',
    ['server'],
    'Connections that this process may open (DATABASE_POOL)',
  ),
  poolWaiting: gauge('database_waiting', ['server'], 'Requests waiting for a connection'),
  poolWait: histogram(
    'database_wait_seconds',
    ['server'],
    STATEMENT_SECONDS,
    'Time that a statement waited for a connection',
  ),
  statements: histogram(
    'database_statement_duration_seconds',
    ['statement', 'server'],
    STATEMENT_SECONDS,
    'Time from a statement to its result, by its name',
  ),
  outboxQueued: gauge('outbox_queued', MESSAGE, 'Messages that wait, by kind; counted up to 100,000', 'max'),
  outboxLate: gauge(
    'outbox_oldest_due_seconds',
    MESSAGE,
    'How long the oldest sendable message has been due, by kind',
    'max',
  ),
  messages: counter(
    'messages_total',
    [...MESSAGE, 'outcome'],
    'Delivery attempts, by kind and outcome; dead means no more attempts',
  ),
  sends: histogram(
    'send_duration_seconds',
    MESSAGE,
    SEND_SECONDS,
    'Time that a mail server, provider or webhook took for one attempt',
  ),
  taskFailures: counter('background_failures_total', ['task'], 'Background work that failed and is retried'),
  scrapeFailures: counter(
    'scrape_failures_total',
    ['metric'],
    'Values that could not be read for a scrape, by metric',
  ),
  build: gauge('build_info', ['version', 'node'], 'Always 1; the labels say what runs', 'max'),
  gateways: gauge('gateways', [], 'Processes of this service that serve requests (PROCESSES)'),
};

/** Sets the function that reads a gauge at each scrape; the last call wins. */
export function measure<Label extends string>(
  gauge: Gauge<Label>,
  read: (gauge: Gauge<Label>) => number | void | Promise<void>,
  log?: Logger,
): void {
  const { name: metric } = gauge as unknown as { name: string };
  readers.set(metric, async () => {
    try {
      const value = await read(gauge);
      if (typeof value === 'number') gauge.set(value);
    } catch (error) {
      // The previous value would be wrong; the other metrics are needed most when something is wrong.
      gauge.reset();
      METRICS.scrapeFailures.inc({ metric });
      log?.warn({ metric, reason: describeFailure(error) }, 'could not read a metric');
    }
  });
}

/** Called once for each app or port that serves metrics. */
export function watchProcess(version: string): void {
  if (registry.getSingleMetric('process_cpu_user_seconds_total')) return;
  collectDefaultMetrics({ register: registry });
  measure(METRICS.gateways, () => 1);
  measure(METRICS.build, (build) => build.set({ version, node: process.version }, 1));
}
