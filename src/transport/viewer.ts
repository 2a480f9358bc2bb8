import type { Services } from '../context.ts';
import { createIdentification } from '../domain/shopper/viewer.service.ts';
import type { Identified } from '../domain/shopper/viewer.service.ts';

/** What a request shows of itself, from whichever door; an empty text is nothing. */
export type Credentials = { authorization: string; pid: string; regid: string; sessionid: string };

/** Turns credentials into the viewer and the switches that concern it, with the revisions of these slices. Wrong credentials never throw. */
export type ResolveViewer = (credentials: Credentials, slices?: readonly number[]) => Promise<Identified>;

type Basic = { pid: string; apiKey: string };

const MAX_CREDENTIAL_LENGTH = 512;

/** Reads a Basic header; a malformed one counts as a wrong key. */
function parseBasic(header: string): Basic | null {
  const [, encoded] = /^basic\s+([a-z0-9+/_-]+=*)\s*$/i.exec(header) ?? [];
  const text = encoded ? Buffer.from(encoded, 'base64').toString('utf8') : '';
  const end = text.indexOf(':');
  return end > 0 ? { pid: text.slice(0, end), apiKey: text.slice(end + 1) } : null;
}

/** Cuts what cannot be a credential, so that the database never sees it; a lost `+` comes back. */
function clean(text: string): string {
  return text.length > MAX_CREDENTIAL_LENGTH || text.includes('\u0000') ? '' : text.replaceAll(' ', '+');
}

/** Reads the credentials of a call and asks who that is. */
export function createViewerResolver(services: Pick<Services, 'db' | 'config'>): ResolveViewer {
  const identify = createIdentification(services);

  return async ({ authorization, pid, regid, sessionid }, slices = []) => {
    const hasKey = authorization !== '';
    const basic = hasKey ? parseBasic(authorization) : null;
    const viewer = await identify({
      pid: clean(hasKey ? (basic?.pid ?? '') : pid),
      regid: clean(regid),
      apiKey: hasKey ? (basic?.apiKey ?? '') : null,
      sessionid,
      slices,
    });
    // One that cannot be a regid was named all the same.
    return { ...viewer, isShopperNamed: regid !== '' };
  };
}
