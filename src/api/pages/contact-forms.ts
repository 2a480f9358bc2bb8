import type { Request, Response } from 'express';
import { fail } from '../../platform/errors.ts';
import { translator } from '../../platform/messages.ts';
import type { MessageKey } from '../../platform/messages.ts';
import { escapeHtml, shorten } from '../../platform/text.ts';
import { listTopics } from '../../shoppers/contacts/contact.rules.ts';
import { langQuery } from '../../shoppers/contacts/link.rules.ts';
import { readBody } from '../rest/body.ts';
import type { View } from './token-page.ts';

// What the pages behind the links of messages share.

const MAX_TITLE = 120;
const FORM_TYPE = /^(application\/x-www-form-urlencoded|multipart\/form-data)\s*(;|$)/i;

/** The contact that a link is about, as its pages name it. */
type ContactView = View & {
  store: NonNullable<View['store']>;
  contact: string;
  medium: string;
  topics?: readonly string[];
  productTitle?: string | null;
};

/** A message about the contact, as HTML. */
export function words(view: ContactView, key: MessageKey): string {
  const { store, language, contact, medium, topics = [], productTitle = null } = view;
  const t = translator(language);
  const product = productTitle === null ? t('page.product') : shorten(productTitle, MAX_TITLE);
  const values = { store: store.name, contact, medium, product, topics: listTopics(language, topics) };
  return escapeHtml(t(key, values));
}

export const status = (view: ContactView, key: MessageKey): string =>
  `<p role="status">${words(view, key)}</p>`;

/** The path of a page or form of the link; it keeps the language. */
export const pathOf = (page: string, token: string, { language }: View, choice = ''): string =>
  escapeHtml(`/${page}/${encodeURIComponent(token)}${choice}${langQuery(language)}`);

export const undoForm = (view: ContactView & { undo: string | null }, token: string): string =>
  view.undo === null
    ? ''
    : `<form method="post" action="${pathOf('unsubscribe', token, view, '/undo')}"><input type="hidden" name="undo" value="${view.undo}"><button class="button">${words(view, 'unsubscribe.undo')}</button></form>`;

/** The button by which a contact opts out of click tracking, or in again; no account is needed. */
export function trackingForm(view: ContactView & { isTracked: boolean }, token: string): string {
  const [why, button, choice] = view.isTracked
    ? (['tracking.why', 'tracking.off', '/do-not-measure'] as const)
    : (['tracking.stopped', 'tracking.on', '/measure'] as const);
  const action = pathOf('unsubscribe', token, view, choice);
  return `<form class="aside" method="post" action="${action}"><p class="quiet">${words(view, why)}</p><button class="button">${words(view, button)}</button></form>`;
}

/** Leads to the preferences of the link's contact. */
export const preferencesLink = (view: ContactView, token: string): string =>
  `<p class="aside"><a href="${pathOf('preferences', token, view)}">${words(view, 'footer.preferences')}</a></p>`;

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
