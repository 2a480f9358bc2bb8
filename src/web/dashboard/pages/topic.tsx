import { useState } from 'preact/hooks';
import * as gql from '../../../generated/dashboard.ts';
import type { Answered } from '../api.ts';
import { partName, topicName, triggerName } from '../names.ts';
import { CodeField } from '../parts/code-field.tsx';
import type { Variable } from '../parts/code-field.tsx';
import { Choice, RowField, optionsOf } from '../parts/fields.tsx';
import type { RowForm } from '../parts/fields.tsx';
import { Confirm, SaveForm, changedFields, useForm } from '../parts/form.tsx';
import type { Form } from '../parts/form.tsx';
import { Button, Card, Empty, Loaded, Page } from '../parts/layout.tsx';
import { TemplatePreview } from '../parts/template-preview.tsx';
import { TopicSend } from '../parts/topic-send.tsx';
import { hrefTo } from '../route.ts';
import { useQuery, useSession } from '../session.ts';
import { rich, t } from '../text.ts';
import { draftOf, inputOf, isRuleShown, listOf, ruleRows } from '../topic-draft.ts';
import type { Recipients, TopicDraft, Triggers } from '../topic-draft.ts';
import { forgetUnsaved } from '../unsaved.tsx';
import { triggerText } from './topics.tsx';

const RECIPIENTS = optionsOf<Recipients>({
  all: t('editor.all'),
  batches: t('editor.batches'),
  stock: t('editor.stock'),
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
          options={triggers.map(({ name, label }) => ({ value: name, label: triggerName(name, label) }))}
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

type TemplateProps = {
  channels: gql.ChannelFieldsFragment[];
  variables: readonly Variable[];
  form: Form<TopicDraft>;
  /** Called when the user edits a part, so that the preview shows it. */
  onPart: (name: string) => void;
};

function TemplateEditor({ channels, variables, form, onPart }: TemplateProps) {
  const { texts } = form.draft;
  return (
    <Card
      title={t('editor.template')}
      note={rich('editor.liquid', {
        value: <span class="code">{'{{ product.title }}'}</span>,
        condition: <span class="code">{'{% if product.brand %}…{% endif %}'}</span>,
      })}
    >
      {channels
        .flatMap(({ parts }) => parts)
        .map((part) => (
          <CodeField
            key={part.name}
            {...part}
            label={partName(part.name, part.label)}
            variables={variables}
            value={texts[part.name] ?? ''}
            onValue={(text) => form.set({ texts: { ...texts, [part.name]: text } })}
            onFocus={() => onPart(part.name)}
          />
        ))}
    </Card>
  );
}

type EditorProps = Omit<Answered<gql.TopicsQuery>, 'topics'> & {
  topic: gql.TopicFieldsFragment;
  onSaved: (topic: gql.TopicFieldsFragment) => void;
};

function Editor({ topic, channels, triggers, templateVariables, onSaved }: EditorProps) {
  const { run } = useSession();
  const { name } = topic;
  const saved = draftOf(topic);
  const [shown, setShown] = useState('');
  const form = useForm(
    saved,
    (draft) => inputOf(draft, triggers),
    async (changes, draft) => {
      const texts = listOf(changedFields(draft.texts, saved.texts));
      const { saveTopic } = await run(gql.SaveTopicDocument, { input: { ...changes, texts, name } });
      onSaved(saveTopic);
      return t('editor.saved', { topic: topicName(name) });
    },
  );
  return (
    <>
      <SaveForm form={form} label={t('common.save')}>
        <div class="columns">
          <TemplateEditor channels={channels} variables={templateVariables} form={form} onPart={setShown} />
          <TemplatePreview
            topic={name}
            channels={channels}
            texts={form.draft.texts}
            shown={shown}
            onShown={setShown}
          />
        </div>
        <TopicRules triggers={triggers} form={form} />
      </SaveForm>
      <TopicSend topic={name} channels={channels} isChanged={form.isChanged} />
    </>
  );
}

export function TopicPage({ name }: { name: string }) {
  const query = useQuery(gql.TopicsDocument, {});
  const known = query.data?.topics.find((entry) => entry.name === name);
  const all = <a href={hrefTo('topics')}>{t('editor.allTopics')}</a>;
  return (
    <Page
      title={topicName(name)}
      lead={
        known ? rich('editor.lead', { trigger: triggerText(known, query.data!.triggers), link: all }) : all
      }
      aside={known && !known.isBuiltIn && <TopicDelete name={name} />}
    >
      <Loaded query={query} lines={8}>
        {({ topics, ...rest }) => {
          if (!known) return <Empty title={t('editor.notFound')} />;
          const replace = (saved: gql.TopicFieldsFragment): void =>
            query.replace({ ...rest, topics: topics.map((entry) => (entry.name === name ? saved : entry)) });
          return <Editor {...rest} topic={known} onSaved={replace} />;
        }}
      </Loaded>
    </Page>
  );
}
