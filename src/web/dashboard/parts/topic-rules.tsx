import { topicRules } from '../../../alerts/topics/topic.columns.ts';
import { isRuleShown } from '../topic-draft.ts';
import type { Recipients, TopicDraft, Triggers } from '../topic-draft.ts';
import { Choice, RowField, optionsOf } from './fields.tsx';
import type { RowForm } from './fields.tsx';
import type { Form } from './form.tsx';
import { Card } from './layout.tsx';

const RECIPIENTS = optionsOf<Recipients>({
  all: 'Everybody at once',
  batches: 'In batches',
  stock: 'As many as there is stock for',
});

type Row = (typeof topicRules)[number];

/** This topic never notifies list owners; another topic does. */
const SUBSCRIBERS_ONLY = 'backinstock';

export function TopicRules({ triggers, form }: { triggers: Triggers; form: Form<TopicDraft> }) {
  const { draft } = form;
  const fieldsOf = (isWanted: (row: Row) => boolean) =>
    topicRules
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
