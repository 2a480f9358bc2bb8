import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { readFileSync, readdirSync } from 'node:fs';
import { rename, writeFile } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';

/** An account of the operating system that PostgreSQL runs as; undefined means our own. */
export type OsUser = { uid: number; gid: number };

/** `ok` is also false when the program could not be started. */
type RunResult = { ok: boolean; stdout: string; stderr: string };

/** PostgreSQL must not inherit our PG* variables or our language; it needs no others. */
export const CLEAN_ENV = { LC_ALL: 'C', PATH: '/usr/sbin:/usr/bin:/sbin:/bin' };

const execute = promisify(execFile);

/** Runs a program to its end and never throws. It starts in `/` because `user` may not be able to read our working directory. */
export async function run(file: string, args: string[], user?: OsUser): Promise<RunResult> {
  try {
    return { ok: true, ...(await execute(file, args, { ...user, env: CLEAN_ENV, cwd: '/' })) };
  } catch (error) {
    const { stdout = '', stderr, message } = error as Error & Partial<RunResult>;
    return { ok: false, stdout, stderr: stderr || message };
  }
}

/** Slim images have no `ps`, so Linux is read directly; 160 processes take 5 ms of CPU, and 40 ms with promises. */
export async function listCommands(): Promise<{ pid: number; command: string }[]> {
  if (process.platform !== 'linux') {
    const { stdout } = await run('ps', ['-axww', '-o', 'pid=,command=']);
    return [...stdout.matchAll(/^\s*(\d+) (.*)$/gm)].map(([, pid, command = '']) => ({
      pid: Number(pid),
      command,
    }));
  }
  const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  return pids.map((pid) => ({ pid: Number(pid), command: commandOf(pid) }));
}

function commandOf(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ');
  } catch {
    return '';
  }
}

export function hasCode(error: unknown, ...codes: string[]): boolean {
  return typeof error === 'object' && error !== null && 'code' in error && codes.includes(String(error.code));
}

/** For `catch`: returns undefined for a missing file and rethrows other errors. */
export function ifMissing(error: unknown): undefined {
  if (!hasCode(error, 'ENOENT')) throw error;
}

/** Writes a file that only its owner can read, under another name first, so that nobody reads half of it. */
export async function replaceFile(file: string, text: string, flush = false): Promise<void> {
  const draft = `${file}.${randomUUID()}`;
  await writeFile(draft, text, { mode: 0o600, flag: 'wx', flush });
  await rename(draft, file);
}

/** Polls until the condition holds; resolves to false after the timeout. */
export async function waitUntil(condition: () => Promise<boolean>, timeoutMs: number): Promise<boolean> {
  const until = Date.now() + timeoutMs;
  while (!(await condition())) {
    if (Date.now() > until) return false;
    await delay(25);
  }
  return true;
}

/** PostgreSQL refuses to run as root. */
export function isRoot(): boolean {
  return process.getuid?.() === 0;
}

/** Returns the account `postgres` and creates it if it is missing, which only root needs and can do. */
export async function ensurePostgresUser(): Promise<OsUser> {
  const known = await findPostgresUser();
  if (known) return known;
  await run('groupadd', ['--force', '--system', 'postgres']);
  const made = await run('useradd', ['--system', '--gid', 'postgres', '--no-create-home', 'postgres']);
  // Another process may have created it in the meantime, so the account counts, not the exit code.
  const user = await findPostgresUser();
  if (user) return user;
  throw new Error(
    `PostgreSQL does not run as root, and useradd could not create the user postgres (${made.stderr.trim()}); ` +
      'create it, start as another user, or set DATABASE_URL',
  );
}

async function findPostgresUser(): Promise<OsUser | undefined> {
  const [, uid, gid] = /^uid=(\d+)\S* gid=(\d+)/.exec((await run('id', ['postgres'])).stdout) ?? [];
  return gid === undefined ? undefined : { uid: Number(uid), gid: Number(gid) };
}
