import { useState } from 'preact/hooks';
import * as gql from '../../../generated/dashboard.ts';
import type { Answered } from '../api.ts';
import { plural } from '../format.ts';
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
import { draftOf, inputOf, isRuleShown, listOf, ruleRows } from '../topic-draft.ts';
import type { Recipients, TopicDraft, Triggers } from '../topic-draft.ts';
import { forgetUnsaved } from '../unsaved.tsx';
import { triggerText } from './topics.tsx';

const RECIPIENTS = optionsOf<Recipients>({
  all: 'Everybody at once',
  batches: 'In batches',
  stock: 'As many as there is stock for',
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
    <Card title="Rules">
      <div class="field-row">
        <Choice
          label="Sent"
          options={triggers.map(({ name, label }) => ({ value: name, label }))}
          {...form.text('trigger')}
        />
        {fieldsOf((row) => row.kind !== 'flag' && row.form.with === undefined)}
      </div>
      {fieldsOf(
        (row) => row.kind === 'flag' && !(row.name === 'listHolders' && draft.name === SUBSCRIBERS_ONLY),
      )}
      <div class="field-row">
        <Choice
          label="Who is told"
          options={RECIPIENTS}
          {...form.text('recipients')}
          hint="The oldest subscription is first."
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
    return `The topic ${name} is deleted, with ${plural(deleteTopic.subscriptions, 'subscription')}.`;
  };
  const ask = (
    <Confirm title={`Delete the topic ${name}?`} label="Delete topic" phrase={name} onSubmit={remove}>
      Everybody who waits for it is unsubscribed, and alerts that are not sent yet are withheld. This cannot
      be undone.
    </Confirm>
  );
  return <Button text="Delete topic" look="danger outline" opens={ask} />;
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
      title="Template"
      note={
        <>
          Liquid: <span class="code">{'{{ product.title }}'}</span> shows a value,{' '}
          <span class="code">{'{% if product.brand %}…{% endif %}'}</span> asks for one. Values are escaped.
        </>
      }
    >
      {channels
        .flatMap(({ parts }) => parts)
        .map((part) => (
          <CodeField
            key={part.name}
            {...part}
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
      return `The topic ${name} is saved.`;
    },
  );
  return (
    <>
      <SaveForm form={form} label="Save topic">
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
  return (
    <Page
      title={name}
      lead={
        <>
          {known && <>Sent {triggerText(known, query.data!.triggers)} · </>}
          <a href={hrefTo('topics')}>all topics</a>
        </>
      }
      aside={known && !known.isBuiltIn && <TopicDelete name={name} />}
    >
      <Loaded query={query} lines={8}>
        {({ topics, ...rest }) => {
          if (!known) return <Empty title={`There is no topic ${name}`} />;
          const replace = (saved: gql.TopicFieldsFragment): void =>
            query.replace({ ...rest, topics: topics.map((entry) => (entry.name === name ? saved : entry)) });
          return <Editor {...rest} topic={known} onSaved={replace} />;
        }}
      </Loaded>
    </Page>
  );
}
