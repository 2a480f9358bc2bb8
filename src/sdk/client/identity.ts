import { ownFailure } from './failure.ts';
import type { Identity, WishgateError, WishgateOptions } from './types.ts';

/** Knows who the shopper is. The sessionid lives in this closure only: no storage, no URL. */
export type IdentityKeeper = {
  /** The identity; asked for once, also by many callers at a time. */
  get(): Promise<Identity>;
  /** A new identity in place of one that was not accepted; callers that held the same one share the question. */
  renew(stale: Identity): Promise<Identity>;
  /** The next `get` asks again. */
  forget(): void;
};

/** Whether an object carries an API key of a store, by the name of a field or by the look of its value. */
export function hasApiKey(fields: object): boolean {
  return Object.entries(fields).some(
    ([name, value]) =>
      /^(api|secret)_?key$|^secret$|^password$/i.test(name) ||
      (typeof value === 'string' && /(^|[^\w-])wg_[\w-]{8,}/.test(value)),
  );
}

function check(answer: unknown): Identity {
  const { regid, sessionid, ...others } = (answer ?? {}) as Partial<Identity>;
  // A regid is random text and may begin like a key, so it is not looked at.
  if (hasApiKey(others)) {
    throw ownFailure('forbidden', 'identify answered with an API key; it must stay on the back end');
  }
  if (typeof regid === 'string' && regid !== '' && typeof sessionid === 'string' && sessionid !== '')
    return { regid, sessionid };
  throw ownFailure('unauthorised', 'identify must answer { regid, sessionid }', { status: 401 });
}

/** `onKnown` hears of every current identity as it becomes known, before anybody uses it. */
export function createIdentity(
  identify: WishgateOptions['identify'],
  onKnown: (who: Identity) => void,
): IdentityKeeper {
  let current: Promise<Identity> | null = null;

  const ask = (): Promise<Identity> => {
    const asked: Promise<Identity> = (async () => identify())()
      .catch((error: unknown) => {
        const known = error as Partial<WishgateError> | null;
        throw known?.name === 'WishgateError'
          ? error
          : ownFailure('unauthorised', `identify failed: ${String(known?.message ?? error)}`);
      })
      .then((answer) => {
        const who = check(answer);
        // After a newer question, this answer only says who the shopper was.
        if (current === asked) onKnown(who);
        return who;
      });
    current = asked;
    // A failed question is not an answer to remember.
    asked.catch(() => {
      if (current === asked) current = null;
    });
    return asked;
  };

  const get = (): Promise<Identity> => current ?? ask();
  return {
    get,
    async renew(stale) {
      const known = current;
      const now = known && (await known.catch(() => null));
      if (now && now !== stale) return now;
      // Another caller may have begun to ask while this one waited.
      return current && current !== known ? current : ask();
    },
    forget() {
      current = null;
    },
  };
}
