import { pictureSchemes } from '../../platform/pictures.ts';
import { absoluteUrl, siteOf } from './model.rules.ts';

export type Shop = { isDemo: boolean } & (
  | { siteUrl: string | null }
  | { shareUrl: string | null; allowedOrigins: readonly string[] }
);

function siteUrlOf(store: Shop): string | null {
  return 'siteUrl' in store ? store.siteUrl : (store.shareUrl ?? store.allowedOrigins[0] ?? null);
}

/** The shop's home page, for links back to it; null if it is unknown. */
export function shopUrl(store: Shop, publicUrl: string): string | null {
  if (store.isDemo) return `${publicUrl}/demo`;
  const site = siteUrlOf(store)?.replaceAll('{lid}', 'x') ?? '';
  return URL.canParse(site) ? `${new URL(site).origin}/` : null;
}

/** Makes URLs of products absolute; `image` is empty unless pages may load it. */
export function productUrls(store: Shop, publicUrl: string) {
  const siteUrl = siteOf({ isDemo: store.isDemo, siteUrl: siteUrlOf(store) }, publicUrl);
  const schemes = pictureSchemes(publicUrl);
  return (page: string, picture: string | null): { url: string; image: string } => {
    const image = absoluteUrl(picture, siteUrl);
    return {
      url: absoluteUrl(page, siteUrl),
      image: schemes.some((scheme) => image.startsWith(scheme)) ? image : '',
    };
  };
}
