import { setTimeout as pause } from 'node:timers/promises';
import { GraphQLError } from 'graphql';
import type { ExecutionResult, GraphQLFormattedError } from 'graphql';
import type { Context, GraphqlOperation, Services } from '../context.ts';
import { AppError, fail, failUntil } from '../platform/errors.ts';
import type { ErrorType } from '../platform/errors.ts';
import { newId } from '../platform/ids.ts';
import { stringifyJson } from '../platform/json.ts';
import { extensionsOf, toAppError } from './graphql/errors.ts';
import * as writes from './idempotency.repo.ts';
import type { WriteClaim } from './idempotency.repo.ts';
import * as rules from './idempotency.rules.ts';
import type { Plan } from './plan.ts';

/** After a crash, a retry waits at most this long; a running request renews its lease three times as often. */
const LEASE_MS = 9_000;
/** A retry that waited this long for the first request is asked to retry later. */
const WAIT_LIMIT_MS = 25_000;
const FIRST_PAUSE_MS = 10;
const LONGEST_PAUSE_MS = 250;
const REMOVED_AT_ONCE = 500;

type Data = Record<string, unknown>;
type Thrown = { type: ErrorType; message: string; headers: Record<string, string> };

/** Data and errors over GraphQL, data or the thrown error over REST. */
type Result = { data?: Data | null; errors?: readonly GraphQLFormattedError[]; thrown?: Thrown };

/** Runs the write of a REST call, or returns the first result under its Idempotency-Key. */
export async function valueOnce(
  ctx: Context,
  plan: Plan,
  variables: Data,
  run: () => Promise<Data>,
): Promise<Data> {
  const { data, thrown } = await resultOf(ctx, ctx.path, [variables], plan, async () => {
    try {
      return { data: await run() };
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      return { thrown: thrownBy(error) };
    }
  });
  if (thrown) throw new AppError(thrown.type, thrown.message, thrown.headers);
  return data!;
}

/** Runs the write of a GraphQL call, or returns the first result under its Idempotency-Key. */
export async function resultOnce(
  ctx: Context,
  plan: Plan,
  { key, variables }: GraphqlOperation,
  run: () => Promise<ExecutionResult>,
): Promise<ExecutionResult> {
  let first: ExecutionResult | null = null;
  const place = `${ctx.path} ${plan.fields.join(' ')}`;
  const work = async (): Promise<Result> => {
    first = await run();
    return { data: first.data as Data | null, errors: first.errors?.map((error) => error.toJSON()) };
  };
  // A rejected key rejects the request, which then has errors and no data.
  const refuse = (error: unknown): Result => ({ errors: [formatError(toAppError(error, ctx))] });
  const result = await resultOf(ctx, place, [key, variables], plan, work).catch(refuse);
  return first ?? reviveResult(result);
}

const thrownBy = ({ type, message, headers }: AppError): Thrown => ({ type, message, headers });

const formatError = (error: AppError): GraphQLFormattedError => ({
  message: error.message,
  extensions: extensionsOf(error),
});

function reviveResult({ data, errors }: Result): ExecutionResult {
  const revived = errors?.map(({ message, path, locations, extensions }) =>
    Object.assign(new GraphQLError(message, { path, extensions }), { locations }),
  );
  const result = data === undefined ? {} : { data };
  return revived ? { ...result, errors: revived } : result;
}

function statusesOf({ errors = [], thrown }: Result): number[] {
  if (thrown) return [new AppError(thrown.type, thrown.message).status];
  return errors.map(({ extensions }) => Number(extensions?.['status'] ?? 500));
}

/**
 * Whether a result is final. An error that the caller or the service can still correct (login, rights, rate, bugs) is not, unless
 * another field of the same request was written, which a retry must not repeat.
 */
function isFinal(result: Result): boolean {
  // `__typename` writes nothing.
  const isAnythingDone = Object.values(result.data ?? {}).some(
    (value) => value != null && value !== 'Mutation',
  );
  return (
    isAnythingDone || statusesOf(result).every((status) => status < 500 && ![401, 403, 429].includes(status))
  );
}

function carriedOutBefore(details: string): string {
  const error = new AppError('forbidden', `This request was already executed${details}`);
  return JSON.stringify({ errors: [formatError(error)], thrown: thrownBy(error) } satisfies Result);
}

const TOO_LARGE = carriedOutBefore(', and its response is not stored: read the records that it changed');

/** Keys and secrets, personal data and large responses are never stored. */
async function textToKeep(ctx: Context, claim: WriteClaim, plan: Plan, result: Result): Promise<string> {
  if (ctx.shownOnce.length > 0) return carriedOutBefore(` and created ${ctx.shownOnce.join('; ')}`);
  if (plan.isPrivate) return TOO_LARGE;
  const text = stringifyJson(result);
  const bytes = Buffer.byteLength(text);
  if (bytes > rules.MAX_KEPT_RESPONSE) return TOO_LARGE;
  const { results } = rules.limitsOf(ctx.viewer);
  const spent = await writes.spendBytes(ctx.db, claim, bytes, results, ctx.now(), expiryAt(ctx.now()));
  return spent !== null && spent <= rules.KEPT_BYTES.storeShare ? text : TOO_LARGE;
}

async function resultOf(
  ctx: Context,
  operation: string,
  body: readonly unknown[],
  plan: Plan,
  work: () => Promise<Result>,
): Promise<Result> {
  const tenant = rules.writerOf(ctx.viewer);
  // An export only reads, so a retry may run it again.
  const isOnlyRead = plan.isPrivate && plan.fields.length === 1;
  if (tenant === null || isOnlyRead) return work();
  const key = rules.checkIdempotencyKey(ctx.idempotencyKey);
  const place = rules.placeOf(tenant, ctx.viewer, operation, key);
  const claim = {
    pid: tenant.pid,
    place,
    body: rules.fingerprintOf(body),
    token: newId(),
    regid: ctx.viewer.shopper?.regid ?? null,
    caller: rules.callerOf(tenant, ctx.viewer, place),
    storeShare: rules.storeShareOf(tenant, place),
  };
  const kept = await claimOrWait(ctx, claim);
  if (kept !== null) return rules.decryptResult(tenant, place, key, kept) as Result;
  const renewal = setInterval(
    () => void writes.renewWrite(ctx.db, claim, LEASE_MS).catch(() => undefined),
    LEASE_MS / 3,
  );
  try {
    const result = await work();
    await settle(ctx, claim, async () => {
      if (!isFinal(result) && ctx.shownOnce.length === 0) return null;
      return rules.encryptResult(tenant, place, key, await textToKeep(ctx, claim, plan, result));
    });
    return result;
  } catch (error) {
    await settle(ctx, claim, async () => null);
    throw error;
  } finally {
    clearInterval(renewal);
  }
}

const expiryAt = (now: Date): Date => new Date(now.getTime() - rules.KEPT_MS);

/** Null when the claim is ours, else the stored result. Waiting holds no connection, so retries cannot starve the first. */
async function claimOrWait(ctx: Context, claim: WriteClaim): Promise<Buffer | null> {
  const deadline = performance.now() + WAIT_LIMIT_MS;
  let isFree = true;
  let spentSince: Date | null = null;
  for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(pauseMs * 2, LONGEST_PAUSE_MS)) {
    const now = ctx.now();
    const expiry = expiryAt(now);
    if (isFree) {
      const { keys } = rules.limitsOf(ctx.viewer);
      const spent = await writes.claimWrite(ctx.db, claim, keys, LEASE_MS, now, expiry);
      if (spent.isClaimed) return null;
      spentSince = spent.bytes > keys ? spent.startedAt : null;
    }
    const first = await writes.findWrite(ctx.db, claim, expiry);
    if (first !== null && !first.body.equals(claim.body))
      fail('idempotency-key-reused', 'This Idempotency-Key was used for a different request; send a new one');
    if (first?.answer) return first.answer;
    isFree = first === null || first.isAbandoned;
    if (spentSince !== null && isFree) {
      const until = new Date(spentSince.getTime() + rules.KEPT_MS);
      failUntil(until, now, 'Too many Idempotency-Keys today; omit the header or retry later');
    }
    if (performance.now() > deadline)
      fail('unavailable', 'The first request with this Idempotency-Key is still in progress; retry later');
    if (!isFree) await pause(pauseMs);
  }
}

/** The write is done either way, so an error here is logged and the caller gets its response. */
async function settle(ctx: Context, claim: WriteClaim, encrypt: () => Promise<Buffer | null>): Promise<void> {
  try {
    const encrypted = await encrypt();
    await (encrypted === null
      ? writes.releaseWrite(ctx.db, claim)
      : writes.keepResult(ctx.db, claim, encrypted));
  } catch (error) {
    ctx.log.warn(
      { requestId: ctx.requestId, ...ctx.trace, err: error },
      'An idempotency result could not be stored; a retry will execute the request again',
    );
  }
}

/** Removes one batch; returns the number of results. */
export function removeExpiredResults({ db }: Services, now: Date): Promise<number> {
  return writes.removeExpired(db, expiryAt(now), REMOVED_AT_ONCE);
}
