import { PSEUDO_LANGUAGES } from '../../platform/pseudo.ts';

/** The tags of src/messages/dashboard/*.json; tools/bundle.mjs lists them. */
declare const DASHBOARD_LANGUAGES: readonly string[];

const STORED = 'wishgate-language';

export const languages = typeof DASHBOARD_LANGUAGES === 'undefined' ? ['en'] : DASHBOARD_LANGUAGES;

/** `?lang=`, else the stored choice, else what the browser prefers. */
function choose(): string {
  if (typeof location === 'undefined') return 'en';
  const asked = new URLSearchParams(location.search).get('lang');
  const wishes = [asked, localStorage.getItem(STORED), ...navigator.languages].filter(
    (wish) => wish !== null,
  );
  const isKnown = (tag: string): boolean => languages.includes(tag) || PSEUDO_LANGUAGES.includes(tag);
  return wishes.flatMap((wish) => [wish, wish.split('-')[0]!]).find(isKnown) ?? 'en';
}

/** Another language is another load of the page. */
export const language = choose();

/** Names the language to Intl; pseudo-languages format as English does. */
export const locale = PSEUDO_LANGUAGES.includes(language) ? 'en' : language;

export function changeLanguage(tag: string): void {
  localStorage.setItem(STORED, tag);
  const url = new URL(location.href);
  url.searchParams.delete('lang');
  history.replaceState(history.state, '', url);
  location.reload();
}

export const languageName = (tag: string): string =>
  new Intl.DisplayNames([tag], { type: 'language' }).of(tag) ?? tag;
