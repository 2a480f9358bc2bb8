import type { SendMailOptions } from 'nodemailer';
import type { Outgoing } from '../../alerts/send/channel.ts';
import { outcomeOfSmtpError, toMail } from '../../alerts/send/email.ts';
import type { SmtpError } from '../../alerts/send/email.ts';
import { MAIL_PROBLEMS, describeProblem, isAboutMail, problemOf } from '../../alerts/send/mail-problem.ts';
import type { MailProblem } from '../../alerts/send/mail-problem.ts';
import { SENT } from '../../alerts/send/outcome.ts';
import type { Outcome } from '../../alerts/send/outcome.ts';
import type { ServerKey, StoreServer } from '../../alerts/send/store-smtp.ts';
import type { Services } from '../../context.ts';
import type { Db } from '../../platform/database/database.ts';
import { keyIdOf, seal, unseal } from '../../platform/encrypt.ts';
import { findKeys } from './keys.service.ts';
import * as servers from './mail-server.repo.ts';
import type { MailServerRow, SendingServer } from './mail-server.repo.ts';
import { contextOf } from './mail-server.rules.ts';

export function listOwners(db: Db): Promise<Set<string>> {
  return servers.listOwners(db);
}

/** `server` is null if no key decrypts the password. */
export type OpenedServer = ServerKey & {
  server: StoreServer | null;
  senderAddress: string | null;
};

/** Returns null if no key decrypts the password. */
export function openServer(keys: readonly Buffer[], row: MailServerRow): StoreServer | null {
  const { host, port, security, login: user } = row;
  const password = unseal(keys, row.password, contextOf(row));
  return password === null ? null : { host, port, security, user, password };
}

const toOpened = (keys: readonly Buffer[], row: SendingServer): OpenedServer => ({
  pid: row.pid,
  version: row.version,
  server: openServer(keys, row),
  ...row.store,
});

export async function openServers(
  { db, config }: Pick<Services, 'db' | 'config'>,
  pids: readonly string[],
): Promise<Map<string, OpenedServer>> {
  const rows = await servers.loadServers(db, pids);
  if (rows.length === 0) return new Map();
  const keys = await findKeys(config);
  return new Map(rows.map((row) => [row.pid, toOpened(keys, row)]));
}

/** The outcome for the mail, and what it shows about the server; `problem` is undefined if it shows nothing. */
export type Carried = { outcome: Outcome; problem?: MailProblem | null };

const later = (problem: MailProblem): Carried => ({
  outcome: { kind: 'retry', reason: MAIL_PROBLEMS[problem] },
  problem,
});

/**
 * Sends from the store's own address and only through its own server. Of the server's response only the status code is stored.
 */
export async function sendByOwnServer(
  { server, senderAddress }: OpenedServer,
  message: Outgoing,
  send: (server: StoreServer, mail: SendMailOptions) => Promise<void>,
): Promise<Carried> {
  if (server === null) return later('locked');
  if (senderAddress === null) return later('sender');
  const mail = toMail(message, senderAddress);
  try {
    await send(server, mail);
    return { outcome: SENT, problem: null };
  } catch (error) {
    const failure = error as SmtpError;
    const problem = problemOf(failure);
    const outcome = { ...outcomeOfSmtpError(failure), reason: describeProblem(problem, failure) };
    return isAboutMail(failure) ? { outcome } : { outcome, problem };
  }
}

export type HealthLog = (key: ServerKey, problem: MailProblem | null) => Promise<void>;

const SAME_NEWS_MS = 30_000;
const MAX_REMEMBERED = 10_000;

/** Writes only changes, so that a hundred mails a second cause two writes a minute. */
export function createHealthLog({ db, log, now }: Pick<Services, 'db' | 'log' | 'now'>): HealthLog {
  const noted = new Map<string, { problem: MailProblem | null; at: number }>();
  return async (key, problem) => {
    const name = `${key.pid} ${key.version}`;
    const last = noted.get(name);
    const at = performance.now();
    if (last && last.problem === problem && at - last.at < SAME_NEWS_MS) return;
    noted.delete(name);
    noted.set(name, { problem, at });
    if (noted.size > MAX_REMEMBERED) noted.delete(noted.keys().next().value!);
    await servers.noteHealth(db, key, problem, now()).catch((error: unknown) => {
      // Logged only, because the mail itself matters more.
      log.error({ err: error }, 'the state of a mail server could not be noted');
    });
  };
}

const PORTION = 100;

/** Encrypts older passwords with the newest key, so that older keys can be removed; returns the count. */
export async function resealPasswords({ db, config }: Services): Promise<number> {
  const keys = await findKeys(config);
  const [newest] = keys;
  if (newest === undefined) return 0;
  let count = 0;
  for (const row of await servers.listSealedOtherwise(db, keyIdOf(newest), PORTION)) {
    const opened = openServer(keys, row);
    if (opened === null) continue;
    count += await servers.replaceSeal(db, row, seal(newest, opened.password, contextOf(row)));
  }
  return count;
}
