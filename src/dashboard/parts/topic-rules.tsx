import type { TopicsQuery } from '../../generated/dashboard.ts';
import type { Answered } from '../api.ts';
import type { TopicDraft } from '../topic-draft.ts';
import { Choice, Switch, TextField } from './fields.tsx';
import { Card } from './layout.tsx';

const PACES = [
  { value: 'all', label: 'Everybody at once' },
  { value: 'batches', label: 'In batches' },
  { value: 'stock', label: 'As many as there is stock for' },
];

type Props = { draft: TopicDraft; set: (part: Partial<TopicDraft>) => void };

function Pace({ draft, set }: Props) {
  return (
    <div class="field-row">
      <Choice
        label="Who is told"
        value={draft.pace}
        options={PACES}
        onValue={(pace) => set({ pace: pace as TopicDraft['pace'] })}
        hint="The oldest subscription is first."
      />
      {draft.pace === 'batches' && (
        <>
          <TextField
            label="Shoppers in a batch"
            type="number"
            min="1"
            required
            value={draft.batchSize}
            onValue={(batchSize) => set({ batchSize })}
          />
          <TextField
            label="Minutes between batches"
            type="number"
            min="0.016"
            step="any"
            required
            value={draft.batchMinutes}
            onValue={(batchMinutes) => set({ batchMinutes })}
          />
        </>
      )}
      {draft.pace === 'stock' && (
        <TextField
          label="Shoppers a unit of stock"
          type="number"
          min="1"
          required
          value={draft.shoppersPerUnit}
          onValue={(shoppersPerUnit) => set({ shoppersPerUnit })}
        />
      )}
    </div>
  );
}

/** The figure that a trigger looks at. */
function Threshold({ draft, set }: Props) {
  if (draft.trigger === 'pricedrop')
    return (
      <TextField
        label="Price falls by at least (%)"
        type="number"
        min="1"
        max="99"
        required
        value={draft.dropPercent}
        onValue={(dropPercent) => set({ dropPercent })}
        hint="Several small steps count together."
      />
    );
  if (draft.trigger === 'lowstock')
    return (
      <TextField
        label="Units left"
        type="number"
        min="1"
        required
        value={draft.lowStock}
        onValue={(lowStock) => set({ lowStock })}
        hint="At this many or fewer, but not at none."
      />
    );
  return (
    <TextField
      label="Minimum stock"
      type="number"
      min="1"
      required
      value={draft.minStock}
      onValue={(minStock) => set({ minStock })}
      hint="Units that count as back in stock."
    />
  );
}

/** When a topic's alerts go out, to whom, and how fast. */
export function TopicRules({
  triggers,
  draft,
  set,
}: Props & { triggers: Answered<TopicsQuery>['triggers'] }) {
  return (
    <Card title="Rules">
      <div class="field-row">
        <Choice
          label="Sent"
          value={draft.trigger}
          options={triggers.map(({ name, label }) => ({ value: name, label }))}
          onValue={(trigger) => set({ trigger: trigger })}
        />
        {draft.trigger === 'tag' && (
          <TextField
            label="Product tag"
            required
            maxLength={255}
            value={draft.tag}
            onValue={(tag) => set({ tag })}
          />
        )}
        <Threshold draft={draft} set={set} />
        <TextField
          label="Cool-down in hours"
          type="number"
          min="0"
          step="any"
          required
          value={draft.coolDownHours}
          onValue={(coolDownHours) => set({ coolDownHours })}
          hint="Not twice to one contact within it."
        />
        <TextField
          label="Expiry in days"
          type="number"
          min="1"
          value={draft.expiryDays}
          onValue={(expiryDays) => set({ expiryDays })}
          hint="Older subscriptions are not told. Empty: never."
        />
        <TextField
          label="Delay in minutes"
          type="number"
          min="0"
          max="1440"
          step="any"
          required
          value={draft.delayMinutes}
          onValue={(delayMinutes) => set({ delayMinutes })}
          hint="Waits so long: a mistake that you correct meanwhile tells nobody."
        />
      </div>
      {draft.name !== 'backinstock' && (
        <Switch
          label="Also tell shoppers who have the product in a list"
          checked={draft.listHolders}
          onChange={(listHolders) => set({ listHolders })}
          hint="Customers with an account who said yes to your mailing list. They hear once each time, and can leave with one click."
        />
      )}
      <Pace draft={draft} set={set} />
    </Card>
  );
}
