import type { Application, Request, Response } from 'express';
import { confirmAsk } from '../../alerts/send/confirm.ts';
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
import { notePage, serveTokenPages, shown } from './token-page.ts';
import type { Frame, LinkPage, TokenPage } from './token-page.ts';

const paragraphs = (...texts: string[]): string => texts.map((text) => `<p>${escapeHtml(text)}</p>`).join('');

function confirmQuestion(view: Confirmation): LinkPage {
  const { language, contact, medium, pending } = view;
  const t = translator(language);
  if (pending === 0) {
    const content = paragraphs(t('confirm.nothing.text', { contact }));
    return { ...view, title: t('confirm.nothing'), content };
  }
  const texts = paragraphs(confirmAsk(view, medium), t('confirm.contact', { contact }));
  const form = `<form method="post"><button class="button primary" type="submit">${escapeHtml(t('confirm.button'))}</button></form>`;
  return { ...view, title: t('confirm.title'), content: texts + form };
}

function confirmed(view: Confirmation): LinkPage {
  const { store, language, contact } = view;
  const t = translator(language);
  const content = status(t('confirm.done.text', { store: store.name, contact }));
  return { ...view, title: t('confirm.done'), content };
}

function unsubscribeQuestion(view: UnsubscribeView, token: string): LinkPage {
  const { language, topics, hasProduct } = view;
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
  return { ...view, title: t('unsubscribe.title'), content };
}

type Unsubscribed = UnsubscribeView & { undo: string | null };

function unsubscribed(view: Unsubscribed, token: string): LinkPage {
  const { language, scope, undo } = view;
  const t = translator(language);
  const text = status(t(`unsubscribe.done.${scope}`, valuesOf(view)));
  const content = `${text}<p class="quiet">${escapeHtml(t('page.close'))}</p>${undoForm(token, undo, language)}`;
  return { ...view, title: t('unsubscribe.done'), content };
}

type Undone = UnsubscribeView & { isUndone: boolean };

function undone(view: Undone): LinkPage {
  const t = translator(view.language);
  const key = view.isUndone ? 'unsubscribe.undone' : 'unsubscribe.late';
  return { ...view, title: t(key), content: status(t(`${key}.text`, valuesOf(view))) };
}

/** The choice in a form body; null for a one-click unsubscribe of an email client, which sends none. */
async function chosenScope(req: Request, res: Response): Promise<Scope | null> {
  const [scope = null] = (await readForm(req, res))('scope');
  return scope === null || isScope(scope)
    ? scope
    : fail('invalid-request', 'scope must be product, topic or all');
}

const expiredPage = (frame: Frame): TokenPage => notePage(frame, 'page.expired', 'page.expired.text');

function trackingChosen(view: UnsubscribeView, token: string): LinkPage {
  const { store, language, isTracked } = view;
  const t = translator(language);
  const text = t(isTracked ? 'tracking.on.done' : 'tracking.off.done', { store: store.name });
  const content = status(text) + preferencesLink(view, token);
  return { ...view, title: t('page.done'), content };
}

/** Serves the links in messages; those in SMS are short. Opening one changes nothing: email scanners follow links, but press nothing. */
export function serveContactPages(app: Application, services: Services, admitLink: AdmitLink): void {
  serveTokenPages(app, services, admitLink, ['/confirm/:token', '/c/:token'], expiredPage, {
    get: shown((token, lang) => previewConfirmation(services, token, lang), confirmQuestion),
    post: shown((token, lang) => confirmSubscriptions(services, token, lang), confirmed),
  });
  serveTokenPages(app, services, admitLink, ['/unsubscribe/:token', '/u/:token'], brokenPage, {
    get: shown((token, lang) => viewUnsubscribe(services, token, lang), unsubscribeQuestion),
    post: shown(
      async (token, lang, req, res) => unsubscribeByLink(services, token, await chosenScope(req, res), lang),
      unsubscribed,
    ),
  });
  const track = (isAllowed: boolean) =>
    shown((token, lang) => setTrackingByLink(services, token, isAllowed, lang), trackingChosen);
  const undo = shown(async (token, lang, req, res) => {
    const [record = ''] = (await readForm(req, res))('undo');
    return undoUnsubscribe(services, token, record, lang);
  }, undone);
  const choices = new Map([
    ['undo', undo],
    ['measure', track(true)],
    ['do-not-measure', track(false)],
  ]);
  serveTokenPages(app, services, admitLink, ['/unsubscribe/:token/:choice'], brokenPage, {
    post: async (token, lang, req, res) =>
      choices.get(String(req.params['choice']))?.(token, lang, req, res) ?? null,
  });
  servePreferences(app, services, admitLink);
}
