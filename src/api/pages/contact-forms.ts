import type { Request, Response } from 'express';
import { fail } from '../../platform/errors.ts';
import { translator } from '../../platform/messages.ts';
import { escapeHtml, shorten } from '../../platform/text.ts';
import { listTopics } from '../../shoppers/contacts/contact.rules.ts';
import { langQuery } from '../../shoppers/contacts/link.rules.ts';
import type { UnsubscribeView } from '../../shoppers/contacts/opt-out.service.ts';
import { readBody } from '../rest/body.ts';
import { notePage } from './token-page.ts';
import type { Frame, TokenPage } from './token-page.ts';

// What the pages behind the links of messages share.

const MAX_TITLE = 120;
const FORM_TYPE = /^(application\/x-www-form-urlencoded|multipart\/form-data)\s*(;|$)/i;

export const brokenPage = (frame: Frame): TokenPage => notePage(frame, 'page.broken', 'page.broken.text');

export const status = (text: string): string => `<p role="status">${escapeHtml(text)}</p>`;

/** The path of a page or form of the link; it keeps the language. */
export const pathOf = (page: string, token: string, language: string, choice = ''): string =>
  escapeHtml(`/${page}/${encodeURIComponent(token)}${choice}${langQuery(language)}`);

/** The values of the messages about a view. */
export function valuesOf({ store, contact, language, topics, productTitle }: UnsubscribeView) {
  const product =
    productTitle === null ? translator(language)('page.product') : shorten(productTitle, MAX_TITLE);
  return { store: store.name, contact, product, topics: listTopics(language, topics) };
}

export function undoForm(token: string, undo: string | null, language: string): string {
  if (undo === null) return '';
  const words = escapeHtml(translator(language)('unsubscribe.undo'));
  return `<form method="post" action="${pathOf('unsubscribe', token, language, '/undo')}"><input type="hidden" name="undo" value="${undo}"><button class="button">${words}</button></form>`;
}

/** The button by which a contact opts out of click tracking, or in again; no account is needed. */
export function trackingForm({ store, language, isTracked }: UnsubscribeView, token: string): string {
  const t = translator(language);
  const [why, words, choice] = isTracked
    ? (['tracking.why', 'tracking.off', '/do-not-measure'] as const)
    : (['tracking.stopped', 'tracking.on', '/measure'] as const);
  const action = pathOf('unsubscribe', token, language, choice);
  const text = escapeHtml(t(why, { store: store.name }));
  return `<form class="aside" method="post" action="${action}"><p class="quiet">${text}</p><button class="button">${escapeHtml(t(words))}</button></form>`;
}

/** Leads to the preferences of the link's contact. */
export function preferencesLink({ language }: UnsubscribeView, token: string): string {
  const words = escapeHtml(translator(language)('footer.preferences'));
  return `<p class="aside"><a href="${pathOf('preferences', token, language)}">${words}</a></p>`;
}

/** The texts of each field of a form body; none for an empty body. */
export async function readForm(req: Request, res: Response): Promise<(field: string) => string[]> {
  const contentType = req.headers['content-type'] ?? '';
  const body = await readBody(req, res);
  if (body.length === 0) return () => [];
  if (!FORM_TYPE.test(contentType))
    fail('unsupported-content-type', 'Send the body as a form, url-encoded or multipart');
  const headers = { 'content-type': contentType };
  const fields = await new globalThis.Response(new Uint8Array(body), { headers })
    .formData()
    .catch(() => fail('invalid-request', 'The body cannot be read'));
  return (field) => fields.getAll(field).filter((value) => typeof value === 'string');
}
