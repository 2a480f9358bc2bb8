import type { ComponentChildren } from 'preact';
import { SaveSettingsDocument } from '../../../generated/dashboard.ts';
import type { StoreSettingsFragment, UpdateStoreInput } from '../../../generated/dashboard.ts';
import type { SettingCard } from '../../../stores/setting.types.ts';
import { storeSettings } from '../../../stores/store.columns.ts';
import { draftOfRows, inputOfRows } from '../form-rows.ts';
import type { FormRow, RowDraft } from '../form-rows.ts';
import { setRegion } from '../format.ts';
import { useSession } from '../session.ts';
import { RowField } from './fields.tsx';
import { SaveForm, useForm } from './form.tsx';
import type { Form } from './form.tsx';
import { Card } from './layout.tsx';

export type StoreProps = { store: StoreSettingsFragment; onSaved: (store: StoreSettingsFragment) => void };

const CARDS: Record<SettingCard, { title: string; save: string; saved: string; note?: string }> = {
  general: { title: 'General', save: 'Save settings', saved: 'The settings are saved.' },
  lists: { title: 'Lists', save: 'Save lists', saved: 'The settings of lists are saved.' },
  brand: {
    title: 'Brand',
    save: 'Save brand',
    saved: 'The brand is saved.',
    note: 'What shoppers receive: mails, text messages, and the pages behind their links. The time zone is under “When alerts leave”.',
  },
  frequency: {
    title: 'When alerts leave',
    save: 'Save when alerts leave',
    saved: 'From now on alerts leave like this.',
    note: 'Empty fields: each alert leaves by itself and at once.',
  },
  clicks: { title: 'Measuring', save: 'Save what is measured', saved: 'What is measured is saved.' },
};

export function rowsOf(card: SettingCard): FormRow[] {
  return storeSettings.flatMap((row) =>
    row.form?.card === card && row.kind !== 'rateLimits' ? [{ ...row, form: row.form }] : [],
  );
}

/** Lists are shown alongside the other fields; without lists, numbers and texts are in rows. */
function SettingFields({ card, form }: { card: SettingCard; form: Form<RowDraft> }) {
  const fieldsOf = (...kinds: FormRow['kind'][]) =>
    rowsOf(card)
      .filter(({ kind }) => kinds.includes(kind))
      .map((row) => <RowField key={row.name} row={row} form={form} />);
  const [switches, lists, others] = [fieldsOf('flag'), fieldsOf('list'), fieldsOf('int', 'text')];
  if (lists.length === 0)
    return (
      <>
        {switches}
        <div class="field-row">{others}</div>
      </>
    );
  return (
    <div class="columns">
      <div>
        {others}
        {switches}
      </div>
      <div>{lists}</div>
    </div>
  );
}

type Props = StoreProps & {
  card: SettingCard;
  note?: ComponentChildren;
  aside?: ComponentChildren;
  /** Replaces the fields in their usual order. */
  children?: (form: Form<RowDraft>) => ComponentChildren;
};

export function SettingsCard({ card, store, onSaved, note, aside, children }: Props) {
  const { run, rename } = useSession();
  const texts = CARDS[card];
  const rows = rowsOf(card);
  const form = useForm(
    draftOfRows(rows, store),
    (draft) => inputOfRows<UpdateStoreInput>(rows, draft),
    async (input) => {
      const { updateStore } = await run(SaveSettingsDocument, { input });
      rename(updateStore.name);
      setRegion(updateStore);
      onSaved(updateStore);
      return texts.saved;
    },
  );
  return (
    <Card title={texts.title} note={note ?? texts.note} aside={aside}>
      <SaveForm form={form} label={texts.save}>
        {children ? children(form) : <SettingFields card={card} form={form} />}
      </SaveForm>
    </Card>
  );
}
