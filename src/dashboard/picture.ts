/** A picture's address where the page's policy lets it in: the service's own, or over https; null otherwise. */
export function pictureUrl(url: string | null | undefined): string | null {
  if (!url || !URL.canParse(url, location.href)) return null;
  const { origin, protocol } = new URL(url, location.href);
  return origin === location.origin || protocol === 'https:' ? url : null;
}
