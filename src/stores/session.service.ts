import type { Services, Viewer } from '../context.ts';
import { fail } from '../platform/errors.ts';
import { newToken } from '../platform/ids.ts';
import { isStorable } from '../platform/text.ts';
import { HOUR_MS } from '../platform/time.ts';
import * as sessions from './session.repo.ts';
import { hashKey } from './store.rules.ts';

export { forgetSessions } from './session.repo.ts';

/** Dashboard sessions end after this time, even if they are in use. */
export const SESSION_MS = 8 * HOUR_MS;

type Deps = Pick<Services, 'db' | 'now'>;

/** A store key, which may have been revoked since, or an operator. */
export type Signed = { pid: string; keyId: string } | { operatorId: string };

/** The cookie's value: the store, which limits the session lookup to that store, and the secret. Operators have no store. */
const write = (pid: string, token: string): string => `${Buffer.from(pid).toString('base64url')}.${token}`;

function read(session: string): { pid: string; hash: Buffer<ArrayBuffer> } | null {
  const [, store, token] = /^([\w-]{0,200})\.([\w-]{43})$/.exec(session) ?? [];
  if (store === undefined || token === undefined) return null;
  const pid = Buffer.from(store, 'base64url').toString('utf8');
  return isStorable(pid) ? { pid, hash: hashKey(token) } : null;
}

/** Signs in a caller who has just presented a key; returns the cookie's value. */
export async function openSession({ db, now }: Deps, { store, keyId, operatorId }: Viewer): Promise<string> {
  const token = newToken();
  const createdAt = now();
  const expiresAt = new Date(createdAt.getTime() + SESSION_MS);
  const session = { hash: hashKey(token), createdAt, expiresAt };
  if (operatorId !== null) {
    await sessions.addOperatorSession(db, { ...session, keyId: operatorId });
    return write('', token);
  }
  if (store === null || keyId === null) return fail('unauthorised');
  await sessions.addStoreSession(db, { ...session, pid: store.pid, keyId });
  return write(store.pid, token);
}

export async function findSession({ db, now }: Deps, session: string): Promise<Signed | null> {
  const claimed = read(session);
  const keyId = claimed && (await sessions.findSession(db, claimed.pid, claimed.hash, now()));
  if (keyId === null) return null;
  return claimed!.pid === '' ? { operatorId: keyId } : { pid: claimed!.pid, keyId };
}

export async function closeSession({ db }: Pick<Deps, 'db'>, session: string): Promise<void> {
  const claimed = read(session);
  if (claimed) await sessions.endSession(db, claimed.pid, claimed.hash);
}
