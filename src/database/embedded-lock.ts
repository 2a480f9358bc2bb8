import { readFile, readlink, symlink, unlink } from 'node:fs/promises';
import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { hasCode, run } from './embedded-system.ts';

/** Longer than the longest thing done under the lock, which is waiting for a crash recovery. */
const LOCK_PATIENCE_MS = 180_000;
const POLL_MS = 25;

/**
 * Runs `work` while no other process, and no other caller in this one, does so under the same path.
 * A holder that died is noticed by its start time, since its pid may already belong to someone else.
 */
export async function withLock<T>(path: string, work: () => Promise<T>): Promise<T> {
  const ticket = `${process.pid}@${await startTimeOf(process.pid)}@${randomUUID()}`;
  await acquire(path, ticket);
  try {
    return await work();
  } finally {
    await unlink(path);
  }
}

/** A symbolic link is the lock: creating one is atomic, exclusive, and carries its holder's name from the first instant. */
async function acquire(path: string, ticket: string): Promise<void> {
  const giveUpAt = Date.now() + LOCK_PATIENCE_MS;
  for (;;) {
    try {
      return await symlink(ticket, path);
    } catch (error) {
      if (!hasCode(error, 'EEXIST')) throw error;
    }
    const holder = await readHolder(path);
    if (holder === undefined) continue;
    if (!(await isAlive(holder))) {
      await breakLock(path, holder);
      continue;
    }
    if (Date.now() > giveUpAt) {
      throw new Error(
        `Process ${holder.split('@')[0]} has held ${path} for ${LOCK_PATIENCE_MS / 1000} s; end it and start again`,
      );
    }
    await delay(POLL_MS);
  }
}

/**
 * Two processes may both find the holder dead; without the inner lock the slower one would remove the faster one's
 * new lock. Should the breaker die here as well, its own lock is broken the same way.
 */
async function breakLock(path: string, holder: string): Promise<void> {
  await withLock(`${path}.break`, async () => {
    if ((await readHolder(path)) === holder) await unlink(path);
  });
}

async function readHolder(path: string): Promise<string | undefined> {
  try {
    return await readlink(path);
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return undefined;
    throw error;
  }
}

async function isAlive(holder: string): Promise<boolean> {
  const [pid, startTime] = holder.split('@');
  return startTime !== '' && (await startTimeOf(Number(pid))) === startTime;
}

/** Empty when there is no such process, or only its unreaped remains. */
async function startTimeOf(pid: number): Promise<string> {
  if (process.platform !== 'linux')
    return (await run('ps', ['-o', 'lstart=', '-p', String(pid)])).stdout.trim();
  try {
    const stat = await readFile(`/proc/${pid}/stat`, 'utf8');
    // The program's name may contain blanks and brackets; what follows its last bracket does not.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return fields[0] === 'Z' ? '' : (fields[19] ?? '');
  } catch {
    return '';
  }
}
