import { oncePerApp } from '../platform/batch.ts';
import { onPrimary } from '../context.ts';
import type { Context, Credentials, Services, Viewer } from '../context.ts';
import { fail } from '../platform/errors.ts';
import { OPERATOR_USER, findOperator } from '../stores/operator.service.ts';
import { findSession } from '../stores/session.service.ts';
import type { Signed } from '../stores/session.service.ts';
import { createIdentification } from './viewer.service.ts';
import type { CallerClaim, Identified } from './viewer.service.ts';

/** Of a request that shows nothing. */
export const NO_CREDENTIALS: Credentials = Object.freeze({
  authorization: '',
  session: '',
  pid: '',
  actsFor: '',
  regid: '',
  sessionid: '',
});

/** What a cached response is checked against; it is read together with the caller. */
export type KnownState = Pick<CallerClaim, 'shards' | 'knownShopper'>;
const NOTHING_KNOWN: KnownState = { shards: [], knownShopper: null };

/** Seconds after which a client may call a service that is closed for maintenance again. */
export const MAINTENANCE_RETRY_SECONDS = '120';

const MAX_CREDENTIAL_LENGTH = 512;

/** Reads a Basic header; a malformed one counts as a wrong key. */
function parseBasic(header: string): { pid: string; apiKey: string } | null {
  const [, encoded] = /^basic\s+([a-z0-9+/_-]+=*)\s*$/i.exec(header) ?? [];
  const text = encoded ? Buffer.from(encoded, 'base64').toString('utf8') : '';
  const end = text.indexOf(':');
  return end > 0 ? { pid: text.slice(0, end), apiKey: text.slice(end + 1) } : null;
}

/** No store and no shopper has this name. */
const NOBODY = '?';

/** Cuts what cannot be a credential, so that the database never sees it; a lost `+` comes back. */
function clean(text: string): string {
  return text.length > MAX_CREDENTIAL_LENGTH || text.includes('\u0000') ? NOBODY : text.replaceAll(' ', '+');
}

function claimOfSession(signed: Signed | null, actsFor: string): Pick<CallerClaim, 'pid' | 'proof'> {
  if (signed === null) return { pid: '', proof: { kind: 'session', keyId: null } };
  if ('keyId' in signed) return { pid: signed.pid, proof: { kind: 'session', keyId: signed.keyId } };
  return { pid: clean(actsFor), proof: { kind: 'operator', operatorId: signed.operatorId } };
}

const identificationOf = oncePerApp(({ db, config, now, log }: Services) =>
  createIdentification({ db, config, now, log }),
);

/** Finds who calls. Wrong credentials never throw. */
export async function authenticate(
  services: Services,
  { authorization, session, pid, actsFor, regid, sessionid }: Credentials,
  known: KnownState = NOTHING_KNOWN,
): Promise<Identified> {
  const identify = identificationOf(services);
  const shown = { regid: clean(regid), sessionid, ...known };
  if (authorization === '') {
    if (session === '') return identify({ ...shown, pid: clean(pid), proof: null });
    return identify({ ...shown, ...claimOfSession(await findSession(services, session), actsFor) });
  }
  const basic = parseBasic(authorization);
  const apiKey = basic?.apiKey ?? '';
  if (basic?.pid === OPERATOR_USER) {
    const operatorId = await findOperator(services, apiKey);
    if (operatorId !== null) return identify({ ...shown, ...claimOfSession({ operatorId }, actsFor) });
  }
  return identify({ ...shown, pid: clean(basic?.pid ?? ''), proof: { kind: 'key', apiKey } });
}

/** Fails while the service or the caller's store is closed for maintenance. */
export function failWhenClosed({ isServiceDown, store }: Identified): void {
  if (isServiceDown || store?.maintenance)
    fail('maintenance', undefined, { 'Retry-After': MAINTENANCE_RETRY_SECONDS });
}

/** Finds who calls once more, for a call that goes on; fails while the service is closed. */
export async function identifyAgain(ctx: Context): Promise<Viewer> {
  const viewer = await authenticate(onPrimary(ctx), ctx.connection.credentials);
  failWhenClosed(viewer);
  ctx.connection.viewer = viewer;
  return viewer;
}
