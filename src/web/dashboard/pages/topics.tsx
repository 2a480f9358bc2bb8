import * as gql from '../../../generated/dashboard.ts';
import { apiError } from '../api.ts';
import { FormDialog } from '../parts/form.tsx';
import { Badge, Button, Page } from '../parts/layout.tsx';
import { TableCard } from '../parts/table-card.tsx';
import { hrefTo } from '../route.ts';
import { useQuery, useSession } from '../session.ts';
import { t, topicName, triggerName } from '../text.ts';
import { rulesText } from '../topic-draft.ts';

export function TopicsPage() {
  const { run } = useSession();
  const topics = useQuery(gql.TopicsDocument, {});
  const create = (
    <FormDialog
      title={t('topics.new')}
      label={t('topics.create')}
      field={{
        label: t('table.name'),
        name: 'name',
        required: true,
        maxLength: 64,
        spellcheck: false,
        hint: t('topics.nameHint'),
      }}
      onSubmit={async (name) => {
        if (topics.data?.topics.some((topic) => topic.name === name))
          throw apiError('duplicate-topic', 'name belongs to another topic');
        const { saveTopic } = await run(gql.SaveTopicDocument, { input: { name } });
        location.hash = hrefTo('topics', saveTopic.name);
      }}
    />
  );
  return (
    <Page
      title={t('page.topics')}
      lead={t('topics.lead')}
      aside={<Button text={t('topics.new')} look="" opens={create} />}
    >
      <TableCard
        title={t('topics.yours')}
        caption={t('page.topics')}
        query={topics}
        rowsOf={(data) => data.topics}
        keyOf={({ name }) => name}
        columns={({ triggers }) => [
          {
            label: 'table.topic',
            cell: ({ name }) => <a href={hrefTo('topics', name)}>{topicName(name)}</a>,
          },
          {
            label: 'topics.sent',
            cell: ({ trigger }) => (
              <Badge tone={trigger === 'manual' ? 'plain' : 'good'}>{triggerName(trigger)}</Badge>
            ),
          },
          { label: 'topics.rules', cell: (topic) => rulesText(topic, triggers) },
        ]}
      />
    </Page>
  );
}
