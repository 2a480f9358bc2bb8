import type { StoreSettingsFragment, UpdateStoreInput } from '../../../generated/dashboard.ts';
import { Choice, NumberField, TextField } from './fields.tsx';
import { SaveForm } from './form.tsx';
import { Card } from './layout.tsx';
import { useStoreForm } from './store-settings.tsx';

type Draft = { minutes: string; quietFrom: string; quietTo: string; timeZone: string; dailyCap: string };

const draftOf = (store: StoreSettingsFragment): Draft => ({
  minutes: store.digestSeconds === 0 ? '' : String(store.digestSeconds / 60),
  quietFrom: store.quietFrom ?? '',
  quietTo: store.quietTo ?? '',
  timeZone: store.timeZone ?? '',
  dailyCap: store.dailyCap === null ? '' : String(store.dailyCap),
});

const inputOf = (draft: Draft): UpdateStoreInput => ({
  digestSeconds: Math.round(Number(draft.minutes) * 60),
  quietFrom: draft.quietFrom.trim() || null,
  quietTo: draft.quietTo.trim() || null,
  timeZone: draft.timeZone || null,
  dailyCap: draft.dailyCap.trim() === '' ? null : Number(draft.dailyCap),
});

/** The zones that this browser knows, and the one that is set. */
function zoneOptions(chosen: string): { value: string; label: string }[] {
  const names = new Set([...Intl.supportedValuesOf('timeZone'), ...(chosen ? [chosen] : [])]);
  const options = [...names].filter((name) => name !== 'UTC').map((name) => ({ value: name, label: name }));
  return [{ value: '', label: 'UTC' }, ...options];
}

/** When a store's alerts leave: together, not at night, not too many. */
export function PacingCard(props: {
  store: StoreSettingsFragment;
  onSaved: (store: StoreSettingsFragment) => void;
}) {
  const form = useStoreForm(props, draftOf, inputOf, 'From now on alerts leave like this.');
  return (
    <Card title="When alerts leave" note="Empty fields: each alert leaves by itself and at once.">
      <SaveForm form={form} label="Save when alerts leave">
        <div class="field-row">
          <NumberField
            label="Minutes to gather"
            min={0}
            max={1440}
            step="any"
            {...form.text('minutes', 'digestSeconds')}
            placeholder="10"
            hint="What a shopper is to hear within them is one message, not several."
          />
          <NumberField
            label="Messages a day"
            min={1}
            max={1000}
            {...form.text('dailyCap')}
            hint="Most that a shopper gets within 24 hours. Others wait until there is room."
          />
        </div>
        <div class="field-row">
          <TextField
            label="Quiet from"
            type="time"
            {...form.text('quietFrom')}
            hint="No alert leaves from this time of day …"
          />
          <TextField
            label="Quiet until"
            type="time"
            {...form.text('quietTo')}
            hint="… until this one. Those that came up meanwhile leave then."
          />
          <Choice
            label="Time zone"
            options={zoneOptions(form.draft.timeZone)}
            {...form.text('timeZone')}
            hint="Whose clocks these times are read on."
          />
        </div>
      </SaveForm>
    </Card>
  );
}
