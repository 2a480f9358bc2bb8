import { isLoopbackUrl } from './loopback.ts';

/** Pages load product pictures over https, and on a developer's machine also over http, because the shop has no https there. */
export function pictureSchemes(publicUrl: string): string[] {
  return publicUrl.startsWith('http:') && isLoopbackUrl(publicUrl) ? ['https:', 'http:'] : ['https:'];
}
