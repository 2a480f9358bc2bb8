import { MeasuringSettingsDocument, SaveMeasuringDocument } from '../../generated/dashboard.ts';
import type { MeasuringSettingsQuery } from '../../generated/dashboard.ts';
import type { Answered } from '../api.ts';
import { useDraft } from '../draft.ts';
import { useAction, useQuery, useSession } from '../session.ts';
import { Failure, Loaded } from './feedback.tsx';
import { Switch, TextField } from './fields.tsx';
import { Card } from './layout.tsx';

type Store = Answered<MeasuringSettingsQuery>['store'];

function MeasuringForm({ store, onSaved }: { store: Store; onSaved: (store: Store) => void }) {
  const { run, notify } = useSession();
  const { draft, set, settle } = useDraft({
    measureAlerts: store.measureAlerts,
    attributionDays: String(store.attributionDays),
  });
  const save = useAction(async () => {
    const input = { measureAlerts: draft.measureAlerts, attributionDays: Number(draft.attributionDays) };
    const { updateStore } = await run(SaveMeasuringDocument, { input });
    settle();
    onSaved(updateStore);
    notify('The settings are saved.');
  });
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        void save.start();
      }}
    >
      <Switch
        label="Measure clicks"
        hint="Links in alerts count clicks. Opens are never tracked, and everybody can decline."
        checked={draft.measureAlerts}
        onChange={(measureAlerts) => set({ measureAlerts })}
      />
      <TextField
        label="Days that a click counts"
        type="number"
        min="1"
        max="90"
        required
        value={draft.attributionDays}
        onValue={(attributionDays) => set({ attributionDays })}
        hint="An order so many days after the click is one from the alert, 1 to 90."
      />
      <Failure error={save.error} />
      <div class="buttons">
        <button type="submit" disabled={save.isBusy} aria-busy={save.isBusy}>
          Save
        </button>
      </div>
    </form>
  );
}

/** Whether clicks are measured, and for how long they count. */
export function Measuring() {
  const settings = useQuery(MeasuringSettingsDocument, {});
  return (
    <Card title="Measuring">
      <Loaded query={settings}>
        {({ store }) => (
          <MeasuringForm store={store} onSaved={(saved) => settings.replace({ store: saved })} />
        )}
      </Loaded>
    </Card>
  );
}
