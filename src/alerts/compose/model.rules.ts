import { directionOf, translator } from '../../platform/messages.ts';
import type { MessageKey } from '../../platform/messages.ts';
import { DEFAULT_COLOUR, textOn } from '../../platform/text.ts';
import type { ProductRow } from '../../stores/products/product.columns.ts';
import { variantUrl } from '../../stores/products/product.rules.ts';
import type { FooterTexts } from '../send/channel.ts';
import type { Branded } from '../send/mail-page.ts';
import { SAMPLE_MODEL } from './template.rules.ts';
import type { AlertModel } from './template.rules.ts';

type Shown = 'empi' | 'bt' | 'dt' | 'sku' | 'du' | 'uri' | 'iu' | 'vi' | 'stk' | 'pr';

/** `wasPr` is the price before a price drop. */
export type ShownProduct = { [Field in Shown]: ProductRow[Field] | null } & { wasPr?: number | null };

/** The base for relative product URLs. The demo shop's is this process's own URL, because several can serve one database. */
export function siteOf(store: { isDemo: boolean; siteUrl: string | null }, publicUrl: string): string | null {
  return store.isDemo ? publicUrl : store.siteUrl;
}

/** Returns a full http(s) URL. A relative URL needs the store's site; any other scheme gives an empty string. */
export function absoluteUrl(url: string | null, siteUrl: string | null): string {
  if (!url) return '';
  const base = siteUrl?.replaceAll('{lid}', '') ?? undefined;
  if (!URL.canParse(url, base)) return '';
  const { href, protocol } = new URL(url, base);
  return protocol === 'https:' || protocol === 'http:' ? href : '';
}

type ShownStore = Branded & { currency: string | null };

/** The language of a message, and the locale of its prices. */
export type Reader = { language: string; locale: string };

export function storeModel({ name, logoUrl, colour, currency }: ShownStore, { locale }: Reader) {
  const button = { colour: colour ?? DEFAULT_COLOUR, text_colour: textOn(colour ?? DEFAULT_COLOUR) };
  return { name, logo: logoUrl ?? '', ...button, currency: currency ?? '', locale };
}

export function footerTexts(
  { name, postalAddress, imprintUrl }: Pick<Branded, 'name' | 'postalAddress' | 'imprintUrl'>,
  language: string,
  why: Extract<MessageKey, `footer.why.${string}`>,
): FooterTexts {
  const translate = translator(language);
  return {
    why: translate(why, { store: name }),
    unsubscribe: translate('footer.unsubscribe'),
    optOut: translate('footer.optOut'),
    preferences: translate('footer.preferences'),
    address: postalAddress,
    imprint: imprintUrl === null ? null : { label: translate('footer.imprint'), url: imprintUrl },
    direction: directionOf(language),
  };
}

const pageOf = (epi: string, { uri, du }: ShownProduct): string | null =>
  du === null ? uri : variantUrl({ uri, du, epi });

/** The product of a preview. Only after a price drop it has an old price. */
export function sampleProduct(language: string, trigger: string): AlertModel['product'] {
  const t = translator(language);
  const words = { title: t('sample.title'), brand: t('sample.brand'), variant: t('sample.variant') };
  return { ...SAMPLE_MODEL.product, ...words, ...(trigger !== 'pricedrop' && { old_price: null }) };
}

/** Filled in part by part while a message is rendered. */
const NO_FIELDS = Object.fromEntries(
  Object.keys(SAMPLE_MODEL.mail).map((name) => [name, '']),
) as AlertModel['mail'];

/** Builds the template model. A product that is missing from the catalogue has only the fields of the subscription. */
export function alertModel(
  store: ShownStore & { siteUrl: string | null },
  reader: Reader,
  topic: string,
  epi: string,
  product: ShownProduct,
  unsubscribeUrl: string,
): AlertModel {
  const { language } = reader;
  return {
    store: storeModel(store, reader),
    language,
    direction: directionOf(language),
    mail: NO_FIELDS,
    topic,
    product: {
      epi,
      empi: product.empi ?? '',
      title: product.dt ?? translator(language)('alert.product'),
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
