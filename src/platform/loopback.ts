const LOOPBACK_HOST = /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])(:\d+)?$|^::1$/i;

/** Whether a host, with or without a port, can be reached from this machine only. */
export function isLoopbackHost(host: string): boolean {
  return LOOPBACK_HOST.test(host);
}

/** The same of the host in an http(s) address. */
export function isLoopbackUrl(url: string): boolean {
  return isLoopbackHost(new URL(url).host);
}
