import { PrismaPg } from '@prisma/adapter-pg';
import pg from 'pg';
import { PrismaClient } from '../generated/prisma/client.ts';
import type { Logger } from '../shared/log.ts';

/** A statement with a name: PostgreSQL parses and plans it once a connection. */
export type Statement = { name: string; text: string };

/** What runs SQL: the pool, or one transaction on it. Repos take it first, so that they serve both. */
export type Db = {
  query<Row>(statement: Statement | string, params?: readonly unknown[]): Promise<Row[]>;
};

/** The open database. `prisma` and `query` share one pool; `prisma` stays outside of our transactions. */
export type Database = Db & {
  prisma: PrismaClient;
  pool: pg.Pool;
  /** Runs `work` in one transaction, again from the start when PostgreSQL asks for it (deadlock, serialisation). */
  transaction<Result>(work: (tx: Db) => Promise<Result>): Promise<Result>;
  close(): Promise<void>;
};

const RETRYABLE = new Set(['40001', '40P01']);
const MAX_TRIES = 5;
const INT8_OID = 20;
const SAFE_INT8: pg.CustomTypesConfig = {
  getTypeParser: ((oid: number, format?: 'text') =>
    oid === INT8_OID ? Number : (pg.types.getTypeParser(oid, format) as unknown)) as never,
};

function queryOn(client: pg.Pool | pg.PoolClient): Db['query'] {
  return async <Row>(statement: Statement | string, params: readonly unknown[] = []) => {
    const config = typeof statement === 'string' ? { text: statement } : statement;
    return (await client.query({ ...config, values: params as unknown[] })).rows as Row[];
  };
}

/** Lets statements wait for the one before: pg 9 refuses a second one on a connection that is still at work. */
function inTurn(query: Db['query']): Db['query'] {
  let last: Promise<unknown> = Promise.resolve();
  return <Row>(statement: Statement | string, params?: readonly unknown[]) => {
    const next = last.then(() => query<Row>(statement, params));
    last = next.catch(() => undefined);
    return next;
  };
}

async function runTransaction<Result>(pool: pg.Pool, work: (tx: Db) => Promise<Result>): Promise<Result> {
  const client = await pool.connect();
  let isBroken = false;
  // The end of the transaction takes its turn, too: nothing that was left behind runs outside of it.
  const query = inTurn(queryOn(client));
  try {
    await query('BEGIN');
    const result = await work({ query });
    await query('COMMIT');
    return result;
  } catch (error) {
    // A connection that cannot even roll back is thrown away, never handed to the next request.
    await query('ROLLBACK').catch(() => (isBroken = true));
    throw error;
  } finally {
    client.release(isBroken);
  }
}

/** Opens the pool and Prisma on it. Nothing is connected before the first query. */
export function openDatabase(url: string, poolSize: number, log: Logger): Database {
  const pool = new pg.Pool({
    connectionString: url,
    max: poolSize,
    types: SAFE_INT8,
    connectionTimeoutMillis: 5_000,
    statement_timeout: 30_000,
    application_name: 'wishgate',
  });
  // A connection that the server closes while no query is under way tells it by an event alone: just taken from the pool,
  // between two statements of a transaction, or idle. Without listeners from its first moment on, it would end the process.
  pool.on('connect', (client) => client.on('error', () => undefined));
  pool.on('error', (error) => log.warn({ reason: error.message }, 'an idle database connection was lost'));
  const prisma = new PrismaClient({ adapter: new PrismaPg(pool) });
  return {
    prisma,
    pool,
    query: queryOn(pool),
    async transaction(work) {
      for (let attempt = 1; ; attempt += 1) {
        try {
          return await runTransaction(pool, work);
        } catch (error) {
          if (attempt === MAX_TRIES || !RETRYABLE.has(codeOf(error))) throw error;
        }
      }
    },
    async close() {
      await prisma.$disconnect();
      await pool.end();
    },
  };
}

function codeOf(error: unknown): string {
  return typeof error === 'object' && error !== null && 'code' in error ? String(error.code) : '';
}

const AWAY_CODES =
  /^(ECONNREFUSED|ECONNRESET|EPIPE|ENOTFOUND|EAI_AGAIN|ETIMEDOUT|08...|57P0[1-5]|53300|P1001|P1002|P1008|P1017|P2024)$/;
const AWAY_TEXT =
  /Connection terminated|timeout exceeded when trying to connect|Client has encountered a connection error|server closed the connection|DatabaseNotReachable|ConnectionClosed/;
const UNSTORABLE_CODES = /^(22021|22P05)$/;

/**
 * Whether a failure, or one inside it, fits. Judged by shape, because an error can come from another realm, where
 * `instanceof Error` is false, and Prisma keeps the driver's error in its `meta`.
 */
function someFailure(error: unknown, fits: (code: string, message: string) => boolean): boolean {
  if (typeof error !== 'object' || error === null) return false;
  const { message, cause, errors, meta } = error as {
    message?: unknown;
    cause?: unknown;
    errors?: unknown;
    meta?: { driverAdapterError?: unknown };
  };
  if (fits(codeOf(error), typeof message === 'string' ? message : '')) return true;
  const inner = [cause, meta?.driverAdapterError, ...(Array.isArray(errors) ? (errors as unknown[]) : [])];
  return inner.some((failure) => someFailure(failure, fits));
}

/** Whether a failure means that PostgreSQL is away, starting or shutting down: callers get 503 and may retry. */
export function isDatabaseAway(error: unknown): boolean {
  return someFailure(error, (code, message) => AWAY_CODES.test(code) || AWAY_TEXT.test(message));
}

/** Whether PostgreSQL refused a text, such as one with NUL in it. Fields check theirs; this catches an id that nobody checked. */
export function isUnstorableText(error: unknown): boolean {
  return someFailure(error, (code) => UNSTORABLE_CODES.test(code));
}

/** Whether a row that another transaction wrote in the same moment stands in the way of a unique index. */
export function isUniqueViolation(error: unknown): boolean {
  return someFailure(error, (code) => code === '23505');
}
