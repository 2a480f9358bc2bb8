/** The page of a product with the variant chosen: as the feed gave it, else `du` with the parameter that Shopify's pages read, unless it has one. */
export function variantUrl({ uri, du, epi }: { uri: string | null; du: string; epi: string }): string {
  if (uri !== null) return uri;
  const [, page, query, fragment] = /^([^?#]*)(\?[^#]*)?(#[^]*)?$/.exec(du) as unknown as string[];
  if (query === undefined) return `${page}?variant=${encodeURIComponent(epi)}${fragment ?? ''}`;
  if (new URLSearchParams(query).has('variant')) return du;
  const joint = /[?&]$/.test(query) ? '' : '&';
  return `${page}${query}${joint}variant=${encodeURIComponent(epi)}${fragment ?? ''}`;
}
