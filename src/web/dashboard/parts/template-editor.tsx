import { useContext, useState } from 'preact/hooks';
import type * as gql from '../../../generated/dashboard.ts';
import type { Answered } from '../api.ts';
import { languageName } from '../language.ts';
import { moveTo } from '../route.ts';
import { channelName, find, partName, rich, t } from '../text.ts';
import { INBOX_LENGTHS, cutLine } from '../topic-draft.ts';
import type { Texts, TopicDraft } from '../topic-draft.ts';
import { leaveWith } from '../unsaved.tsx';
import { CodeField } from './code-field.tsx';
import type { Variable } from './code-field.tsx';
import { FieldErrorContext, Segments } from './fields.tsx';
import { Confirm } from './form.tsx';
import type { Form } from './form.tsx';
import { Badge, Button, Card } from './layout.tsx';

/** Languages without standard texts, in which a store can write its own. */
const MORE_LANGUAGES = 'ar cs da el fi he hu it ko nb nl pl pt ro sv tr uk zh'.split(' ');

type TabsProps = Pick<Answered<gql.TopicsQuery>, 'languages' | 'store'> & {
  topic: gql.TopicFieldsFragment;
  /** The language of the page; empty for the store's. */
  language: string;
};

/** The store's language, those with texts of the store's own, and the open one. */
export function LanguageTabs({ languages, store, topic, language }: TabsProps) {
  const first = new Intl.Locale(store.locale).language;
  const open = language || first;
  const tags = [...new Set([first, ...topic.languages, open])];
  const others = [...languages.map(({ tag }) => tag), ...MORE_LANGUAGES].filter((tag) => !tags.includes(tag));
  const show = (tag: string): void =>
    leaveWith(() => moveTo({ language: tag === first ? '' : tag }, { replace: true }));
  // The service never sends the standard texts of another language where the store has written its own.
  const isFallback = !topic.languages.includes(open) && topic.languages.includes(first);
  return (
    <div class="language-tabs">
      <Segments
        label={t('editor.language')}
        value={open}
        options={tags.map((tag) => ({ value: tag, label: languageName(tag) }))}
        onValue={show}
      />
      <select
        aria-label={t('editor.addLanguage')}
        value=""
        onChange={({ currentTarget }) => {
          show(currentTarget.value);
          currentTarget.value = '';
        }}
      >
        <option value="">{`+ ${t('editor.addLanguage')}`}</option>
        {others.map((tag) => (
          <option key={tag} value={tag} lang={tag}>
            {languageName(tag)}
          </option>
        ))}
      </select>
      {isFallback && (
        <p class="notice">
          {t('editor.fallback', { language: languageName(open), fallback: languageName(first) })}
        </p>
      )}
    </div>
  );
}

type Channel = gql.ChannelFieldsFragment;

type Props = {
  channels: Channel[];
  variables: readonly Variable[];
  form: Form<TopicDraft>;
  saved: gql.TopicFieldsFragment['texts'];
  preview: Texts | null;
  /** Called when the user edits a part, so that the preview shows it. */
  onPart: (name: string) => void;
  /** Deletes the store's own texts of these parts. */
  onReset: (parts: string[]) => Promise<string>;
};

/** How long the rendered line is, and what an inbox cuts. */
function lengthHint(part: string, line: string | undefined): string | undefined {
  const limit = INBOX_LENGTHS[part];
  if (limit === undefined || line === undefined) return undefined;
  const { length, tail } = cutLine(part, line);
  return tail === '' ? t('editor.length', { length, limit }) : t('editor.cut', { length, limit, tail });
}

export function TemplateEditor({ channels, variables, form, saved, preview, onPart, onReset }: Props) {
  const { texts } = form.draft;
  const [isOpen, setOpen] = useState(false);
  const error = useContext(FieldErrorContext);
  const isOwn = (part: string): boolean =>
    saved.some((one) => one.part === part && (!one.isStandard || one.text !== texts[part]));
  const own = saved.map(({ part }) => part).filter(isOwn);
  const reset = (parts: string[], label?: string) => (
    <Confirm
      title={label ? t('editor.resetTitle', { part: label }) : t('editor.resetAllTitle')}
      label={t('editor.reset')}
      onSubmit={() => onReset(parts)}
    >
      {t('editor.resetText')}
    </Confirm>
  );
  const fieldOf = (part: Channel['parts'][number], isAdvanced: boolean) => {
    const { name } = part;
    const label = partName(name);
    return (
      <CodeField
        key={name}
        {...part}
        isField={!isAdvanced}
        isRequired={!isAdvanced && !part.isField}
        variables={variables}
        value={texts[name] ?? ''}
        hint={lengthHint(name, preview?.[name]) ?? find(`part.${name}.hint`)}
        aside={
          isOwn(name) && (
            <>
              <Badge>{t('editor.customized')}</Badge>
              <Button
                text={t('editor.reset')}
                look="small link-button"
                label={t('editor.resetPart', { part: label })}
                opens={reset([name], label)}
              />
            </>
          )
        }
        onValue={(text) => form.set({ texts: { ...texts, [name]: text } })}
        onFocus={() => onPart(name)}
      />
    );
  };
  const partsOf = ({ medium, parts }: Channel) => {
    const hasFields = parts.some(({ isField }) => isField);
    const advanced = parts.filter(({ isField, rows }) => hasFields && !isField && rows > 1);
    const isWrong = advanced.some(({ name }) => name === error?.name);
    return (
      <section key={medium} class="channel-texts">
        <h3>{channelName(medium)}</h3>
        {advanced.some(({ name, isHtml }) => isHtml && isOwn(name)) && (
          <p class="notice">
            <span>
              {rich('editor.ownHtml', { field: <span class="code">{'{{ mail.headline }}'}</span> })}
            </span>
          </p>
        )}
        {parts.filter((part) => !advanced.includes(part)).map((part) => fieldOf(part, false))}
        {advanced.length > 0 && (
          <details
            class="advanced"
            open={isOpen || isWrong}
            onToggle={(event) => setOpen(event.currentTarget.open)}
          >
            <summary>{t('editor.advanced')}</summary>
            <p class="muted">
              {rich('editor.liquid', {
                value: <span class="code">{'{{ product.title }}'}</span>,
                condition: <span class="code">{'{% if product.brand %}…{% endif %}'}</span>,
              })}
            </p>
            {advanced.map((part) => fieldOf(part, true))}
          </details>
        )}
      </section>
    );
  };
  return (
    <Card
      title={t('editor.template')}
      note={t('editor.templateNote')}
      aside={own.length > 0 && <Button text={t('editor.resetAll')} opens={reset(own)} />}
    >
      {channels.map(partsOf)}
    </Card>
  );
}
