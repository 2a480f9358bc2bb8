import type { Application, Request, Response } from 'express';
import { confirmText } from '../../alerts/send/confirm.ts';
import { confirmSubscriptions, previewConfirmation } from '../../alerts/subscriptions/confirm.service.ts';
import type { Confirmation } from '../../alerts/subscriptions/confirm.service.ts';
import { undoUnsubscribe } from '../../alerts/subscriptions/preferences.service.ts';
import type { Services } from '../../context.ts';
import { fail } from '../../platform/errors.ts';
import { translator } from '../../platform/messages.ts';
import { escapeHtml } from '../../platform/text.ts';
import { isScope } from '../../shoppers/contacts/link.rules.ts';
import type { Scope } from '../../shoppers/contacts/link.rules.ts';
import { unsubscribeByLink, viewUnsubscribe } from '../../shoppers/contacts/opt-out.service.ts';
import type { UnsubscribeView } from '../../shoppers/contacts/opt-out.service.ts';
import { setTrackingByLink } from '../../stores/revenue/click.service.ts';
import type { AdmitLink } from '../authenticate.ts';
import {
  brokenPage,
  preferencesLink,
  readForm,
  status,
  trackingForm,
  undoForm,
  valuesOf,
} from './contact-forms.ts';
import { servePreferences } from './preferences-page.ts';
import { frameOf, notePage, serveTokenPages, tokenPage } from './token-page.ts';
import type { Frame, TokenPage } from './token-page.ts';

function confirmQuestion(services: Services, confirmation: Confirmation): TokenPage {
  const { store, language, contact, medium, pending, product } = confirmation;
  const [t, frame] = [translator(language), frameOf(services, store, language, product?.url)];
  if (pending === 0) {
    const text = t('confirm.nothing.text', { contact });
    return tokenPage(frame, t('confirm.nothing'), `<p>${escapeHtml(text)}</p>`);
  }
  const texts = [confirmText('confirm.ask', confirmation, medium), t('confirm.contact', { contact })];
  const form = `<form method="post"><button class="button primary" type="submit">${escapeHtml(t('confirm.button'))}</button></form>`;
  return tokenPage(
    frame,
    t('confirm.title'),
    texts.map((text) => `<p>${escapeHtml(text)}</p>`).join('') + form,
  );
}

function confirmed(services: Services, confirmation: Confirmation): TokenPage {
  const { store, language, medium, product } = confirmation;
  const text = status(confirmText('confirm.done.text', confirmation, medium));
  const frame = frameOf(services, store, language, product?.url);
  return tokenPage(frame, translator(language)('confirm.done'), text);
}

function unsubscribeQuestion(services: Services, view: UnsubscribeView, token: string): TokenPage {
  const { store, language, topics, hasProduct } = view;
  const [t, values] = [translator(language), valuesOf(view)];
  const scopes: Scope[] = [
    ...(hasProduct ? (['product'] as const) : []),
    ...(topics.length > 0 ? (['topic'] as const) : []),
    'all',
  ];
  const options = scopes.map(
    (scope, index) =>
      `<label class="option"><input type="radio" name="scope" value="${scope}"${index === 0 ? ' checked' : ''}><span><bdi>${escapeHtml(t(`unsubscribe.${scope}`, values))}</bdi></span></label>`,
  );
  const form = `<form method="post"><fieldset><legend>${escapeHtml(t('unsubscribe.ask', values))}</legend>${options.join('')}</fieldset><button class="button primary">${escapeHtml(t('unsubscribe.title'))}</button></form>`;
  const content = `${form}${preferencesLink(view, token)}${topics.length === 0 ? '' : trackingForm(view, token)}`;
  return tokenPage(frameOf(services, store, language), t('unsubscribe.title'), content);
}

type Unsubscribed = UnsubscribeView & { undo: string | null };

function unsubscribed(services: Services, view: Unsubscribed, token: string): TokenPage {
  const { store, language, scope, undo, productUrl } = view;
  const t = translator(language);
  const text = status(t(`unsubscribe.done.${scope}`, valuesOf(view)));
  const content = `${text}<p class="quiet">${escapeHtml(t('page.close'))}</p>${undoForm(token, undo, language)}`;
  return tokenPage(frameOf(services, store, language, productUrl), t('unsubscribe.done'), content);
}

type Undone = UnsubscribeView & { isUndone: boolean };

function undone(services: Services, view: Undone): TokenPage {
  const { store, language, productUrl } = view;
  const t = translator(language);
  const title = view.isUndone ? 'unsubscribe.undone' : 'unsubscribe.late';
  const text = status(t(`${title}.text`, valuesOf(view)));
  return tokenPage(frameOf(services, store, language, productUrl), t(title), text);
}

/** The choice in a form body; null for a one-click unsubscribe of an email client, which sends none. */
async function chosenScope(req: Request, res: Response): Promise<Scope | null> {
  const scope = (await readForm(req, res))?.get('scope') ?? null;
  return scope === null || (typeof scope === 'string' && isScope(scope))
    ? scope
    : fail('invalid-request', 'scope must be product, topic or all');
}

const expiredPage = (frame: Frame): TokenPage => notePage(frame, 'page.expired', 'page.expired.text');

const TRACKING_CHOICES = new Map([
  ['do-not-measure', false],
  ['measure', true],
]);

function trackingChosen(services: Services, view: UnsubscribeView, token: string): TokenPage {
  const { store, language, isTracked } = view;
  const t = translator(language);
  const text = t(isTracked ? 'tracking.on.done' : 'tracking.off.done', { store: store.name });
  const content = status(text) + preferencesLink(view, token);
  return tokenPage(frameOf(services, store, language), t('page.done'), content);
}

/** Serves the links in messages; those in SMS are short. Opening one changes nothing: email scanners follow links, but press nothing. */
export function serveContactPages(app: Application, services: Services, admitLink: AdmitLink): void {
  serveTokenPages(app, services, admitLink, ['/confirm/:token', '/c/:token'], expiredPage, {
    get: async (token, lang) => {
      const confirmation = await previewConfirmation(services, token, lang);
      return confirmation && confirmQuestion(services, confirmation);
    },
    post: async (token, lang) => {
      const confirmation = await confirmSubscriptions(services, token, lang);
      return confirmation && confirmed(services, confirmation);
    },
  });
  serveTokenPages(app, services, admitLink, ['/unsubscribe/:token', '/u/:token'], brokenPage, {
    get: async (token, lang) => {
      const view = await viewUnsubscribe(services, token, lang);
      return view && unsubscribeQuestion(services, view, token);
    },
    post: async (token, lang, req, res) => {
      const view = await unsubscribeByLink(services, token, await chosenScope(req, res), lang);
      return view && unsubscribed(services, view, token);
    },
  });
  serveTokenPages(app, services, admitLink, ['/unsubscribe/:token/:choice'], brokenPage, {
    post: async (token, lang, req, res) => {
      const choice = String(req.params['choice']);
      if (choice === 'undo') {
        const undo = (await readForm(req, res))?.get('undo');
        const view = await undoUnsubscribe(services, token, typeof undo === 'string' ? undo : '', lang);
        return view && undone(services, view);
      }
      const isAllowed = TRACKING_CHOICES.get(choice);
      if (isAllowed === undefined) return null;
      const view = await setTrackingByLink(services, token, isAllowed, lang);
      return view && trackingChosen(services, view, token);
    },
  });
  servePreferences(app, services, admitLink);
}
