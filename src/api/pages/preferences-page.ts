import type { Application } from 'express';
import { isBuiltIn } from '../../alerts/send/channels.ts';
import { savePreferences, viewPreferences } from '../../alerts/subscriptions/preferences.service.ts';
import type { Preferences } from '../../alerts/subscriptions/preferences.service.ts';
import type { Services } from '../../context.ts';
import { translator } from '../../platform/messages.ts';
import { escapeHtml, shorten } from '../../platform/text.ts';
import { pathOf, readForm, status, trackingForm, undoForm, words } from './contact-forms.ts';
import { serveTokenPages } from './token-page.ts';
import type { LinkPage } from './token-page.ts';

const MAX_TITLE = 60;

/** The name of a topic that only a subscription has may be typed by anyone, so it is not shown. */
function optionOf(
  language: string,
  { topic, count, titles, isOwn }: Preferences['subscribed'][number],
): string {
  const t = translator(language);
  const ownName = isOwn ? topic : t('topic.other');
  const label = isBuiltIn(topic) ? t(`topic.${topic}`) : ownName;
  const left = count - titles.length;
  const more = left > 0 && titles.length > 0 ? [t('preferences.more', { count: left })] : [];
  const shown = [...titles.map((title) => shorten(title, MAX_TITLE)), ...more];
  const number = count > 0 ? t('preferences.count', { count }) : '';
  const products = new Intl.ListFormat(language).format(shown);
  const details = products && number ? t('preferences.products', { count: number, products }) : number;
  const value = escapeHtml(topic);
  return `<label class="option"><input type="checkbox" name="keep" value="${value}" checked><span><bdi>${escapeHtml(label)}${details && `<br><span class="quiet">${escapeHtml(details)}</span>`}</bdi></span></label><input type="hidden" name="shown" value="${value}">`;
}

function preferencesForm(view: Preferences, token: string): string {
  const options = view.subscribed.map((one) => optionOf(view.language, one)).join('');
  const save = `<button class="button primary">${words(view, 'preferences.save')}</button>`;
  const form = `<form method="post"><fieldset><legend>${words(view, 'preferences.topics')}</legend>${options}</fieldset>${save}</form>`;
  const all = `<form method="post" action="${pathOf('unsubscribe', token, view)}"><button class="button" name="scope" value="all">${words(view, 'preferences.everything')}</button></form>`;
  return form + all;
}

function preferencesPage(view: Preferences, token: string): LinkPage {
  const whose = `<p class="quiet">${words(view, 'preferences.contact')}</p>`;
  const none = `<p>${words(view, 'preferences.none')}</p>`;
  const form = view.subscribed.length > 0 ? preferencesForm(view, token) : none;
  return [view, 'preferences.title', `${whose}${form}${trackingForm(view, token)}`];
}

/** Serves the preferences of a contact; the credential is its unsubscribe token. */
export function servePreferences(app: Application, services: Services): void {
  serveTokenPages(app, services, ['/preferences/:token'], 'page.broken', {
    get: async (token, lang) => {
      const view = await viewPreferences(services, token, lang);
      return view && preferencesPage(view, token);
    },
    post: async (token, lang, req, res) => {
      const textsOf = await readForm(req, res);
      const choice = { shown: textsOf('shown'), kept: textsOf('keep') };
      const view = await savePreferences(services, token, choice, lang);
      const text = view?.topics.length ? 'unsubscribe.done.topic' : 'preferences.saved.all';
      return view && [view, 'preferences.saved', status(view, text) + undoForm(view, token)];
    },
  });
}
