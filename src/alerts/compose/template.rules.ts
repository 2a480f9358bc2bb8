import { fail } from '../../platform/errors.ts';
import { isStorable } from '../../platform/text.ts';
import { PARTS, PART_NAMES } from '../send/channels.ts';
import type { AlertTexts } from '../send/channels.ts';

const MAX_TEMPLATE = 50_000;

/** The variables of a template, with the sample values of a preview. */
export const SAMPLE_MODEL = {
  store: {
    name: 'Your store',
    /** A URL, or empty. */
    logo: 'https://shop.example/logo.png',
    /** The button colour as `#rrggbb`, and a text colour that is readable on it. */
    colour: '#1f2937',
    text_colour: '#ffffff',
    /** ISO 4217, or empty; the `money` filter formats prices with the currency and locale. */
    currency: 'EUR',
    locale: 'en',
  },
  topic: 'backinstock',
  /** The language of the message as a BCP 47 tag, and its direction: `ltr` or `rtl`. */
  language: 'en',
  direction: 'ltr',
  /** The rendered subject and simple fields, for HTML and text. */
  mail: {
    subject: 'Linen shirt is back in stock',
    preheader: 'Blue / M · Your store',
    headline: 'Linen shirt is back in stock',
    intro: 'Good news: it is available again.',
    button: 'View product',
    footer: '',
    heading: '',
    also: '',
  },
  product: {
    epi: '1002',
    empi: '1001',
    title: 'Linen shirt',
    brand: 'Example brand',
    variant: 'Blue / M',
    sku: 'LS-BLUE-M',
    url: 'https://shop.example/products/linen-shirt?variant=1002',
    image: 'https://shop.example/images/linen-shirt.jpg',
    price: 49.9 as number | null,
    old_price: 59.9 as number | null,
    stock: 12 as number | null,
  },
  unsubscribe_url: 'https://alerts.example/unsubscribe/sample',
  /** Whether another alert precedes this one in the same message. */
  follows: false,
};

export type AlertModel = typeof SAMPLE_MODEL;

/** The dotted paths of a model, such as `store.name`. */
type NameIn<Model> = {
  [Key in keyof Model & string]: Model[Key] extends object ? `${Key}.${NameIn<Model[Key]>}` : Key;
}[keyof Model & string];

const MEANINGS = {
  'product.title': 'Product title',
  'product.variant': 'Variant, such as size and colour',
  'product.brand': 'Brand',
  'product.price': 'Price; add | money to format it in your currency',
  'product.old_price': 'Previous price, after a price drop',
  'product.stock': 'Units in stock',
  'product.url': 'URL of the product in your shop',
  'product.image': 'URL of the product image',
  'product.sku': 'SKU of the variant',
  'product.epi': 'Variant id',
  'product.empi': 'Product id',
  'store.name': 'Store name',
  'store.logo': 'URL of your logo, if you have one',
  'store.colour': 'Your button colour',
  'store.text_colour': 'Black or white, whichever is readable on your button colour',
  'store.currency': 'Your currency, if you have set one',
  'store.locale': 'Language and region for formatting prices',
  topic: 'Topic name',
  language: 'Language of the message, such as de',
  direction: 'Writing direction: ltr or rtl',
  'mail.subject': 'Subject, as rendered',
  'mail.preheader': 'Preheader, as rendered',
  'mail.headline': 'Headline, as rendered',
  'mail.intro': 'Introduction, as rendered',
  'mail.button': 'Button label, as rendered',
  'mail.footer': 'Footer, as rendered',
  'mail.heading': 'Title of a digest, above its first product',
  'mail.also': 'Other news about the same product in a digest, one per line',
  unsubscribe_url: 'Unsubscribe URL',
  follows: 'Whether another alert comes before it in the same message',
} satisfies Record<NameIn<AlertModel>, string>;

export const TEMPLATE_VARIABLES = Object.entries(MEANINGS).map(([name, meaning]) => {
  const valueIn = (model: unknown, key: string): unknown => (model as Record<string, unknown>)[key];
  return { name, meaning, sample: String(name.split('.').reduce(valueIn, SAMPLE_MODEL)) };
});

export function checkSizes(texts: AlertTexts): void {
  for (const part of PART_NAMES) {
    const text = texts[part];
    const [least, range] = PARTS[part].form === 'field' ? [0, 'at most'] : [1, '1 to'];
    if (text.trim().length < least || text.length > MAX_TEMPLATE || !isStorable(text))
      fail('invalid-request', `${part} must have ${range} ${MAX_TEMPLATE} characters`);
  }
}
