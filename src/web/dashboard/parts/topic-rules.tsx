import type { VNode } from 'preact';
import type { TriggerSetting } from '../../../generated/dashboard.ts';
import { settingsOf } from '../topic-draft.ts';
import type { TopicDraft, Triggers } from '../topic-draft.ts';
import { Choice, NumberField, Switch, TextField } from './fields.tsx';
import type { Form } from './form.tsx';
import { Card } from './layout.tsx';

const PACES: { value: TopicDraft['pace']; label: string }[] = [
  { value: 'all', label: 'Everybody at once' },
  { value: 'batches', label: 'In batches' },
  { value: 'stock', label: 'As many as there is stock for' },
];

type Props = { form: Form<TopicDraft> };

function Pace({ form }: Props) {
  return (
    <div class="field-row">
      <Choice
        label="Who is told"
        options={PACES}
        {...form.text('pace')}
        hint="The oldest subscription is first."
      />
      {form.draft.pace === 'batches' && (
        <>
          <NumberField label="Shoppers in a batch" min={1} required {...form.text('batchSize')} />
          <NumberField
            label="Minutes between batches"
            min={0.016}
            step="any"
            required
            {...form.text('batchMinutes', 'batchIntervalSeconds')}
          />
        </>
      )}
      {form.draft.pace === 'stock' && (
        <NumberField label="Shoppers a unit of stock" min={1} required {...form.text('shoppersPerUnit')} />
      )}
    </div>
  );
}

/** The field of each setting that a trigger can have. */
const SETTINGS: Record<TriggerSetting, (props: Props) => VNode> = {
  tag: ({ form }) => <TextField label="Product tag" required maxLength={255} {...form.text('tag')} />,
  minStock: ({ form }) => (
    <NumberField
      label="Minimum stock"
      min={1}
      required
      {...form.text('minStock')}
      hint="Units that count as back in stock."
    />
  ),
  dropPercent: ({ form }) => (
    <NumberField
      label="Price falls by at least (%)"
      min={1}
      max={99}
      required
      {...form.text('dropPercent')}
      hint="Several small steps count together."
    />
  ),
  lowStock: ({ form }) => (
    <NumberField
      label="Units left"
      min={1}
      required
      {...form.text('lowStock')}
      hint="At this many or fewer, but not at none."
    />
  ),
};

/** When a topic's alerts go out, to whom, and how fast. */
export function TopicRules({ triggers, form }: Props & { triggers: Triggers }) {
  return (
    <Card title="Rules">
      <div class="field-row">
        <Choice
          label="Sent"
          options={triggers.map(({ name, label }) => ({ value: name, label }))}
          {...form.text('trigger')}
        />
        {settingsOf(triggers, form.draft).map((setting) => {
          const Field = SETTINGS[setting];
          return <Field key={setting} form={form} />;
        })}
        <NumberField
          label="Cool-down in hours"
          min={0}
          step="any"
          required
          {...form.text('coolDownHours', 'coolDownSeconds')}
          hint="Not twice to one contact within it."
        />
        <NumberField
          label="Expiry in days"
          min={1}
          {...form.text('expiryDays')}
          hint="Older subscriptions are not told. Empty: never."
        />
        <NumberField
          label="Delay in minutes"
          min={0}
          max={1440}
          step="any"
          required
          {...form.text('delayMinutes', 'delaySeconds')}
          hint="Waits so long: a mistake that you correct meanwhile tells nobody."
        />
      </div>
      {form.draft.name !== 'backinstock' && (
        <Switch
          label="Also tell shoppers who have the product in a list"
          {...form.check('listHolders')}
          hint="Customers with an account who said yes to your mailing list. They hear once each time, and can leave with one click."
        />
      )}
      <Pace form={form} />
    </Card>
  );
}
