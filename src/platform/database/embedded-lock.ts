import { readFile, readdir, readlink, rm, symlink, unlink, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from '../log.ts';
import { hasCode, ifMissing, replaceFile, run, waitUntil } from './embedded-system.ts';

/** Longer than the longest thing done under the lock, which is waiting for a crash recovery. */
const LOCK_PATIENCE_MS = 180_000;

/**
 * Runs `work` while no other process here, and no other caller in this one, does so under the same path. A symbolic link is
 * the lock: creating one is atomic, exclusive, and carries its holder's name from the first instant. A holder that died is
 * noticed by its start time, since its pid may already belong to someone else.
 */
export async function withLock<T>(path: string, work: () => Promise<T>): Promise<T> {
  const ticket = `${process.pid}@${await startTimeOf(process.pid)}`;
  const giveUpAt = Date.now() + LOCK_PATIENCE_MS;
  while (!(await isMade(symlink(ticket, path)))) {
    const holder = await readlink(path).catch(ifMissing);
    if (holder === undefined) continue;
    const [pid, startTime] = holder.split('@');
    if (startTime === '' || (await startTimeOf(Number(pid))) !== startTime) await breakLock(path, holder);
    else if (Date.now() < giveUpAt) await delay(25);
    else
      throw new Error(
        `Process ${pid} has held ${path} for ${LOCK_PATIENCE_MS / 1000} s; end it and start again`,
      );
  }
  try {
    return await work();
  } finally {
    await unlink(path);
  }
}

/**
 * Two processes may both find the holder dead; without the inner lock the slower one would remove the faster one's
 * new lock. Should the breaker die here as well, its own lock is broken the same way.
 */
async function breakLock(path: string, holder: string): Promise<void> {
  await withLock(`${path}.break`, async () => {
    if ((await readlink(path).catch(ifMissing)) === holder) await unlink(path);
  });
}

/** Empty when there is no such process, or only its unreaped remains. */
async function startTimeOf(pid: number): Promise<string> {
  if (process.platform !== 'linux')
    return (await run('ps', ['-o', 'lstart=', '-p', String(pid)])).stdout.trim();
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '');
  // The program's name may contain blanks and brackets; what follows its last bracket does not.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return fields[0] === 'Z' ? '' : (fields[19] ?? '');
}

/** Whether something came to be by this call: false when it was there before. */
async function isMade(making: Promise<void>): Promise<boolean> {
  return making.then(
    () => true,
    (error: unknown) => {
      if (hasCode(error, 'EEXIST')) return false;
      throw error;
    },
  );
}

/** The right of this machine to a data folder, while this process has the database open. */
export type HomeHold = {
  /** To be called under the lock of the folder: an opener that just left may have released the claim. */
  confirm(): Promise<void>;
  /** Ends it; the claim stays when others here still have the database open. */
  end(isLast: boolean): Promise<void>;
};

/** Who claims, and how patient it is; tests play several machines. */
export type HoldOptions = {
  /** Name of the machine or container. */
  place?: string;
  beatMs?: number;
  /** A claim that has not been written for this long is dead; longer than a busy process takes between two heartbeats. */
  watchMs?: number;
  /** Awaited between the steps of a claim, so that a test can let others go first at each of them. */
  pause?: () => Promise<void>;
};

const CLAIM = 'postgres.holder';
const RELEASED = 'released\n';

/**
 * Takes a data folder for this machine or container, or throws: locks and pids say nothing about processes of another pid
 * namespace, and a server started from there would work on the same files. Openers here share it.
 *
 * The right to the folder is a claim, `postgres.holder.N`: the highest number has it, and its owner rewrites it as a heartbeat. Creating is exclusive, so
 * of all that find claim N dead, one makes N + 1. Numbers never go back: a claim that ends stays as `released`. A machine that slept after its look
 * finds its number taken or a higher one, gives way, and touches nothing of the new owner's.
 */
export async function holdHome(home: string, log: Logger, options: HoldOptions = {}): Promise<HomeHold> {
  const { beatMs = 2_000, watchMs = 10_000, pause = async () => undefined } = options;
  const { place = `${hostname()} ${await readlink('/proc/self/ns/pid').catch(() => 'pid')}` } = options;
  const file = (number: number): string => join(home, `${CLAIM}.${number}`);
  const sign = (): string => `${place} ${process.pid} ${Date.now()}\n`;
  const isOurs = ({ text }: Claim): boolean => text.startsWith(`${place} `);

  /** Returns once the folder is ours. */
  async function confirm(): Promise<void> {
    for (;;) {
      const seen = await readClaim(home);
      if (isOurs(seen)) return;
      let now = seen;
      // Clocks of two machines may differ, so a live owner shows by writing again.
      const hasChanged = async (): Promise<boolean> => {
        now = await readClaim(home);
        return now.number !== seen.number || now.text !== seen.text;
      };
      const isFree = seen.text === RELEASED;
      if (isFree || !(await waitUntil(hasChanged, watchMs))) await claim(seen.number + 1);
      // An empty claim is one that is just being written.
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
      'Another machine or container took DATA_DIR over while this one was silent; end this process',
    );
  }

  await confirm();
  let beats: Promise<void> = Promise.resolve();
  const timer = setInterval(() => {
    // A beat that fails is made up for by the next.
    beats = beats.then(beat).catch(() => undefined);
  }, beatMs).unref();

  return {
    confirm,
    async end(isLast) {
      clearInterval(timer);
      await beats;
      const seen = await readClaim(home);
      if (isLast && isOurs(seen)) await replaceFile(file(seen.number), RELEASED);
    },
  };
}

type Claim = { number: number; text: string };

/** The claim with the highest number; a folder without one is as free as after a release. */
async function readClaim(home: string): Promise<Claim> {
  for (;;) {
    const number = Math.max(0, ...(await claimNumbers(home)));
    if (number === 0) return { number, text: RELEASED };
    const text = await readFile(join(home, `${CLAIM}.${number}`), 'utf8').catch(ifMissing);
    // Undefined where a higher one has just taken its place.
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
      'cannot be shared between machines or containers; end that process, or set DATABASE_URL or another DATA_DIR',
  );
}
