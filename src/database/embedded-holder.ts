import { randomUUID } from 'node:crypto';
import { readFile, readdir, readlink, rename, rm, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { basename, dirname, join } from 'node:path';
import type { Logger } from '../shared/log.ts';
import { hasCode, waitUntil } from './embedded-system.ts';

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

type Patience = Required<Pick<HoldOptions, 'watchMs' | 'pause'>>;

/**
 * Takes a data folder for this machine or container, or throws: locks and pids tell about processes of the same pid
 * namespace only, and a server started from another one would work on the same files. Openers here share it.
 *
 * `postgres.holder` is the sign of life. The right to the folder is a claim, `postgres.holder.N`: only creating the next
 * number gives it, and the highest number has it. Creating is exclusive, so however many find holder N dead, one makes N + 1;
 * the others find it there and watch again. Numbers never go back: a claim that ends stays as `released`, and a lower one is
 * removed only by the maker of a higher one. So whoever slept between its look and its creation either finds the number
 * taken, or finds a higher one afterwards, and gives way. One that dies before it shows its sign is a silent holder like any
 * other, and the next number goes past it. One that sleeps for longer than the watch after it has won is taken for dead; it
 * finds a higher number at its next beat and before it starts a server again, and touches nothing of the new holder's.
 */
export async function holdHome(home: string, log: Logger, options: HoldOptions = {}): Promise<HomeHold> {
  const {
    place = await ownPlace(),
    beatMs = 2_000,
    watchMs = 10_000,
    pause = async () => undefined,
  } = options;
  const file = join(home, 'postgres.holder');
  const sign = (): string => `${place} ${process.pid} ${Date.now()}\n`;
  const confirm = (): Promise<void> => take(file, place, sign, { watchMs, pause });
  await confirm();

  let isLost = false;
  const show = async (): Promise<void> => {
    const { claim } = await look(file);
    if (isOf(claim, place)) return replace(file, sign());
    if (claim === undefined || isLost) return;
    isLost = true;
    log.error(
      { file },
      'Another machine or container took DATA_DIR over while this one was silent; end this process',
    );
  };
  let beat: Promise<void> = Promise.resolve();
  const timer = setInterval(() => {
    // A beat that fails is made up for by the next.
    beat = beat.then(show).catch(() => undefined);
  }, beatMs).unref();

  return {
    confirm,
    async end(isLast) {
      clearInterval(timer);
      await beat;
      const { number, claim } = await look(file);
      if (!isLast || !isOf(claim, place)) return;
      await rm(file, { force: true });
      await replace(claimFile(file, number), RELEASED);
    },
  };
}

const RELEASED = 'released\n';

/** What the folder shows: the highest claim, undefined when it is released or there never was one, and the sign of life. */
type Sight = { number: number; claim: string | undefined; sign: string | undefined };

async function look(file: string): Promise<Sight> {
  for (;;) {
    const number = Math.max(0, ...(await claimNumbers(file)));
    const [claim, sign] = await Promise.all([
      number > 0 ? read(claimFile(file, number)) : RELEASED,
      read(file),
    ]);
    // Undefined here: a higher one has just taken its place.
    if (claim !== undefined) return { number, claim: claim === RELEASED ? undefined : claim, sign };
  }
}

/** Whose the folder is. Without a claim the sign counts: versions without claims wrote nothing else. */
const ownerIn = ({ claim, sign }: Sight): string | undefined => claim ?? sign;

const isOf = (text: string | undefined, place: string): boolean => text?.startsWith(`${place} `) ?? false;

/** Returns once the folder is ours. */
async function take(file: string, place: string, sign: () => string, patience: Patience): Promise<void> {
  for (;;) {
    const seen = await look(file);
    if (isOf(seen.claim, place)) return;
    const owner = ownerIn(seen);
    if (owner !== undefined && !isOf(owner, place)) {
      const changed = await watch(file, seen, patience.watchMs);
      const next = changed && ownerIn(changed);
      // An empty claim is one that is just being written.
      if (next && !isOf(next, place)) throw refusal(file, next);
      if (changed) continue;
    }
    if (await claim(file, seen.number + 1, sign(), patience.pause)) return;
  }
}

/** What changed while we looked; null when nothing did. Clocks of two machines may differ, so life shows by writing again. */
async function watch(file: string, seen: Sight, watchMs: number): Promise<Sight | null> {
  let now = seen;
  const isChanged = async (): Promise<boolean> => {
    now = await look(file);
    return now.number !== seen.number || now.claim !== seen.claim || now.sign !== seen.sign;
  };
  return (await waitUntil(isChanged, watchMs)) ? now : null;
}

/** Whether the folder is ours now: the number was free, and nobody has gone past it. */
async function claim(file: string, number: number, sign: string, pause: Patience['pause']): Promise<boolean> {
  await pause();
  try {
    await writeFile(claimFile(file, number), sign, { flag: 'wx', mode: 0o600 });
  } catch (error) {
    if (hasCode(error, 'EEXIST')) return false;
    throw error;
  }
  await pause();
  const others = (await claimNumbers(file)).filter((other) => other !== number);
  const isPassed = others.some((other) => other > number);
  for (const old of isPassed ? [number] : others) await rm(claimFile(file, old), { force: true });
  if (isPassed) return false;
  await pause();
  await replace(file, sign);
  await pause();
  return Math.max(...(await claimNumbers(file))) === number;
}

const claimFile = (file: string, number: number): string => `${file}.${number}`;

async function claimNumbers(file: string): Promise<number[]> {
  const start = `${basename(file)}.`;
  const names = (await readdir(dirname(file))).filter((name) => name.startsWith(start));
  return names
    .map((name) => name.slice(start.length))
    .filter((rest) => /^\d+$/.test(rest))
    .map(Number);
}

/** Under another name first, so that nobody reads half of it. */
async function replace(file: string, text: string): Promise<void> {
  const draft = `${file}.${randomUUID()}`;
  await writeFile(draft, text, { mode: 0o600 });
  await rename(draft, file);
}

function refusal(file: string, sign: string): Error {
  const [host, namespace, pid] = sign.split(' ');
  return new Error(
    `DATA_DIR is in use by process ${pid} on the host or container ${host} (${namespace}; see ${file}), and its database ` +
      'cannot be shared between machines or containers; end that process, or set DATABASE_URL or another DATA_DIR',
  );
}

async function ownPlace(): Promise<string> {
  return `${hostname()} ${await readlink('/proc/self/ns/pid').catch(() => 'pid')}`;
}

async function read(file: string): Promise<string | undefined> {
  return readFile(file, 'utf8').catch((error: unknown) => {
    if (hasCode(error, 'ENOENT')) return undefined;
    throw error;
  });
}
