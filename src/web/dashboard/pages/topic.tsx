import { useState } from 'preact/hooks';
import { SaveTopicDocument, TopicsDocument } from '../../../generated/dashboard.ts';
import type { TopicFieldsFragment, TopicsQuery } from '../../../generated/dashboard.ts';
import type { Answered } from '../api.ts';
import { Empty, Loaded } from '../parts/feedback.tsx';
import { SaveForm, changedFields, useForm } from '../parts/form.tsx';
import type { Form } from '../parts/form.tsx';
import { PageHead } from '../parts/layout.tsx';
import { TemplateEditor } from '../parts/template-editor.tsx';
import { TemplatePreview } from '../parts/template-preview.tsx';
import { TopicDelete } from '../parts/topic-delete.tsx';
import { TopicRules } from '../parts/topic-rules.tsx';
import { TopicSend } from '../parts/topic-send.tsx';
import { hrefTo } from '../route.ts';
import { useQuery, useSession } from '../session.ts';
import { draftOf, inputOf, listOf } from '../topic-draft.ts';
import type { TopicDraft } from '../topic-draft.ts';
import { triggerText } from './topics.tsx';

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

/** One topic: its template with a live preview, its rules, and ways to send. */
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
