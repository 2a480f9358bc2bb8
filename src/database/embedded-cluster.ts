import { createHash, randomBytes, randomUUID } from 'node:crypto';
import {
  chown,
  mkdir,
  readFile,
  readdir,
  readlink,
  realpath,
  rename,
  rm,
  stat,
  symlink,
  writeFile,
} from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import type { Logger } from '../shared/log.ts';
import { SHARED_ROOT, findBinaries, makeSharedRoot } from './embedded-binaries.ts';
import type { Binaries } from './embedded-binaries.ts';
import { killInitdb, stopProcesses } from './embedded-process.ts';
import { CLEAN_ENV, canEnter, ensurePostgresUser, exists, hasCode, isRoot, run } from './embedded-system.ts';
import type { OsUser } from './embedded-system.ts';

/** Name of the superuser and of the database of the service. */
export const OWNER = 'wishgate';

/** An initialised cluster and all that is needed to run it and to log in. */
export type Cluster = {
  /** The real path of PostgreSQL's data folder. */
  dir: string;
  logFile: string;
  /** Remembers the last port, so that a restart keeps the addresses of those who are still connected to it valid. */
  portFile: string;
  password: string;
  user: OsUser | undefined;
  binaries: Binaries;
};

/** Finds the cluster of a data folder, or creates it. The caller holds the lock of that folder. */
export async function prepareCluster(dataDir: string, log: Logger, isDurable: boolean): Promise<Cluster> {
  const { dir, isDecided } = await locate(dataDir, log);
  const portFile = join(dataDir, 'postgres.port');
  const isNew = !(await exists(dir));
  if (isNew && isDecided && (await exists(portFile)))
    throw new Error(
      `The database of DATA_DIR was in ${dir}, which is gone; bring it back, or remove ${join(dataDir, 'postgres')} to ` +
        'start with an empty one',
    );
  const user = isNew ? await (isRoot() ? ensurePostgresUser() : undefined) : await ownerOf(dir);
  const binaries = await findBinaries(user, log);
  const password = await readPassword(join(dataDir, 'postgres.password'), isNew);
  await removeDrafts(dir);
  if (isNew) {
    await initialise(dir, binaries, user, password, isDurable);
    log.info({ dir }, 'Created the bundled PostgreSQL database');
  } else {
    await checkVersion(dir, binaries);
  }
  return {
    dir,
    logFile: join(dataDir, 'postgres.log'),
    portFile,
    password,
    user,
    binaries,
  };
}

/**
 * The place of the cluster: `postgres` in the data folder. Where the user postgres cannot reach it, that name becomes
 * a link to a place derived from the path, so that every later process ends up there whatever the modes are by then.
 */
async function locate(dataDir: string, log: Logger): Promise<{ dir: string; isDecided: boolean }> {
  const proper = join(dataDir, 'postgres');
  const decided = await follow(proper);
  if (decided !== undefined) return { dir: decided, isDecided: true };
  if (!isRoot() || (await canEnter(await ensurePostgresUser(), dataDir)))
    return { dir: proper, isDecided: false };
  const dir = join(SHARED_ROOT, createHash('sha256').update(dataDir).digest('hex').slice(0, 16));
  await makeSharedRoot(SHARED_ROOT);
  if (await exists(dir)) {
    // The data folder was deleted: its owner expects to start afresh, but deleting data is not ours to do.
    const aside = `${dir}.old-${Date.now()}`;
    await stopProcesses(dir);
    await rename(dir, aside);
    log.warn({ dir: aside }, 'Kept the database of an earlier data folder of the same name aside');
  }
  await symlink(dir, proper);
  return { dir, isDecided: false };
}

/** The path behind a folder or link, undefined when neither is there; a link may point to what is not made yet. */
async function follow(path: string): Promise<string | undefined> {
  try {
    return await realpath(path);
  } catch (error) {
    if (!hasCode(error, 'ENOENT')) throw error;
  }
  const target = await readlink(path).catch(() => undefined);
  return target === undefined ? undefined : resolve(dirname(path), target);
}

/** A cluster runs as the one who owns it: PostgreSQL accepts nobody else. */
async function ownerOf(dir: string): Promise<OsUser | undefined> {
  const { uid, gid } = await stat(dir);
  if (!isRoot()) {
    if (uid === process.getuid?.()) return undefined;
    throw new Error(
      `${dir} belongs to the user with id ${uid}; start as that user, as root, or with another DATA_DIR`,
    );
  }
  if (uid === 0)
    throw new Error(
      `${dir} belongs to root, as whom PostgreSQL does not run; run: chown -R postgres: ${dir}`,
    );
  return { uid, gid };
}

/** Written before the cluster exists and never again, so an interrupted first start finds the same password. */
async function readPassword(file: string, mayCreate: boolean): Promise<string> {
  try {
    return (await readFile(file, 'utf8')).trim();
  } catch (error) {
    if (!hasCode(error, 'ENOENT')) throw error;
  }
  if (!mayCreate)
    throw new Error(
      `${file} is missing, without which the database beside it cannot be opened; restore the file`,
    );
  const password = randomBytes(24).toString('base64url');
  const draft = `${file}.new`;
  await rm(draft, { force: true });
  await writeFile(draft, `${password}\n`, { mode: 0o600, flag: 'wx', flush: true });
  await rename(draft, file);
  return password;
}

const DRAFT_MARK = '.init-';

/** Clears what first starts left behind that were killed half-way. */
async function removeDrafts(dir: string): Promise<void> {
  const parent = dirname(dir);
  const drafts = (await readdir(parent)).filter((name) => name.startsWith(basename(dir) + DRAFT_MARK));
  if (drafts.length === 0) return;
  await killInitdb(dir + DRAFT_MARK);
  for (const name of drafts)
    await rm(join(parent, name), { recursive: true, force: true, maxRetries: 20, retryDelay: 50 });
}

/** Builds the cluster under another name and renames it: under its own name it is always complete. */
async function initialise(
  dir: string,
  binaries: Binaries,
  user: OsUser | undefined,
  password: string,
  isDurable: boolean,
): Promise<void> {
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
    // The same order of texts on every machine, and lower() that knows more than ASCII.
    '--locale=C',
    '--locale-provider=builtin',
    '--builtin-locale=C.UTF-8',
    '--no-instructions',
    ...(isDurable ? [] : ['--no-sync']),
  ];
  const made = await run(binaries.initdb, args, user, CLEAN_ENV);
  await rm(passwordFile, { force: true });
  if (!made.ok) {
    await rm(draft, { recursive: true, force: true });
    throw new Error(`The bundled PostgreSQL could not create ${dir}: ${made.stderr.trim()}`);
  }
  await rename(draft, dir);
}

/** Said here in one sentence, because PostgreSQL itself would only say it in its log. */
async function checkVersion(dir: string, binaries: Binaries): Promise<void> {
  const made = (await readFile(join(dir, 'PG_VERSION'), 'utf8')).trim();
  if (made === binaries.major) return;
  throw new Error(
    `${dir} was made by PostgreSQL ${made} and this version bundles ${binaries.major}; ` +
      'dump it with the older version and load it into a new DATA_DIR',
  );
}
