const LOOPBACK = /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/;

/** How pages may fetch pictures of products: over https, and over http, too, on a developer's machine, where the shop is not on https either. */
export function pictureSchemes(publicUrl: string): string[] {
  const { protocol, hostname } = new URL(publicUrl);
  return protocol === 'http:' && LOOPBACK.test(hostname) ? ['https:', 'http:'] : ['https:'];
}
