import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import * as gql from '../../../generated/dashboard.ts';
import type { SettingCard } from '../../../stores/setting.types.ts';
import { storeSettings } from '../../../stores/store.columns.ts';
import { setRegion } from '../format.ts';
import { useSession } from '../session.ts';
import { RowField, draftOfRows, inputOfRows } from './fields.tsx';
import type { FormRow, RowDraft } from './fields.tsx';
import { SaveForm, useForm } from './form.tsx';
import type { Form } from './form.tsx';
import { Card } from './layout.tsx';

type Draft = Record<'logoUrl' | 'colour' | 'senderName' | 'senderAddress' | 'currency' | 'locale', string>;

const DEFAULT_COLOUR = '#1f2937';
const colourOf = (text: string): string =>
  /^#[\da-f]{6}$/i.test(text.trim()) ? text.trim() : DEFAULT_COLOUR;

/** Chooses black or white by contrast (WCAG 2). */
function textOn(colour: string): string {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((at) => {
    const share = parseInt(colour.slice(at, at + 2), 16) / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue > 0.1791 ? '#000000' : '#ffffff';
}

/** Formats a price as the service does; a locale is invalid while the user is typing it. */
function priceIn({ currency, locale }: Draft): string {
  const style = currency ? ({ style: 'currency', currency } as const) : { minimumFractionDigits: 2 };
  try {
    return new Intl.NumberFormat(locale.trim() || 'en', style).format(1234.5);
  } catch {
    return '–';
  }
}

function Preview({ draft, name }: { draft: Draft; name: string }) {
  const [broken, setBroken] = useState('');
  const logo = draft.logoUrl.trim();
  const isShown = /^https:\/\/./.test(logo) && logo !== broken;
  const colour = colourOf(draft.colour);
  return (
    <figure class="brand-preview">
      <figcaption class="muted">What an alert looks like</figcaption>
      <p class="brand-from">
        <strong>{draft.senderName.trim() || name}</strong>
        {draft.senderAddress.trim() && <span class="muted">, answers to {draft.senderAddress.trim()}</span>}
      </p>
      <div class="brand-mail">
        <div class="brand-head">
          {isShown ? <img src={logo} alt={name} onError={() => setBroken(logo)} /> : name}
        </div>
        <div class="brand-card">
          <p class="brand-title">Linen shirt is back in stock</p>
          <p>
            <strong>{priceIn(draft)}</strong>
          </p>
          <span class="brand-button" style={{ background: colour, color: textOn(colour) }}>
            See it at {name}
          </span>
        </div>
      </div>
      {logo === broken && logo !== '' && (
        <p class="field-error" role="status">
          The logo could not be loaded: messages show the name where it cannot be.
        </p>
      )}
    </figure>
  );
}

export function BrandCard(props: StoreProps) {
  const { name } = props.store;
  return (
    <SettingsCard card="brand" {...props}>
      {(form) => {
        const draft = form.draft as Draft;
        const fieldsOf = (isRegion: boolean) =>
          rowsOf('brand')
            .filter((row) => isRegion === (row.name === 'currency' || row.name === 'locale'))
            .map((row) => {
              const placeholder = row.name === 'senderName' ? name : undefined;
              const field = <RowField key={row.name} row={row} form={form} placeholder={placeholder} />;
              if (row.name !== 'colour') return field;
              return (
                <div key={row.name} class="brand-colour">
                  {field}
                  <input
                    type="color"
                    aria-label="Pick a colour"
                    value={colourOf(draft.colour)}
                    onInput={(event) => form.set({ colour: event.currentTarget.value })}
                  />
                </div>
              );
            });
        return (
          <div class="columns">
            <div>
              {fieldsOf(false)}
              <div class="field-row">{fieldsOf(true)}</div>
            </div>
            <Preview draft={draft} name={name} />
          </div>
        );
      }}
    </SettingsCard>
  );
}

type StoreProps = { store: gql.StoreSettingsFragment; onSaved: (store: gql.StoreSettingsFragment) => void };

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

function rowsOf(card: SettingCard): FormRow[] {
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
    (draft) => inputOfRows<gql.UpdateStoreInput>(rows, draft),
    async (input) => {
      const { updateStore } = await run(gql.SaveSettingsDocument, { input });
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
