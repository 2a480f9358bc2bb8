import type { Application, Request, Response } from 'express';
import type { Services } from '../../context.ts';
import { fail } from '../../platform/errors.ts';
import { escapeHtml, shorten } from '../../platform/text.ts';
import { joinLabels } from '../../shoppers/contacts/contact.rules.ts';
import { isScope } from '../../shoppers/contacts/link.rules.ts';
import type { Scope } from '../../shoppers/contacts/link.rules.ts';
import { unsubscribeByLink, viewUnsubscribe } from '../../shoppers/contacts/opt-out.service.ts';
import type { UnsubscribeView } from '../../shoppers/contacts/opt-out.service.ts';
import type { AdmitLink } from '../authenticate.ts';
import { readBody } from '../rest/body.ts';
import { trackingForm } from './click-tracking.ts';
import { BROKEN_LINK, serveTokenPages, tokenPage } from './token-page.ts';
import type { TokenPage } from './token-page.ts';

const MAX_TITLE = 120;
const FORM_TYPE = /^(application\/x-www-form-urlencoded|multipart\/form-data)\s*(;|$)/i;

function choices({ store, topics, productTitle }: UnsubscribeView): [Scope, string][] {
  const all: [Scope, string][] = [['all', `Everything from ${store.name}`]];
  if (topics.length > 0) all.unshift(['topic', `All ${joinLabels(topics)} alerts from ${store.name}`]);
  if (productTitle !== null) all.unshift(['product', `Alerts for ${shorten(productTitle, MAX_TITLE)}`]);
  return all;
}

function question(view: UnsubscribeView, token: string): TokenPage {
  const buttons = choices(view).map(
    ([scope, words], index) =>
      `<button class="button${index === 0 ? ' primary' : ''}" name="scope" value="${scope}" dir="auto">${escapeHtml(words)}</button>`,
  );
  const who = `What should no longer be sent to ${escapeHtml(view.contact)}?`;
  const form = `<form method="post"><p id="who">${who}</p>${buttons.join('')}</form>`;
  const tracking = view.topics.length === 0 ? '' : trackingForm(token, false);
  return tokenPage('Stop messages', form + tracking, view.store);
}

function done(view: UnsubscribeView): TokenPage {
  const [, words] = choices(view).find(([scope]) => scope === view.scope)!;
  return tokenPage(
    'Done',
    `<p role="status">${escapeHtml(words)}: no longer sent to ${escapeHtml(view.contact)}.</p><p class="quiet">You can close this page.</p>`,
    view.store,
  );
}

/** The choice in a form body; null for a one-click unsubscribe of a mail program, which sends none. */
async function chosenScope(req: Request, res: Response): Promise<Scope | null> {
  const contentType = req.headers['content-type'];
  const body = await readBody(req, res);
  if (body.length === 0) return null;
  if (contentType === undefined || !FORM_TYPE.test(contentType)) {
    fail('unsupported-content-type', 'Send the body as a form, url-encoded or multipart');
  }
  const fields = await new globalThis.Response(new Uint8Array(body), {
    headers: { 'content-type': contentType },
  })
    .formData()
    .catch(() => null);
  const scope = fields === null ? fail('invalid-request', 'The body cannot be read') : fields.get('scope');
  if (scope === null) return null;
  return typeof scope === 'string' && isScope(scope)
    ? scope
    : fail('invalid-request', 'scope must be product, topic or all');
}

/** Serves unsubscribe links; SMS has the short path. Opening one changes nothing: mail scanners do that, too. */
export function serveUnsubscribe(app: Application, services: Services, admitLink: AdmitLink): void {
  serveTokenPages(app, admitLink, ['/unsubscribe/:token', '/u/:token'], BROKEN_LINK, {
    get: async (token) => {
      const view = await viewUnsubscribe(services, token);
      return view && question(view, token);
    },
    post: async (token, req, res) => {
      const view = await unsubscribeByLink(services, token, await chosenScope(req, res));
      return view && done(view);
    },
  });
}
