import { plainId } from '../../../packages/client/src/ids.ts';
import type { ProductId, VariantId } from '../../../packages/client/src/wishgate.ts';

/** A product as pages pass it: a price may be a string, and the URL may be missing. */
export type PageProduct = Record<string, unknown> & { epi: VariantId; empi?: ProductId; du?: string };

type Products = Record<string, PageProduct>;
/** A product as the platform's own JSON describes it. */
export type ShopProduct = {
  id: number;
  variants: { id: number; [field: string]: unknown }[];
  [field: string]: unknown;
};

/** What themes and the public product's snippets leave in the page. */
export type PageData = {
  SwymPageData?: PageProduct;
  SwymViewProducts?: Products;
  SwymProductVariants?: Products;
  SwymProductInfo?: { product?: ShopProduct };
  Shopify?: { routes?: { root?: string } };
};

export const pageData = window as unknown as PageData;

/** The product of the page at `id`, with its current variant, or of a list of products on it. */
function findProduct(id: string): PageProduct | undefined {
  const { SwymPageData: own, SwymViewProducts: views } = pageData;
  return own?.empi && plainId(own.empi) === id ? own : views?.[id];
}

/** Adds what the page knows of a product to what the caller passed. Another variant's price and picture are left out. */
export function withPageData(product: Partial<PageProduct>): PageProduct {
  const { epi, empi } = product;
  const variant = epi == null ? undefined : pageData.SwymProductVariants?.[plainId(epi)];
  const id = empi ?? variant?.empi;
  const found = { ...(id == null ? undefined : findProduct(plainId(id))) } as PageProduct;
  const isOther = epi != null && found.epi != null && plainId(epi) !== plainId(found.epi);
  const common = isOther ? { empi: found.empi, du: found.du, dt: found['dt'], bt: found['bt'] } : found;
  const given = Object.entries(product).filter(([, value]) => value != null && value !== '');
  return { ...common, ...variant, ...Object.fromEntries(given) } as PageProduct;
}

const URL_TEXT = /^(https?:\/)?\/[!-~]{1,999}$/;
const TEXT = /^[^\p{Cs}\0]{0,200}$/u;
const NUMBER = /^\d{1,5}(\.\d+)?$/;

/** What most products of pages look like, by field; a bad value matches none of them. */
const USUAL: Record<string, RegExp> = {
  ...{ du: URL_TEXT, iu: URL_TEXT, dt: TEXT, bt: TEXT, vi: TEXT, pr: NUMBER },
};
/** Other fields of an item; the service ignores what is not a field. */
const UNUSUAL = /^(title|sku|note|uri|price|compareAtPrice|platformitemid|_av|lbls|cprops|bundle)$/;

/** Whether the product has a title, a picture and a price, and nothing that needs a closer look. */
export const isWhole = (product: PageProduct): unknown =>
  product.epi &&
  product['dt'] &&
  product['iu'] &&
  product['pr'] != null &&
  Object.entries(product).every(([name, value]) => {
    const usual = USUAL[name];
    return (
      value == null ||
      (usual ? /^[sn]/.test(typeof value) && usual.test(value as string) : !UNUSUAL.test(name))
    );
  });
