import type { Services } from '../context.ts';
import { createIdentification } from '../domain/shopper/viewer.service.ts';
import type { Kept } from '../operation/kept.ts';
import type { Identified } from '../domain/shopper/viewer.service.ts';

/** What a request shows of itself, from whichever door; an empty text is nothing. */
export type Credentials = { authorization: string; pid: string; regid: string; sessionid: string };

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
export function createViewerResolver(services: Pick<Services, 'db' | 'config'>): ResolveViewer {
  const identify = createIdentification(services);

  return ({ authorization, pid, regid, sessionid }, recalled) => {
    const hasKey = authorization !== '';
    const basic = hasKey ? parseBasic(authorization) : null;
    return identify({
      pid: clean(hasKey ? (basic?.pid ?? '') : pid),
      regid: clean(regid),
      apiKey: hasKey ? (basic?.apiKey ?? '') : null,
      sessionid,
      slices: recalled?.slices ?? [],
      knownShopper: recalled?.made?.state.shopper ?? null,
    });
  };
}
