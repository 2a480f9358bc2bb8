import cluster from 'node:cluster';
import { createHmac } from 'node:crypto';
import { Redis } from 'ioredis';
import {
  RateLimiterCluster,
  RateLimiterMemory,
  RateLimiterRedis,
  RateLimiterRes,
} from 'rate-limiter-flexible';
import type { RateLimiterAbstract } from 'rate-limiter-flexible';
import { describeFailure } from './errors.ts';
import type { Logger } from './log.ts';
import { METRICS, measure } from './metrics.ts';

const WINDOW_SECONDS = 60;
/** The start waits for Redis no longer than this; the connection is retried later. */
const CONNECT_LIMIT_MS = 1_000;
/** Redis counts as away after this time without a response: waiting requests stop waiting, and later ones skip it. */
const SILENCE_LIMIT_MS = 500;
const LOOK_MS = 1_000;

export type Standing = {
  isWithin: boolean;
  limit: number;
  remaining: number;
  resetSeconds: number;
};

export type Account = { kind: string; key: string; limit: number };

/** Counts points per minute: across all processes that share a Redis, else across the gateways of this service. */
export type Limiter = {
  /**
   * Connects to Redis, if configured; never throws, and waits at most one second. All processes share `secret`, which hides
   * callers from readers of Redis: addresses are few enough to try them all.
   */
  open(secret: Uint8Array): Promise<void>;
  /** `kind` names the limit and `key` the caller; neither leaves this service in the clear. */
  count(kind: string, key: string, limit: number, points?: number): Promise<Standing>;
  close(): void;
};

/** Counts against each limit until one is exhausted; returns that one, else the one with the fewest points left. */
export async function countAll<A extends Account>(limiter: Limiter, accounts: readonly A[], points?: number) {
  let nearest: (A & Standing) | null = null;
  for (const account of accounts) {
    const standing = await limiter.count(account.kind, account.key, account.limit, points);
    if (!standing.isWithin) return { ...account, ...standing };
    if (nearest === null || standing.remaining < nearest.remaining) nearest = { ...account, ...standing };
  }
  return nearest;
}

type Counter = Limiter['count'];
type Options = { keyPrefix: string; points: number; duration: number };

function createCounter(make: (options: Options) => RateLimiterAbstract): Counter {
  const limiters = new Map<string, RateLimiterAbstract>();
  return async (kind, key, limit, points = 1) => {
    const name = `${kind}:${limit}`;
    const limiter = limiters.get(name) ?? make({ keyPrefix: name, points: limit, duration: WINDOW_SECONDS });
    limiters.set(name, limiter);
    const standing = (isWithin: boolean, { remainingPoints, msBeforeNext }: RateLimiterRes): Standing => {
      return { isWithin, limit, remaining: remainingPoints, resetSeconds: Math.ceil(msBeforeNext / 1000) };
    };
    try {
      return standing(true, await limiter.consume(key, points));
    } catch (state) {
      if (state instanceof RateLimiterRes) return standing(false, state);
      throw state;
    }
  };
}

/** Counts in the main process for all gateways of the service, and here while that does not respond or has ended. */
function createLocalCounter(): Counter {
  const inMemory = createCounter((options) => new RateLimiterMemory(options));
  if (!cluster.isWorker) return inMemory;
  const inService = createCounter((options) => new RateLimiterCluster(options));
  return async (...account) => {
    if (!process.connected) return inMemory(...account);
    return inService(...account).catch(() => inMemory(...account));
  };
}

/** Counts locally while Redis is unavailable. A timer checks for its return, so that no request waits. Each change is logged once. */
function createSharedLimiter(url: string, log: Logger, local: Counter): Limiter {
  const redis = new Redis(url, {
    lazyConnect: true,
    connectTimeout: CONNECT_LIMIT_MS,
    disconnectTimeout: 100,
    socketTimeout: SILENCE_LIMIT_MS,
    enableOfflineQueue: false,
    maxRetriesPerRequest: 0,
    autoResendUnfulfilledCommands: false,
    retryStrategy: () => LOOK_MS,
  });
  const inRedis = createCounter(
    (options) =>
      new RateLimiterRedis({
        ...options,
        keyPrefix: `wishgate:${options.keyPrefix}`,
        storeClient: redis,
        rejectIfRedisNotReady: true,
        // A caller beyond its limit is rejected without another call to Redis.
        inMemoryBlockOnConsumed: options.points + 1,
      }),
  );
  let secret: Uint8Array = new Uint8Array();
  let isShared: boolean | null = null;
  let cause: unknown;
  let timer: NodeJS.Timeout | undefined;

  const tellAway = (error: unknown): void => {
    if (isShared !== false)
      log.warn(
        { reason: describeFailure(error) },
        'Redis is unavailable: each service counts rate limits by itself until it returns',
      );
    isShared = false;
  };
  const look = async (): Promise<void> => {
    try {
      // A count instead of a ping: a Redis that responds but accepts no writes is useless.
      await inRedis('look', '', Number.MAX_SAFE_INTEGER - 1);
      if (isShared !== true) log.info('Rate limits are shared through Redis');
      isShared = true;
    } catch (error) {
      tellAway(cause ?? error);
    }
  };

  redis.on('error', (error) => (cause = error));
  redis.on('ready', () => (cause = undefined));
  redis.on('close', () => tellAway(cause ?? new Error('the connection was closed')));
  return {
    async open(given) {
      secret = given;
      measure(METRICS.rateLimitsShared, () => Number(isShared));
      await redis.connect().catch(() => undefined);
      await look();
      timer = setInterval(() => isShared || void look(), LOOK_MS).unref();
    },
    async count(kind, key, limit, points) {
      if (isShared)
        try {
          // Redis stores callers for a minute, but only as hashes.
          const hash = createHmac('sha256', secret).update(`${kind} ${key}`).digest('base64url');
          return await inRedis(kind, hash, limit, points);
        } catch (error) {
          tellAway(cause ?? error);
        }
      return local(kind, key, limit, points);
    },
    close() {
      clearInterval(timer);
      redis.removeAllListeners('close');
      redis.disconnect();
    },
  };
}

export function createLimiter(redisUrl: string | null, log: Logger): Limiter {
  const local = createLocalCounter();
  if (redisUrl !== null) return createSharedLimiter(redisUrl, log, local);
  return { open: () => Promise.resolve(), count: local, close: () => undefined };
}
