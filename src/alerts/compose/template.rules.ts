import { fail } from '../../platform/errors.ts';
import { isStorable } from '../../platform/text.ts';
import { PART_NAMES } from '../send/channels.ts';
import type { Part } from '../send/channels.ts';

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

export function checkSizes(texts: Record<Part, unknown>): void {
  for (const part of PART_NAMES) {
    const source = texts[part];
    const isFine =
      typeof source === 'string' &&
      source.trim() !== '' &&
      source.length <= MAX_TEMPLATE &&
      isStorable(source);
    if (!isFine) fail('invalid-request', `${part} must have 1 to ${MAX_TEMPLATE} characters`);
  }
}
