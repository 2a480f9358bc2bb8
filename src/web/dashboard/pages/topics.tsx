import { useState } from 'preact/hooks';
import { SaveTopicDocument, TopicsDocument } from '../../../generated/dashboard.ts';
import type { TopicFieldsFragment } from '../../../generated/dashboard.ts';
import { Dialog } from '../parts/dialog.tsx';
import { Badge, Loaded } from '../parts/feedback.tsx';
import { TextField } from '../parts/fields.tsx';
import { ActionForm } from '../parts/form.tsx';
import { Card, PageHead, Table } from '../parts/layout.tsx';
import { hrefTo } from '../route.ts';
import { useAction, useQuery, useSession } from '../session.ts';
import { rulesText } from '../topic-draft.ts';
import type { Triggers } from '../topic-draft.ts';

/** What starts a topic, in words. */
export function triggerText({ trigger }: Pick<TopicFieldsFragment, 'trigger'>, triggers: Triggers): string {
  const label = triggers.find(({ name }) => name === trigger)?.label ?? trigger;
  return label.charAt(0).toLowerCase() + label.slice(1);
}

function NewTopic({ onClose }: { onClose: () => void }) {
  const { run } = useSession();
  const [name, setName] = useState('');
  const create = useAction(async () => {
    const { saveTopic } = await run(SaveTopicDocument, { input: { name: name.trim() } });
    onClose();
    location.hash = hrefTo('topics', saveTopic.name);
  });
  return (
    <Dialog title="New topic" onClose={onClose}>
      <ActionForm action={create} label="Create topic" onCancel={onClose}>
        <TextField
          label="Name"
          name="name"
          required
          maxLength={64}
          value={name}
          onValue={setName}
          autocomplete="off"
          spellcheck={false}
          hint="Letters, digits, _ and -. Your shop subscribes contacts to it by this name."
        />
      </ActionForm>
    </Dialog>
  );
}

/** Every kind of alert that the store sends. */
export function TopicsPage() {
  const topics = useQuery(TopicsDocument, {});
  const [isAdding, setAdding] = useState(false);
  return (
    <>
      <PageHead
        title="Topics"
        lead="A topic is an occasion to write to those who asked: its template, its trigger and its rules."
        aside={
          <button type="button" onClick={() => setAdding(true)}>
            New topic
          </button>
        }
      />
      <Card title="Your topics">
        <Loaded query={topics}>
          {(data) => (
            <Table
              caption="Topics"
              rows={data.topics}
              keyOf={({ name }) => name}
              columns={[
                { label: 'Topic', cell: ({ name }) => <a href={hrefTo('topics', name)}>{name}</a> },
                {
                  label: 'Sent',
                  cell: (topic) => (
                    <Badge tone={topic.trigger === 'manual' ? 'plain' : 'good'}>
                      {triggerText(topic, data.triggers)}
                    </Badge>
                  ),
                },
                { label: 'Rules', cell: (topic) => rulesText(topic, data.triggers) },
              ]}
            />
          )}
        </Loaded>
      </Card>
      {isAdding && <NewTopic onClose={() => setAdding(false)} />}
    </>
  );
}
