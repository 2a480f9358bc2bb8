import { createHmac } from 'node:crypto';
import { Redis } from 'ioredis';
import { RateLimiterMemory, RateLimiterRedis, RateLimiterRes } from 'rate-limiter-flexible';
import type { RateLimiterAbstract } from 'rate-limiter-flexible';
import { describeFailure } from './errors.ts';
import type { Logger } from './log.ts';
import { METRICS, measure } from './metrics.ts';

const WINDOW_SECONDS = 60;
/** A connection to Redis that is not made by then is tried again later; the start waits for no longer than this. */
const CONNECT_LIMIT_MS = 1_000;
/** A Redis that is silent for so long is away: the requests that asked it wait for no longer, and later ones do not ask. */
const SILENCE_LIMIT_MS = 500;
/** How often an absent Redis is looked for. */
const LOOK_MS = 1_000;

/** How a caller stands against a limit after it was counted. */
export type Standing = {
  isWithin: boolean;
  limit: number;
  remaining: number;
  /** Until the count starts anew. */
  resetSeconds: number;
};

/** A limit, and who is counted against it. */
export type Account = { kind: string; key: string; limit: number };

/** Counts against limits of so many points a minute: over all processes that have the same Redis, else in this one. */
export type Limiter = {
  /**
   * Connects to Redis, if there is one; fails never, and waits for a second at most. All processes have the same `secret`, which hides callers from those who see the
   * counts: there are few enough addresses to try them all.
   */
  open(secret: Uint8Array): Promise<void>;
  /** Counts points of somebody; `kind` says which limit, `key` who, and neither is kept in the clear outside this process. */
  count(kind: string, key: string, limit: number, points?: number): Promise<Standing>;
  close(): void;
};

/** Counts against one limit after another until one is used up; answers that one, else the one with the least left. Null where there is none. */
export async function countAll<A extends Account>(
  limiter: Limiter,
  accounts: readonly A[],
  points?: number,
): Promise<(A & Standing) | null> {
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

/** One limiter of the library for each limit that is asked for. */
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

/** Redis holds who called for a minute, but names nobody. */
const hide = (kind: string, key: string, secret: Uint8Array): string =>
  createHmac('sha256', secret).update(`${kind} ${key}`).digest('base64url');

/**
 * Counts in Redis, and in memory while it is away. Then no request asks it or waits for it: a timer looks whether it is back. Both are told once.
 */
function createSharedLimiter(url: string, log: Logger, inMemory: Counter): Limiter {
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
        // Who is beyond its limit is refused without asking Redis again.
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
        'Redis is away: each process counts rate limits by itself until it is back',
      );
    isShared = false;
  };
  const look = async (): Promise<void> => {
    try {
      // A count, not a ping: a Redis that answers but takes no writes is of no use.
      await inRedis('look', '', Number.MAX_SAFE_INTEGER - 1);
      if (isShared !== true) log.info('rate limits are shared through Redis');
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
          return await inRedis(kind, hide(kind, key, secret), limit, points);
        } catch (error) {
          tellAway(cause ?? error);
        }
      return inMemory(kind, key, limit, points);
    },
    close() {
      clearInterval(timer);
      redis.removeAllListeners('close');
      redis.disconnect();
    },
  };
}

/** Makes the limiter of a process; without the address of a Redis it counts in memory. */
export function createLimiter(redisUrl: string | null, log: Logger): Limiter {
  const inMemory = createCounter((options) => new RateLimiterMemory(options));
  if (redisUrl !== null) return createSharedLimiter(redisUrl, log, inMemory);
  return { open: () => Promise.resolve(), count: inMemory, close: () => undefined };
}
