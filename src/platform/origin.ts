const PLAIN_HOST = /^([a-z\d_-]+\.)*[a-z\d_-]+\.?$|^\[[\da-f:.]+\]$/;

/**
 * Returns the origin if the host is a plain name or IP address, else null. `URL` also accepts hosts such as `a;b`, which would
 * end a directive of a Content-Security-Policy and begin another.
 */
export function plainOrigin(url: string): string | null {
  const { hostname, origin } = new URL(url);
  return PLAIN_HOST.test(hostname) ? origin : null;
}
