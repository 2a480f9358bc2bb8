import { existsSync } from 'node:fs';
import { isIP } from 'node:net';
import { availableParallelism } from 'node:os';
import { resolve } from 'node:path';
import { z } from 'zod';
import { CHANNELS, MEDIA } from './alerts/send/channels.ts';
import type { ChannelSettings } from './alerts/send/channels.ts';
import { httpUrl } from './alerts/send/settings.ts';
import { splitAddress } from './platform/database-address.ts';
import { POOLERS } from './platform/database/pooler.ts';
import { isLoopbackHost, isLoopbackUrl } from './platform/loopback.ts';
import { splitList } from './platform/text.ts';

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
  .transform(splitList)
  .refine(
    (entries) => entries.every(isProxy),
    'use IP addresses, subnets, loopback, linklocal or uniquelocal, separated by commas',
  );

const REDIS_HELP =
  'use one Redis URL, such as redis://user:password@cache.example:6379/0, or rediss:// for TLS';

const redisUrl = z
  .url({ protocol: /^rediss?$/, hostname: /./, error: REDIS_HELP, abort: true })
  .refine((url) => /^\/?\d{0,4}$/.test(new URL(url).pathname), REDIS_HELP);

const oneServer = z.url({
  protocol: /^postgres(ql)?$/,
  error: 'use postgresql://user:password@host:port/name',
});

const databaseUrl = z
  .string()
  .refine(
    (text) => splitAddress(text).every((url) => oneServer.safeParse(url).success),
    'use postgresql://user:password@host:port/name; separate several hosts with commas',
  );

const KEY_TEXT = /^[A-Za-z0-9+/]{43}=$/;

const secretsKeys = z
  .string()
  .transform((text) => text.split(/[\s,]+/).filter(Boolean))
  .refine(
    (keys) => keys.every((key) => KEY_TEXT.test(key)),
    'use keys of 32 bytes in base64, newest first, separated by commas',
  )
  .transform((keys): Buffer[] => keys.map((key) => Buffer.from(key, 'base64')));

/** PostgreSQL and the system keep one core of `auto`. */
const processes = z
  .string()
  .transform((given) =>
    given === 'auto' ? Math.min(8, Math.max(1, availableParallelism() - 1)) : Number(given),
  )
  .refine((n) => Number.isInteger(n) && n >= 1 && n <= 64, 'use auto or a number from 1 to 64');

const whole = (min: number, max: number) => z.coerce.number().int().min(min).max(max);
const times = (factor: number) => (value: number) => value * factor;
const text = z.string().min(1);

/** Each setting with its variable; `.env.example` explains the variables to operators, with their defaults. Unset ones are null. */
const SETTINGS = {
  port: ['PORT', whole(0, 65_535).default(4000)],
  processes: ['PROCESSES', processes.default(1)],
  host: ['HOST', text.default('127.0.0.1')],
  dataDir: ['DATA_DIR', text.default('./data').transform((path) => resolve(path))],
  /** Null runs the bundled PostgreSQL in `dataDir`. */
  databaseUrl: ['DATABASE_URL', databaseUrl.optional()],
  databaseReplicaUrl: ['DATABASE_REPLICA_URL', oneServer.optional()],
  databaseReplicaSynchronous: ['DATABASE_REPLICA_SYNCHRONOUS', flag.default(false)],
  databasePool: ['DATABASE_POOL', whole(2, 200).default(20)],
  databasePooler: ['DATABASE_POOLER', z.enum(POOLERS).default('none')],
  logLevel: [
    'LOG_LEVEL',
    z.enum(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent']).default('info'),
  ],
  /** Proxies whose forwarding headers are trusted, in Express's "trust proxy" form. */
  trustProxy: ['TRUST_PROXY', proxies.default([])],
  rateLimits: ['RATE_LIMITS', flag.default(true)],
  redisUrl: ['REDIS_URL', redisUrl.optional()],
  /** Runtime APIs of HAProxy, separated by commas; `store -- move` changes their maps. */
  haproxySocket: ['HAPROXY_SOCKET', text.optional()],
  drainDelayMs: ['DRAIN_DELAY_MS', whole(0, 8_000).default(500)],
  maxLists: ['MAX_LISTS', whole(1, 100_000).default(1_000)],
  maxItems: ['MAX_ITEMS', whole(1, 1_000_000).default(10_000)],
  maxShopperBytes: ['MAX_SHOPPER_BYTES', whole(10_000, 1e12).default(32_000_000)],
  maxRequests: ['MAX_REQUESTS', whole(0, 100_000).default(32)],
  queueWaitMs: ['QUEUE_WAIT_MS', whole(10, 60_000).default(1_000)],
  maxConnections: ['MAX_CONNECTIONS', whole(10, 1_000_000).default(20_000)],
  maxStreams: ['MAX_STREAMS', whole(0, 1_000_000).default(10_000)],
  liveWaitMs: ['LIVE_WAIT_SECONDS', whole(0, 600).default(25).transform(times(1_000))],
  responseCacheBytes: ['RESPONSE_CACHE_MB', whole(0, 100_000).default(32).transform(times(1_000_000))],
  /** File with the only GraphQL documents that run without a store key; null allows any. */
  trustedDocuments: ['TRUSTED_DOCUMENTS', text.transform((path) => resolve(path)).optional()],
  webhookAllowPrivate: ['WEBHOOK_ALLOW_PRIVATE', flag.default(false)],
  /** Keys that decrypt stores' passwords, newest first; when empty, those of a file below `dataDir`. */
  secretsKeys: ['SECRETS_KEY', secretsKeys.default([])],
  dispatchLeaseMs: ['DISPATCH_LEASE_MS', whole(1_000, 600_000).default(60_000)],
  dispatchRetryMs: ['DISPATCH_RETRY_MS', whole(10, 600_000).default(5_000)],
  /** Token for remote callers of /metrics; null rejects all of them. */
  metricsToken: [
    'METRICS_TOKEN',
    z
      .string()
      .regex(/^[\x21-\x7e]{16,}$/, 'use at least 16 characters, without spaces')
      .optional(),
  ],
  metricsPort: ['METRICS_PORT', whole(1, 65_535).optional()],
} as const;

/** Variables whose settings are computed from several. */
const COMBINED = {
  PUBLIC_URL: httpUrl.optional(),
  DEMO: flag.optional(),
  OTEL_EXPORTER_OTLP_ENDPOINT: httpUrl.optional(),
  OTEL_SERVICE_NAME: text.default('wishgate'),
  OTEL_TRACES_SAMPLER_ARG: z.coerce.number('it must be a number from 0 to 1').min(0).max(1).default(1),
};

export const variables = z.object({
  ...Object.fromEntries<z.ZodType>(Object.values(SETTINGS)),
  ...(Object.assign({}, ...MEDIA.map((medium) => CHANNELS[medium].settings.variables)) as z.ZodRawShape),
  ...COMBINED,
});

/** docs/configuration.md and `.env.example` must explain each. */
export const VARIABLE_NAMES = Object.keys(variables.shape);

type Settings = {
  [Name in keyof typeof SETTINGS]: z.output<(typeof SETTINGS)[Name][1]> extends infer Value
    ? Value extends undefined
      ? null
      : Value
    : never;
};

export type Config = Readonly<
  Settings & {
    /** Base of every link that we send; never derived from a Host header. */
    publicUrl: string;
    /** Whether an operator set it; otherwise it is the address we listen on. */
    hasPublicUrl: boolean;
    demo: boolean;
    /** Transports of messages; those of a channel without settings are written as files below `dataDir`. */
    channels: ChannelSettings;
    /** Null disables tracing. */
    traces: { endpoint: string; serviceName: string; share: number } | null;
    warnings: readonly string[];
  }
>;

/** Of several processes together: the bundled PostgreSQL allows 200 connections, and each process has some outside of its pool. */
const MAX_POOLS = 160;

/** Real environment variables override `.env`. */
function loadEnvironment(): Environment {
  if (existsSync('.env')) process.loadEnvFile('.env');
  return process.env;
}

/** Messages for operators where a variable's own rule has none. */
const explain: z.core.$ZodErrorMap = (issue) => {
  if (issue.code === 'too_small') return `it must be at least ${issue.minimum}`;
  if (issue.code === 'too_big') return `it must be at most ${issue.maximum}`;
  if (issue.code === 'invalid_value') return `it must be one of ${issue.values.join(', ')}`;
  if (issue.code === 'invalid_type') return 'it must be a whole number';
  return 'it is not valid';
};

/** URLs can contain passwords. */
const MAY_BE_SECRET = /URL|ENDPOINT|KEY|TOKEN/;

export type Environment = Record<string, string | undefined>;

/** Throws an Error with one line for each invalid variable. */
export function readConfig(environment: Environment = loadEnvironment()): Config {
  const given = Object.fromEntries(Object.entries(environment).filter(([, value]) => value !== ''));
  const isOlder = given['KEPT_ANSWERS_MB'] !== undefined;
  if (isOlder) given['RESPONSE_CACHE_MB'] ??= given['KEPT_ANSWERS_MB'];
  const parsed = variables.safeParse(given, { error: explain });
  if (!parsed.success) {
    const faults = new Map(parsed.error.issues.map(({ path, message }) => [String(path[0]), message]));
    const lines = [...faults].map(([name, message]) => {
      const shown = MAY_BE_SECRET.test(name) ? name : `${name}=${given[name]}`;
      return `${shown} is invalid: ${message} (see .env.example)`;
    });
    throw new Error(lines.join('\n'));
  }
  const env = parsed.data as typeof parsed.data & Record<string, unknown>;
  const settings = Object.fromEntries(
    Object.entries(SETTINGS).map(([name, [variable]]) => [name, env[variable] ?? null]),
  ) as Settings;
  const { host, port, processes, databaseUrl, databaseReplicaUrl } = settings;
  if (databaseReplicaUrl !== null && databaseUrl === null)
    throw new Error(
      'DATABASE_REPLICA_URL is invalid: the bundled database has no replica; set DATABASE_URL as well',
    );
  const publicUrl = env.PUBLIC_URL;
  const isPublic = publicUrl !== undefined && !isLoopbackUrl(publicUrl);
  const isLocal = isLoopbackHost(host) && !isPublic;
  const demo = env.DEMO ?? (databaseUrl === null && isLocal);
  if (demo && !isLocal) {
    const reason = isPublic ? `PUBLIC_URL is ${publicUrl}` : `HOST is ${host}`;
    throw new Error(`DEMO is invalid: a public server cannot have the demo store, and ${reason}`);
  }
  const endpoint = env.OTEL_EXPORTER_OTLP_ENDPOINT;
  const traces = { serviceName: env.OTEL_SERVICE_NAME, share: env.OTEL_TRACES_SAMPLER_ARG };
  return Object.freeze({
    ...settings,
    databasePool:
      processes > 1 && databaseUrl === null
        ? Math.min(settings.databasePool, Math.floor(MAX_POOLS / processes))
        : settings.databasePool,
    publicUrl: publicUrl ?? httpAddress(host, port),
    hasPublicUrl: publicUrl !== undefined,
    demo,
    channels: readChannels(env),
    traces: endpoint === undefined ? null : { endpoint, ...traces },
    warnings: isOlder ? ['KEPT_ANSWERS_MB is now called RESPONSE_CACHE_MB; the old name still works'] : [],
  });
}

export const httpAddress = (host: string, port: number): string =>
  `http://${host.includes(':') ? `[${host}]` : host}:${port}`;

function readChannels(env: Record<string, unknown>): ChannelSettings {
  const read = MEDIA.map((medium) => [medium, CHANNELS[medium].settings.read(env)] as const);
  return Object.freeze(Object.fromEntries(read.filter(([, settings]) => settings !== null)));
}
