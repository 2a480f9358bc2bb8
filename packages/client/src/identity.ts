import { clientError, isWishgateError, messageOf } from './error.ts';
import type { Identity } from './types.ts';

export type IdentityKeeper = ReturnType<typeof createIdentity>;

/** Recognises an API key of a store by the field's name or the value's format. */
export function hasApiKey(fields: object): boolean {
  return Object.entries(fields).some(
    ([name, value]) =>
      /^(api|secret)_?key$|^secret$|^password$/i.test(name) ||
      (typeof value === 'string' && /(^|[^\w-])wg_[\w-]{8,}/.test(value)),
  );
}

/** Refuses what is no identity, and a key that a page's function returned by mistake. */
export function check(answer: unknown): Identity {
  const { regid, sessionid, ...others } = (answer ?? {}) as Partial<Identity>;
  // A regid is random text and may look like a key, so it is not checked.
  if (hasApiKey(others)) {
    throw clientError('forbidden', 'identify returned an API key, which must stay on the back end');
  }
  if (typeof regid === 'string' && regid !== '' && typeof sessionid === 'string' && sessionid !== '')
    return { regid, sessionid };
  throw clientError('unauthorised', 'identify must return { regid, sessionid }', { status: 401 });
}

/**
 * Shares one identity among all callers of the page. `identify` gets one that is not the rejected one; `onKnown` is called with a new
 * identity before its first use.
 */
export function createIdentity(
  identify: (rejected?: Identity) => Identity | Promise<Identity>,
  onKnown: (who: Identity) => void,
) {
  let current: Promise<Identity> | null = null;

  const identifyAgain = (rejected?: Identity): Promise<Identity> => {
    const pending: Promise<Identity> = (async () => identify(rejected))()
      .catch((error: unknown) => {
        throw isWishgateError(error)
          ? error
          : clientError('unauthorised', `identify failed: ${messageOf(error)}`);
      })
      .then((answer) => {
        const who = check(answer);
        if (current === pending) onKnown(who);
        return who;
      });
    current = pending;
    pending.catch(() => {
      if (current === pending) current = null;
    });
    return pending;
  };

  const get = (): Promise<Identity> => current ?? identifyAgain();
  return {
    /** Concurrent callers share one call of `identify`. */
    get,
    /** Replaces a rejected identity; callers that had the same one share one call of `identify`. */
    async renew(stale: Identity): Promise<Identity> {
      const known = current;
      const now = known && (await known.catch(() => null));
      if (now && now !== stale) return now;
      // Another caller may have called `identify` in the meantime.
      return current && current !== known ? current : identifyAgain(stale);
    },
    forget(): void {
      current = null;
    },
  };
}
