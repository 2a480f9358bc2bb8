/** What Shopify's ids say that they name, as in `gid://shopify/ProductVariant/123`. */
export type IdKind = 'ProductVariant' | 'Product';

const GID = /^gid:\/\//i;
const SHOPIFY_GID = /^gid:\/\/shopify\/(\w+)\/(\d+)$/;

/** A product or variant id as it is stored: of Shopify's form, the number in it. Null for every other gid, also of the other kind. */
export function plainId(kind: IdKind, sent: string): string | null {
  const id = sent.trim();
  if (!GID.test(id)) return id;
  const [, named, digits] = SHOPIFY_GID.exec(id) ?? [];
  return named === kind ? digits!.replace(/^0+(?=\d)/, '') : null;
}
