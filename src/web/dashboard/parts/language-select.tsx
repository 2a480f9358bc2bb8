import { changeLanguage, language, languageName, languages } from '../language.ts';
import { t } from '../text.ts';

export function LanguageSelect() {
  return (
    <select
      class="language"
      aria-label={t('shell.language')}
      value={language}
      onChange={(event) => changeLanguage(event.currentTarget.value)}
    >
      {[...new Set([...languages, language])].map((tag) => (
        <option key={tag} value={tag} lang={tag}>
          {languageName(tag)}
        </option>
      ))}
    </select>
  );
}
