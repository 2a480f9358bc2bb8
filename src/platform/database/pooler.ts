import type pg from 'pg';
import type { Logger } from '../log.ts';
import { beginAlone } from './migrate.ts';

/** The pooler between wishgate and PostgreSQL (docs/decisions/0026). */
export const POOLERS = ['none', 'transaction', 'transaction-prepared'] as const;
export type Pooler = (typeof POOLERS)[number];

/** A plan made for a small table would keep scanning it (docs/decisions/0009); JIT only pays for statements of seconds. */
const SETTINGS = {
  enable_seqscan: 'off',
  jit: 'off',
  statement_timeout: '30000',
  idle_in_transaction_session_timeout: '30000',
} as const;

const entries = Object.entries(SETTINGS);

export const SESSION_OPTIONS = entries.map(([name, value]) => `-c ${name}=${value}`).join(' ');

const pairs = entries.map(([name, value]) => `('${name}', '${value}')`).join(', ');
const COUNT_SET = `SELECT count(*)::int AS count FROM pg_settings WHERE (name, setting) IN (${pairs})`;

/** Applies to this login in this database only. */
const STORE = entries
  .map(
    ([name, value]) =>
      `EXECUTE format('ALTER ROLE %I IN DATABASE %I SET ${name} = %L', current_user, current_database(), '${value}');`,
  )
  .join(' ');

/** Stores the settings with the login, for connections of a pooler; PostgreSQL refuses concurrent writes of them. */
export async function storeSettings(pool: pg.Pool, log: Logger): Promise<void> {
  const { rows } = await pool.query<{ count: number }>(COUNT_SET);
  if (rows[0]!.count === entries.length) return;
  const client = await pool.connect();
  try {
    await beginAlone(client);
    await client.query(`DO $$ BEGIN ${STORE} END $$`);
    await client.query('COMMIT');
    log.warn(
      { settings: SETTINGS },
      "Stored the role's settings in PostgreSQL; run RECONNECT in PgBouncer's console to apply them to open connections",
    );
  } catch (error) {
    log.warn(
      { settings: SETTINGS, reason: (error as Error).message },
      "Could not store the role's settings in PostgreSQL; let the pooler set them (connect_query of PgBouncer)",
    );
  } finally {
    client.release(true);
  }
}
