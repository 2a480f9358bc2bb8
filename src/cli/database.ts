import type { Config } from '../config.ts';
import { hasDatabase } from '../platform/database/embedded.ts';
import { splitAddress } from '../platform/database-address.ts';
import type { Flag } from './flags.ts';

/** The flag of commands that make sense in a database without anything in it. */
export const NEW_DATABASE = 'new-database';

export const NEW_DATABASE_FLAG: Record<string, Flag> = {
  [NEW_DATABASE]: { type: 'boolean', help: 'make the database in DATA_DIR if there is none yet' },
};

/** The database that a program works on, in words and without its password. */
export function describeDatabase({ databaseUrl, dataDir }: Config): string {
  if (databaseUrl === null) return `the bundled PostgreSQL in ${dataDir} (DATA_DIR)`;
  const servers = splitAddress(databaseUrl).map((url) => new URL(url));
  return `PostgreSQL at ${servers.map(({ host }) => host).join(',')}${servers[0]!.pathname} (DATABASE_URL)`;
}

/**
 * Throws where a program would make a bundled database by the way: whoever forgot the DATA_DIR of the server would work on another one, and be told that all went well.
 * `canCreate` is for commands that take the flag.
 */
export async function requireDatabase(
  { databaseUrl, dataDir }: Config,
  canCreate: boolean = false,
): Promise<void> {
  if (databaseUrl !== null || (await hasDatabase(dataDir))) return;
  const otherwise = canCreate ? `, or add --${NEW_DATABASE} to make one here` : '';
  throw new Error(
    `There is no database in DATA_DIR (${dataDir}); set DATA_DIR or DATABASE_URL to that of the server, or start the server once${otherwise}`,
  );
}
