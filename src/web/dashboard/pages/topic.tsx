import { useState } from 'preact/hooks';
import * as gql from '../../../generated/dashboard.ts';
import { fieldErrorOf } from '../api.ts';
import type { Answered } from '../api.ts';
import { Choice, FieldErrorContext, RowField, optionsOf } from '../parts/fields.tsx';
import type { RowForm } from '../parts/fields.tsx';
import { Confirm, SaveForm, changedFields, useForm } from '../parts/form.tsx';
import type { Form } from '../parts/form.tsx';
import { Button, Card, Empty, Loaded, Page, Skeleton } from '../parts/layout.tsx';
import type { FoundProduct } from '../parts/product.tsx';
import { LanguageTabs, TemplateEditor } from '../parts/template-editor.tsx';
import { TemplatePreview, usePreview } from '../parts/template-preview.tsx';
import { TopicSend } from '../parts/topic-send.tsx';
import { hrefTo, useRoute } from '../route.ts';
import { useQuery, useSession } from '../session.ts';
import { rich, t, topicName, triggerName } from '../text.ts';
import { draftOf, inputOf, isRuleShown, listOf, ruleRows, textsOf } from '../topic-draft.ts';
import type { Recipients, TopicDraft, Triggers } from '../topic-draft.ts';
import { forgetUnsaved } from '../unsaved.tsx';

const RECIPIENTS = optionsOf<Recipients>({
  all: 'editor.all',
  batches: 'editor.batches',
  stock: 'editor.stock',
});

type Row = (typeof ruleRows)[number];

/** This topic never notifies list owners; another topic does. */
const SUBSCRIBERS_ONLY = 'backinstock';

function TopicRules({ triggers, form }: { triggers: Triggers; form: Form<TopicDraft> }) {
  const { draft } = form;
  const fieldsOf = (isWanted: (row: Row) => boolean) =>
    ruleRows
      .filter((row) => isRuleShown(row, draft, triggers) && isWanted(row))
      .map((row) => (
        <RowField
          key={row.name}
          row={row}
          form={form as unknown as RowForm}
          isRequired={row.ofTrigger || row.form.with ? true : undefined}
        />
      ));
  return (
    <Card title={t('topics.rules')}>
      <div class="field-row">
        <Choice
          label={t('editor.trigger')}
          options={triggers.map(({ name }) => ({ value: name, label: triggerName(name) }))}
          {...form.text('trigger')}
        />
        {fieldsOf((row) => row.kind !== 'flag' && row.form.with === undefined)}
      </div>
      {fieldsOf(
        (row) => row.kind === 'flag' && !(row.name === 'listHolders' && draft.name === SUBSCRIBERS_ONLY),
      )}
      <div class="field-row">
        <Choice
          label={t('editor.recipients')}
          options={RECIPIENTS}
          {...form.text('recipients')}
          hint={t('editor.recipientsHint')}
        />
        {fieldsOf((row) => row.form.with !== undefined)}
      </div>
    </Card>
  );
}

function TopicDelete({ name }: { name: string }) {
  const { run } = useSession();
  const remove = async () => {
    const { deleteTopic } = await run(gql.DeleteTopicDocument, { name });
    forgetUnsaved();
    location.hash = hrefTo('topics');
    return t('editor.deleted', { topic: topicName(name), count: deleteTopic.subscriptions });
  };
  const ask = (
    <Confirm
      title={t('editor.deleteTitle', { topic: topicName(name) })}
      label={t('editor.delete')}
      phrase={name}
      onSubmit={remove}
    >
      {t('editor.deleteText')}
    </Confirm>
  );
  return <Button text={t('editor.delete')} look="danger outline" opens={ask} />;
}

type EditorProps = Omit<Answered<gql.TopicsQuery>, 'topics'> & {
  topic: gql.TopicFieldsFragment;
  /** The language of the texts; null for the store's. */
  language: string | null;
  onSaved: (topic: gql.TopicFieldsFragment) => void;
};

function Editor({ topic, language, channels, triggers, templateVariables, onSaved }: EditorProps) {
  const { run } = useSession();
  const { name } = topic;
  const saved = draftOf(topic);
  const [shown, setShown] = useState('');
  const [product, setProduct] = useState<FoundProduct | null>(null);
  const save = async (input: Partial<gql.SaveTopicInput>): Promise<gql.TopicFieldsFragment> => {
    const { saveTopic } = await run(gql.SaveTopicDocument, { input: { ...input, language, name }, language });
    onSaved(saveTopic);
    return saveTopic;
  };
  const form = useForm(
    saved,
    (draft) => inputOf(draft, triggers),
    async (changes, draft) => {
      await save({ ...changes, texts: listOf(changedFields(draft.texts, saved.texts)) });
      return t('editor.saved', { topic: topicName(name) });
    },
  );
  const reset = async (parts: string[]): Promise<string> => {
    const { texts } = await save({ texts: parts.map((part) => ({ part, text: null })) });
    const standard = textsOf(texts.filter(({ part }) => parts.includes(part)));
    form.set({ texts: { ...form.draft.texts, ...standard } });
    return t('editor.wasReset');
  };
  const { preview, error } = usePreview(name, language, product?.epi ?? null, form.draft.texts);
  const fieldError = fieldErrorOf(error);
  return (
    <>
      <SaveForm form={form} label={t('common.save')}>
        <div class="columns">
          <FieldErrorContext.Provider value={fieldError ?? fieldErrorOf(form.saving.error)}>
            <TemplateEditor
              channels={channels}
              variables={templateVariables}
              form={form}
              saved={topic.texts}
              preview={preview}
              onPart={setShown}
              onReset={reset}
            />
          </FieldErrorContext.Provider>
          <TemplatePreview
            {...{ channels, preview, product, shown }}
            error={fieldError ? null : error}
            onProduct={setProduct}
            onShown={setShown}
          />
        </div>
        <TopicRules triggers={triggers} form={form} />
      </SaveForm>
      <TopicSend topic={name} language={language} channels={channels} isChanged={form.isChanged} />
    </>
  );
}

export function TopicPage({ name }: { name: string }) {
  const { language = '' } = useRoute().query;
  const query = useQuery(gql.TopicsDocument, { language: language || null });
  const known = query.data?.topics.find((entry) => entry.name === name);
  const all = <a href={hrefTo('topics')}>{t('editor.allTopics')}</a>;
  return (
    <Page
      title={topicName(name)}
      lead={known ? rich('editor.lead', { trigger: triggerName(known.trigger), link: all }) : all}
      aside={known && !known.isBuiltIn && <TopicDelete name={name} />}
    >
      <Loaded query={query} lines={8}>
        {({ topics, ...rest }) => {
          if (!known) return <Empty title={t('editor.notFound')} />;
          const replace = (saved: gql.TopicFieldsFragment): void =>
            query.replace({ ...rest, topics: topics.map((entry) => (entry.name === name ? saved : entry)) });
          return (
            <>
              <LanguageTabs {...rest} topic={known} language={language} />
              {query.isStale ? (
                <Skeleton lines={8} />
              ) : (
                <Editor
                  key={language}
                  {...rest}
                  topic={known}
                  language={language || null}
                  onSaved={replace}
                />
              )}
            </>
          );
        }}
      </Loaded>
    </Page>
  );
}
