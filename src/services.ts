import { setTimeout as delay } from 'node:timers/promises';
import { createTemplates } from './alerts/compose/template.pool.ts';
import type { Config } from './config.ts';
import type { Services } from './context.ts';
import { openDatabase } from './platform/database/database.ts';
import { openEmbedded } from './platform/database/embedded.ts';
import type { EmbeddedDatabase } from './platform/database/embedded.ts';
import { migrate } from './platform/database/migrate.ts';
import { storeSettings } from './platform/database/pooler.ts';
import { describeFailure } from './platform/errors.ts';
import { createLimiter } from './platform/limiter.ts';
import type { Logger } from './platform/log.ts';
import { closeTracing, useTracing } from './platform/tracing.ts';

const CLOSE_LIMIT_MS = 1_000;

/** An open service without its HTTP server; the server and the command line both start from it. */
export type Runtime = Services & {
  /** Null with a DATABASE_URL. */
  place: EmbeddedDatabase['place'] | null;
  close(): Promise<void>;
};

/** Loads the tracing modules only where an operator configured tracing. */
export async function startTracing({ traces }: Config, log: Logger): Promise<void> {
  if (traces !== null) useTracing((await import('./platform/otlp.ts')).openOtlp(traces, log));
}

/** Opens the database (the bundled one when no DATABASE_URL is set) and migrates its schema. */
export async function openRuntime(config: Config, log: Logger): Promise<Runtime> {
  for (const warning of config.warnings) log.warn(warning);
  const embedded = config.databaseUrl === null ? await openEmbedded(config.dataDir, log) : null;
  const { databasePool, databasePooler, databaseReplicaUrl, databaseReplicaSynchronous } = config;
  const db = openDatabase(embedded?.url ?? config.databaseUrl!, databasePool, log, {
    replicaUrl: databaseReplicaUrl,
    isReplicaSynchronous: databaseReplicaSynchronous,
    pooler: databasePooler,
  });
  const templates = createTemplates(log);
  const limiter = createLimiter(config.redisUrl, log);
  const close = async (): Promise<void> => {
    templates.close();
    limiter.close();
    // Neither a hanging statement nor an unresponsive trace collector may keep the process from ending.
    const closed = Promise.all([db.close(), closeTracing()]);
    await Promise.race([closed, delay(CLOSE_LIMIT_MS, undefined, { ref: false })]);
    await embedded?.release();
  };
  try {
    await migrate(db.pool, log);
    if (databasePooler !== 'none') await storeSettings(db.pool, log);
    return Object.freeze({
      config,
      db,
      log,
      templates,
      limiter,
      now: () => new Date(),
      place: embedded?.place ?? null,
      close,
    });
  } catch (error) {
    await close();
    if (embedded !== null) throw error;
    throw new Error(explainDatabase(error), { cause: error });
  }
}

function explainDatabase(error: unknown): string {
  const text = describeFailure(error);
  const [, code, server] = /(ECONNREFUSED|ENOTFOUND) (\S+)$/.exec(text) ?? [];
  if (code === undefined) return `The database of DATABASE_URL cannot be used: ${text}`;
  return code === 'ENOTFOUND'
    ? `Cannot connect to DATABASE_URL: the host ${server} does not exist. Check its name`
    : `Cannot connect to DATABASE_URL: ${server} refused the connection. Check that PostgreSQL is running there`;
}
