import { readFile, readdir, readlink, rm, symlink, unlink, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from '../log.ts';
import { hasCode, ifMissing, replaceFile, run, waitUntil } from './embedded-system.ts';

/** Longer than the longest work done under the lock, which is waiting for a crash recovery. */
const LOCK_PATIENCE_MS = 180_000;

/** A symbolic link, because creating one is atomic and names its holder; the start time exposes a dead one whose pid is reused. */
export async function withLock<T>(path: string, work: () => Promise<T>): Promise<T> {
  const ticket = `${process.pid}@${await startTimeOf(process.pid)}`;
  const giveUpAt = Date.now() + LOCK_PATIENCE_MS;
  while (!(await isMade(symlink(ticket, path)))) {
    const holder = await readlink(path).catch(ifMissing);
    if (holder === undefined) continue;
    const [pid, startTime] = holder.split('@');
    const isHeld = startTime !== '' && (await startTimeOf(Number(pid))) === startTime;
    // Two processes may both find the holder dead; without the inner lock, the slower one would remove the faster one's new lock.
    if (!isHeld)
      await withLock(`${path}.break`, async () => {
        if ((await readlink(path).catch(ifMissing)) === holder) await unlink(path);
      });
    else if (Date.now() < giveUpAt) await delay(25);
    else
      throw new Error(
        `Process ${pid} has locked ${path} for ${LOCK_PATIENCE_MS / 1000} s; stop it and start again`,
      );
  }
  try {
    return await work();
  } finally {
    await unlink(path);
  }
}

/** Returns an empty text for a missing process or a zombie. */
async function startTimeOf(pid: number): Promise<string> {
  if (process.platform !== 'linux')
    return (await run('ps', ['-o', 'lstart=', '-p', String(pid)])).stdout.trim();
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '');
  // The program's name may contain spaces and parentheses; the fields after the last parenthesis do not.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return fields[0] === 'Z' ? '' : (fields[19] ?? '');
}

/** Resolves to false if the file already existed. */
async function isMade(making: Promise<void>): Promise<boolean> {
  return making.then(
    () => true,
    (error: unknown) => {
      if (hasCode(error, 'EEXIST')) return false;
      throw error;
    },
  );
}

/** The claim of this machine to a data folder, while this process has the database open. */
export type HomeHold = Awaited<ReturnType<typeof holdHome>>;

/** Tests use these options to simulate several machines; `pause` is awaited between the steps of a claim. */
type HoldOptions = { place?: string; beatMs?: number; watchMs?: number; pause?: () => Promise<void> };

/** The owner rewrites its claim as a heartbeat. Only one of the machines that find claim N dead creates N + 1. */
const CLAIM = 'postgres.holder';
/** A released claim remains in the folder, so that numbers never go back. */
const RELEASED = 'released\n';

/** Claims a data folder for this machine or container, because locks and pids do not cover others; the highest number wins. */
export async function holdHome(home: string, log: Logger, options: HoldOptions = {}) {
  // A claim that was not renewed for `watchMs` is dead; longer than a busy process takes between two heartbeats.
  const { beatMs = 2_000, watchMs = 10_000, pause = async () => undefined } = options;
  const { place = `${hostname()} ${await readlink('/proc/self/ns/pid').catch(() => 'pid')}` } = options;
  const file = (number: number): string => join(home, `${CLAIM}.${number}`);
  const sign = (): string => `${place} ${process.pid} ${Date.now()}\n`;
  const isOurs = ({ text }: Claim): boolean => text.startsWith(`${place} `);

  /** Callers hold the lock of the folder: another process that just closed it may have released the claim. */
  async function confirm(): Promise<void> {
    for (let seen = await readClaim(home); !isOurs(seen); seen = await readClaim(home)) {
      let now = seen;
      // Clocks of two machines may differ, so only a new heartbeat proves a live owner.
      const hasChanged = async (): Promise<boolean> => {
        now = await readClaim(home);
        return now.number !== seen.number || now.text !== seen.text;
      };
      const isFree = seen.text === RELEASED;
      if (isFree || !(await waitUntil(hasChanged, watchMs))) await claim(seen.number + 1);
      // An empty claim is one that another machine is still writing.
      else if (now.text !== '' && now.text !== RELEASED && !isOurs(now))
        throw refusal(file(now.number), now.text);
    }
  }

  async function claim(number: number): Promise<void> {
    await pause();
    if (!(await isMade(writeFile(file(number), sign(), { flag: 'wx', mode: 0o600 })))) return;
    await pause();
    const numbers = await claimNumbers(home);
    const highest = Math.max(...numbers);
    for (const lower of numbers.filter((other) => other < highest)) await rm(file(lower), { force: true });
    await pause();
  }

  let isLost = false;
  async function beat(): Promise<void> {
    const seen = await readClaim(home);
    if (isOurs(seen)) return replaceFile(file(seen.number), sign());
    if (seen.text === RELEASED || isLost) return;
    isLost = true;
    log.error(
      { file: file(seen.number) },
      'Another machine or container has taken over DATA_DIR while this process did not respond; stop this process',
    );
  }

  await confirm();
  let beats: Promise<void> = Promise.resolve();
  const timer = setInterval(() => {
    // The next heartbeat makes up for one that fails.
    beats = beats.then(beat).catch(() => undefined);
  }, beatMs).unref();

  return {
    confirm,
    /** The claim remains if other processes of this machine still have the database open. */
    async end(isLast: boolean) {
      clearInterval(timer);
      await beats;
      const seen = await readClaim(home);
      if (isLast && isOurs(seen)) await replaceFile(file(seen.number), RELEASED);
    },
  };
}

type Claim = { number: number; text: string };

/** Reads the claim with the highest number; a folder without claims counts as released. */
async function readClaim(home: string): Promise<Claim> {
  for (;;) {
    const number = Math.max(0, ...(await claimNumbers(home)));
    if (number === 0) return { number, text: RELEASED };
    const text = await readFile(join(home, `${CLAIM}.${number}`), 'utf8').catch(ifMissing);
    // Undefined if a higher claim has just replaced it.
    if (text !== undefined) return { number, text };
  }
}

async function claimNumbers(home: string): Promise<number[]> {
  const names = await readdir(home);
  return names.flatMap((name) => /^postgres\.holder\.(\d+)$/.exec(name)?.slice(1).map(Number) ?? []);
}

function refusal(file: string, sign: string): Error {
  const [host, namespace, pid] = sign.split(' ');
  return new Error(
    `DATA_DIR is in use by process ${pid} on the host or container ${host} (${namespace}; see ${file}), and its database ` +
      'cannot be shared between machines or containers; stop that process, or set DATABASE_URL or another DATA_DIR',
  );
}
