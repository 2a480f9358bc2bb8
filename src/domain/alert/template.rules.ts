import { Liquid } from 'liquidjs';
import type { LiquidOptions, Template } from 'liquidjs';
import { LRUCache } from 'lru-cache';
import { fail } from '../../shared/errors.ts';

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

// Templates are written by stores: they reach no file, no prototype and no more than a moment of our time.
const LIMITS: LiquidOptions = {
  strictFilters: true,
  ownPropertyOnly: true,
  templates: {},
  parseLimit: 100_000,
  renderLimit: 500,
  memoryLimit: 1_000_000,
};

const plainEngine = new Liquid(LIMITS);
const htmlEngine = new Liquid({ ...LIMITS, outputEscape: 'escape' });
// A product title is somebody else's text: there is no way around the escaping.
htmlEngine.registerFilter('raw', (value: unknown) => value);

const parsed = new LRUCache<string, Template[]>({ max: 2_000 });

function engineOf(part: keyof AlertTexts): Liquid {
  return part === 'html' ? htmlEngine : plainEngine;
}

function parse(part: keyof AlertTexts, source: string): Template[] {
  const key = `${part === 'html' ? 'html' : 'plain'}:${source}`;
  const known = parsed.get(key) ?? engineOf(part).parse(source);
  parsed.set(key, known);
  return known;
}

function render(part: keyof AlertTexts, source: string, model: AlertModel): string {
  return String(engineOf(part).renderSync(parse(part, source), model));
}

const MAX_SUBJECT = 200;
// eslint-disable-next-line no-control-regex -- control characters are what these look for
const CONTROL = /[\u0000-\u001f\u007f-\u009f\u2028\u2029]+/g;
// eslint-disable-next-line no-control-regex -- all of them but tab and line feed
const CONTROL_IN_TEXT = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f]+/g;

/** One header-safe line. */
function toLine(text: string): string {
  return [...text.replace(CONTROL, ' ').trim()].slice(0, MAX_SUBJECT).join('');
}

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

function withFooter(
  html: string,
  text: string,
  { store, unsubscribe_url: url }: AlertModel,
): { html: string; text: string } {
  const why = `You asked ${store.name} to tell you about this product.`;
  const link = `<a href="${escapeHtml(url)}">Stop these messages</a>`;
  const footer = `<p style="font-size:12px;color:#595959">${escapeHtml(why)} ${link}</p>`;
  const end = html.search(/<\/body\s*>/i);
  return {
    html: end < 0 ? `${html}\n${footer}` : `${html.slice(0, end)}${footer}${html.slice(end)}`,
    text: `${text.trimEnd()}\n\n-- \n${why}\nStop these messages: ${url}\n`,
  };
}

/** An alert as it will be sent. HTML output is escaped, the subject is one line, and every message can be left. */
export function renderAlert(texts: AlertTexts, model: AlertModel): AlertTexts {
  const html = render('html', texts.html, model);
  const text = render('text', texts.text, model).replace(CONTROL_IN_TEXT, '');
  const sms = render('sms', texts.sms, model).replace(CONTROL_IN_TEXT, '').trim();
  return {
    subject: toLine(render('subject', texts.subject, model)) || model.store.name,
    ...withFooter(html, text, model),
    sms: sms.includes(model.unsubscribe_url) ? sms : `${sms} Stop: ${model.unsubscribe_url}`,
  };
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

/** Refuses templates that do not parse or cannot be rendered, naming the part and the place. */
export function checkTexts(texts: AlertTexts): void {
  for (const part of ['subject', 'html', 'text', 'sms'] as const) {
    try {
      render(part, texts[part], SAMPLE_MODEL);
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      fail('invalid-request', `${part} is not a valid template: ${reason}`);
    }
  }
}
