import { fail } from '../../shared/errors.ts';
import { isStorable } from '../../shared/text.ts';
import { renderTemplate } from './template.engine.ts';

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

/** For one message, that is four templates. A usual one takes a millisecond. */
const RENDER_MS = 250;
const MAX_TEMPLATE = 50_000;
const PARTS = ['subject', 'html', 'text', 'sms'] as const;

/** Renders the four parts, or fails with the name of the part and the place. */
function renderParts(texts: AlertTexts, model: AlertModel, isKept: boolean): AlertTexts {
  const end = performance.now() + RENDER_MS;
  const render = (part: keyof AlertTexts): string => {
    try {
      const limitMs = end - performance.now();
      return renderTemplate(part === 'html' ? 'html' : 'plain', texts[part], model, { limitMs, isKept });
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      return fail('invalid-request', `${part} is not a valid template: ${reason}`);
    }
  };
  return { subject: render('subject'), html: render('html'), text: render('text'), sms: render('sms') };
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

/** A mail with its last lines: why it came and how to get no more. */
export function withFooter<Mail extends { html: string; text: string }>(
  mail: Mail,
  { why, url }: { why: string; url: string },
): Mail {
  const { html, text } = mail;
  const link = `<a href="${escapeHtml(url)}">Stop these messages</a>`;
  const footer = `<p style="font-size:12px;color:#595959">${escapeHtml(why)} ${link}</p>`;
  const end = html.search(/<\/body\s*>/i);
  return {
    ...mail,
    html: end < 0 ? `${html}\n${footer}` : `${html.slice(0, end)}${footer}${html.slice(end)}`,
    text: `${text.trimEnd()}\n\n-- \n${why}\nStop these messages: ${url}\n`,
  };
}

/**
 * An alert as it will be sent. HTML output is escaped, the subject is one line, and every message can be left. Templates that are
 * only tried are not kept for the next time.
 */
export function renderAlert(texts: AlertTexts, model: AlertModel, { isTrial = false } = {}): AlertTexts {
  const parts = renderParts(texts, model, !isTrial);
  const sms = parts.sms.replace(CONTROL_IN_TEXT, '').trim();
  const why = `You asked ${model.store.name} to tell you about this product.`;
  const url = model.unsubscribe_url;
  return {
    subject: toLine(parts.subject) || model.store.name,
    ...withFooter({ html: parts.html, text: parts.text.replace(CONTROL_IN_TEXT, '') }, { why, url }),
    sms: sms.includes(url) ? sms : `${sms} Stop: ${url}`,
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

/** Refuses templates that do not parse or cannot be rendered. */
export function checkTemplates(texts: AlertTexts): void {
  renderParts(texts, SAMPLE_MODEL, false);
}
