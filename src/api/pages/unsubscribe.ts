import type { Application, Request, Response } from 'express';
import type { Services } from '../../context.ts';
import { isScope, pidOfLink } from '../../shoppers/contacts/link.rules.ts';
import { unsubscribeByLink, viewUnsubscribe } from '../../shoppers/contacts/opt-out.service.ts';
import type { UnsubscribeView } from '../../shoppers/contacts/opt-out.service.ts';
import type { Scope } from '../../shoppers/contacts/link.rules.ts';
import { joinLabels } from '../../shoppers/contacts/contact.rules.ts';
import { fail } from '../../platform/errors.ts';
import { nameRoute } from '../access-log.ts';
import type { AdmitLink } from '../authenticate.ts';
import { readBody } from '../rest/body.ts';
import { linkedPage, sendLinkedPage } from './token-page.ts';
import type { LinkedPage } from './token-page.ts';
import { measuringForm } from './click-tracking.ts';
import { escapeHtml, shorten } from '../../platform/text.ts';

const ROUTE = '/unsubscribe/:token';
/** The same from a text message, where every character counts. */
const SHORT_ROUTE = '/u/:token';
const MAX_TITLE = 120;
const FORM_TYPE = /^(application\/x-www-form-urlencoded|multipart\/form-data)\s*(;|$)/i;

const UNKNOWN = linkedPage(
  'This link does not work',
  '<p>It is incomplete or was not made by us. Please open the link from the message again.</p>',
);

/** What each choice means, in words. */
function choices({ store, topics, productTitle }: UnsubscribeView): [Scope, string][] {
  const all: [Scope, string] = ['all', `Everything from ${store.name}`];
  const ofTopic: [Scope, string][] =
    topics.length === 0 ? [] : [['topic', `All ${joinLabels(topics)} alerts from ${store.name}`]];
  const ofProduct: [Scope, string][] =
    productTitle === null ? [] : [['product', `Alerts for ${shorten(productTitle, MAX_TITLE)}`]];
  return [...ofProduct, ...ofTopic, all];
}

function question(view: UnsubscribeView, token: string): LinkedPage {
  const buttons = choices(view).map(
    ([scope, words], place) =>
      `<button class="button${place === 0 ? ' primary' : ''}" name="scope" value="${scope}" dir="auto">${escapeHtml(words)}</button>`,
  );
  const who = `What should no longer be sent to ${escapeHtml(view.contact)}?`;
  const form = `<form method="post"><p id="who">${who}</p>${buttons.join('')}</form>`;
  const measuring = view.topics.length === 0 ? '' : measuringForm(token, false);
  return linkedPage('Stop messages', form + measuring, view.store);
}

function done(view: UnsubscribeView): LinkedPage {
  const [, words] = choices(view).find(([scope]) => scope === view.scope)!;
  return linkedPage(
    'Done',
    `<p role="status">${escapeHtml(words)}: no longer sent to ${escapeHtml(view.contact)}.</p><p class="quiet">You can close this page.</p>`,
    view.store,
  );
}

/** The choice in a form or multipart body; null for a mail program's one click, which sends none. */
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

/** Serves the links in messages, without login or script. Opening one changes nothing: mail scanners do that too. */
export function serveUnsubscribe(app: Application, services: Services, admitLink: AdmitLink): void {
  const admitToken = async (req: Request, res: Response): Promise<string> => {
    nameRoute(res, ROUTE);
    const token = String(req.params['token']);
    await admitLink(req, res, pidOfLink(token) ?? '');
    return token;
  };
  app.get([ROUTE, SHORT_ROUTE], async (req, res) => {
    const token = await admitToken(req, res);
    const view = await viewUnsubscribe(services, token);
    sendLinkedPage(res, view ? 200 : 404, view ? question(view, token) : UNKNOWN);
  });
  app.post([ROUTE, SHORT_ROUTE], async (req, res) => {
    const token = await admitToken(req, res);
    const view = await unsubscribeByLink(services, token, await chosenScope(req, res));
    sendLinkedPage(res, view ? 200 : 404, view ? done(view) : UNKNOWN);
  });
}
