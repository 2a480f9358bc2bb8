type Product = Record<string, unknown>;

const contentOf = (name: string): string | undefined =>
  document.querySelector<HTMLMetaElement>(`meta[property="${name}"],meta[name="${name}"]`)?.content;

function* nodesIn(value: unknown): Generator<Product> {
  if (typeof value !== 'object' || value === null) return;
  if (!Array.isArray(value)) yield value as Product;
  for (const inner of Object.values(Array.isArray(value) ? value : { graph: (value as Product)['@graph'] }))
    yield* nodesIn(inner);
}

function* jsonLd(): Generator<Product> {
  for (const { textContent } of document.querySelectorAll('script[type="application/ld+json"]')) {
    try {
      yield* nodesIn(JSON.parse(textContent ?? ''));
    } catch {
      // Another script's data is not this script's concern.
    }
  }
}

const first = (value: unknown): unknown => (Array.isArray(value) ? value[0] : value);

/** The product that a product page describes for search engines, in JSON-LD or else in meta elements. */
export function productOfMarkup(): Product {
  for (const node of jsonLd()) {
    if (![node['@type']].flat().includes('Product')) continue;
    const image = first(node['image']) as string | { url?: string } | undefined;
    const offer = (first(node['offers']) ?? {}) as Product;
    const pr = offer['price'] ?? offer['lowPrice'];
    return { dt: node['name'], iu: typeof image === 'object' ? image.url : image, pr };
  }
  if (!contentOf('og:type')?.startsWith('product')) return {};
  const pr = contentOf('product:price:amount') ?? contentOf('og:price:amount');
  return { dt: contentOf('og:title'), iu: contentOf('og:image'), pr };
}
