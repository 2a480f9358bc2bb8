import { SaveSettingsDocument } from '../../generated/dashboard.ts';
import type { StoreSettingsFragment, UpdateStoreInput } from '../../generated/dashboard.ts';
import { changedFields, useDraft } from '../draft.ts';
import { useAction, useSession } from '../session.ts';
import { Failure } from './feedback.tsx';
import { Choice, TextField } from './fields.tsx';
import { Card } from './layout.tsx';

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
export function PacingCard({
  store,
  onSaved,
}: {
  store: StoreSettingsFragment;
  onSaved: (store: StoreSettingsFragment) => void;
}) {
  const { run, notify } = useSession();
  const saved = draftOf(store);
  const { draft, set, settle } = useDraft(saved);
  const save = useAction(async () => {
    const input = changedFields(inputOf(draft), inputOf(saved));
    const { updateStore } = await run(SaveSettingsDocument, { input });
    settle();
    onSaved(updateStore);
    notify('From now on alerts leave like this.');
  });
  return (
    <Card title="When alerts leave" note="Empty fields: each alert leaves by itself and at once.">
      <form
        onSubmit={(event) => {
          event.preventDefault();
          void save.start();
        }}
      >
        <div class="field-row">
          <TextField
            label="Minutes to gather"
            type="number"
            min="0"
            max="1440"
            step="any"
            value={draft.minutes}
            onValue={(minutes) => set({ minutes })}
            placeholder="10"
            hint="What a shopper is to hear within them is one message, not several."
          />
          <TextField
            label="Messages a day"
            type="number"
            min="1"
            max="1000"
            value={draft.dailyCap}
            onValue={(dailyCap) => set({ dailyCap })}
            hint="Most that a shopper gets within 24 hours. Others wait until there is room."
          />
        </div>
        <div class="field-row">
          <TextField
            label="Quiet from"
            type="time"
            value={draft.quietFrom}
            onValue={(quietFrom) => set({ quietFrom })}
            hint="No alert leaves from this time of day …"
          />
          <TextField
            label="Quiet until"
            type="time"
            value={draft.quietTo}
            onValue={(quietTo) => set({ quietTo })}
            hint="… until this one. Those that came up meanwhile leave then."
          />
          <Choice
            label="Time zone"
            value={draft.timeZone}
            options={zoneOptions(draft.timeZone)}
            onValue={(timeZone) => set({ timeZone })}
            hint="Whose clocks these times are read on."
          />
        </div>
        <Failure error={save.error} />
        <div class="buttons">
          <button type="submit" disabled={save.isBusy} aria-busy={save.isBusy}>
            Save when alerts leave
          </button>
        </div>
      </form>
    </Card>
  );
}
