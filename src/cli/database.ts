import type { Config } from '../config.ts';
import { splitAddress } from '../platform/database-address.ts';
import { hasDatabase } from '../platform/database/embedded.ts';
import type { Flag } from './flags.ts';

/** The flag of commands that make sense in an empty database. */
export const NEW_DATABASE = 'new-database';

export const NEW_DATABASE_FLAG: Record<string, Flag> = {
  [NEW_DATABASE]: { type: 'boolean', help: 'create the database in DATA_DIR if it does not exist yet' },
};

/** Never includes the password. */
export function describeDatabase({ databaseUrl, dataDir }: Config): string {
  if (databaseUrl === null) return `the bundled PostgreSQL in ${dataDir} (DATA_DIR)`;
  const servers = splitAddress(databaseUrl).map((url) => new URL(url));
  return `PostgreSQL at ${servers.map(({ host }) => host).join(',')}${servers[0]!.pathname} (DATABASE_URL)`;
}

/** Throws before a command without the server's DATA_DIR creates another database there, changes it and reports success. */
export async function requireDatabase({ databaseUrl, dataDir }: Config, canCreate: boolean = false) {
  if (databaseUrl !== null || (await hasDatabase(dataDir))) return;
  const otherwise = canCreate ? `, or add --${NEW_DATABASE} to create one here` : '';
  throw new Error(
    `There is no database in DATA_DIR (${dataDir}); set DATA_DIR or DATABASE_URL as for the server, or start the server once${otherwise}`,
  );
}
