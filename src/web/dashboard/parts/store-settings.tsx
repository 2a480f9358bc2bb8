import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import * as gql from '../../../generated/dashboard.ts';
import { DEFAULT_COLOUR, textOn } from '../../../platform/text.ts';
import type { SettingCard } from '../../../stores/setting.types.ts';
import { storeSettings } from '../../../stores/store.columns.ts';
import type { FormSettingName } from '../../../stores/store.columns.ts';
import { setRegion } from '../format.ts';
import { useSession } from '../session.ts';
import { find, t } from '../text.ts';
import { RowField, draftOfRows, inputOfRows } from './fields.tsx';
import type { FormRow, RowDraft } from './fields.tsx';
import { SaveForm, useForm } from './form.tsx';
import type { Form } from './form.tsx';
import { Card } from './layout.tsx';
import { useSettled } from './table-card.tsx';
import { usePreview } from './template-preview.tsx';

type Draft = Record<'logoUrl' | 'colour' | 'senderName' | 'senderAddress' | 'currency' | 'locale', string>;

const colourOf = (text: string): string =>
  /^#[\da-f]{6}$/i.test(text.trim()) ? text.trim() : DEFAULT_COLOUR;

function priceIn(locale: string, currency: string): string {
  const style = currency ? ({ style: 'currency', currency } as const) : { minimumFractionDigits: 2 };
  return new Intl.NumberFormat(locale, style).format(1234.5);
}

/** The email that the service writes for a locale, and the locale of its prices; the last one remains while a locale is being typed. */
function useSample(typed: string) {
  const locale = useSettled(typed.trim() || 'en');
  const { preview } = usePreview('backinstock', locale, null, {});
  const [, base = ''] = /^([a-z]{2,3})(-[a-z]{4})?(-[a-z]{2})?$/i.exec(locale) ?? [];
  const language = /<html[^>]* lang="([\w-]+)"/.exec(preview?.html ?? '')?.[1] ?? (base || 'en');
  return preview && { texts: preview, locale: language === base ? locale : language };
}

function Preview({ draft, name }: { draft: Draft; name: string }) {
  const [broken, setBroken] = useState('');
  const logo = draft.logoUrl.trim();
  const isShown = /^https:\/\/./.test(logo) && logo !== broken;
  const colour = colourOf(draft.colour);
  const address = draft.senderAddress.trim();
  const sample = useSample(draft.locale);
  return (
    <figure>
      <figcaption class="muted">{t('brand.preview')}</figcaption>
      <p class="brand-from">
        <strong>{draft.senderName.trim() || name}</strong>
        {address && <span class="muted">{t('brand.repliesTo', { address })}</span>}
      </p>
      {sample && (
        <div class="brand-mail" lang={sample.locale}>
          <div class="brand-head">
            {isShown ? <img src={logo} alt={name} onError={() => setBroken(logo)} /> : name}
          </div>
          <div class="brand-card">
            <p class="brand-title">{sample.texts.headline}</p>
            <p>
              <strong>{priceIn(sample.locale, draft.currency)}</strong>
            </p>
            <span class="brand-button" style={{ background: colour, color: textOn(colour) }}>
              {sample.texts.button}
            </span>
          </div>
        </div>
      )}
      {logo === broken && logo !== '' && (
        <p class="field-error" role="status">
          {t('brand.noLogo')}
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
                    aria-label={t('brand.pickColour')}
                    value={colourOf(draft.colour)}
                    onInput={(event) => form.set({ colour: event.currentTarget.value })}
                  />
                </div>
              );
            });
        return (
          <div class="columns">
            <div>
              <div class="field-row">{fieldsOf(true)}</div>
              {draft.currency === '' && <p class="notice warn">{t('brand.noCurrency')}</p>}
              {fieldsOf(false)}
            </div>
            <Preview draft={draft} name={name} />
          </div>
        );
      }}
    </SettingsCard>
  );
}

export type StoreProps = {
  store: gql.StoreSettingsFragment;
  onSaved: (store: gql.StoreSettingsFragment) => void;
};

function rowsOf(card: SettingCard): FormRow[] {
  return storeSettings.flatMap((row) => {
    if (row.form?.card !== card || row.kind === 'rateLimits') return [];
    const label = t(`setting.${row.name as FormSettingName}.label`);
    return [{ ...row, form: row.form, label, hint: find(`setting.${row.name}.hint`) }];
  });
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
  const rows = rowsOf(card);
  const form = useForm(
    draftOfRows(rows, store),
    (draft) => inputOfRows<gql.UpdateStoreInput>(rows, draft),
    async (input) => {
      const { updateStore } = await run(gql.SaveSettingsDocument, { input });
      rename(updateStore.name);
      setRegion(updateStore);
      onSaved(updateStore);
      return t('common.saved');
    },
  );
  return (
    <Card title={t(`settings.${card}`)} note={note ?? find(`settings.${card}.note`)} aside={aside}>
      <SaveForm form={form} label={t('common.save')}>
        {children ? children(form) : <SettingFields card={card} form={form} />}
      </SaveForm>
    </Card>
  );
}
