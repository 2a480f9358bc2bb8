import type { ComponentChildren } from 'preact';
import { SaveSettingsDocument } from '../../../generated/dashboard.ts';
import type { StoreSettingsFragment, UpdateStoreInput } from '../../../generated/dashboard.ts';
import type { SettingCard } from '../../../stores/setting.types.ts';
import { storeSettings } from '../../../stores/store.columns.ts';
import { draftOfRows, inputOfRows } from '../form-rows.ts';
import type { FormRow, RowDraft } from '../form-rows.ts';
import { formatMoment } from '../format.ts';
import { useSession } from '../session.ts';
import { Badge } from './feedback.tsx';
import { SaveForm, useForm } from './form.tsx';
import type { Form } from './form.tsx';
import { Card } from './layout.tsx';
import { RowField } from './row-field.tsx';

export type StoreProps = {
  store: StoreSettingsFragment;
  onSaved: (store: StoreSettingsFragment) => void;
};

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

export function useStoreForm({ store, onSaved }: StoreProps, card: SettingCard): Form<RowDraft> {
  const { run, notify, rename } = useSession();
  const rows = rowsOf(card);
  return useForm({
    saved: draftOfRows(rows, store),
    inputOf: (draft) => inputOfRows<UpdateStoreInput>(rows, draft),
    save: async (input) => {
      const { updateStore } = await run(SaveSettingsDocument, { input });
      rename(updateStore.name);
      onSaved(updateStore);
      notify(CARDS[card].saved);
    },
  });
}

export function SettingsFrame({
  card,
  form,
  note = CARDS[card].note,
  aside,
  children,
}: {
  card: SettingCard;
  form: Form<RowDraft>;
  note?: ComponentChildren;
  aside?: ComponentChildren;
  children: ComponentChildren;
}) {
  return (
    <Card title={CARDS[card].title} note={note} aside={aside}>
      <SaveForm form={form} label={CARDS[card].save}>
        {children}
      </SaveForm>
    </Card>
  );
}

/** Lists are shown alongside the other fields; without lists, numbers and texts are in rows. */
function SettingFields({ card, form }: { card: SettingCard; form: Form<RowDraft> }) {
  const fieldsOf = (isWanted: (row: FormRow) => boolean) =>
    rowsOf(card)
      .filter(isWanted)
      .map((row) => <RowField key={row.name} row={row} form={form} />);
  const switches = fieldsOf(({ kind }) => kind === 'flag');
  const lists = fieldsOf(({ kind }) => kind === 'list');
  const others = fieldsOf(({ kind }) => kind === 'int' || kind === 'text');
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

export function SettingsCard({ card, ...props }: StoreProps & { card: SettingCard }) {
  const form = useStoreForm(props, card);
  return (
    <SettingsFrame card={card} form={form}>
      <SettingFields card={card} form={form} />
    </SettingsFrame>
  );
}

export function GeneralCard(props: StoreProps) {
  const { store } = props;
  const form = useStoreForm(props, 'general');
  return (
    <SettingsFrame
      card="general"
      form={form}
      note={
        <>
          <span class="code">{store.pid}</span> · since {formatMoment(store.cts)}
        </>
      }
      aside={
        <Badge tone={store.inventoryManaged ? 'good' : 'warn'}>
          {store.inventoryManaged ? 'inventory managed' : 'inventory not managed: no alerts'}
        </Badge>
      }
    >
      <SettingFields card="general" form={form} />
    </SettingsFrame>
  );
}
