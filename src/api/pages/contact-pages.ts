import type { Application, Request, Response } from 'express';
import { confirmSubscriptions, previewConfirmation } from '../../alerts/subscriptions/confirm.service.ts';
import type { Confirmation } from '../../alerts/subscriptions/confirm.service.ts';
import type { Services } from '../../context.ts';
import { fail } from '../../platform/errors.ts';
import { escapeHtml, shorten } from '../../platform/text.ts';
import { joinLabels } from '../../shoppers/contacts/contact.rules.ts';
import { isScope } from '../../shoppers/contacts/link.rules.ts';
import type { Scope } from '../../shoppers/contacts/link.rules.ts';
import { unsubscribeByLink, viewUnsubscribe } from '../../shoppers/contacts/opt-out.service.ts';
import type { UnsubscribeView } from '../../shoppers/contacts/opt-out.service.ts';
import { setTrackingByLink } from '../../stores/revenue/click.service.ts';
import type { AdmitLink } from '../authenticate.ts';
import { readBody } from '../rest/body.ts';
import { serveTokenPages, tokenPage } from './token-page.ts';
import type { TokenPage } from './token-page.ts';

const MAX_TITLE = 120;
const FORM_TYPE = /^(application\/x-www-form-urlencoded|multipart\/form-data)\s*(;|$)/i;

const EXPIRED = tokenPage(
  'This link does not work any more',
  '<p>It is incomplete or too old. Please ask for the alert again.</p>',
);
const BROKEN = tokenPage(
  'This link does not work',
  '<p>It is incomplete or was not made by us. Please open the link from the message again.</p>',
);

const status = (text: string): string => `<p role="status">${escapeHtml(text)}</p>`;

function confirmQuestion({ store, contact, pending, topics }: Confirmation): TokenPage {
  if (pending === 0)
    return tokenPage(
      'All confirmed',
      `<p>There is nothing left to confirm for ${escapeHtml(contact)}.</p>`,
      store,
    );
  const alerts = topics.length === 0 ? 'product alerts' : `${joinLabels(topics)} alerts`;
  return tokenPage(
    'Confirm your alerts',
    `<p>${escapeHtml(`${store.name} will send ${alerts} to ${contact}.`)}</p><form method="post"><button class="button primary" type="submit">Confirm</button></form>`,
    store,
  );
}

const confirmed = ({ store, contact }: Confirmation): TokenPage =>
  tokenPage('Thank you', status(`${store.name} will send the alerts you asked for to ${contact}.`), store);

function choices({ store, topics, productTitle }: UnsubscribeView): [Scope, string][] {
  const all: [Scope, string][] = [['all', `Everything from ${store.name}`]];
  if (topics.length > 0) all.unshift(['topic', `All ${joinLabels(topics)} alerts from ${store.name}`]);
  if (productTitle !== null) all.unshift(['product', `Alerts for ${shorten(productTitle, MAX_TITLE)}`]);
  return all;
}

function unsubscribeQuestion(view: UnsubscribeView, token: string): TokenPage {
  const buttons = choices(view).map(
    ([scope, words], index) =>
      `<button class="button${index === 0 ? ' primary' : ''}" name="scope" value="${scope}" dir="auto">${escapeHtml(words)}</button>`,
  );
  const who = `What should no longer be sent to ${escapeHtml(view.contact)}?`;
  const form = `<form method="post"><p id="who">${who}</p>${buttons.join('')}</form>`;
  const tracking = view.topics.length === 0 ? '' : trackingForm(token, false);
  return tokenPage('Stop messages', form + tracking, view.store);
}

function unsubscribed(view: UnsubscribeView): TokenPage {
  const [, words] = choices(view).find(([scope]) => scope === view.scope)!;
  const text = status(`${words}: no longer sent to ${view.contact}.`);
  return tokenPage('Done', `${text}<p class="quiet">You can close this page.</p>`, view.store);
}

/** The choice in a form body; null for a one-click unsubscribe of an email client, which sends none. */
async function chosenScope(req: Request, res: Response): Promise<Scope | null> {
  const contentType = req.headers['content-type'] ?? '';
  const body = await readBody(req, res);
  if (body.length === 0) return null;
  if (!FORM_TYPE.test(contentType))
    fail('unsupported-content-type', 'Send the body as a form, url-encoded or multipart');
  const headers = { 'content-type': contentType };
  const fields = await new globalThis.Response(new Uint8Array(body), { headers })
    .formData()
    .catch(() => fail('invalid-request', 'The body cannot be read'));
  const scope = fields.get('scope');
  return scope === null || (typeof scope === 'string' && isScope(scope))
    ? scope
    : fail('invalid-request', 'scope must be product, topic or all');
}

const TRACKING_CHOICES = new Map([
  ['do-not-measure', false],
  ['measure', true],
]);

/** The button by which a contact opts out of click tracking, or in again; no account is needed. */
function trackingForm(token: string, measured: boolean): string {
  const [words, choice, why] = measured
    ? ['Measure my clicks again', 'measure', 'The shop learns from clicks which alerts are of use.']
    : ['Do not measure my clicks', 'do-not-measure', 'Links in alerts count when they are opened.'];
  const action = `/unsubscribe/${encodeURIComponent(token)}/${choice}`;
  return `<form class="aside" method="post" action="${escapeHtml(action)}"><p class="quiet">${why}</p><button class="button">${words}</button></form>`;
}

function trackingChosen({ store, contact }: UnsubscribeView, token: string, measured: boolean): TokenPage {
  const what = measured
    ? `${store.name} counts again when ${contact} opens the link of an alert.`
    : `Links in alerts to ${contact} lead straight to ${store.name} from now on, and nothing is counted.`;
  return tokenPage('Done', status(what) + trackingForm(token, !measured), store);
}

/** Serves the links in messages; those in SMS are short. Opening one changes nothing: email scanners follow links, but press nothing. */
export function serveContactPages(app: Application, services: Services, admitLink: AdmitLink): void {
  serveTokenPages(app, admitLink, ['/confirm/:token', '/c/:token'], EXPIRED, {
    get: async (token) => {
      const confirmation = await previewConfirmation(services, token);
      return confirmation && confirmQuestion(confirmation);
    },
    post: async (token) => {
      const confirmation = await confirmSubscriptions(services, token);
      return confirmation && confirmed(confirmation);
    },
  });
  serveTokenPages(app, admitLink, ['/unsubscribe/:token', '/u/:token'], BROKEN, {
    get: async (token) => {
      const view = await viewUnsubscribe(services, token);
      return view && unsubscribeQuestion(view, token);
    },
    post: async (token, req, res) => {
      const view = await unsubscribeByLink(services, token, await chosenScope(req, res));
      return view && unsubscribed(view);
    },
  });
  serveTokenPages(app, admitLink, ['/unsubscribe/:token/:choice'], BROKEN, {
    post: async (token, req) => {
      const measured = TRACKING_CHOICES.get(String(req.params['choice']));
      if (measured === undefined) return null;
      const view = await setTrackingByLink(services, token, measured);
      return view && trackingChosen(view, token, measured);
    },
  });
}
