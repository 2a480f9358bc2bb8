import { fail } from '../../platform/errors.ts';
import { isStorable } from '../../platform/text.ts';
import { PART_NAMES } from '../send/channels.ts';
import type { Part } from '../send/channels.ts';

export type AlertModel = {
  store: {
    name: string;
    /** A URL, or empty. */
    logo: string;
    /** The button colour as `#rrggbb`, and a text colour that is readable on it. */
    colour: string;
    text_colour: string;
    /** ISO 4217, or empty; the `money` filter formats prices with the currency and locale. */
    currency: string;
    locale: string;
  };
  topic: string;
  product: {
    epi: string;
    empi: string;
    title: string;
    brand: string;
    variant: string;
    sku: string;
    url: string;
    image: string;
    price: number | null;
    old_price: number | null;
    stock: number | null;
  };
  unsubscribe_url: string;
  /** Whether another alert precedes this one in the same message. */
  follows: boolean;
};

const MAX_TEMPLATE = 50_000;

export const SAMPLE_MODEL: AlertModel = {
  store: {
    name: 'Your store',
    logo: 'https://shop.example/logo.png',
    colour: '#1f2937',
    text_colour: '#ffffff',
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
    price: 49.9,
    old_price: 59.9,
    stock: 12,
  },
  unsubscribe_url: 'https://alerts.example/unsubscribe/sample',
  follows: false,
};

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
