import { SaveTopicDocument, TopicsDocument } from '../../generated/dashboard.ts';
import type { ChannelFieldsFragment, TopicFieldsFragment, TopicsQuery } from '../../generated/dashboard.ts';
import type { Answered } from '../api.ts';
import { changedFields, useDraft } from '../draft.ts';
import type { Form } from '../draft.ts';
import { Empty, Failure, Loaded } from '../parts/feedback.tsx';
import { TextArea, TextField } from '../parts/fields.tsx';
import { Card, PageHead } from '../parts/layout.tsx';
import { TemplatePreview } from '../parts/template-preview.tsx';
import { TopicDelete } from '../parts/topic-delete.tsx';
import { TopicRules } from '../parts/topic-rules.tsx';
import { TopicSend } from '../parts/topic-send.tsx';
import { hrefTo } from '../route.ts';
import { useAction, useQuery, useSession } from '../session.ts';
import { draftOf, inputOf, listOf, textsOf } from '../topic-draft.ts';
import type { Texts } from '../topic-draft.ts';
import { triggerText } from './topics.tsx';

function Template({ channels, form }: { channels: ChannelFieldsFragment[]; form: Form<Texts> }) {
  return (
    <Card
      title="Template"
      note={
        <>
          Liquid: <span class="code">{'{{ product.title }}'}</span>, variant, brand, price, old_price, stock,
          url, image; <span class="code">{'{{ store.name }}'}</span>. Values are escaped.
        </>
      }
    >
      {channels
        .flatMap(({ parts }) => parts)
        .map(({ name, label, rows }) => {
          const field = {
            label,
            value: form.draft[name] ?? '',
            onValue: (text: string) => form.set({ [name]: text }),
          };
          return rows === 1 ? (
            <TextField key={name} required {...field} />
          ) : (
            <TextArea key={name} isCode rows={rows} {...field} />
          );
        })}
    </Card>
  );
}

function Editor({
  topic,
  channels,
  triggers,
  onSaved,
}: Pick<Answered<TopicsQuery>, 'channels' | 'triggers'> & {
  topic: TopicFieldsFragment;
  onSaved: (topic: TopicFieldsFragment) => void;
}) {
  const { run, notify } = useSession();
  const saved = draftOf(topic);
  const { draft, set, settle } = useDraft(saved);
  const changes = changedFields(inputOf(draft), inputOf(saved));
  const form = useDraft(textsOf(topic.texts));
  const texts = listOf(changedFields(form.draft, textsOf(topic.texts)));
  const isChanged = Object.keys(changes).length + texts.length > 0;
  const save = useAction(async () => {
    const { saveTopic } = await run(SaveTopicDocument, { input: { ...changes, texts, name: topic.name } });
    settle();
    form.settle();
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
          <Template channels={channels} form={form} />
          <TemplatePreview topic={topic.name} channels={channels} texts={form.draft} />
        </div>
        <TopicRules triggers={triggers} draft={draft} set={set} />
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
      <TopicSend topic={topic} channels={channels} isChanged={isChanged} />
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
