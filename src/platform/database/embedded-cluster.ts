import { randomBytes, randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { chown, mkdir, readFile, readdir, rename, rm, stat, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import type { Logger } from '../log.ts';
import { findBinaries, locate } from './embedded-place.ts';
import { OWNER } from './embedded-server.ts';
import type { Cluster } from './embedded-server.ts';
import { ensurePostgresUser, ifMissing, isRoot, replaceFile, run } from './embedded-system.ts';
import type { OsUser } from './embedded-system.ts';

/** The caller holds the lock of the data folder. */
export async function prepareCluster(dataDir: string, log: Logger, isDurable: boolean): Promise<Cluster> {
  const { dir, isDecided } = await locate(dataDir, log);
  const portFile = join(dataDir, 'postgres.port');
  const isNew = !existsSync(dir);
  if (isNew && existsSync(upgradeMark(dataDir)))
    throw new Error(`The upgrade of ${dir} was interrupted in its last step; run: npm run upgrade`);
  if (isNew && isDecided && existsSync(portFile))
    throw new Error(
      `The database of DATA_DIR was in ${dir}, which no longer exists; restore that folder, or delete ${join(dataDir, 'postgres')} to ` +
        'start with an empty database',
    );
  const user = isNew ? await (isRoot() ? ensurePostgresUser() : undefined) : await ownerOf(dir);
  const { bin, major } = await findBinaries(user, log);
  const password = await readPassword(join(dataDir, 'postgres.password'), isNew);
  const cluster = { dir, logFile: join(dataDir, 'postgres.log'), portFile, password, user, bin };
  await removeDrafts(dir);
  if (isNew) {
    await initialise(cluster, isDurable);
    log.info({ dir }, 'Created the bundled PostgreSQL database');
  } else {
    await checkVersion(dir, major);
  }
  return cluster;
}

/** This file exists while an upgrade swaps the names of the clusters; it contains the path of the old one. */
export const upgradeMark = (dataDir: string): string => join(dataDir, 'postgres.upgrade.mark');

/** PostgreSQL only runs as the user who owns the cluster. */
export async function ownerOf(dir: string): Promise<OsUser | undefined> {
  const { uid, gid } = await stat(dir);
  if (!isRoot()) {
    if (uid === process.getuid?.()) return undefined;
    throw new Error(
      `${dir} belongs to the user with id ${uid}; start as that user, as root, or with another DATA_DIR`,
    );
  }
  if (uid !== 0) return { uid, gid };
  throw new Error(
    `${dir} belongs to root, but PostgreSQL does not run as root; run: chown -R postgres: ${dir}`,
  );
}

/** The password is written once, before the cluster so that an interrupted first start finds the same one. */
export async function readPassword(file: string, mayCreate: boolean): Promise<string> {
  const known = await readFile(file, 'utf8').catch(ifMissing);
  if (known !== undefined) return known.trim();
  if (!mayCreate)
    throw new Error(
      `${file} is missing, and the database next to it cannot be opened without it; restore the file`,
    );
  const password = randomBytes(24).toString('base64url');
  await replaceFile(file, `${password}\n`, true);
  return password;
}

const DRAFT_MARK = '.init-';

/** Removes what killed first starts left behind; their initdb may still run for a moment. */
async function removeDrafts(dir: string): Promise<void> {
  const parent = dirname(dir);
  for (const name of await readdir(parent))
    if (name.startsWith(basename(dir) + DRAFT_MARK))
      await rm(join(parent, name), { recursive: true, force: true, maxRetries: 20, retryDelay: 50 });
}

/** Creates the cluster under another name and renames it, so that the final name always means a complete cluster. */
export async function initialise({ dir, bin, user, password }: Cluster, isDurable: boolean): Promise<void> {
  const draft = `${dir}${DRAFT_MARK}${randomUUID()}`;
  const passwordFile = `${draft}.pw`;
  await mkdir(draft, { mode: 0o700 });
  await writeFile(passwordFile, password, { mode: 0o600, flag: 'wx' });
  if (user) await Promise.all([draft, passwordFile].map((path) => chown(path, user.uid, user.gid)));
  const args = [
    `--pgdata=${draft}`,
    `--username=${OWNER}`,
    `--pwfile=${passwordFile}`,
    '--auth=scram-sha-256',
    '--encoding=UTF8',
    // Texts sort the same on every machine, and lower() knows more than ASCII.
    '--locale=C',
    '--locale-provider=builtin',
    '--builtin-locale=C.UTF-8',
    '--no-instructions',
    ...(isDurable ? [] : ['--no-sync']),
  ];
  const made = await run(join(bin, 'initdb'), args, user);
  if (made.ok) await rename(draft, dir);
  await removeDrafts(dir);
  if (!made.ok) throw new Error(`The bundled PostgreSQL could not create ${dir}: ${made.stderr.trim()}`);
}

/** Reports a version mismatch in one sentence, because PostgreSQL itself only writes it to its log. */
async function checkVersion(dir: string, major: string): Promise<void> {
  const made = (await readFile(join(dir, 'PG_VERSION'), 'utf8')).trim();
  if (made === major) return;
  const advice =
    Number(made) < Number(major)
      ? 'run: npm run upgrade (docs/operations/upgrade.md)'
      : 'start the version that made it, or a newer one';
  throw new Error(`${dir} was created by PostgreSQL ${made}, but this version bundles ${major}; ${advice}`);
}
