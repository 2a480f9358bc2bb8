import { setFlagsFromString } from 'node:v8';
import { PrismaPg } from '@prisma/adapter-pg';
import pg from 'pg';
import { PrismaClient } from '../../generated/prisma/client.ts';
import { movingError } from '../errors.ts';
import type { Logger } from '../log.ts';
import { isDatabaseAway, isMoving, isRetryable } from './errors.ts';
import { SESSION_OPTIONS } from './pooler.ts';
import type { Pooler } from './pooler.ts';
import { createReplica } from './replica.ts';
import type { ReadEither } from './replica.ts';
import { createRoutedPool } from './routed-pool.ts';
import type { RoutedPool, Session } from './routed-pool.ts';

/** PostgreSQL parses and plans a named statement once per connection. */
export type Statement = { name: string; text: string };

/** The pool, or one transaction on it. Repos take it as their first parameter, so that they work with either. */
export type Db = {
  /** Typed calls; those made during a transaction are part of it. */
  prisma: PrismaClient;
  /** Runs one statement where a typed call is not enough; `Row` is a Prisma model or a part of one. */
  query<Row>(statement: Statement | string, params?: readonly unknown[]): Promise<Row[]>;
};

/** An open transaction. A function that must be atomic takes this type, so that no caller can pass the pool. */
export type Tx = Db & {
  afterCommit(work: () => void): void;
  /** Runs `work` in a savepoint: if it throws, its writes are rolled back and the transaction continues. */
  attempt<Result>(work: () => Promise<Result>): Promise<Result>;
  /** Wakes the workers of this process, for use in `afterCommit`. */
  wake: () => void;
};

/** `prisma` and `query` share one pool. */
export type Database = Db & {
  pool: pg.Pool;
  /** Health checks use a connection of their own, so that they never wait behind requests. */
  monitor: Session;
  /** Runs `work` in one transaction, and again from the start after a deadlock or serialization error. */
  transaction<Result>(work: (tx: Tx) => Promise<Result>): Promise<Result>;
  /** Calls `listener` after each commit that created work; returns the unsubscribe function. */
  onWork(listener: () => void): () => void;
  /** Calls `listener` when the server closes a connection: the next one may lead to another server, or an older copy of it. */
  onLost(listener: () => void): void;
  /** Counts lost connections: data that was read under another number may come from another server. */
  generation(): number;
  /** Reads from the replica once that has reached the last position given to `follow`; the database itself without a replica. */
  reader: Database;
  /** Accepts a position of the primary (`POSITION`) that a request received; null without a replica. */
  follow: ((position: string) => void) | null;
  /** Runs a read on the primary, or while that is unavailable on the synchronous replica; null without one. */
  readEither: ReadEither | null;
  close(): Promise<void>;
};

type RawValue<Value> = Value extends bigint ? number : Value extends Uint8Array ? Buffer : Value;

/** A row of a model as `query` returns it: bigint columns as numbers, bytea columns as buffers. */
export type Raw<Row> = { [Field in keyof Row]: RawValue<Row[Field]> };

/** V8 does not optimize Prisma's planner, which runs once per kind of call: the first takes 0.25 s of CPU instead of 0.75 s. */
setFlagsFromString('--wasm-tiering-budget=100000000');

const MAX_TRIES = 5;
const INT8_OID = 20;
const SAFE_INT8: pg.CustomTypesConfig = {
  getTypeParser: ((oid: number, format?: 'text') =>
    oid === INT8_OID ? Number : (pg.types.getTypeParser(oid, format) as unknown)) as never,
};

function queryBy(run: Session['query'], keepsNames: boolean): Db['query'] {
  return async <Row>(statement: Statement | string, params: readonly unknown[] = []) => {
    const { name, text } = typeof statement === 'string' ? { text: statement } : statement;
    const values = params as unknown[];
    const config = keepsNames && name !== undefined ? { name, text, values } : { text, values, label: name };
    return (await run(config)).rows as Row[];
  };
}

/** Queues statements, because pg 9 refuses a second one on a connection that is still busy. */
function openSession(query: Session['query']): Session & { end(text: string): Promise<unknown> } {
  let last: Promise<unknown> = Promise.resolve();
  let isOver = false;
  const inTurn = (config: pg.QueryConfig): Promise<pg.QueryResult> => {
    const next = last.then(() => query(config));
    last = next.catch(() => undefined);
    return next;
  };
  return {
    query: async (config) => {
      if (isOver) throw new Error('The transaction is over');
      return inTurn(config);
    },
    // Nothing runs after the end: a statement that nobody awaited must not run outside of the transaction.
    end(text) {
      isOver = true;
      return inTurn({ text });
    },
  };
}

async function runTransaction<Result>(
  { runIn, connectApart, queryOn }: RoutedPool,
  prisma: PrismaClient,
  keepsNames: boolean,
  wake: () => void,
  work: (tx: Tx) => Promise<Result>,
): Promise<Result> {
  const client = await connectApart();
  let isBroken = false;
  const session = openSession((config) => queryOn(client, config));
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
    // The pool discards a connection that cannot even roll back, instead of giving it to the next request.
    isBroken = isDatabaseAway(error);
    if (!isBroken) await session.end('ROLLBACK').catch(() => (isBroken = true));
    throw error;
  } finally {
    client.release(isBroken);
  }
  for (const task of afterwards) task();
  return result;
}

/** Connects only at the first query. `url` may name several servers, one of them writable. */
export function openDatabase(
  url: string,
  poolSize: number,
  log: Logger,
  options: { replicaUrl?: string | null; isReplicaSynchronous?: boolean; pooler?: Pooler } = {},
): Database {
  const { replicaUrl = null, isReplicaSynchronous = false, pooler = 'none' } = options;
  const keepsNames = pooler !== 'transaction';
  const settings: pg.PoolConfig = {
    max: poolSize,
    types: SAFE_INT8,
    connectionTimeoutMillis: 5_000,
    application_name: 'wishgate',
    // A pooler shares its connections among clients, so their settings are stored with the login.
    ...(pooler === 'none' && { options: SESSION_OPTIONS }),
  };
  const routed = createRoutedPool(url, settings, pooler !== 'none', log);
  const replica = replicaUrl === null ? null : createReplica(replicaUrl, settings, routed, log);
  const { pool } = routed;
  const prisma = new PrismaClient({ adapter: new PrismaPg(pool) });
  const readerPrisma = replica && new PrismaClient({ adapter: new PrismaPg(replica.pool) });
  const listeners = new Set<() => void>();
  const wake = (): void => listeners.forEach((listener) => listener());
  const primary: Omit<Database, 'reader'> = {
    prisma,
    pool,
    query: queryBy(routed.queryApart, keepsNames),
    monitor: { query: routed.queryForMonitor },
    async transaction(work) {
      for (let attempt = 1; ; attempt += 1) {
        try {
          return await runTransaction(routed, prisma, keepsNames, wake, work);
        } catch (error) {
          // The caller's own error: others whose writes share the transaction are repeated without it.
          if (isMoving(error)) throw movingError();
          if (attempt === MAX_TRIES || !isRetryable(error)) throw error;
        }
      }
    },
    onWork(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    onLost: routed.onLost,
    generation: routed.generation,
    follow: replica && replica.follow,
    readEither: isReplicaSynchronous && replica ? replica.readEither : null,
    async close() {
      await Promise.all([prisma.$disconnect(), readerPrisma?.$disconnect()]);
      await Promise.all([routed.end(), replica?.end()]);
    },
  };
  const reader = replica && { ...primary, prisma: readerPrisma!, query: queryBy(replica.query, keepsNames) };
  return Object.assign(primary as Database, { reader: (reader ?? primary) as Database });
}
