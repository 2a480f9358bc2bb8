import type { StoreSettingsFragment } from '../../../generated/dashboard.ts';
import { NumberField, Switch } from './fields.tsx';
import { SaveForm } from './form.tsx';
import { Card } from './layout.tsx';
import { useStoreForm } from './store-settings.tsx';

const draftOf = (store: StoreSettingsFragment) => ({
  measureAlerts: store.measureAlerts,
  attributionDays: String(store.attributionDays),
});

/** Whether clicks are measured, and for how long they count. */
export function Measuring(props: {
  store: StoreSettingsFragment;
  onSaved: (store: StoreSettingsFragment) => void;
}) {
  const form = useStoreForm(
    props,
    draftOf,
    (draft) => ({ ...draft, attributionDays: Number(draft.attributionDays) }),
    'What is measured is saved.',
  );
  return (
    <Card title="Measuring">
      <SaveForm form={form} label="Save what is measured">
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
    </Card>
  );
}
