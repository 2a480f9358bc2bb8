const { pictures } = JSON.parse(document.querySelector('#data')!.textContent) as {
  /** Schemes that the page's policy lets in. */
  pictures: string[];
};

/** The address if the page's policy allows it, else null. Names below `.example`, which samples have, lead nowhere (RFC 2606). */
export function pictureUrl(url: string | null | undefined): string | null {
  if (!url || !URL.canParse(url, location.href)) return null;
  const { origin, protocol, hostname } = new URL(url, location.href);
  const isOutside = pictures.includes(protocol) && !hostname.endsWith('.example');
  return origin === location.origin || isOutside ? url : null;
}
