const LOOPBACK_HOST = /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])(:\d+)?$|^::1$/i;

export function isLoopbackHost(host: string): boolean {
  return LOOPBACK_HOST.test(host);
}

export function isLoopbackUrl(url: string): boolean {
  return isLoopbackHost(new URL(url).host);
}
