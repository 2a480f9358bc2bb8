import { SaveTopicDocument, TopicsDocument } from '../../generated/dashboard.ts';
import type { TopicFieldsFragment } from '../../generated/dashboard.ts';
import { changedFields, useDraft } from '../draft.ts';
import { Empty, Failure, Loaded } from '../parts/feedback.tsx';
import { TextArea, TextField } from '../parts/fields.tsx';
import { Card, PageHead } from '../parts/layout.tsx';
import { TemplatePreview } from '../parts/template-preview.tsx';
import { TopicRules } from '../parts/topic-rules.tsx';
import { TopicSend } from '../parts/topic-send.tsx';
import { hrefTo } from '../route.ts';
import { useAction, useQuery, useSession } from '../session.ts';
import { draftOf, inputOf } from '../topic-draft.ts';
import type { TopicDraft } from '../topic-draft.ts';
import { triggerText } from './topics.tsx';

function Template({ draft, set }: { draft: TopicDraft; set: (part: Partial<TopicDraft>) => void }) {
  return (
    <Card
      title="Template"
      note={
        <>
          Liquid: <span class="code">{'{{ product.title }}'}</span>, variant, brand, price, url, image;{' '}
          <span class="code">{'{{ store.name }}'}</span>. Values are escaped.
        </>
      }
    >
      <TextField label="Subject" required value={draft.subject} onValue={(subject) => set({ subject })} />
      <TextArea label="HTML" isCode rows={14} value={draft.html} onValue={(html) => set({ html })} />
      <TextArea label="Plain text" isCode rows={6} value={draft.text} onValue={(text) => set({ text })} />
      <TextArea label="SMS" isCode rows={3} value={draft.sms} onValue={(sms) => set({ sms })} />
    </Card>
  );
}

function Editor({
  topic,
  onSaved,
}: {
  topic: TopicFieldsFragment;
  onSaved: (topic: TopicFieldsFragment) => void;
}) {
  const { run, notify } = useSession();
  const saved = draftOf(topic);
  const { draft, set, settle } = useDraft(saved);
  const changes = changedFields(inputOf(draft), inputOf(saved));
  const isChanged = Object.keys(changes).length > 0;
  const save = useAction(async () => {
    const { saveTopic } = await run(SaveTopicDocument, { input: { ...changes, name: topic.name } });
    settle();
    onSaved(saveTopic);
    notify(`The topic ${topic.name} is saved.`);
  });
  return (
    <>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          void save.start();
        }}
      >
        <div class="columns">
          <Template draft={draft} set={set} />
          <TemplatePreview draft={draft} />
        </div>
        <TopicRules draft={draft} set={set} />
        <div class="save-bar">
          <Failure error={save.error} />
          <span class="muted">
            {isChanged ? 'There are changes that are not saved.' : 'Everything is saved.'}
          </span>
          <button type="submit" disabled={save.isBusy} aria-busy={save.isBusy}>
            Save topic
          </button>
        </div>
      </form>
      <TopicSend topic={topic} isChanged={isChanged} />
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
            {known && <>Sent {triggerText(known)} · </>}
            <a href={hrefTo('topics')}>all topics</a>
          </>
        }
      />
      <Loaded query={query} lines={8}>
        {({ topics }) =>
          known ? (
            <Editor
              topic={known}
              onSaved={(saved) =>
                query.replace({ topics: topics.map((entry) => (entry.name === name ? saved : entry)) })
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
