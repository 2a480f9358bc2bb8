import type { TopicsQuery } from '../../generated/dashboard.ts';
import type { Answered } from '../api.ts';
import type { TopicDraft } from '../topic-draft.ts';
import { Choice, TextField } from './fields.tsx';
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
        <TextField
          label="Minimum stock"
          type="number"
          min="1"
          required
          value={draft.minStock}
          onValue={(minStock) => set({ minStock })}
          hint="Units that count as back in stock."
        />
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
      </div>
      <Pace draft={draft} set={set} />
    </Card>
  );
}
