import { SaveTopicDocument, TopicsDocument } from '../../../generated/dashboard.ts';
import type { TopicFieldsFragment } from '../../../generated/dashboard.ts';
import { useDialog } from '../parts/dialog.tsx';
import { Badge } from '../parts/feedback.tsx';
import { TextField } from '../parts/fields.tsx';
import { FormDialog } from '../parts/form.tsx';
import { Button, PageHead } from '../parts/layout.tsx';
import { TableCard } from '../parts/table-card.tsx';
import { hrefTo } from '../route.ts';
import { useQuery, useSession, useText } from '../session.ts';
import { rulesText } from '../topic-draft.ts';
import type { Triggers } from '../topic-draft.ts';

export function triggerText({ trigger }: Pick<TopicFieldsFragment, 'trigger'>, triggers: Triggers): string {
  const label = triggers.find(({ name }) => name === trigger)?.label ?? trigger;
  return label.charAt(0).toLowerCase() + label.slice(1);
}

function NewTopic() {
  const { run } = useSession();
  const name = useText();
  const create = async (): Promise<void> => {
    const { saveTopic } = await run(SaveTopicDocument, { input: { name: name.value.trim() } });
    location.hash = hrefTo('topics', saveTopic.name);
  };
  return (
    <FormDialog title="New topic" label="Create topic" onSubmit={create}>
      <TextField
        label="Name"
        name="name"
        required
        maxLength={64}
        {...name}
        autocomplete="off"
        spellcheck={false}
        hint="Letters, digits, _ and -. Your shop subscribes contacts to it by this name."
      />
    </FormDialog>
  );
}

export function TopicsPage() {
  const topics = useQuery(TopicsDocument, {});
  const { open } = useDialog();
  return (
    <>
      <PageHead
        title="Topics"
        lead="A topic is an occasion to write to those who asked: its template, its trigger and its rules."
        aside={
          <Button look="" onClick={() => open(<NewTopic />)}>
            New topic
          </Button>
        }
      />
      <TableCard
        title="Your topics"
        caption="Topics"
        query={topics}
        rowsOf={(data) => data.topics}
        keyOf={({ name }) => name}
        columns={({ triggers }) => [
          { label: 'Topic', cell: ({ name }) => <a href={hrefTo('topics', name)}>{name}</a> },
          {
            label: 'Sent',
            cell: (topic) => (
              <Badge tone={topic.trigger === 'manual' ? 'plain' : 'good'}>
                {triggerText(topic, triggers)}
              </Badge>
            ),
          },
          { label: 'Rules', cell: (topic) => rulesText(topic, triggers) },
        ]}
      />
    </>
  );
}
