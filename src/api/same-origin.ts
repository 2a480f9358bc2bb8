import type { Request } from 'express';

/** What our dashboard sends along: a page of another origin could only after a preflight, which never allows it. */
export const DASHBOARD_HEADER = 'x-wishgate-dashboard';

/** Where a browser keeps its session. */
export const SESSION_COOKIE = 'wishgate_session';

/**
 * Whether a request comes from a page of our own, as far as its browser says: it sets `Sec-Fetch-Site` and `Origin`, and no script can. One that says
 * nothing passes; what needs to know asks for more.
 */
export function isOwnPage(req: Request): boolean {
  const site = req.headers['sec-fetch-site'];
  if (site !== undefined) return site === 'same-origin';
  const { origin, host } = req.headers;
  return origin === undefined || origin.replace(/^https?:\/\//, '') === host;
}

/** Whether our dashboard asks. */
export function isDashboard(req: Request): boolean {
  return req.headers[DASHBOARD_HEADER] === '1' && isOwnPage(req);
}

/** The session of a dashboard's request; empty for all others, whatever cookie they carry. */
export function sessionOf(req: Request): string {
  if (req.headers.authorization !== undefined || !isDashboard(req)) return '';
  const pairs = (req.headers.cookie ?? '').split(';').map((pair) => pair.trim());
  return pairs.find((pair) => pair.startsWith(`${SESSION_COOKIE}=`))?.slice(SESSION_COOKIE.length + 1) ?? '';
}

/** Whether a page's script asks. The browser would ask for a password over the page; the script shows the failure itself. */
export function isScript(req: Request): boolean {
  return req.headers['sec-fetch-dest'] === 'empty' || req.headers[DASHBOARD_HEADER] !== undefined;
}
