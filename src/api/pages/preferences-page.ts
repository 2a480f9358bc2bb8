import type { Application } from 'express';
import { isBuiltIn } from '../../alerts/send/channels.ts';
import { savePreferences, viewPreferences } from '../../alerts/subscriptions/preferences.service.ts';
import type { Preferences } from '../../alerts/subscriptions/preferences.service.ts';
import type { Services } from '../../context.ts';
import { translator } from '../../platform/messages.ts';
import { escapeHtml, shorten } from '../../platform/text.ts';
import type { AdmitLink } from '../authenticate.ts';
import { brokenPage, pathOf, readForm, status, trackingForm, undoForm, valuesOf } from './contact-forms.ts';
import { frameOf, serveTokenPages, tokenPage } from './token-page.ts';
import type { TokenPage } from './token-page.ts';

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

function preferencesForm({ language, subscribed }: Preferences, token: string): string {
  const t = translator(language);
  const options = subscribed.map((one) => optionOf(language, one)).join('');
  const save = `<button class="button primary">${escapeHtml(t('preferences.save'))}</button>`;
  const form = `<form method="post"><fieldset><legend>${escapeHtml(t('preferences.topics'))}</legend>${options}</fieldset>${save}</form>`;
  const all = `<form method="post" action="${pathOf('unsubscribe', token, language)}"><button class="button" name="scope" value="all">${escapeHtml(t('preferences.everything'))}</button></form>`;
  return form + all;
}

function preferencesPage(services: Services, view: Preferences, token: string): TokenPage {
  const { store, language, medium, subscribed } = view;
  const [t, values] = [translator(language), valuesOf(view)];
  const whose = `<p class="quiet">${escapeHtml(t('preferences.contact', { ...values, medium }))}</p>`;
  const form =
    subscribed.length > 0
      ? preferencesForm(view, token)
      : `<p>${escapeHtml(t('preferences.none', values))}</p>`;
  const content = `${whose}${form}${trackingForm(view, token)}`;
  return tokenPage(frameOf(services, store, language), t('preferences.title'), content);
}

type Saved = NonNullable<Awaited<ReturnType<typeof savePreferences>>>;

function saved(services: Services, view: Saved, token: string): TokenPage {
  const { store, language, topics, undo } = view;
  const t = translator(language);
  const key = topics.length > 0 ? 'unsubscribe.done.topic' : 'preferences.saved.all';
  const content = status(t(key, valuesOf(view))) + undoForm(token, undo, language);
  return tokenPage(frameOf(services, store, language), t('preferences.saved'), content);
}

/** Serves the preferences of a contact; the credential is its unsubscribe token. */
export function servePreferences(app: Application, services: Services, admitLink: AdmitLink): void {
  serveTokenPages(app, services, admitLink, ['/preferences/:token'], brokenPage, {
    get: async (token, lang) => {
      const view = await viewPreferences(services, token, lang);
      return view && preferencesPage(services, view, token);
    },
    post: async (token, lang, req, res) => {
      const fields = await readForm(req, res);
      const textsOf = (name: string): string[] =>
        (fields?.getAll(name) ?? []).filter((one) => typeof one === 'string');
      const choice = { shown: textsOf('shown'), kept: textsOf('keep') };
      const view = await savePreferences(services, token, choice, lang);
      return view && saved(services, view, token);
    },
  });
}
