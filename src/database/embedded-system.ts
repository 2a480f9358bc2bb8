import { execFile } from 'node:child_process';
import { stat } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';

/** An account of the operating system that PostgreSQL runs as; undefined stands for our own. */
export type OsUser = { uid: number; gid: number };

/** Outcome of a finished program; `ok` is false when it could not be started, too. */
export type RunResult = { ok: boolean; stdout: string; stderr: string };

/** PostgreSQL must not inherit PG* variables or a language of ours; it needs nothing else from us. */
export const CLEAN_ENV = { LC_ALL: 'C', PATH: '/usr/sbin:/usr/bin:/sbin:/bin' };

/** Runs a program to its end and never throws. It starts in `/` because our own folder may be closed to `user`. */
export function run(
  file: string,
  args: string[],
  user?: OsUser,
  env?: NodeJS.ProcessEnv,
): Promise<RunResult> {
  return new Promise((resolve) => {
    try {
      execFile(file, args, { ...user, env, cwd: '/' }, (error, stdout, stderr) => {
        resolve({ ok: error === null, stdout, stderr: stderr || (error?.message ?? '') });
      });
    } catch (error) {
      resolve({ ok: false, stdout: '', stderr: String(error) });
    }
  });
}

/** Whether this is a failure of the system or the database with one of these codes. */
export function hasCode(error: unknown, ...codes: string[]): boolean {
  return typeof error === 'object' && error !== null && 'code' in error && codes.includes(String(error.code));
}

/** Whether a file or folder is there. */
export async function exists(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  );
}

/** Polls until the condition holds; false when time is up first. */
export async function waitUntil(condition: () => Promise<boolean>, timeoutMs: number): Promise<boolean> {
  const until = Date.now() + timeoutMs;
  while (!(await condition())) {
    if (Date.now() > until) return false;
    await delay(25);
  }
  return true;
}

/** Whether we are root, as which PostgreSQL refuses to run. */
export function isRoot(): boolean {
  return process.getuid?.() === 0;
}

/** The account `postgres`, made when it is missing. Only root needs and can do this. */
export async function ensurePostgresUser(): Promise<OsUser> {
  const known = await findPostgresUser();
  if (known) return known;
  await run('groupadd', ['--force', '--system', 'postgres']);
  const made = await run('useradd', ['--system', '--gid', 'postgres', '--no-create-home', 'postgres']);
  // Somebody else may have made it between our two looks, so the account counts, not the exit code.
  const user = await findPostgresUser();
  if (user) return user;
  throw new Error(
    `PostgreSQL does not run as root and useradd could not make the user postgres (${made.stderr.trim()}); ` +
      'create it, start as another user, or set DATABASE_URL',
  );
}

async function findPostgresUser(): Promise<OsUser | undefined> {
  const [uid, gid] = await Promise.all([run('id', ['-u', 'postgres']), run('id', ['-g', 'postgres'])]);
  return uid.ok && gid.ok ? { uid: Number(uid.stdout), gid: Number(gid.stdout) } : undefined;
}

/** Asks the kernel itself, so that access lists and odd mounts count as well as modes. */
export async function canEnter(user: OsUser, dir: string): Promise<boolean> {
  return (await run('/bin/sh', ['-c', 'cd "$1"', 'sh', dir], user)).ok;
}
