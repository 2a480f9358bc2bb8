import { existsSync } from 'node:fs';
import { isIP } from 'node:net';
import { resolve } from 'node:path';
import { z } from 'zod';
import { CHANNELS, MEDIA } from './alerts/send/channels.ts';
import type { ChannelSettings } from './alerts/send/channels.ts';
import { httpUrl } from './alerts/send/settings.ts';
import { splitAddress } from './platform/database-address.ts';
import type { Pooler } from './platform/database/pooler.ts';
import { isLoopbackHost, isLoopbackUrl } from './platform/loopback.ts';

const flag = z
  .enum(['0', '1', 'off', 'on', 'false', 'true'])
  .transform((value) => ['1', 'on', 'true'].includes(value));

const PROXY_NAMES = new Set(['loopback', 'linklocal', 'uniquelocal']);

/** A known range, an address, or a subnet such as 10.0.0.0/8. */
function isProxy(entry: string): boolean {
  const [address = '', bits, ...more] = entry.split('/');
  const maxBits = isIP(address) === 4 ? 32 : 128;
  const isSubnet = bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) <= maxBits);
  return PROXY_NAMES.has(entry) || (isIP(address) !== 0 && isSubnet && more.length === 0);
}

const proxies = z
  .string()
  .transform((text) =>
    text
      .split(',')
      .map((entry) => entry.trim())
      .filter(Boolean),
  )
  .refine(
    (entries) => entries.every(isProxy),
    'name addresses, subnets, loopback, linklocal or uniquelocal, with commas between',
  );

const REDIS_HELP = 'name one Redis, such as redis://user:password@cache.example:6379/0, or rediss:// for TLS';

const redisUrl = z
  .url({ protocol: /^rediss?$/, hostname: /./, error: REDIS_HELP, abort: true })
  .refine((url) => /^\/?\d{0,4}$/.test(new URL(url).pathname), REDIS_HELP);

const oneServer = z.url({
  protocol: /^postgres(ql)?$/,
  error: 'write postgresql://user:password@host:port/name',
});

const databaseUrl = z
  .string()
  .refine(
    (text) => splitAddress(text).every((url) => oneServer.safeParse(url).success),
    'write postgresql://user:password@host:port/name; several hosts have commas between',
  );

const KEY_TEXT = /^[A-Za-z0-9+/]{43}=$/;

const secretsKeys = z
  .string()
  .transform((text) => text.split(/[\s,]+/).filter(Boolean))
  .refine(
    (keys) => keys.every((key) => KEY_TEXT.test(key)),
    'name keys of 32 bytes in base64, newest first, with commas between',
  )
  .transform((keys) => keys.map((key) => Buffer.from(key, 'base64')));

const OWN_VARIABLES = {
  PORT: z.coerce.number().int().min(0).max(65_535).default(4000),
  HOST: z.string().min(1).default('127.0.0.1'),
  DATA_DIR: z.string().min(1).default('./data'),
  DATABASE_URL: databaseUrl.optional(),
  DATABASE_REPLICA_URL: oneServer.optional(),
  DATABASE_POOL: z.coerce.number().int().min(2).max(200).default(20),
  DATABASE_POOLER: z.enum(['none', 'transaction', 'transaction-prepared']).default('none'),
  PUBLIC_URL: httpUrl.optional(),
  LOG_LEVEL: z.enum(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent']).default('info'),
  DEMO: flag.optional(),
  TRUST_PROXY: proxies.default([]),
  RATE_LIMITS: flag.default(true),
  REDIS_URL: redisUrl.optional(),
  DRAIN_DELAY_MS: z.coerce.number().int().min(0).max(8_000).default(500),
  MAX_LISTS: z.coerce.number().int().min(1).max(100_000).default(1_000),
  MAX_ITEMS: z.coerce.number().int().min(1).max(1_000_000).default(10_000),
  MAX_SHOPPER_BYTES: z.coerce.number().int().min(10_000).max(1e12).default(32_000_000),
  MAX_REQUESTS: z.coerce.number().int().min(0).max(100_000).default(32),
  QUEUE_WAIT_MS: z.coerce.number().int().min(10).max(60_000).default(1_000),
  MAX_CONNECTIONS: z.coerce.number().int().min(10).max(1_000_000).default(20_000),
  MAX_STREAMS: z.coerce.number().int().min(0).max(1_000_000).default(10_000),
  LIVE_WAIT_SECONDS: z.coerce.number().int().min(0).max(600).default(25),
  RESPONSE_CACHE_MB: z.coerce.number().int().min(0).max(100_000).default(32),
  TRUSTED_DOCUMENTS: z.string().min(1).optional(),
  WEBHOOK_ALLOW_PRIVATE: flag.default(false),
  SECRETS_KEY: secretsKeys.optional(),
  DISPATCH_LEASE_MS: z.coerce.number().int().min(1_000).max(600_000).default(60_000),
  DISPATCH_RETRY_MS: z.coerce.number().int().min(10).max(600_000).default(5_000),
  METRICS_TOKEN: z
    .string()
    .regex(/^[\x21-\x7e]{16,}$/, 'give it at least 16 characters, without spaces')
    .optional(),
  METRICS_PORT: z.coerce.number().int().min(1).max(65_535).optional(),
  OTEL_EXPORTER_OTLP_ENDPOINT: httpUrl.optional(),
  OTEL_SERVICE_NAME: z.string().min(1).default('wishgate'),
  OTEL_TRACES_SAMPLER_ARG: z.coerce.number('it must be a number from 0 to 1').min(0).max(1).default(1),
};

const channelVariables = z.object(
  Object.assign({}, ...MEDIA.map((medium) => CHANNELS[medium].settings.variables)) as z.ZodRawShape,
);

/** `.env.example` explains each variable to operators, with its default. */
export const variables = z.object({ ...OWN_VARIABLES, ...channelVariables.shape });

/** README.md and `.env.example` must explain each. */
export const VARIABLE_NAMES = Object.keys(variables.shape);

export type Config = Readonly<{
  port: number;
  host: string;
  dataDir: string;
  /** Null runs the bundled PostgreSQL in `dataDir`. */
  databaseUrl: string | null;
  /** A streaming replica, read from once it has caught up with what the reader may expect. */
  databaseReplicaUrl: string | null;
  databasePool: number;
  /** Poolers assign a connection for one transaction; a `prepared` one tracks named statements on its connections. */
  databasePooler: Pooler;
  /** Base of every link that we send; never derived from a Host header. */
  publicUrl: string;
  /** Whether an operator set it; otherwise it is the address we listen on. */
  hasPublicUrl: boolean;
  logLevel: string;
  demo: boolean;
  /** Proxies whose forwarding headers are trusted, in Express's "trust proxy" form. */
  trustProxy: string[];
  rateLimits: boolean;
  /** Shared counters of all processes; with null each process counts separately. */
  redisUrl: string | null;
  drainDelayMs: number;
  maxLists: number;
  maxItems: number;
  maxShopperBytes: number;
  /** Concurrent requests; 0 sets no limit. */
  maxRequests: number;
  queueWaitMs: number;
  /** Open connections, streams included; one beyond the limit is closed at once. */
  maxConnections: number;
  /** Open streams and waiting calls together. */
  maxStreams: number;
  liveWaitMs: number;
  /** 0 caches nothing. */
  responseCacheBytes: number;
  /** File with the only GraphQL documents that run without a store key; null allows any. */
  trustedDocuments: string | null;
  /** Transports of messages; those of a channel without settings are written as files below `dataDir`. */
  channels: ChannelSettings;
  /** Whether webhooks and stores' own mail servers may be in the private network. */
  webhookAllowPrivate: boolean;
  /** Keys that decrypt stores' passwords, newest first; when empty, those of a file below `dataDir`. */
  secretsKeys: readonly Buffer[];
  /** How long a dispatcher may hold a message before another one claims it. */
  dispatchLeaseMs: number;
  /** Pause after the first failed attempt; it doubles with each further one. */
  dispatchRetryMs: number;
  /** Token for remote callers of /metrics; null rejects all of them. */
  metricsToken: string | null;
  /** A port for /metrics alone; null opens none. */
  metricsPort: number | null;
  /** Null disables tracing. */
  traces: { endpoint: string; serviceName: string; share: number } | null;
  warnings: readonly string[];
}>;

/** Real environment variables override `.env`. */
export function loadEnvFile(): void {
  if (existsSync('.env')) process.loadEnvFile('.env');
}

/** Messages for operators where a variable's own rule has none. */
const explain: z.core.$ZodErrorMap = (issue) => {
  if (issue.code === 'too_small') return `it must be at least ${issue.minimum}`;
  if (issue.code === 'too_big') return `it must be at most ${issue.maximum}`;
  if (issue.code === 'invalid_value') return `it must be one of ${issue.values.join(', ')}`;
  if (issue.code === 'invalid_type') return 'it must be a whole number';
  return 'it is not understood';
};

const OLDER_NAMES = { KEPT_ANSWERS_MB: 'RESPONSE_CACHE_MB' };

/** The new names win where both are set; returns a warning for each older one. */
function takeOlderNames(given: Record<string, string | undefined>): string[] {
  return Object.entries(OLDER_NAMES).flatMap(([older, name]) => {
    if (given[older] === undefined) return [];
    given[name] ??= given[older];
    return [`${older} is now called ${name}; the older name still works`];
  });
}

/** Throws an Error with one sentence that names the variable and what is wrong with it. */
export function readConfig(environment: Record<string, string | undefined> = process.env): Config {
  const given = Object.fromEntries(Object.entries(environment).filter(([, value]) => value !== ''));
  const warnings = takeOlderNames(given);
  const parsed = variables.safeParse(given, { error: explain });
  if (!parsed.success) {
    const { path, message } = parsed.error.issues[0]!;
    throw new Error(`${path.join('.')} is wrong: ${message} (see .env.example)`);
  }
  const env = parsed.data;
  if (env.DATABASE_REPLICA_URL !== undefined && env.DATABASE_URL === undefined)
    throw new Error(
      'DATABASE_REPLICA_URL is wrong: the bundled database has no replica; set DATABASE_URL, too',
    );
  const isPublic = env.PUBLIC_URL !== undefined && !isLoopbackUrl(env.PUBLIC_URL);
  const isLocal = isLoopbackHost(env.HOST) && !isPublic;
  const demo = env.DEMO ?? (env.DATABASE_URL === undefined && isLocal);
  if (demo && !isLocal) {
    const reason = isPublic ? `PUBLIC_URL is ${env.PUBLIC_URL}` : `HOST is ${env.HOST}`;
    throw new Error(`DEMO is wrong: the demo store never exists on a public server, and ${reason}`);
  }
  return Object.freeze({
    port: env.PORT,
    host: env.HOST,
    dataDir: resolve(env.DATA_DIR),
    databaseUrl: env.DATABASE_URL ?? null,
    databaseReplicaUrl: env.DATABASE_REPLICA_URL ?? null,
    databasePool: env.DATABASE_POOL,
    databasePooler: env.DATABASE_POOLER,
    publicUrl: env.PUBLIC_URL ?? `http://${env.HOST.includes(':') ? `[${env.HOST}]` : env.HOST}:${env.PORT}`,
    hasPublicUrl: env.PUBLIC_URL !== undefined,
    logLevel: env.LOG_LEVEL,
    demo,
    trustProxy: env.TRUST_PROXY,
    rateLimits: env.RATE_LIMITS,
    redisUrl: env.REDIS_URL ?? null,
    drainDelayMs: env.DRAIN_DELAY_MS,
    maxLists: env.MAX_LISTS,
    maxItems: env.MAX_ITEMS,
    maxShopperBytes: env.MAX_SHOPPER_BYTES,
    maxRequests: env.MAX_REQUESTS,
    queueWaitMs: env.QUEUE_WAIT_MS,
    maxConnections: env.MAX_CONNECTIONS,
    maxStreams: env.MAX_STREAMS,
    liveWaitMs: env.LIVE_WAIT_SECONDS * 1_000,
    responseCacheBytes: env.RESPONSE_CACHE_MB * 1_000_000,
    trustedDocuments: env.TRUSTED_DOCUMENTS === undefined ? null : resolve(env.TRUSTED_DOCUMENTS),
    channels: readChannels(env),
    webhookAllowPrivate: env.WEBHOOK_ALLOW_PRIVATE,
    secretsKeys: env.SECRETS_KEY ?? [],
    dispatchLeaseMs: env.DISPATCH_LEASE_MS,
    dispatchRetryMs: env.DISPATCH_RETRY_MS,
    metricsToken: env.METRICS_TOKEN ?? null,
    metricsPort: env.METRICS_PORT ?? null,
    traces:
      env.OTEL_EXPORTER_OTLP_ENDPOINT === undefined
        ? null
        : {
            endpoint: env.OTEL_EXPORTER_OTLP_ENDPOINT,
            serviceName: env.OTEL_SERVICE_NAME,
            share: env.OTEL_TRACES_SAMPLER_ARG,
          },
    warnings,
  });
}

function readChannels(env: Record<string, unknown>): ChannelSettings {
  const read = MEDIA.map((medium) => [medium, CHANNELS[medium].settings.read(env)] as const);
  return Object.freeze(Object.fromEntries(read.filter(([, settings]) => settings !== null)));
}
