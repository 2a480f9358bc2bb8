import { randomUUID } from 'node:crypto';
import { readFile, readlink, rename, rm, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { hasCode, waitUntil } from './embedded-system.ts';

/** Whoever has the database open writes this often. */
const BEAT_MS = 2_000;
/** A holder that has not written for so long is gone; longer than a busy process takes between two beats. */
const WATCH_MS = 10_000;

/** The sign that this process has the database of a data folder open. */
export type HomeHold = {
  /** To be called under the lock of the folder: one who just left may have taken the sign along. */
  confirm(): Promise<void>;
  /** Ends it; the sign stays when others here still have the database open. */
  end(isLast: boolean): Promise<void>;
};

/**
 * Takes a data folder for this machine or container, or throws: locks and pids tell about processes of the same pid
 * namespace only, and a server started from another one would work on the same files. Openers here share it.
 */
export async function holdHome(home: string): Promise<HomeHold> {
  const file = join(home, 'postgres.holder');
  const place = await ownPlace();
  const sign = (): string => `${place} ${process.pid} ${Date.now()}\n`;
  const confirm = (): Promise<void> => take(file, place, sign());
  await confirm();

  let beat: Promise<void> = Promise.resolve();
  const timer = setInterval(() => {
    // Under another name first, so that nobody reads half of it; a beat that fails is made up for by the next.
    const draft = `${file}.${randomUUID()}`;
    beat = writeFile(draft, sign(), { mode: 0o600 })
      .then(() => rename(draft, file))
      .catch(() => undefined);
  }, BEAT_MS).unref();

  return {
    confirm,
    async end(isLast) {
      clearInterval(timer);
      await beat;
      if (isLast) await rm(file, { force: true });
    },
  };
}

/** Returns once the folder is ours. Creating the file is exclusive, so of two that come at once one sees the other. */
async function take(file: string, place: string, sign: string): Promise<void> {
  for (;;) {
    try {
      return await writeFile(file, sign, { flag: 'wx', mode: 0o600 });
    } catch (error) {
      if (!hasCode(error, 'EEXIST')) throw error;
    }
    const seen = await read(file);
    if (seen?.startsWith(`${place} `)) return;
    // Clocks of two machines may differ, so a holder shows that it lives by writing again.
    await waitUntil(async () => (await read(file)) !== seen, WATCH_MS);
    const now = await read(file);
    if (now === seen) await rm(file, { force: true });
    else if (now !== undefined && !now.startsWith(`${place} `)) throw refusal(file, now);
  }
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
