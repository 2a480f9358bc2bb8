import type { Services } from '../context.ts';
import { OPERATOR_USER, findOperator } from '../stores/operator.service.ts';
import { findSession } from '../stores/session.service.ts';
import type { Signed } from '../stores/session.service.ts';
import { createIdentification } from '../shoppers/viewer.service.ts';
import type { CallerClaim, Identified } from '../shoppers/viewer.service.ts';
import type { Kept } from './response-cache.ts';

/** What a request shows of itself, from whichever door; an empty text is nothing. */
export type Credentials = {
  authorization: string;
  /** What the dashboard's cookie holds; set only where it may be read. */
  session: string;
  pid: string;
  /** The store that an operator acts for. */
  actsFor: string;
  regid: string;
  sessionid: string;
};

/** Of a request that shows nothing. */
export const NO_CREDENTIALS: Credentials = Object.freeze({
  authorization: '',
  session: '',
  pid: '',
  actsFor: '',
  regid: '',
  sessionid: '',
});

/** Turns credentials into the viewer and the switches that concern it, with what the kept answer is held against. Wrong credentials never throw. */
export type ResolveViewer = (credentials: Credentials, recalled: Kept | null) => Promise<Identified>;

type Basic = { pid: string; apiKey: string };

const MAX_CREDENTIAL_LENGTH = 512;

/** Reads a Basic header; a malformed one counts as a wrong key. */
function parseBasic(header: string): Basic | null {
  const [, encoded] = /^basic\s+([a-z0-9+/_-]+=*)\s*$/i.exec(header) ?? [];
  const text = encoded ? Buffer.from(encoded, 'base64').toString('utf8') : '';
  const end = text.indexOf(':');
  return end > 0 ? { pid: text.slice(0, end), apiKey: text.slice(end + 1) } : null;
}

/** What no store and no shopper is called. */
const NOBODY = '?';

/** Cuts what cannot be a credential, so that the database never sees it; a lost `+` comes back. */
function clean(text: string): string {
  return text.length > MAX_CREDENTIAL_LENGTH || text.includes('\u0000') ? NOBODY : text.replaceAll(' ', '+');
}

/** Reads the credentials of a call and asks who that is. */
export function createViewerResolver(
  services: Pick<Services, 'db' | 'config' | 'now' | 'log'>,
): ResolveViewer {
  const identify = createIdentification(services);

  const provenBy = (signed: Signed | null, actsFor: string): Pick<CallerClaim, 'pid' | 'proof'> => {
    if (signed === null) return { pid: '', proof: { kind: 'session', keyId: null } };
    if ('keyId' in signed) return { pid: signed.pid, proof: { kind: 'session', keyId: signed.keyId } };
    return { pid: clean(actsFor), proof: { kind: 'operator', operatorId: signed.operatorId } };
  };

  return ({ authorization, session, pid, actsFor, regid, sessionid }, recalled) => {
    const shown = {
      regid: clean(regid),
      sessionid,
      shards: recalled?.slices ?? [],
      knownShopper: recalled?.made?.state.shopper ?? null,
    };
    if (authorization === '') {
      if (session === '') return identify({ ...shown, pid: clean(pid), proof: null });
      return findSession(services, session).then((signed) =>
        identify({ ...shown, ...provenBy(signed, actsFor) }),
      );
    }
    const basic = parseBasic(authorization);
    const apiKey = basic?.apiKey ?? '';
    const named: CallerClaim = { ...shown, pid: clean(basic?.pid ?? ''), proof: { kind: 'key', apiKey } };
    if (basic?.pid !== OPERATOR_USER) return identify(named);
    return findOperator(services, apiKey).then((operatorId) =>
      identify(operatorId === null ? named : { ...shown, ...provenBy({ operatorId }, actsFor) }),
    );
  };
}
