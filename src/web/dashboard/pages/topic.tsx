import { useState } from 'preact/hooks';
import { DeleteTopicDocument, SaveTopicDocument, TopicsDocument } from '../../../generated/dashboard.ts';
import type {
  ChannelFieldsFragment,
  TopicFieldsFragment,
  TopicsQuery,
} from '../../../generated/dashboard.ts';
import type { Answered } from '../api.ts';
import { plural } from '../format.ts';
import { CodeField } from '../parts/code-field.tsx';
import type { Variable } from '../parts/code-field.tsx';
import { useDialog } from '../parts/dialog.tsx';
import { Empty, Loaded } from '../parts/feedback.tsx';
import { Confirm, SaveForm, changedFields, useForm } from '../parts/form.tsx';
import type { Form } from '../parts/form.tsx';
import { Button, Card, PageHead } from '../parts/layout.tsx';
import { TemplatePreview } from '../parts/template-preview.tsx';
import { TopicRules } from '../parts/topic-rules.tsx';
import { TopicSend } from '../parts/topic-send.tsx';
import { hrefTo } from '../route.ts';
import { useQuery, useSession } from '../session.ts';
import { draftOf, inputOf, listOf } from '../topic-draft.ts';
import type { TopicDraft } from '../topic-draft.ts';
import { forgetUnsaved } from '../unsaved.tsx';
import { triggerText } from './topics.tsx';

function TopicDelete({ name }: { name: string }) {
  const { run, notify } = useSession();
  const { open } = useDialog();
  const remove = async (): Promise<void> => {
    const { deleteTopic } = await run(DeleteTopicDocument, { name });
    notify(`The topic ${name} is deleted, with ${plural(deleteTopic.subscriptions, 'subscription')}.`);
    forgetUnsaved();
    location.hash = hrefTo('topics');
  };
  const ask = (): void =>
    open(
      <Confirm title={`Delete the topic ${name}?`} label="Delete topic" phrase={name} onSubmit={remove}>
        Everybody who waits for it is unsubscribed, and alerts that are not sent yet are withheld. This cannot
        be undone.
      </Confirm>,
    );
  return (
    <Button look="danger outline" onClick={ask}>
      Delete topic
    </Button>
  );
}

type TemplateProps = {
  channels: ChannelFieldsFragment[];
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

type EditorProps = Omit<Answered<TopicsQuery>, 'topics'> & {
  topic: TopicFieldsFragment;
  onSaved: (topic: TopicFieldsFragment) => void;
};

function Editor({ topic, channels, triggers, templateVariables, onSaved }: EditorProps) {
  const { run, notify } = useSession();
  const saved = draftOf(topic);
  const [shown, setShown] = useState('');
  const form: Form<TopicDraft> = useForm({
    saved,
    inputOf: (draft) => inputOf(draft, triggers),
    save: async (changes) => {
      const texts = listOf(changedFields(form.draft.texts, saved.texts));
      const { saveTopic } = await run(SaveTopicDocument, { input: { ...changes, texts, name: topic.name } });
      onSaved(saveTopic);
      notify(`The topic ${topic.name} is saved.`);
    },
  });
  return (
    <>
      <SaveForm form={form} label="Save topic">
        <div class="columns">
          <TemplateEditor channels={channels} variables={templateVariables} form={form} onPart={setShown} />
          <TemplatePreview
            topic={topic.name}
            channels={channels}
            texts={form.draft.texts}
            shown={shown}
            onShown={setShown}
          />
        </div>
        <TopicRules triggers={triggers} form={form} />
      </SaveForm>
      <TopicSend topic={topic} channels={channels} isChanged={form.isChanged} />
    </>
  );
}

export function TopicPage({ name }: { name: string }) {
  const query = useQuery(TopicsDocument, {});
  const known = query.data?.topics.find((entry) => entry.name === name);
  return (
    <>
      <PageHead
        title={name}
        lead={
          <>
            {known && <>Sent {triggerText(known, query.data!.triggers)} · </>}
            <a href={hrefTo('topics')}>all topics</a>
          </>
        }
        aside={known && !known.isBuiltIn && <TopicDelete name={name} />}
      />
      <Loaded query={query} lines={8}>
        {({ topics, ...rest }) =>
          known ? (
            <Editor
              topic={known}
              {...rest}
              onSaved={(saved) =>
                query.replace({
                  ...rest,
                  topics: topics.map((entry) => (entry.name === name ? saved : entry)),
                })
              }
            />
          ) : (
            <Empty title={`There is no topic ${name}`} />
          )
        }
      </Loaded>
    </>
  );
}
