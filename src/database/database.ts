import { PrismaPg } from '@prisma/adapter-pg';
import pg from 'pg';
import { PrismaClient } from '../generated/prisma/client.ts';
import type { Logger } from '../shared/log.ts';
import { SESSION_OPTIONS } from './pooler.ts';
import type { Pooler } from './pooler.ts';
import { createRoutedPool } from './routed-pool.ts';
import type { RoutedPool, Session } from './routed-pool.ts';

/** A statement with a name: PostgreSQL parses and plans it once a connection. */
export type Statement = { name: string; text: string };

/** What reads and writes: the pool, or one transaction on it. Repos take it first, so that they serve both. */
export type Db = {
  /** Typed calls; those made in the course of a transaction are part of it. */
  prisma: PrismaClient;
  /** One statement, where a typed call will not do; `Row` is a model of Prisma's or a part of one. */
  query<Row>(statement: Statement | string, params?: readonly unknown[]): Promise<Row[]>;
};

/** An open transaction. What must happen whole or not at all takes this, and so cannot be given the pool. */
export type Tx = Db & {
  /** Does `work` once when the transaction is committed, and never when it is not. */
  afterCommit(work: () => void): void;
  /** Runs `work`; what it did is undone when it fails, and the transaction goes on. */
  attempt<Result>(work: () => Promise<Result>): Promise<Result>;
  /** Tells the workers of this process that there is something to do; for `afterCommit`. */
  wake: () => void;
};

/** The open database. `prisma` and `query` share one pool. */
export type Database = Db & {
  pool: pg.Pool;
  /** Runs `work` in one transaction, again from the start when PostgreSQL asks for it (deadlock, serialisation). */
  transaction<Result>(work: (tx: Tx) => Promise<Result>): Promise<Result>;
  /** Calls `listener` whenever a commit left something to do; answers how to end that. */
  onWork(listener: () => void): () => void;
  /** Calls `listener` whenever the server closed a connection: what answers then may be another server, or an older copy of it. */
  onLost(listener: () => void): void;
  close(): Promise<void>;
};

type RawValue<Value> = Value extends bigint ? number : Value extends Uint8Array ? Buffer : Value;

/** A row of a model as `query` gives it: numbers of eight bytes as numbers, bytes as buffers. */
export type Raw<Row> = { [Field in keyof Row]: RawValue<Row[Field]> };

const RETRYABLE = /^(40001|40P01)$/;
const MAX_TRIES = 5;
const INT8_OID = 20;
const SAFE_INT8: pg.CustomTypesConfig = {
  getTypeParser: ((oid: number, format?: 'text') =>
    oid === INT8_OID ? Number : (pg.types.getTypeParser(oid, format) as unknown)) as never,
};

function queryBy(run: Session['query'], keepsNames: boolean): Db['query'] {
  return async <Row>(statement: Statement | string, params: readonly unknown[] = []) => {
    const isNamed = keepsNames && typeof statement !== 'string';
    const config = isNamed ? statement : { text: typeof statement === 'string' ? statement : statement.text };
    return (await run({ ...config, values: params as unknown[] })).rows as Row[];
  };
}

/** Lets statements wait for the one before: pg 9 refuses a second one on a connection that is still at work. */
function openSession(client: pg.PoolClient): Session & { end(text: string): Promise<unknown> } {
  let last: Promise<unknown> = Promise.resolve();
  let isOver = false;
  const inTurn = (config: pg.QueryConfig): Promise<pg.QueryResult> => {
    const next = last.then(() => client.query(config));
    last = next.catch(() => undefined);
    return next;
  };
  return {
    query: async (config) => {
      if (isOver) throw new Error('The transaction is over');
      return inTurn(config);
    },
    // The end takes its turn, too, and nothing comes after it: what was left behind never runs outside of the transaction.
    end(text) {
      isOver = true;
      return inTurn({ text });
    },
  };
}

async function runTransaction<Result>(
  { runIn, connectApart }: RoutedPool,
  prisma: PrismaClient,
  keepsNames: boolean,
  wake: () => void,
  work: (tx: Tx) => Promise<Result>,
): Promise<Result> {
  const client = await connectApart();
  let isBroken = false;
  const session = openSession(client);
  const afterwards = new Set<() => void>();
  const tx: Tx = {
    prisma,
    query: queryBy(session.query, keepsNames),
    afterCommit: (task) => void afterwards.add(task),
    async attempt(part) {
      await session.query({ text: 'SAVEPOINT attempt' });
      try {
        return await part();
      } catch (error) {
        await session.query({ text: 'ROLLBACK TO SAVEPOINT attempt' });
        throw error;
      }
    },
    wake,
  };
  let result: Result;
  try {
    await session.query({ text: 'BEGIN' });
    result = await runIn(session, () => work(tx));
    await session.end('COMMIT');
  } catch (error) {
    // A connection that cannot even roll back is thrown away, never handed to the next request.
    await session.end('ROLLBACK').catch(() => (isBroken = true));
    throw error;
  } finally {
    client.release(isBroken);
  }
  for (const task of afterwards) task();
  return result;
}

/** Opens the pool and Prisma on it. Nothing is connected before the first query. */
export function openDatabase(url: string, poolSize: number, log: Logger, pooler: Pooler = 'none'): Database {
  const keepsNames = pooler !== 'transaction';
  const routed = createRoutedPool({
    connectionString: url,
    max: poolSize,
    types: SAFE_INT8,
    connectionTimeoutMillis: 5_000,
    application_name: 'wishgate',
    // A pooler's connections belong to nobody: theirs come with the login.
    ...(pooler === 'none' && { options: SESSION_OPTIONS }),
  });
  const { pool } = routed;
  // A connection that the server closes while no query is under way tells it by an event alone: just taken from the pool,
  // between two statements of a transaction, or idle. Without listeners from its first moment on, it would end the process.
  const lostListeners = new Set<() => void>();
  pool.on('connect', (client) => client.on('error', () => lostListeners.forEach((listener) => listener())));
  pool.on('error', (error) => log.warn({ reason: error.message }, 'an idle database connection was lost'));
  const prisma = new PrismaClient({ adapter: new PrismaPg(pool) });
  const listeners = new Set<() => void>();
  const wake = (): void => listeners.forEach((listener) => listener());
  return {
    prisma,
    pool,
    query: queryBy(routed.queryApart, keepsNames),
    async transaction(work) {
      for (let attempt = 1; ; attempt += 1) {
        try {
          return await runTransaction(routed, prisma, keepsNames, wake, work);
        } catch (error) {
          if (attempt === MAX_TRIES || !someFailure(error, (code) => RETRYABLE.test(code))) throw error;
        }
      }
    },
    onWork(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    onLost: (listener) => void lostListeners.add(listener),
    async close() {
      await prisma.$disconnect();
      await pool.end();
    },
  };
}

/** The code of a failure: the driver's, Prisma's, or the driver's as Prisma hands it on. */
function codeOf(error: { code?: unknown; originalCode?: unknown }): string {
  const code = error.originalCode ?? error.code;
  return typeof code === 'string' ? code : '';
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
