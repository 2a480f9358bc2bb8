import { isStaleIdentity } from './caller.ts';
import type { Fields, Transport } from './caller.ts';
import { check } from './identity.ts';
import type { Identity, LoginProof, StorageLike, WishgateError } from './types.ts';

type Kept = Identity & { isAccount?: boolean };

const isSame = (one: Identity, other: Identity | undefined): boolean =>
  one.regid === other?.regid && one.sessionid === other.sessionid;

/** Gets identities from the service, and keeps the current one in storage for all tabs. */
export function createKept(key: string, given: StorageLike | null, transport: Transport) {
  let storage = given;
  let memory = '';
  let turn: Promise<unknown> = Promise.resolve();

  const read = (): Kept | null => {
    try {
      return JSON.parse(storage?.getItem(key) || memory || 'null') as Kept | null;
    } catch {
      return null;
    }
  };
  const keep = <Who extends Kept | null>(who: Who): Who => {
    const text = who ? JSON.stringify(who) : '';
    memory = text;
    try {
      storage?.setItem(key, text);
    } catch {
      // The storage is full or disabled: the identity lasts as long as the page.
      storage = null;
    }
    return who;
  };
  const request = async (path: string, fields: Fields): Promise<Identity> => {
    const { regid, sessionid } = (await transport.rest(`shopper/${path}`, fields)).body as Identity;
    return { regid, sessionid };
  };
  /** Runs alone in all tabs, or at least in this one where there are no locks. */
  const alone = async <Result>(run: () => Promise<Result>): Promise<Result> => {
    const locks = storage && (globalThis.navigator as Partial<Navigator> | undefined)?.locks;
    if (locks) return locks.request(key, run);
    const result = turn.then(run, run);
    turn = result.catch(() => null);
    return result;
  };

  return {
    /** Makes a guest if there is no identity but the rejected one. */
    identify: (rejected?: Identity) =>
      alone(async () => {
        const usable = (): Kept | null => {
          const known = read();
          return known && !isSame(known, rejected) ? known : null;
        };
        const known = usable();
        if (known) return known;
        const guest = await request('identify', {});
        // Without locks, another tab may have kept its guest meanwhile.
        return usable() ?? keep(guest);
      }),
    /** Becomes the account of the token, or the one that the page's function returns; the service merges the guest into it. */
    login: (proof: LoginProof) =>
      alone(async () => {
        const known = read();
        const guest = known && !known.isAccount ? { regid: known.regid, sessionid: known.sessionid } : null;
        const enter = async (as: Identity | null): Promise<Identity> =>
          typeof proof === 'function' ? check(await proof(as)) : request('login', { ...as, token: proof });
        const account = await enter(guest).catch((error: WishgateError) => {
          // The guest was merged before, or its session has ended.
          if (guest && isStaleIdentity(error)) return enter(null);
          throw error;
        });
        keep({ ...account, isAccount: true });
      }),
    /** Forgets an account. Returns false for a guest, who has not logged in. */
    logout: () =>
      alone(async () => {
        const isAccount = !!read()?.isAccount;
        if (isAccount) keep(null);
        return isAccount;
      }),
  };
}
