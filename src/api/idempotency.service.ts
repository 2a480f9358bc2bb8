import { setTimeout as pause } from 'node:timers/promises';
import type { GraphQLFormattedError } from 'graphql';
import type { Context, Services } from '../context.ts';
import type { Receipts } from '../platform/idempotency-results.ts';
import { stringifyAnswer } from '../platform/json-response.ts';
import { AppError, fail } from '../platform/errors.ts';
import type { ErrorType } from '../platform/errors.ts';
import { newId } from '../platform/ids.ts';
import { extensionsOf } from './graphql/errors.ts';
import * as writes from './idempotency.repo.ts';
import type { WriteClaim } from './idempotency.repo.ts';
import {
  KEPT_BYTES,
  KEPT_MS,
  callerOf,
  checkIdempotencyKey,
  fingerprintOf,
  limitsOf,
  openAnswer,
  packAnswer,
  placeOf,
  sealAnswer,
  storeShareOf,
  writerOf,
} from './idempotency.rules.ts';

/** After a kill, a retry waits at most this long; a running request renews its lease three times as often. */
const LEASE_MS = 9_000;
/** A retry that waited this long for the first request is sent away to ask again. */
const WAIT_LIMIT_MS = 25_000;
const FIRST_PAUSE_MS = 10;
const LONGEST_PAUSE_MS = 250;
const REMOVED_AT_ONCE = 500;

/** An answer in the form that is kept. A REST failure is thrown, so it is kept apart from the data. */
export type Answer = {
  data?: unknown;
  errors?: readonly GraphQLFormattedError[];
  failure?: { type: ErrorType; message: string; headers: Record<string, string> };
  /** HTTP statuses of the failures in it. */
  statuses: number[];
};

/**
 * Whether an answer stands for good. What the caller or the service can still mend (login, rights, rate, our faults) does not, unless
 * something else in the answer was done: a retry must not do that again.
 */
function isKept({ data, statuses }: Answer, { made }: Receipts): boolean {
  const fields = (data ?? {}) as Record<string, unknown>;
  const isAnythingDone = Object.keys(made).some((name) => !made[name]?.failure && fields[name] != null);
  return isAnythingDone || statuses.every((status) => status < 500 && ![401, 403, 429].includes(status));
}

/** What a retry gets in place of a response with a key or secret in it, and in place of doing anything again. */
function refuseToShowAgain(shownOnce: readonly string[]): Answer {
  const failure = new AppError(
    'forbidden',
    `This request was carried out before and made ${shownOnce.join('; ')}`,
  );
  const { type, message, headers, status } = failure;
  return {
    errors: [{ message, extensions: extensionsOf(failure) }],
    failure: { type, message, headers },
    statuses: [status],
  };
}

/** Does the work, or answers what it gave the first time. */
export async function answerOnce(
  ctx: Context,
  operation: string,
  body: readonly unknown[],
  isNeverKept: boolean,
  work: (ctx: Context) => Promise<Answer>,
): Promise<Answer> {
  const tenant = writerOf(ctx.viewer);
  if (tenant === null) return work(ctx);
  const key = checkIdempotencyKey(ctx.idempotencyKey);
  const place = placeOf(tenant, ctx.viewer, operation, key);
  const claim = {
    pid: tenant.pid,
    place,
    body: fingerprintOf(body),
    token: newId(),
    regid: ctx.viewer.shopper?.regid ?? null,
    caller: callerOf(tenant, ctx.viewer, place),
    storeShare: storeShareOf(tenant, place),
  };
  const sealed = await claimOrWait(ctx, claim);
  if (sealed !== null) {
    const kept = openAnswer(tenant, place, key, sealed) as Answer | { receipts: Receipts['known'] };
    return 'receipts' in kept
      ? work({ ...ctx, receipts: { known: kept.receipts, made: {}, shownOnce: [] } })
      : kept;
  }
  const renewal = setInterval(
    () => void writes.renewWrite(ctx.db, claim, LEASE_MS).catch(() => undefined),
    LEASE_MS / 3,
  );
  const receipts: Receipts = { known: {}, made: {}, shownOnce: [] };
  try {
    const answer = await work({ ...ctx, receipts });
    await settle(ctx, claim, async () => {
      const seal = (kept: Buffer): Buffer => sealAnswer(tenant, place, key, kept);
      if (receipts.shownOnce.length > 0)
        return seal(Buffer.from(JSON.stringify(refuseToShowAgain(receipts.shownOnce))));
      if (!isKept(answer, receipts)) return null;
      const packed = isNeverKept ? null : packAnswer(stringifyAnswer(answer));
      const isAffordable = packed !== null && (await isWithinBudget(ctx, claim, packed.length));
      return seal(isAffordable ? packed : Buffer.from(JSON.stringify({ receipts: receipts.made })));
    });
    return answer;
  } catch (error) {
    await settle(ctx, claim, async () => null);
    throw error;
  } finally {
    clearInterval(renewal);
  }
}

/** Whether the caller, and its store as a whole, may keep so many bytes more today. */
async function isWithinBudget(ctx: Context, claim: WriteClaim, bytes: number): Promise<boolean> {
  const { answers } = limitsOf(ctx.viewer);
  const spent = await writes.spendBytes(ctx.db, claim, bytes, answers, ctx.now(), expiryAt(ctx.now()));
  return spent !== null && spent <= KEPT_BYTES.storeShare;
}

function expiryAt(now: Date): Date {
  return new Date(now.getTime() - KEPT_MS);
}

function failTooManyKeys(startedAt: Date, now: Date): never {
  const seconds = Math.ceil((startedAt.getTime() + KEPT_MS - now.getTime()) / 1_000);
  return fail('too-many-requests', 'Too many Idempotency-Keys today; go on without them or retry later', {
    'Retry-After': String(Math.max(1, seconds)),
  });
}

/** Null when the claim is ours, else the kept answer. Waiting holds no connection, so waiters cannot starve the first request. */
async function claimOrWait(ctx: Context, claim: WriteClaim): Promise<Buffer | null> {
  const deadline = performance.now() + WAIT_LIMIT_MS;
  let isFree = true;
  let spentSince: Date | null = null;
  for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(pauseMs * 2, LONGEST_PAUSE_MS)) {
    const now = ctx.now();
    const expiry = expiryAt(now);
    if (isFree) {
      const { keys } = limitsOf(ctx.viewer);
      const spent = await writes.claimWrite(ctx.db, claim, keys, LEASE_MS, now, expiry);
      if (spent.isClaimed) return null;
      spentSince = spent.bytes > keys ? spent.startedAt : null;
    }
    const first = await writes.findWrite(ctx.db, claim, expiry);
    if (first !== null && !first.body.equals(claim.body)) {
      fail('idempotency-key-reused', 'This Idempotency-Key was used for another request; send a new one');
    }
    if (first !== null && first.answer !== null) return first.answer;
    if (spentSince !== null && (first === null || first.isAbandoned)) failTooManyKeys(spentSince, now);
    if (performance.now() > deadline) {
      fail('unavailable', 'The first request with this Idempotency-Key is still under way; retry later', {
        'Retry-After': '5',
      });
    }
    isFree = first === null || first.isAbandoned;
    if (!isFree) await pause(pauseMs);
  }
}

/** Keeps the answer, or frees the place. The work is done either way, so a failure here is logged and the caller gets its answer. */
async function settle(ctx: Context, claim: WriteClaim, seal: () => Promise<Buffer | null>): Promise<void> {
  try {
    const sealed = await seal();
    await (sealed === null ? writes.releaseWrite(ctx.db, claim) : writes.keepAnswer(ctx.db, claim, sealed));
  } catch (error) {
    ctx.log.warn(
      { requestId: ctx.requestId, ...ctx.trace, err: error },
      'an idempotent answer could not be kept; a retry does the work again',
    );
  }
}

/** Removes answers that are older than a day, a portion at a time; answers how many. */
export function removeExpiredAnswers({ db }: Services, now: Date): Promise<number> {
  return writes.removeExpired(db, expiryAt(now), REMOVED_AT_ONCE);
}
