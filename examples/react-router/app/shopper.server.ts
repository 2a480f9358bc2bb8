// Who the shopper is, on the shop's own server: the API key stays here, and the browser gets regid and sessionid only.
import { randomBytes, randomUUID } from 'node:crypto';
import { createCookieSessionStorage } from 'react-router';

const { WISHGATE_URL = 'http://127.0.0.1:4000', WISHGATE_PID = '', WISHGATE_API_KEY = '' } = process.env;
export const store = { baseUrl: WISHGATE_URL, pid: WISHGATE_PID };

type Shopper = { uuid: string; regid: string; sessionid: string; email: string | null };

const sessions = createCookieSessionStorage<Shopper>({
  cookie: {
    name: 'shopper',
    httpOnly: true,
    sameSite: 'lax',
    path: '/',
    maxAge: 31_536_000,
    secrets: [process.env['SESSION_SECRET'] ?? randomBytes(32).toString('hex')],
  },
});

async function generateRegid(fields: Record<string, string>): Promise<{ regid: string; sessionid: string }> {
  const response = await fetch(`${WISHGATE_URL}/storeadmin/v3/user/generate-regid`, {
    method: 'POST',
    headers: { authorization: `Basic ${btoa(`${WISHGATE_PID}:${WISHGATE_API_KEY}`)}` },
    body: new URLSearchParams({ ...fields, useragenttype: 'web' }),
  });
  if (!response.ok) throw new Error(`generate-regid returned ${response.status}`);
  return (await response.json()) as { regid: string; sessionid: string };
}

/** The visitor of a request, who becomes a guest with the first one. `headers` keep who it is. */
export async function shopperOf(request: Request): Promise<{ shopper: Shopper; headers: HeadersInit }> {
  const session = await sessions.getSession(request.headers.get('cookie'));
  if (session.has('regid')) return { shopper: session.data as Shopper, headers: {} };
  const uuid = randomUUID();
  return keep({ uuid, email: null, ...(await generateRegid({ uuid })) });
}

/** Logs the visitor in: the service merges what the guest saved into the account. A real shop checks a password first. */
export async function logIn(request: Request, email: string) {
  const { shopper } = await shopperOf(request);
  const account = await generateRegid({ uuid: shopper.uuid, useremail: email });
  return keep({ uuid: shopper.uuid, email, ...account });
}

/** Asks the service again, because it no longer accepts the session. */
export async function renew(request: Request) {
  const { shopper } = await shopperOf(request);
  const { uuid, email } = shopper;
  return keep({ ...shopper, ...(await generateRegid(email === null ? { uuid } : { useremail: email })) });
}

async function keep(shopper: Shopper): Promise<{ shopper: Shopper; headers: HeadersInit }> {
  const session = await sessions.getSession();
  for (const name of ['uuid', 'regid', 'sessionid', 'email'] as const) session.set(name, shopper[name]);
  return { shopper, headers: { 'set-cookie': await sessions.commitSession(session) } };
}
