import type { Application } from 'express';
import { confirmText } from '../../alerts/send/confirm.ts';
import { confirmSubscriptions, previewConfirmation } from '../../alerts/subscriptions/confirm.service.ts';
import type { Confirmation } from '../../alerts/subscriptions/confirm.service.ts';
import { undoUnsubscribe } from '../../alerts/subscriptions/preferences.service.ts';
import type { Services } from '../../context.ts';
import { fail } from '../../platform/errors.ts';
import { escapeHtml } from '../../platform/text.ts';
import { isScope } from '../../shoppers/contacts/link.rules.ts';
import { unsubscribeByLink, viewUnsubscribe } from '../../shoppers/contacts/opt-out.service.ts';
import type { UnsubscribeView } from '../../shoppers/contacts/opt-out.service.ts';
import { setTrackingByLink } from '../../stores/revenue/click.service.ts';
import { preferencesLink, readForm, status, trackingForm, undoForm, words } from './contact-forms.ts';
import { servePreferences } from './preferences-page.ts';
import { serveTokenPages } from './token-page.ts';
import type { LinkPage } from './token-page.ts';

/** The page leads to the product where the store has no shop URL. */
const aboutProduct = (view: Confirmation) => ({ ...view, productUrl: view.product?.url ?? null });

function confirmQuestion(view: Confirmation): LinkPage {
  if (view.pending === 0)
    return [aboutProduct(view), 'confirm.nothing', `<p>${words(view, 'confirm.nothing.text')}</p>`];
  const ask = escapeHtml(confirmText('confirm.ask', view, view.medium));
  const form = `<form method="post"><button class="button primary" type="submit">${words(view, 'confirm.button')}</button></form>`;
  const content = `<p>${ask}</p><p>${words(view, 'confirm.contact')}</p>${form}`;
  return [aboutProduct(view), 'confirm.title', content];
}

function confirmed(view: Confirmation): LinkPage {
  const text = escapeHtml(confirmText('confirm.done.text', view, view.medium));
  return [aboutProduct(view), 'confirm.done', `<p role="status">${text}</p>`];
}

function unsubscribeQuestion(view: UnsubscribeView, token: string): LinkPage {
  const hasTopics = view.topics.length > 0;
  const scopes = [view.hasProduct && 'product', hasTopics && 'topic', 'all'] as const;
  const options = scopes
    .filter((scope) => scope !== false)
    .map(
      (scope, index) =>
        `<label class="option"><input type="radio" name="scope" value="${scope}"${index === 0 ? ' checked' : ''}><span><bdi>${words(view, `unsubscribe.${scope}`)}</bdi></span></label>`,
    );
  const form = `<form method="post"><fieldset><legend>${words(view, 'unsubscribe.ask')}</legend>${options.join('')}</fieldset><button class="button primary">${words(view, 'unsubscribe.title')}</button></form>`;
  const content = `${form}${preferencesLink(view, token)}${hasTopics ? trackingForm(view, token) : ''}`;
  return [view, 'unsubscribe.title', content];
}

function unsubscribed(view: UnsubscribeView & { undo: string | null }, token: string): LinkPage {
  const text = `${status(view, `unsubscribe.done.${view.scope}`)}<p class="quiet">${words(view, 'page.close')}</p>`;
  return [view, 'unsubscribe.done', text + undoForm(view, token)];
}

/** Serves the links in messages; those in SMS are short. Opening one changes nothing: email scanners follow links, but press nothing. */
export function serveContactPages(app: Application, services: Services): void {
  serveTokenPages(app, services, ['/confirm/:token', '/c/:token'], 'page.expired', {
    get: async (token, lang) => {
      const view = await previewConfirmation(services, token, lang);
      return view && confirmQuestion(view);
    },
    post: async (token, lang) => {
      const view = await confirmSubscriptions(services, token, lang);
      return view && confirmed(view);
    },
  });
  serveTokenPages(app, services, ['/unsubscribe/:token', '/u/:token'], 'page.broken', {
    get: async (token, lang) => {
      const view = await viewUnsubscribe(services, token, lang);
      return view && unsubscribeQuestion(view, token);
    },
    post: async (token, lang, req, res) => {
      // A one-click unsubscribe of an email client has none.
      const [scope = null] = (await readForm(req, res))('scope');
      if (scope !== null && !isScope(scope)) fail('invalid-request', 'scope must be product, topic or all');
      const view = await unsubscribeByLink(services, token, scope, lang);
      return view && unsubscribed(view, token);
    },
  });
  serveTokenPages(app, services, ['/unsubscribe/:token/:choice'], 'page.broken', {
    post: async (token, lang, req, res) => {
      const choice = String(req.params['choice']);
      if (choice === 'undo') {
        const [undo = ''] = (await readForm(req, res))('undo');
        const view = await undoUnsubscribe(services, token, undo, lang);
        const title = view?.isUndone ? 'unsubscribe.undone' : 'unsubscribe.late';
        return view && [view, title, status(view, `${title}.text`)];
      }
      if (choice !== 'measure' && choice !== 'do-not-measure') return null;
      const view = await setTrackingByLink(services, token, choice === 'measure', lang);
      const text = view?.isTracked ? 'tracking.on.done' : 'tracking.off.done';
      return view && [view, 'page.done', status(view, text) + preferencesLink(view, token)];
    },
  });
  servePreferences(app, services);
}
