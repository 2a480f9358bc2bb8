import * as gql from '../../../generated/dashboard.ts';
import { FormDialog } from '../parts/form.tsx';
import { Badge, Button, Page } from '../parts/layout.tsx';
import { TableCard } from '../parts/table-card.tsx';
import { hrefTo } from '../route.ts';
import { useQuery, useSession } from '../session.ts';
import { rulesText } from '../topic-draft.ts';
import type { Triggers } from '../topic-draft.ts';

export function triggerText(
  { trigger }: Pick<gql.TopicFieldsFragment, 'trigger'>,
  triggers: Triggers,
): string {
  const label = triggers.find(({ name }) => name === trigger)?.label ?? trigger;
  return label.charAt(0).toLowerCase() + label.slice(1);
}

export function TopicsPage() {
  const { run } = useSession();
  const create = (
    <FormDialog
      title="New topic"
      label="Create topic"
      field={{
        label: 'Name',
        name: 'name',
        required: true,
        maxLength: 64,
        spellcheck: false,
        hint: 'Letters, digits, _ and -. Your shop subscribes contacts to it by this name.',
      }}
      onSubmit={async (name) => {
        const { saveTopic } = await run(gql.SaveTopicDocument, { input: { name } });
        location.hash = hrefTo('topics', saveTopic.name);
      }}
    />
  );
  return (
    <Page
      title="Topics"
      lead="A topic is an occasion to write to those who asked: its template, its trigger and its rules."
      aside={<Button text="New topic" look="" opens={create} />}
    >
      <TableCard
        title="Your topics"
        caption="Topics"
        query={useQuery(gql.TopicsDocument, {})}
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
    </Page>
  );
}
