import { SaveTopicDocument, TopicsDocument } from '../../generated/dashboard.ts';
import type { ChannelFieldsFragment, TopicFieldsFragment, TopicsQuery } from '../../generated/dashboard.ts';
import type { Answered } from '../api.ts';
import { changedFields } from '../draft.ts';
import { Empty, Loaded } from '../parts/feedback.tsx';
import { TextArea, TextField } from '../parts/fields.tsx';
import { SaveForm, useForm } from '../parts/form.tsx';
import type { Form } from '../parts/form.tsx';
import { Card, PageHead } from '../parts/layout.tsx';
import { TemplatePreview } from '../parts/template-preview.tsx';
import { TopicDelete } from '../parts/topic-delete.tsx';
import { TopicRules } from '../parts/topic-rules.tsx';
import { TopicSend } from '../parts/topic-send.tsx';
import { hrefTo } from '../route.ts';
import { useQuery, useSession } from '../session.ts';
import { draftOf, inputOf, listOf } from '../topic-draft.ts';
import type { TopicDraft } from '../topic-draft.ts';
import { triggerText } from './topics.tsx';

function Template({ channels, form }: { channels: ChannelFieldsFragment[]; form: Form<TopicDraft> }) {
  const { texts } = form.draft;
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
            value: texts[name] ?? '',
            onValue: (text: string) => form.set({ texts: { ...texts, [name]: text } }),
          };
          return rows === 1 ? (
            <TextField key={name} required {...field} />
          ) : (
            <TextArea key={name} rows={rows} {...field} />
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
  const form: Form<TopicDraft> = useForm({
    saved,
    inputOf,
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
          <Template channels={channels} form={form} />
          <TemplatePreview topic={topic.name} channels={channels} texts={form.draft.texts} />
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
