import { existsSync } from 'node:fs';
import { readFile, realpath, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Logger } from '../log.ts';
import { dump } from './backup.ts';
import type { Copied, OnProgress } from './backup.ts';
import { initialise, ownerOf, readPassword, upgradeMark } from './embedded-cluster.ts';
import { holdHome, withLock } from './embedded-lock.ts';
import { findBinaries, locate } from './embedded-place.ts';
import { OWNER, ensureRunning, processesOn, stopProcesses, withClient } from './embedded-server.ts';
import type { Cluster } from './embedded-server.ts';
import { replaceFile } from './embedded-system.ts';
import { isUnused } from './embedded.ts';
import { load, openBackup } from './restore.ts';

/** The major versions before and after; `kept` is the path of the old files, and `copied` null where nothing was to copy. */
export type Upgrade = { from: string; to: string; kept: string | null; copied: Copied | null };

type UpgradeOptions = {
  /** Finds the programs of an older PostgreSQL: the folder that contains `bin`. */
  oldPrograms: (major: string) => Promise<string>;
  onProgress: OnProgress;
};

/** Copies into a new cluster and swaps names; if killed, the old database is unchanged, or the next call completes the swap. */
export async function upgradeFolder(dataDir: string, log: Logger, options: UpgradeOptions): Promise<Upgrade> {
  if (!existsSync(dataDir)) throw new Error(`There is no database in DATA_DIR (${dataDir})`);
  const home = await realpath(dataDir);
  const { dir } = await locate(home, log);
  const hold = await holdHome(home, log);
  try {
    return await withLock(join(home, 'postgres.lock'), async () => {
      await hold.confirm();
      return upgradeLocked(home, dir, log, options);
    });
  } finally {
    await hold.end((await processesOn(dir)).length === 0);
  }
}

async function upgradeLocked(home: string, dir: string, log: Logger, options: UpgradeOptions) {
  const mark = upgradeMark(home);
  const draft = `${dir}.upgrade`;
  // A previous call was killed between the two renames: the copy is complete, and no process could open the database since.
  if (!existsSync(dir) && existsSync(mark) && existsSync(draft)) await rename(draft, dir);
  if (!existsSync(dir)) throw new Error(`There is no bundled database in ${home}`);
  const user = await ownerOf(dir);
  const { bin, major: to } = await findBinaries(user, log);
  const from = (await readFile(join(dir, 'PG_VERSION'), 'utf8')).trim();
  if (from === to) {
    const kept = (await readFile(mark, 'utf8').catch(() => '')).trim() || null;
    await rm(mark, { force: true });
    return { from, to, kept, copied: null };
  }
  if (Number(from) > Number(to))
    throw new Error(
      `${dir} was created by PostgreSQL ${from}, which is newer than the bundled ${to}; start the newer version`,
    );
  const old = await findBinaries(user, log, await options.oldPrograms(from));
  if (old.major !== from)
    throw new Error(`The programs in ${old.bin} belong to PostgreSQL ${old.major}, but ${from} is required`);
  const password = await readPassword(join(home, 'postgres.password'), false);
  const files = { logFile: join(home, 'postgres.log'), password, user };
  const source: Cluster = { ...files, dir, bin: old.bin, portFile: join(home, 'postgres.port') };
  const target: Cluster = { ...files, dir: draft, bin, portFile: join(home, 'postgres.upgrade.port') };
  const copied = await copyCluster(source, target, options.onProgress);
  const kept = existsSync(`${dir}-${from}`) ? `${dir}-${from}.${Date.now()}` : `${dir}-${from}`;
  await replaceFile(mark, `${kept}\n`, true);
  await rename(dir, kept);
  await rename(draft, dir);
  await rm(mark);
  return { from, to, kept, copied };
}

/** Afterwards neither server runs, unless other processes use it. */
async function copyCluster(source: Cluster, target: Cluster, onProgress: OnProgress): Promise<Copied> {
  const from = await ensureRunning(source, {});
  // A running service would continue to write into the old database after the copy.
  if (!(await withClient(source, from, OWNER, isUnused)))
    throw new Error('The service is still running on this data folder; stop it and its workers first');
  // A killed upgrade may have left its copy, and a server on it.
  const clear = async (): Promise<void> => {
    await stopProcesses(target.dir);
    await rm(target.dir, { recursive: true, force: true });
  };
  try {
    await clear();
    await initialise(target, true);
    const to = await ensureRunning(target, {});
    await withClient(target, to, 'postgres', (admin) => admin.query(`CREATE DATABASE ${OWNER}`));
    const copied = await withClient(source, from, OWNER, (reader) =>
      withClient(target, to, OWNER, (writer) =>
        openBackup(dump(reader)).then((backup) => load(writer, backup, onProgress)),
      ),
    );
    await stopProcesses(target.dir);
    return copied;
  } catch (error) {
    await clear();
    throw error;
  } finally {
    await stopProcesses(source.dir);
    await rm(target.portFile, { force: true });
  }
}
