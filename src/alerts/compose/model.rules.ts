import { DEFAULT_COLOUR, textOn } from '../../platform/text.ts';
import { variantUrl } from '../../stores/products/product.rules.ts';
import type { AlertModel } from './template.rules.ts';

/** The columns of a product that an alert can show. */
export type ShownProduct = {
  empi: string | null;
  bt: string | null;
  dt: string | null;
  sku: string | null;
  du: string | null;
  uri: string | null;
  iu: string | null;
  vi: string | null;
  stk: number | null;
  pr: number | null;
  /** The price that a fall counted from. */
  wasPr?: number | null;
};

/**
 * Base for relative addresses of products: the store's own site. The demo shop's is this service, at whatever address the process that hands the link out has:
 * several may serve one database at different ports.
 */
export function siteOf(
  { isDemo, siteUrl }: { isDemo: boolean; siteUrl: string | null },
  publicUrl: string,
): string | null {
  return isDemo ? publicUrl : siteUrl;
}

/** A full http(s) address; a relative one needs the store's site, and anything else is left out. */
export function absoluteUrl(url: string | null, siteUrl: string | null): string {
  if (!url) return '';
  const base = siteUrl?.replaceAll('{lid}', '') ?? undefined;
  if (!URL.canParse(url, base)) return '';
  const { href, protocol } = new URL(url, base);
  return protocol === 'https:' || protocol === 'http:' ? href : '';
}

/** What a template sees of a store. */
export type ShownStore = {
  name: string;
  logoUrl: string | null;
  colour: string | null;
  currency: string | null;
  locale: string;
};

/** A store in the words of templates. */
export function storeModel({ name, logoUrl, colour, currency, locale }: ShownStore): AlertModel['store'] {
  const button = colour ?? DEFAULT_COLOUR;
  return {
    name,
    logo: logoUrl ?? '',
    colour: button,
    text_colour: textOn(button),
    currency: currency ?? '',
    locale,
  };
}

const pageOf = (epi: string, { uri, du }: ShownProduct): string | null =>
  du === null ? uri : variantUrl({ uri, du, epi });

/** What a template sees. A product that the catalogue does not know has only what the subscription said of it. */
export function alertModel(
  store: ShownStore & { siteUrl: string | null },
  topic: string,
  epi: string,
  product: ShownProduct,
  unsubscribeUrl: string,
): AlertModel {
  return {
    store: storeModel(store),
    topic,
    product: {
      epi,
      empi: product.empi ?? '',
      title: product.dt ?? 'The product you asked about',
      brand: product.bt ?? '',
      variant: product.vi ?? '',
      sku: product.sku ?? '',
      url: absoluteUrl(pageOf(epi, product), store.siteUrl),
      image: absoluteUrl(product.iu, store.siteUrl),
      price: product.pr,
      old_price: product.wasPr ?? null,
      stock: product.stk,
    },
    unsubscribe_url: unsubscribeUrl,
    follows: false,
  };
}
