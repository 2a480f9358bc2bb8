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

/** The sign that this process has the database of a data folder open. */
export type HomeHold = {
  /** To be called under the lock of the folder: one who just left may have taken the sign along. */
  confirm(): Promise<void>;
  /** Ends it; the sign stays when others here still have the database open. */
  end(isLast: boolean): Promise<void>;
};

/** Who holds, and how patient it is; tests play several machines. */
export type HoldOptions = {
  /** Name of the machine or container. */
  place?: string;
  /** Whoever has the database open writes this often. */
  beatMs?: number;
  /** A holder that has not written for so long is gone; longer than a busy process takes between two beats. */
  watchMs?: number;
  /** Awaited between the steps of taking a folder over, so that a test can let others go first at each of them. */
  pause?: () => Promise<void>;
};

const HOLDER = 'postgres.holder';
const RELEASED = 'released\n';

/**
 * Takes a data folder for this machine or container, or throws: locks and pids tell about processes of the same pid
 * namespace only, and a server started from another one would work on the same files. Openers here share it.
 *
 * `postgres.holder` is the sign of life. The right to the folder is a claim, `postgres.holder.N`: only creating the next
 * number gives it, and the highest number has it. Creating is exclusive, so however many find holder N dead, one makes N + 1;
 * the others find it there and watch again. Numbers never go back: a claim that ends stays as `released`, and the highest is
 * never removed. So whoever slept between its look and its creation either finds the number taken, or finds a higher one
 * afterwards, and gives way. One that dies before it shows its sign is a silent holder like any other, and the next number goes
 * past it. One that sleeps for longer than the watch after it has won is taken for dead; it finds a higher number at its next
 * beat and before it starts a server again, and touches nothing of the new holder's.
 */
export async function holdHome(home: string, log: Logger, options: HoldOptions = {}): Promise<HomeHold> {
  const { beatMs = 2_000, watchMs = 10_000, pause = async () => undefined } = options;
  const { place = `${hostname()} ${await readlink('/proc/self/ns/pid').catch(() => 'pid')}` } = options;
  const file = join(home, HOLDER);
  const sign = (): string => `${place} ${process.pid} ${Date.now()}\n`;
  const isOurs = (text: string | undefined): boolean => text?.startsWith(`${place} `) ?? false;

  /** Returns once the folder is ours. */
  async function confirm(): Promise<void> {
    for (;;) {
      const seen = await look(home);
      if (isOurs(seen.claim)) return;
      let now = seen;
      // Clocks of two machines may differ, so life shows by writing again.
      const hasChanged = async (): Promise<boolean> => (now = await look(home)).all !== seen.all;
      const isFree = seen.owner === undefined || isOurs(seen.owner);
      if (isFree || !(await waitUntil(hasChanged, watchMs))) await claim(seen.number + 1);
      // An empty claim is one that is just being written.
      else if (now.owner && !isOurs(now.owner)) throw refusal(file, now.owner);
    }
  }

  async function claim(number: number): Promise<void> {
    await pause();
    if (!(await isMade(writeFile(`${file}.${number}`, sign(), { flag: 'wx', mode: 0o600 })))) return;
    await pause();
    const numbers = await claimNumbers(home);
    const highest = Math.max(...numbers);
    for (const lower of numbers.filter((other) => other < highest))
      await rm(`${file}.${lower}`, { force: true });
    await pause();
    if (highest === number) await replaceFile(file, sign());
    await pause();
  }

  let isLost = false;
  async function beat(): Promise<void> {
    const { claim } = await look(home);
    if (isOurs(claim)) return replaceFile(file, sign());
    if (claim === undefined || isLost) return;
    isLost = true;
    log.error(
      { file },
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
      const { number, claim } = await look(home);
      if (!isLast || !isOurs(claim)) return;
      await rm(file, { force: true });
      await replaceFile(`${file}.${number}`, RELEASED);
    },
  };
}

/** What the folder shows. A released claim is none; without one the sign says whose it is: older versions wrote nothing else. */
type Sight = { number: number; claim: string | undefined; owner: string | undefined; all: string };

async function look(home: string): Promise<Sight> {
  const file = join(home, HOLDER);
  for (;;) {
    const number = Math.max(0, ...(await claimNumbers(home)));
    const [text, sign] = await Promise.all(
      [`${file}.${number}`, file].map((path) => readFile(path, 'utf8').catch(ifMissing)),
    );
    // A higher one has just taken its place.
    if (text === undefined && number > 0) continue;
    const claim = text === RELEASED ? undefined : text;
    return { number, claim, owner: claim ?? sign, all: JSON.stringify([number, text, sign]) };
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
