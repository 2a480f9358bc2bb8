const { pictures } = JSON.parse(document.querySelector('#data')!.textContent) as {
  /** URL schemes that the page's content security policy allows. */
  pictures: string[];
};

/**
 * Returns null if the content security policy blocks the URL, or for `.example` hosts of samples, which do not exist (RFC 2606).
 */
export function pictureUrl(url: string | null | undefined): string | null {
  if (!url || !URL.canParse(url, location.href)) return null;
  const { origin, protocol, hostname } = new URL(url, location.href);
  const isOutside = pictures.includes(protocol) && !hostname.endsWith('.example');
  return origin === location.origin || isOutside ? url : null;
}
