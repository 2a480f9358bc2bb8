import { fail } from '../../shared/errors.ts';
import { isStorable } from '../../shared/text.ts';

/** The four texts of an alert: a mail has subject, HTML and text; `sms` is the text message. */
export type AlertTexts = { subject: string; html: string; text: string; sms: string };

/** What a template can name. */
export type AlertModel = {
  store: { name: string };
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
    stock: number | null;
  };
  unsubscribe_url: string;
};

/** One of the four texts. */
export type Part = keyof AlertTexts;

/** The four texts by name. */
export const PARTS = ['subject', 'html', 'text', 'sms'] as const;

const MAX_TEMPLATE = 50_000;

const ENTITIES: Record<string, string> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** Text that is safe inside an element or a quoted attribute. */
export function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => ENTITIES[character]!);
}

/** A product to show a template with. */
export const SAMPLE_MODEL: AlertModel = {
  store: { name: 'Your store' },
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
    stock: 12,
  },
  unsubscribe_url: 'https://alerts.example/unsubscribe/sample',
};

/** Refuses texts that are empty or too long. */
export function checkSizes(texts: Record<keyof AlertTexts, unknown>): void {
  for (const part of PARTS) {
    const source = texts[part];
    const isFine =
      typeof source === 'string' &&
      source.trim() !== '' &&
      source.length <= MAX_TEMPLATE &&
      isStorable(source);
    if (!isFine) fail('invalid-request', `${part} must have 1 to ${MAX_TEMPLATE} characters`);
  }
}
