import { LRUCache } from 'lru-cache';
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
import { keyIdOf, seal, unseal } from '../../platform/encrypt.ts';
import { findKeys } from './keys.service.ts';
import { noteKeyIds } from '../store.repo.ts';
import * as servers from './mail-server.repo.ts';
import type { MailServerRow } from './mail-server.repo.ts';
import { contextOf } from './mail-server.rules.ts';

export { listOwners } from './mail-server.repo.ts';

type OpenedServer = ServerKey & { server: StoreServer | null; senderAddress: string | null };

/** Returns null if no key decrypts the password. */
export function openServer(keys: readonly Buffer[], row: MailServerRow): StoreServer | null {
  const { host, port, security, login: user } = row;
  const password = unseal(keys, row.password, contextOf(row));
  return password === null ? null : { host, port, security, user, password };
}

export async function openServers({ db, config }: Pick<Services, 'db' | 'config'>, pids: readonly string[]) {
  const rows = await servers.loadServers(db, pids);
  const keys = await findKeys(config);
  const opened = rows.map(({ store, ...row }) => ({ ...row, ...store, server: openServer(keys, row) }));
  return new Map<string, OpenedServer>(opened.map((one) => [one.pid, one]));
}

/** The outcome for the email, and what it shows about the server; `problem` is undefined if it shows nothing. */
type Carried = { outcome: Outcome; problem?: MailProblem | null };

const later = (problem: MailProblem): Carried => ({
  outcome: { kind: 'retry', reason: MAIL_PROBLEMS[problem] },
  problem,
});

/** Sends from the store's own address and only through its own server. Of the server's response only the status code is stored. */
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

/** Writes only changes, so that a hundred emails a second cause two writes a minute. */
export function createHealthLog({ db, log, now }: Pick<Services, 'db' | 'log' | 'now'>) {
  const noted = new LRUCache<string, MailProblem | 'none'>({ max: 10_000, ttl: 30_000 });
  return async (key: ServerKey, problem: MailProblem | null): Promise<void> => {
    const name = `${key.pid} ${key.version}`;
    if (noted.get(name) === (problem ?? 'none')) return;
    noted.set(name, problem ?? 'none');
    await servers.noteHealth(db, key, problem, now()).catch((error: unknown) => {
      // Logged only, because the email itself matters more.
      log.error({ err: error }, 'The state of a mail server could not be noted');
    });
  };
}

const PORTION = 100;

/** Encrypts older passwords with the newest key, so that older keys can be removed; returns the count. */
export async function resealPasswords({ db, config }: Services): Promise<number> {
  const keys = await findKeys(config);
  const [newest] = keys;
  if (newest === undefined) return 0;
  await noteKeyIds(db, keys.map(keyIdOf));
  let count = 0;
  for (const row of await servers.listOtherKeys(db, keyIdOf(newest), PORTION)) {
    const opened = openServer(keys, row);
    if (opened === null) continue;
    count += await servers.replacePassword(db, row, seal(newest, opened.password, contextOf(row)));
  }
  return count;
}
