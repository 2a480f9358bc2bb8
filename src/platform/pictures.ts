import { isLoopbackUrl } from './loopback.ts';

/** How pages may fetch pictures of products: over https, and over http, too, on a developer's machine, where the shop is not on https either. */
export function pictureSchemes(publicUrl: string): string[] {
  return publicUrl.startsWith('http:') && isLoopbackUrl(publicUrl) ? ['https:', 'http:'] : ['https:'];
}
