import { setTimeout as pause } from 'node:timers/promises';
import { GraphQLError, Kind, OperationTypeNode, getOperationAST } from 'graphql';
import type { DocumentNode, ExecutionResult, GraphQLFormattedError } from 'graphql';
import type { Context, Services } from '../context.ts';
import { AppError, fail } from '../shared/errors.ts';
import type { ErrorType } from '../shared/errors.ts';
import { newId } from '../shared/ids.ts';
import type { Operations } from './executor.ts';
import { extensionsOf, toAppError } from './failures.ts';
import * as writes from './idempotency.repo.ts';
import type { WriteClaim } from './idempotency.repo.ts';
import {
  KEPT_MS,
  checkIdempotencyKey,
  fingerprintOf,
  openAnswer,
  placeOf,
  sealAnswer,
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
type Answer = {
  data?: unknown;
  errors?: readonly GraphQLFormattedError[];
  failure?: { type: ErrorType; message: string; headers: Record<string, string> };
  /** HTTP statuses of the failures in it. */
  statuses: number[];
};

/** Gives both doors the Idempotency-Key: a write that comes again under its key is answered as the first time, and not done again. */
export function withIdempotency(operations: Operations): Operations {
  return {
    async run(document, variables, ctx) {
      const operation = ctx.idempotencyKey === '' ? null : nameWrite(document, undefined);
      if (operation === null) return operations.run(document, variables, ctx);
      const answer = await answerOnce(ctx, ctx.path, [variables], () =>
        runToAnswer(operations, document, variables, ctx),
      );
      if (answer.failure)
        throw new AppError(answer.failure.type, answer.failure.message, answer.failure.headers);
      return answer.data;
    },

    async execute(request, ctx) {
      const operation = ctx.idempotencyKey === '' ? null : nameWrite(request.document, request.operationName);
      if (operation === null) return operations.execute(request, ctx);
      const body = [request.key, request.variables];
      let first: ExecutionResult | null = null;
      // A refused key is a refused request: it has errors and no data.
      const refuse = (error: unknown): Answer => ({ errors: [requestError(error, ctx)], statuses: [] });
      const answer = await answerOnce(ctx, `${ctx.path} ${operation}`, body, async () => {
        first = await operations.execute(request, ctx);
        return {
          data: first.data,
          errors: first.errors?.map((error) => error.toJSON()),
          statuses: statusesOf(first),
        };
      }).catch(refuse);
      return first ?? reviveResult(answer);
    },
  };
}

function requestError(error: unknown, ctx: Context): GraphQLFormattedError {
  const failure = toAppError(error, ctx);
  return { message: failure.message, extensions: extensionsOf(failure) };
}

/** The fields that a mutation calls; null for a query. Two documents that call the same fields are the same operation. */
function nameWrite(document: DocumentNode, operationName: string | undefined): string | null {
  const definition = getOperationAST(document, operationName);
  if (definition?.operation !== OperationTypeNode.MUTATION) return null;
  const names = definition.selectionSet.selections.map((node) =>
    node.kind === Kind.INLINE_FRAGMENT ? '...' : node.name.value,
  );
  return [...new Set(names)].sort().join(' ');
}

async function runToAnswer(
  operations: Operations,
  document: DocumentNode,
  variables: Record<string, unknown>,
  ctx: Context,
): Promise<Answer> {
  try {
    return { data: await operations.run(document, variables, ctx), statuses: [] };
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    const { type, message, headers, status } = error;
    return { failure: { type, message, headers }, statuses: [status] };
  }
}

function statusesOf({ errors = [] }: ExecutionResult): number[] {
  return errors.map(({ extensions }) => Number(extensions['status'] ?? 500));
}

function reviveResult({ data, errors }: Answer): ExecutionResult {
  const revived = errors?.map(({ message, path, locations, extensions }) =>
    Object.assign(new GraphQLError(message, { path, extensions }), { locations }),
  );
  const result = data === undefined ? {} : { data: data as Record<string, unknown> | null };
  return revived ? { ...result, errors: revived } : result;
}

/** Whether an answer stands for good. What the caller or the service can still mend (login, rights, rate, our faults) does not. */
function isKept({ statuses }: Answer): boolean {
  return statuses.every((status) => status < 500 && ![401, 403, 429].includes(status));
}

/** Does the work, or answers what it gave the first time. */
async function answerOnce(
  ctx: Context,
  operation: string,
  body: readonly unknown[],
  work: () => Promise<Answer>,
): Promise<Answer> {
  const store = writerOf(ctx.viewer);
  if (store === null) return work();
  const key = checkIdempotencyKey(ctx.idempotencyKey);
  const place = placeOf(store, ctx.viewer, operation, key);
  const claim = { pid: store.pid, place, body: fingerprintOf(body), token: newId() };
  const kept = await claimOrWait(ctx, claim);
  if (kept !== null) return openAnswer(store, place, key, kept) as Answer;
  const renewal = setInterval(
    () => void writes.renewWrite(ctx.db, claim, LEASE_MS).catch(() => undefined),
    LEASE_MS / 3,
  );
  try {
    const answer = await work();
    await settle(ctx, claim, isKept(answer) ? sealAnswer(store, place, key, answer) : null);
    return answer;
  } catch (error) {
    await settle(ctx, claim, null);
    throw error;
  } finally {
    clearInterval(renewal);
  }
}

/** Null when the claim is ours, else the kept answer. Waiting holds no connection, so waiters cannot starve the first request. */
async function claimOrWait(ctx: Context, claim: WriteClaim): Promise<Buffer | null> {
  const deadline = performance.now() + WAIT_LIMIT_MS;
  let isFree = true;
  for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(pauseMs * 2, LONGEST_PAUSE_MS)) {
    const now = ctx.now();
    const expiry = new Date(now.getTime() - KEPT_MS);
    if (isFree && (await writes.claimWrite(ctx.db, claim, LEASE_MS, now, expiry))) return null;
    const first = await writes.findWrite(ctx.db, claim, expiry);
    if (first !== null && !first.body.equals(claim.body)) {
      fail('idempotency-key-reused', 'This Idempotency-Key was used for another request; send a new one');
    }
    if (first !== null && first.answer !== null) return first.answer;
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
async function settle(ctx: Context, claim: WriteClaim, sealed: Buffer | null): Promise<void> {
  try {
    await (sealed === null ? writes.releaseWrite(ctx.db, claim) : writes.keepAnswer(ctx.db, claim, sealed));
  } catch (error) {
    ctx.log.warn(
      { requestId: ctx.requestId, err: error },
      'an idempotent answer could not be kept; a retry does the work again',
    );
  }
}

/** Removes answers that are older than a day, a portion at a time; false when there were none. */
export async function removeExpiredAnswers({ db, now }: Services): Promise<boolean> {
  return (await writes.removeExpired(db, new Date(now().getTime() - KEPT_MS), REMOVED_AT_ONCE)) > 0;
}
