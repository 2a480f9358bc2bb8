import { MeasuringSettingsDocument, SaveMeasuringDocument } from '../../generated/dashboard.ts';
import type { MeasuringSettingsQuery } from '../../generated/dashboard.ts';
import type { Answered } from '../api.ts';
import { useQuery, useSession } from '../session.ts';
import { Loaded } from './feedback.tsx';
import { NumberField, Switch } from './fields.tsx';
import { SaveForm, useForm } from './form.tsx';
import { Card } from './layout.tsx';

type Store = Answered<MeasuringSettingsQuery>['store'];

const draftOf = (store: Store) => ({
  measureAlerts: store.measureAlerts,
  attributionDays: String(store.attributionDays),
});

function MeasuringForm({ store, onSaved }: { store: Store; onSaved: (store: Store) => void }) {
  const { run, notify } = useSession();
  const form = useForm({
    saved: draftOf(store),
    inputOf: (draft) => ({ ...draft, attributionDays: Number(draft.attributionDays) }),
    save: async (input) => {
      const { updateStore } = await run(SaveMeasuringDocument, { input });
      onSaved(updateStore);
      notify('The settings are saved.');
    },
  });
  return (
    <SaveForm form={form} label="Save">
      <Switch
        label="Measure clicks"
        hint="Links in alerts count clicks. Opens are never tracked, and everybody can decline."
        {...form.check('measureAlerts')}
      />
      <div class="field-row">
        <NumberField
          label="Days that a click counts"
          min={1}
          max={90}
          required
          {...form.text('attributionDays')}
          hint="An order so many days after the click is one from the alert, 1 to 90."
        />
      </div>
    </SaveForm>
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
